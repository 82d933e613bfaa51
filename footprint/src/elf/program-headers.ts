// ELF32 little-endian program headers: what a loader puts into flash and RAM (System V ABI, chapter 5).

/** One loadable segment. Addresses and sizes in bytes. */
export interface Segment {
  /** Where the bytes lie while the program runs. */
  virtualAddress: number;
  /** Where the bytes are stored (the load address). */
  physicalAddress: number;
  /** Bytes stored in the file. */
  fileBytes: number;
  /** Bytes occupied at run time; the surplus over `fileBytes` is zero-filled. */
  memoryBytes: number;
  /** Where the stored bytes begin in the file. */
  fileOffset: number;
}

const MAGIC = 0x7f454c46;
const CLASS_32 = 1;
const LITTLE_ENDIAN = 1;
const PT_LOAD = 1;
const HEADER_BYTES = 52;
const PROGRAM_HEADER_BYTES = 32;

/** A file that is not the ELF this reader knows. */
export class ElfError extends Error {}

/** The loadable segments of an ELF32 file, in file order. Throws ElfError on anything malformed. */
export function loadableSegments(file: Uint8Array): Segment[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < HEADER_BYTES || view.getUint32(0) !== MAGIC) throw new ElfError("not an ELF file");
  if (file[4] !== CLASS_32 || file[5] !== LITTLE_ENDIAN) throw new ElfError("not a 32-bit little-endian ELF file");
  const tableOffset = view.getUint32(28, true);
  const entryBytes = view.getUint16(42, true);
  const count = view.getUint16(44, true);
  if (count > 0 && entryBytes < PROGRAM_HEADER_BYTES) throw new ElfError(`a program header of ${entryBytes} bytes`);
  if (tableOffset + count * entryBytes > file.length)
    throw new ElfError("the program header table ends beyond the file");
  const segments: Segment[] = [];
  for (let i = 0; i < count; i++) {
    const at = tableOffset + i * entryBytes;
    if (view.getUint32(at, true) !== PT_LOAD) continue;
    const word = (index: number): number => view.getUint32(at + 4 * index, true);
    const segment = {
      fileOffset: word(1),
      virtualAddress: word(2),
      physicalAddress: word(3),
      fileBytes: word(4),
      memoryBytes: word(5),
    };
    if (segment.fileOffset + segment.fileBytes > file.length) throw new ElfError(`segment ${i} ends beyond the file`);
    if (segment.fileBytes > segment.memoryBytes) throw new ElfError(`segment ${i} stores more than it occupies`);
    segments.push(segment);
  }
  return segments;
}
