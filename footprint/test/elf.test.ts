import { describe, expect, it } from "vitest";
import { ElfError, MEMORY_MAPS, imageSize, loadableSegments } from "../src/index.ts";

interface Header {
  type?: number;
  offset?: number;
  virtual: number;
  physical?: number;
  file: number;
  memory: number;
}

/** An ELF32 file with the given program headers and enough bytes behind them. */
function elf(headers: Header[], total = 4096): Uint8Array {
  const file = new Uint8Array(total);
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1]);
  view.setUint32(28, 52, true);
  view.setUint16(42, 32, true);
  view.setUint16(44, headers.length, true);
  headers.forEach((header, index) => {
    const words = [
      header.type ?? 1,
      header.offset ?? 1024,
      header.virtual,
      header.physical ?? header.virtual,
      header.file,
      header.memory,
    ];
    words.forEach((word, position) => view.setUint32(52 + 32 * index + 4 * position, word, true));
  });
  return file;
}

const map = MEMORY_MAPS.an505!;

describe("image size", () => {
  it("counts stored bytes as flash and occupied bytes in RAM as RAM", () => {
    const file = elf([
      { virtual: 0x10000000, file: 1000, memory: 1000 },
      { virtual: 0x38000000, physical: 0x100003e8, file: 24, memory: 124 },
      { virtual: 0x38001000, file: 0, memory: 512 },
      { type: 4, virtual: 0x10000000, file: 999, memory: 999 },
    ]);
    expect(imageSize(file, map)).toEqual({ flash: 1024, ram: 636 });
  });

  it("refuses a segment that no memory of the board holds", () => {
    expect(() => imageSize(elf([{ virtual: 0x20000000, physical: 0x10000000, file: 4, memory: 4 }]), map)).toThrow(
      /no memory of this board/,
    );
    expect(() => imageSize(elf([{ virtual: 0x38000000, file: 4, memory: 4 }]), map)).toThrow(/not flash/);
  });

  it("refuses what is not a whole ELF32 file", () => {
    const file = elf([{ virtual: 0x10000000, file: 100, memory: 100 }]);
    expect(loadableSegments(file)).toHaveLength(1);
    expect(() => loadableSegments(file.slice(0, 51))).toThrow(ElfError);
    expect(() => loadableSegments(file.slice(0, 60))).toThrow(/beyond the file/);
    expect(() => loadableSegments(elf([{ virtual: 0x10000000, file: 8000, memory: 8000 }]))).toThrow(/beyond the file/);
    expect(() => loadableSegments(elf([{ virtual: 0x10000000, file: 9, memory: 8 }]))).toThrow(/more than it occupies/);
    expect(() => loadableSegments(new Uint8Array(100))).toThrow(/not an ELF/);
  });
});
