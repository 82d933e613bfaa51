// NOR flash as the core sees it: words go from 1 to 0 and are programmed once between erases, pages are erased whole.
// Kept in memory or in a file, it counts its work, refuses misuse, and can lose power or fail at any operation.
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  fstatSync,
  unlinkSync,
  writeSync,
} from "node:fs";

/** Shape of a flash part. */
export interface FlashGeometry {
  /** 2 to 64. */
  pages: number;
  /** A power of two, 2 KiB to 64 KiB. */
  pageBytes: number;
}

/** The journal flash of the boards (xG24 page size). */
export const BOARD_GEOMETRY: FlashGeometry = { pages: 8, pageBytes: 8192 };

const WORD_BYTES = 4;
const ERASED_WORD = 0xffffffff;
const MIN_PAGES = 2;
const MAX_PAGES = 64;
const MIN_PAGE_BYTES = 2 * 1024;
const MAX_PAGE_BYTES = 64 * 1024;

/** Power went away: the caller never learns what became of the operation. Nothing works until `powerOn`. */
export class PowerLost extends Error {
  constructor() {
    super("power was lost");
    this.name = "PowerLost";
  }
}

/** The caller broke a rule of the part; on hardware the content would be undefined. */
export class FlashMisuse extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FlashMisuse";
  }
}

/**
 * What a fault does to the operation it strikes (one programmed word or one erased page).
 * `cut`: power goes before it. `tear`: power goes in the middle, a part of its bits has changed.
 * `error`: it reports failure, a part of its bits has changed; the part works on.
 */
export type FaultKind = "cut" | "tear" | "error";

export interface Fault {
  kind: FaultKind;
  /** How many operations still succeed before it. */
  after: number;
  /** Seed that chooses which differing bits change (`tear`, `error`). 0 changes none, ALL_BITS all of them. */
  bits?: number;
}

/** As `Fault.bits`: the operation is carried out completely although it is reported lost or failed. */
export const ALL_BITS = 0xffffffff;

export interface FlashCounters {
  /** Words programmed. */
  programs: number;
  /** Pages erased. */
  erases: number;
  /** Bytes programmed. */
  bytes: number;
}

/** Numbers 0 to 2^32 - 1 from a seed (splitmix32: well mixed from the first one). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/** Chooses a mask for each word struck by a fault. */
function maskSource(seed: number): () => number {
  if (seed === 0) return () => 0;
  if (seed === ALL_BITS) return () => ERASED_WORD;
  return generator(seed);
}

function checkGeometry({ pages, pageBytes }: FlashGeometry): void {
  if (!Number.isInteger(pages) || pages < MIN_PAGES || pages > MAX_PAGES)
    throw new FlashMisuse(`${pages} pages: ${MIN_PAGES} to ${MAX_PAGES} are possible`);
  const powerOfTwo = Number.isInteger(Math.log2(pageBytes));
  if (!powerOfTwo || pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES) {
    throw new FlashMisuse(
      `pages of ${pageBytes} bytes: a power of two from ${MIN_PAGE_BYTES} to ${MAX_PAGE_BYTES} is possible`,
    );
  }
}

/** Opens FILE for reading and writing, and creates it with `content` in one atomic step when it is missing or empty. */
function openOrCreate(path: string, content: () => Uint8Array): number {
  if (existsSync(path)) {
    const fd = openSync(path, "r+");
    if (fstatSync(fd).size > 0) return fd;
    closeSync(fd);
    unlinkSync(path);
  }
  const temporary = `${path}.${process.pid}.new`;
  const fd = openSync(temporary, "wx", 0o600);
  try {
    const data = content();
    if (writeSync(fd, data) !== data.length) throw new Error(`${path}: the disk took only a part of the flash image`);
    fsyncSync(fd);
    linkSync(temporary, path);
  } finally {
    closeSync(fd);
    unlinkSync(temporary);
  }
  return openSync(path, "r+");
}

/** One flash part. */
export class FlashModel {
  /** What the part holds now. Mutating it from outside is damage, which `write` does properly. */
  private readonly content: Uint8Array;
  private readonly view: DataView;
  private counts: FlashCounters = { programs: 0, erases: 0, bytes: 0 };
  private fault: Fault | undefined;
  private powered = true;
  /** Pages of which every operation fails from now on. */
  private readonly worn = new Set<number>();

  private constructor(
    readonly geometry: FlashGeometry,
    content: Uint8Array,
    private readonly fd: number | undefined,
  ) {
    this.content = content;
    this.view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  }

  /** Bytes of the part. */
  get size(): number {
    return this.geometry.pages * this.geometry.pageBytes;
  }

  /** An erased part in memory, or one with a given content. */
  static inMemory(geometry: FlashGeometry = BOARD_GEOMETRY, content?: Uint8Array): FlashModel {
    checkGeometry(geometry);
    const bytes = geometry.pages * geometry.pageBytes;
    if (content && content.length !== bytes)
      throw new FlashMisuse(`the content has ${content.length} bytes, the part ${bytes}`);
    return new FlashModel(geometry, content ? content.slice() : new Uint8Array(bytes).fill(0xff), undefined);
  }

  /**
   * A part behind a file: what `program` and `erase` changed is in the file when they return, so that the end of the
   * process at any moment is a power cut.
   *
   * @param path     created (journal erased, then `trailer`) when missing or empty
   * @param trailer  makes the bytes that follow the journal in a new file (docs/harness.md: the device key)
   * @returns the part, and the trailer as the file holds it
   * @throws FlashMisuse when an existing file does not have exactly the size of this geometry and trailer
   */
  static inFile(
    path: string,
    geometry: FlashGeometry,
    trailerBytes = 0,
    trailer: () => Uint8Array = () => new Uint8Array(0),
  ): { flash: FlashModel; trailer: Uint8Array } {
    checkGeometry(geometry);
    const journalBytes = geometry.pages * geometry.pageBytes;
    const fd = openOrCreate(path, () => {
      const end = trailer();
      if (end.length !== trailerBytes)
        throw new FlashMisuse(`a trailer of ${end.length} bytes where ${trailerBytes} were announced`);
      const image = new Uint8Array(journalBytes + trailerBytes).fill(0xff);
      image.set(end, journalBytes);
      return image;
    });
    try {
      const size = fstatSync(fd).size;
      if (size !== journalBytes + trailerBytes)
        throw new FlashMisuse(`${path} has ${size} bytes, a flash of this shape ${journalBytes + trailerBytes}`);
      const image = new Uint8Array(size);
      for (let at = 0; at < size;) {
        const got = readSync(fd, image, at, size - at, at);
        if (got === 0) throw new Error(`${path} ended at byte ${at} of ${size}`);
        at += got;
      }
      return { flash: new FlashModel(geometry, image.slice(0, journalBytes), fd), trailer: image.slice(journalBytes) };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Closes the file behind the part. */
  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
  }

  /** Work done since the last call. */
  takeCounters(): FlashCounters {
    const counts = this.counts;
    this.counts = { programs: 0, erases: 0, bytes: 0 };
    return counts;
  }

  /** Plans one fault, or none. It replaces an earlier plan. */
  plan(fault?: Fault): void {
    this.fault = fault && { ...fault };
  }

  /** The planned fault has not struck yet. */
  get planned(): boolean {
    return this.fault !== undefined;
  }

  /** From now on every program and erase of `page` fails and changes nothing. */
  wearOut(page: number): void {
    this.worn.add(page);
  }

  /** Whether power is there. */
  get on(): boolean {
    return this.powered;
  }

  /** Ends a power loss. The content is as the loss left it; a plan that has not struck yet stays. */
  powerOn(): void {
    this.powered = true;
  }

  /** A copy of the content. */
  dump(): Uint8Array {
    return this.content.slice();
  }

  /** Damages the part: overwrites any bytes, without the rules of flash and without counting. */
  write(at: number, data: Uint8Array): void {
    if (at < 0 || at + data.length > this.size)
      throw new FlashMisuse(`bytes ${at} to ${at + data.length} are not in a part of ${this.size}`);
    this.content.set(data, at);
    this.persist(at, data.length);
  }

  /** Copies `into.length` bytes from `at`. Any alignment. */
  read(at: number, into: Uint8Array): boolean {
    this.needPower();
    if (at < 0 || at + into.length > this.size)
      throw new FlashMisuse(`read of ${into.length} bytes at ${at} leaves the part`);
    into.set(this.content.subarray(at, at + into.length));
    return true;
  }

  /**
   * Programs whole words in ascending order; each is one operation, durable before the next one begins.
   *
   * @returns false when the part reported failure; the words before the failing one are programmed
   * @throws FlashMisuse for an unaligned or outside range, or a word that is not erased; PowerLost
   */
  program(at: number, data: Uint8Array): boolean {
    this.needPower();
    if (at % WORD_BYTES !== 0 || data.length % WORD_BYTES !== 0)
      throw new FlashMisuse(`program of ${data.length} bytes at ${at}: whole words only`);
    if (at < 0 || at + data.length > this.size)
      throw new FlashMisuse(`program of ${data.length} bytes at ${at} leaves the part`);
    const words = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let offset = 0; offset < data.length; offset += WORD_BYTES) {
      if (!this.programWord(at + offset, words.getUint32(offset, true))) return false;
    }
    return true;
  }

  /** Sets a page to FF: one operation. Returns false when the part reported failure. Throws FlashMisuse, PowerLost. */
  erase(page: number): boolean {
    this.needPower();
    if (!Number.isInteger(page) || page < 0 || page >= this.geometry.pages)
      throw new FlashMisuse(`page ${page} does not exist`);
    const { pageBytes } = this.geometry;
    const from = page * pageBytes;
    const striking = this.strike(page, (mask) => {
      for (let at = from; at < from + pageBytes; at += WORD_BYTES) {
        this.view.setUint32(at, (this.view.getUint32(at, true) | mask()) >>> 0, true);
      }
      this.persist(from, pageBytes);
    });
    if (striking) return false;
    this.content.fill(0xff, from, from + pageBytes);
    this.persist(from, pageBytes);
    this.counts.erases += 1;
    return true;
  }

  private programWord(at: number, word: number): boolean {
    const old = this.view.getUint32(at, true);
    if (old !== ERASED_WORD) {
      const rule = (word & ~old) !== 0 ? "a bit would go from 0 to 1" : "it was programmed since the last erase";
      throw new FlashMisuse(`program of the word at ${at}, which is not erased: ${rule}`);
    }
    const striking = this.strike(Math.floor(at / this.geometry.pageBytes), (mask) => {
      this.view.setUint32(at, (word | ~mask()) >>> 0, true);
      this.persist(at, WORD_BYTES);
    });
    if (striking) return false;
    this.view.setUint32(at, word, true);
    this.persist(at, WORD_BYTES);
    this.counts.programs += 1;
    this.counts.bytes += WORD_BYTES;
    return true;
  }

  /**
   * Lets the planned fault strike the operation that is about to happen, if it is its turn.
   * `part(mask)` carries out those bits of the operation that `mask()` selects, word by word.
   *
   * @returns true when the operation failed; throws PowerLost when power went
   */
  private strike(page: number, part: (mask: () => number) => void): boolean {
    const fault = this.fault;
    if (fault && fault.after === 0) {
      this.fault = undefined;
      if (fault.kind !== "cut") part(maskSource(fault.bits ?? 1));
      if (fault.kind === "error") return true;
      this.powered = false;
      throw new PowerLost();
    }
    if (fault) fault.after -= 1;
    return this.worn.has(page);
  }

  private needPower(): void {
    if (!this.powered) throw new PowerLost();
  }

  private persist(at: number, count: number): void {
    if (this.fd === undefined) return;
    const wrote = writeSync(this.fd, this.content, at, count, at);
    if (wrote !== count) throw new Error(`the flash file took ${wrote} of ${count} bytes`);
  }
}
