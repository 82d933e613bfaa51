// The format of docs/journal.md, read by an independent implementation (node:crypto).
import { createDecipheriv, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DEVICE_KEY, FlashModel, OK, boot, value, type Transaction } from "./part.ts";

const PAGE_HEADER_BYTES = 40;
const TAG_BYTES = 16;
const DELETED = 0xffff;

interface Entry {
  key: number;
  value: Uint8Array | undefined;
}

const mix = (sum: number, word: number): number => {
  const product = Math.imul(sum ^ word, 0x9e3779b1) >>> 0;
  return (product ^ (product >>> 15)) >>> 0;
};

/** Reads the record at `at` of a page as the document states it; throws when it is not one. */
function readRecord(page: Uint8Array, sequence: number, at: number): { entries: Entry[]; bytes: number } {
  const words = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const first = words.getUint32(at, true);
  const count = first & 31;
  expect((first >>> 5) & 31).toBe(count ^ 31);
  const heads = Array.from({ length: count }, (_, i) => words.getUint32(at + 4 + 4 * i, true));
  expect(first >>> 10).toBe(heads.reduce(mix, mix(sequence, at)) >>> 10);
  const lengths = heads.map((head) => (head & 0xffff) % DELETED);
  const headerBytes = 4 + 4 * count;
  const valueBytes = Math.ceil(lengths.reduce((a, b) => a + b, 0) / 4) * 4;
  const tagAt = at + headerBytes + valueBytes;
  const tag = page.subarray(tagAt, tagAt + TAG_BYTES);
  expect(words.getUint32(tagAt + TAG_BYTES, true)).toBe(0);
  const cipher = createDecipheriv(
    "aes-128-ctr",
    DEVICE_KEY.subarray(0, 16),
    Buffer.concat([tag.subarray(0, 12), Buffer.from([0, 0, 0, 1])]),
  );
  const clear = cipher.update(page.subarray(at + headerBytes, tagAt));
  const place = Buffer.alloc(8);
  place.writeUInt32LE(sequence, 0);
  place.writeUInt32LE(at, 4);
  const mac = createHmac("sha256", DEVICE_KEY.subarray(16))
    .update(place)
    .update(page.subarray(at, at + headerBytes))
    .update(clear)
    .digest();
  expect(Buffer.from(tag)).toEqual(mac.subarray(0, TAG_BYTES));
  let from = 0;
  const entries = heads.map((head, i): Entry => {
    const deleted = (head & 0xffff) === DELETED;
    const entry = {
      key: head >>> 16,
      value: deleted ? undefined : new Uint8Array(clear.subarray(from, from + lengths[i]!)),
    };
    from += lengths[i]!;
    return entry;
  });
  expect(clear.subarray(from).every((byte) => byte === 0)).toBe(true);
  return { entries, bytes: headerBytes + valueBytes + TAG_BYTES + 4 };
}

describe("the format", () => {
  it("of a page header and its records is the documented one", () => {
    const flash = FlashModel.inMemory();
    const transactions: Transaction[] = [
      [
        [0x0101, value(36, 1)],
        [0x0202, value(63, 2)],
        [0x0303, value(0, 3)],
      ],
      [[0x0101, undefined]],
      [
        [0x0404, value(1000, 4)],
        [0x0202, value(2, 5)],
      ],
    ];
    for (const transaction of transactions) expect(boot(flash).commit(transaction)).toBe(OK);
    const page = flash.dump().subarray(0, 8192);
    const header = Array.from(new Uint32Array(page.slice(0, PAGE_HEADER_BYTES).buffer));
    const check = [0, 1, 1].reduce(mix, mix(0x4f4c4a31, 0));
    expect(header).toEqual([1, 1, 0, check, 0, 1, 1, 0, check, 0]);
    let at = PAGE_HEADER_BYTES;
    for (const transaction of transactions) {
      const { entries, bytes } = readRecord(page, 1, at);
      expect(entries).toEqual(transaction.map(([key, bytesOf]) => ({ key, value: bytesOf })));
      at += bytes;
    }
    expect(page.subarray(at).every((byte) => byte === 0xff)).toBe(true);
  });

  it("reuses no key stream when an old image is restored and other values take the same place", () => {
    const flash = FlashModel.inMemory();
    boot(flash).commit([[1, value(8, 1)]]);
    const image = flash.dump();
    const at = boot(flash).log.end + 8;
    const sealed = [value(64, 2), value(64, 3)].map((clear) => {
      const restored = FlashModel.inMemory(flash.geometry, image);
      boot(restored).commit([[1, clear]]);
      const cipher = restored.dump().subarray(at, at + 64);
      return Buffer.from(cipher.map((byte, i) => byte ^ clear[i]!)).toString("hex");
    });
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed[0]!.slice(0, 16)).not.toBe(sealed[1]!.slice(0, 16));
  });
});
