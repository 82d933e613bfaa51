// The flash model keeps the rules of NOR flash, and its faults leave what they say.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ALL_BITS, BOARD_GEOMETRY, FlashMisuse, FlashModel, PowerLost } from "../src/board/flash-model.ts";

const GEOMETRY = { pages: 2, pageBytes: 2048 };
const word = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);
const at = (flash: FlashModel, offset: number): number => new DataView(flash.dump().buffer).getUint32(offset, true);

const folder = mkdtempSync(join(tmpdir(), "flash-model-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("rules", () => {
  it("a word goes from erased to programmed once; programming it again is refused, even to zeros or to itself", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    expect(flash.program(8, word(0x12345678))).toBe(true);
    for (const value of [0, 0x12345678, 0xffffffff]) expect(() => flash.program(8, word(value))).toThrow(FlashMisuse);
    expect(() => flash.program(8, word(0xf2345678))).toThrow(/from 0 to 1/);
    expect(at(flash, 8)).toBe(0x12345678);
    expect(flash.erase(0)).toBe(true);
    expect(flash.program(8, word(0))).toBe(true);
  });

  it("only whole words inside of the part, only pages that exist", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    expect(() => flash.program(2, word(0))).toThrow(FlashMisuse);
    expect(() => flash.program(0, new Uint8Array(3))).toThrow(FlashMisuse);
    expect(() => flash.program(4096, word(0))).toThrow(FlashMisuse);
    expect(() => flash.program(-4, word(0))).toThrow(FlashMisuse);
    expect(() => flash.read(4095, new Uint8Array(2))).toThrow(FlashMisuse);
    for (const page of [-1, 2, 0.5]) expect(() => flash.erase(page)).toThrow(FlashMisuse);
  });

  it("shapes out of range are refused", () => {
    for (const geometry of [
      { pages: 1, pageBytes: 2048 },
      { pages: 65, pageBytes: 2048 },
      { pages: 2, pageBytes: 1024 },
      { pages: 2, pageBytes: 3000 },
    ]) {
      expect(() => FlashModel.inMemory(geometry)).toThrow(FlashMisuse);
    }
    expect(() => FlashModel.inMemory(GEOMETRY, new Uint8Array(5))).toThrow(FlashMisuse);
  });

  it("counts words, bytes and erases, and starts again", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    flash.program(0, new Uint8Array(12));
    flash.erase(1);
    expect(flash.takeCounters()).toEqual({ programs: 3, erases: 1, bytes: 12 });
    expect(flash.takeCounters()).toEqual({ programs: 0, erases: 0, bytes: 0 });
  });
});

describe("faults", () => {
  it("cut: the operation has not happened, those before it have, and nothing works until power returns", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    flash.plan({ kind: "cut", after: 2 });
    expect(() => flash.program(0, new Uint8Array(16))).toThrow(PowerLost);
    expect([0, 4, 8, 12].map((offset) => at(flash, offset))).toEqual([0, 0, 0xffffffff, 0xffffffff]);
    expect(flash.on).toBe(false);
    expect(() => flash.read(0, new Uint8Array(4))).toThrow(PowerLost);
    expect(() => flash.program(8, word(0))).toThrow(PowerLost);
    expect(() => flash.erase(0)).toThrow(PowerLost);
    flash.powerOn();
    expect(flash.program(8, word(0))).toBe(true);
  });

  it("tear: bits change in the right direction only, the same ones for the same seed", () => {
    const torn = (bits: number): number => {
      const flash = FlashModel.inMemory(GEOMETRY);
      flash.plan({ kind: "tear", after: 0, bits });
      expect(() => flash.program(0, word(0x0f0f0f0f))).toThrow(PowerLost);
      return at(flash, 0);
    };
    const results = Array.from({ length: 50 }, (_, i) => torn(i + 1));
    for (const result of results) expect(result & 0x0f0f0f0f).toBe(0x0f0f0f0f);
    expect(new Set(results).size).toBeGreaterThan(40);
    expect(torn(7)).toBe(torn(7));
    expect(torn(0)).toBe(0xffffffff);
    expect(torn(ALL_BITS)).toBe(0x0f0f0f0f);
  });

  it("a torn erase leaves a mixture, in that page alone", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    flash.program(0, new Uint8Array(4096));
    flash.plan({ kind: "tear", after: 0, bits: 5 });
    expect(() => flash.erase(0)).toThrow(PowerLost);
    const words = new Uint32Array(flash.dump().buffer);
    expect(new Set(words.subarray(0, 512)).size).toBeGreaterThan(400);
    expect(new Set(words.subarray(512))).toEqual(new Set([0]));
  });

  it("error: failure is reported once, a part of the bits has changed, the part works on", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    flash.plan({ kind: "error", after: 1, bits: 3 });
    expect(flash.planned).toBe(true);
    expect(flash.program(0, new Uint8Array(12))).toBe(false);
    expect(flash.planned).toBe(false);
    expect(at(flash, 0)).toBe(0);
    expect([0, 0xffffffff]).not.toContain(at(flash, 4));
    expect(at(flash, 8)).toBe(0xffffffff);
    expect(flash.program(8, word(1))).toBe(true);
    expect(flash.takeCounters().programs).toBe(2);
  });

  it("a worn page fails for good, the others work", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    flash.wearOut(1);
    expect(flash.program(2048, word(0))).toBe(false);
    expect(flash.erase(1)).toBe(false);
    expect(flash.program(0, word(0))).toBe(true);
    expect(at(flash, 2048)).toBe(0xffffffff);
  });
});

describe("a file", () => {
  const key = Uint8Array.from({ length: 32 }, (_, i) => i);

  it("is created erased with its trailer, and holds every operation when the call returns", () => {
    const path = join(folder, "new.bin");
    const { flash, trailer } = FlashModel.inFile(path, GEOMETRY, 32, () => key);
    expect(trailer).toEqual(key);
    expect(new Uint8Array(readFileSync(path)).subarray(0, 4096).every((byte) => byte === 0xff)).toBe(true);
    flash.program(100, word(0x01020304));
    flash.write(200, Uint8Array.of(7));
    const image = new Uint8Array(readFileSync(path));
    expect([image[100], image[103], image[200]]).toEqual([4, 1, 7]);
    expect(image.slice(4096)).toEqual(key);
    flash.plan({ kind: "tear", after: 0, bits: 9 });
    expect(() => flash.erase(0)).toThrow(PowerLost);
    expect(new Uint8Array(readFileSync(path)).slice(0, 4096)).toEqual(flash.dump());
    flash.close();
    const again = FlashModel.inFile(path, GEOMETRY, 32, () => {
      throw new Error("an existing part keeps its trailer");
    });
    expect(again.trailer).toEqual(key);
    expect(again.flash.dump()).toEqual(flash.dump());
    again.flash.close();
  });

  it("that is empty is created, and one of another size is refused and left alone", () => {
    const empty = join(folder, "empty.bin");
    writeFileSync(empty, "");
    FlashModel.inFile(empty, BOARD_GEOMETRY, 32, () => key).flash.close();
    expect(readFileSync(empty).length).toBe(65536 + 32);
    expect(() => FlashModel.inFile(empty, GEOMETRY, 32, () => key)).toThrow(FlashMisuse);
    expect(readFileSync(empty).length).toBe(65536 + 32);
  });

  it("is not left behind half made", () => {
    const path = join(folder, "half.bin");
    expect(() => FlashModel.inFile(path, GEOMETRY, 32, () => new Uint8Array(3))).toThrow(FlashMisuse);
    expect(existsSync(path)).toBe(false);
  });
});
