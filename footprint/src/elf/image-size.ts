// Flash and static RAM of an image, from its program headers and the memory map of its board.
import { loadableSegments } from "./program-headers.ts";

/** A region of the address space: from `start`, `bytes` long. */
export interface Region {
  start: number;
  bytes: number;
}

/** Where a board has flash and RAM. */
export interface MemoryMap {
  flash: Region[];
  ram: Region[];
}

/** Bytes that an image costs. */
export interface ImageSize {
  /** Stored bytes: code, constants and the initial values of variables. */
  flash: number;
  /** Variables, buffers and stacks that the linker placed: no more is ever taken, the image has no heap beyond them. */
  ram: number;
}

const holds = (regions: Region[], address: number): boolean =>
  regions.some(({ start, bytes }) => address >= start && address < start + bytes);

/** Memory maps by board name. */
export const MEMORY_MAPS: Record<string, MemoryMap> = {
  // Secure aliases of the AN505 FPGA image: SSRAM1 plays flash, SSRAM2/3 plays RAM.
  an505: { flash: [{ start: 0x10000000, bytes: 0x400000 }], ram: [{ start: 0x38000000, bytes: 0x400000 }] },
};

/** Size of the image `file` on a board with `map`. A segment outside the map is an error: it would be lost from the sum. */
export function imageSize(file: Uint8Array, map: MemoryMap): ImageSize {
  const size = { flash: 0, ram: 0 };
  for (const { physicalAddress, virtualAddress, fileBytes, memoryBytes } of loadableSegments(file)) {
    if (fileBytes > 0) {
      if (!holds(map.flash, physicalAddress))
        throw new Error(`stored bytes at 0x${physicalAddress.toString(16)}, which is not flash of this board`);
      size.flash += fileBytes;
    }
    if (holds(map.ram, virtualAddress)) size.ram += memoryBytes;
    else if (!holds(map.flash, virtualAddress))
      throw new Error(`a segment at 0x${virtualAddress.toString(16)}, which is no memory of this board`);
  }
  return size;
}
