// AES-128 and AES-128-GCM: published answers, then node:crypto.
import { describe, expect, test } from "vitest";
import { hex, toHex } from "../room.ts";
import { flipped } from "./damage.ts";
import { GCM_TAG_BYTES, Primitives } from "./primitives.ts";
import { Seeded, gcmSeal } from "./reference.ts";

const core = new Primitives();

test("FIPS 197, appendix B", () => {
  const cipher = core.aesBlock(hex("2b7e151628aed2a6abf7158809cf4f3c"), hex("3243f6a8885a308d313198a2e0370734"));
  expect(toHex(cipher)).toBe("3925841d02dc09fbdc118597196a0b32");
});

test("the GCM proposal, test case 4", () => {
  const key = hex("feffe9928665731c6d6a8f9467308308");
  const nonce = hex("cafebabefacedbaddecaf888");
  const aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const plain = hex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525" +
      "b16aedf5aa0de657ba637b39",
  );
  const sealed =
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05" +
    "1ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47";
  expect(toHex(core.gcmSeal(key, nonce, aad, plain))).toBe(sealed);
  expect(core.gcmOpen(key, nonce, aad, hex(sealed))).toEqual(plain);
});

describe("against node:crypto", () => {
  test("lengths around blocks and pairs of blocks", () => {
    const source = new Seeded("gcm");
    for (const bytes of [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 96, 200, 1000]) {
      for (const aadBytes of [0, 5, 16, 33]) {
        const [key, nonce] = [source.bytes(16), source.bytes(12)];
        const [aad, plain] = [source.bytes(aadBytes), source.bytes(bytes)];
        const sealed = gcmSeal(key, nonce, aad, plain);
        expect(core.gcmSeal(key, nonce, aad, plain)).toEqual(sealed);
        expect(core.gcmOpen(key, nonce, aad, sealed)).toEqual(plain);
      }
    }
  });

  test("operands of GHASH that are all ones or single bits", () => {
    const source = new Seeded("ghash edges");
    const [key, nonce] = [source.bytes(16), source.bytes(12)];
    for (const plain of [new Uint8Array(64), new Uint8Array(64).fill(255)])
      for (let bit = -1; bit < 128; bit += 3) {
        const aad = bit < 0 ? new Uint8Array(16).fill(255) : flipped(new Uint8Array(16), bit);
        expect(core.gcmSeal(key, nonce, aad, plain)).toEqual(gcmSeal(key, nonce, aad, plain));
      }
  });
});

test("any changed bit is refused and nothing of the plaintext stays", () => {
  const source = new Seeded("gcm forgery");
  const [key, nonce, aad, plain] = [source.bytes(16), source.bytes(12), source.bytes(20), source.bytes(37)];
  const sealed = core.gcmSeal(key, nonce, aad, plain);
  for (let bit = 0; bit < sealed.length * 8; bit++)
    expect(core.gcmOpen(key, nonce, aad, flipped(sealed, bit))).toBeUndefined();
  for (let bit = 0; bit < 96; bit += 7) expect(core.gcmOpen(key, flipped(nonce, bit), aad, sealed)).toBeUndefined();
  for (let bit = 0; bit < 160; bit += 7) expect(core.gcmOpen(key, nonce, flipped(aad, bit), sealed)).toBeUndefined();
  for (let bytes = 0; bytes < sealed.length; bytes++)
    expect(core.gcmOpen(key, nonce, aad, sealed.subarray(0, bytes))).toBeUndefined();
  expect(core.gcmOpen(key, nonce, aad, sealed)).toEqual(plain); // the same call, unchanged
});

test("opens in place, and zeroes in place when refused", () => {
  const source = new Seeded("in place");
  const [key, nonce, plain] = [source.bytes(16), source.bytes(12), source.bytes(50)];
  const sealed = core.gcmSeal(key, nonce, new Uint8Array(0), plain);
  const open = (cipher: Uint8Array): [number, Uint8Array] =>
    core.room.scope(() => {
      const [k, n, at] = [key, nonce, cipher].map((data) => core.room.put(data)) as [number, number, number];
      const ok = core.room.call("aes128GcmOpen", k, n, 0, 0, at, cipher.length, at);
      return [ok, core.room.read(at, cipher.length - GCM_TAG_BYTES)];
    });
  expect(open(sealed)).toEqual([1, plain]);
  expect(open(flipped(sealed, 3))).toEqual([0, new Uint8Array(plain.length)]);
});
