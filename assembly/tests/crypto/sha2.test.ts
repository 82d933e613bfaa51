// SHA-256, SHA-512, HMAC and HKDF: published answers, then node:crypto.
import { describe, expect, test } from "vitest";
import { hex, toHex } from "../room.ts";
import { withDamage } from "./damage.ts";
import { Primitives } from "./primitives.ts";
import { Seeded, expand, hmac, sha256, sha512 } from "./reference.ts";

const core = new Primitives();
const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));

/** First round constant of SHA-512, which is that of SHA-256 in its upper half; little endian. */
const FIRST_CONSTANT = hex("22ae28d7982f8a42");

describe("published answers", () => {
  test("FIPS 180: abc", () => {
    expect(toHex(core.hash("sha256", text("abc")))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(toHex(core.hash("sha512", text("abc")))).toBe(
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    );
  });

  test("RFC 4231, case 2", () => {
    expect(toHex(core.hmac("hmacSha256", text("Jefe"), text("what do ya want for nothing?")))).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  test("RFC 5869, A.1", () => {
    const prk = core.hkdfExtract(hex("000102030405060708090a0b0c"), new Uint8Array(22).fill(0x0b));
    expect(toHex(prk)).toBe("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
    expect(toHex(core.hkdfExpand(prk, hex("f0f1f2f3f4f5f6f7f8f9"), 42))).toBe(
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    );
  });
});

describe("against node:crypto", () => {
  // Every length across both paddings and block borders of both hashes.
  test("all lengths to 300", () => {
    const source = new Seeded("sha2 lengths");
    for (let bytes = 0; bytes <= 300; bytes++) {
      const message = source.bytes(bytes);
      expect(core.hash("sha256", message)).toEqual(sha256(message));
      expect(core.hash("sha512", message)).toEqual(sha512(message));
    }
  });

  test("HMAC keys around a block, HKDF lengths around a digest", () => {
    const source = new Seeded("hmac keys");
    for (const bytes of [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 200]) {
      const [key, message] = [source.bytes(bytes), source.bytes(bytes)];
      expect(core.hmac("hmacSha256", key, message)).toEqual(hmac("sha256", key, message));
      expect(core.hmac("hmacSha512", key, message)).toEqual(hmac("sha512", key, message));
      const prk = core.hkdfExtract(key, message);
      expect(prk).toEqual(hmac("sha256", key, message));
      expect(core.hkdfExpand(prk, key, bytes)).toEqual(expand(prk, key, bytes));
    }
    const longest = 255 * 32;
    expect(core.hkdfExpand(source.bytes(32), new Uint8Array(0), longest)).toHaveLength(longest);
    expect(() => core.hkdfExpand(source.bytes(32), new Uint8Array(0), longest + 1)).toThrow();
  });

  test("streams do not depend on how the message is cut, and can start again", () => {
    const source = new Seeded("streams");
    const { room } = core;
    const key = source.bytes(40);
    const streams = [
      { name: "sha256", bytes: 32, start: () => room.call("sha256Start"), want: sha256 },
      { name: "sha512", bytes: 64, start: () => room.call("sha512Start"), want: sha512 },
      {
        name: "hmacSha256",
        bytes: 32,
        start: () => room.call("hmacSha256Start", room.put(key), key.length),
        want: (data: Uint8Array) => hmac("sha256", key, data),
      },
    ];
    for (const { name, bytes, start, want } of streams) {
      for (let round = 0; round < 20; round++) {
        const message = source.bytes(source.number(600));
        room.scope(() => {
          const stream = start();
          const at = room.put(message);
          for (let done = 0; done < message.length;) {
            const piece = Math.min(message.length - done, source.number(150));
            room.call(`${name}Update`, stream, at + done, piece);
            done += piece;
          }
          const out = room.alloc(bytes);
          room.call(`${name}Final`, stream, out);
          expect(room.read(out, bytes)).toEqual(want(message));
        });
      }
    }
  });

  test("a damaged round constant shows in both hashes", () => {
    const message = text("abc");
    withDamage(core.room, FIRST_CONSTANT, () => expect(core.hash("sha512", message)).not.toEqual(sha512(message)));
    withDamage(core.room, FIRST_CONSTANT.slice(4), () =>
      expect(core.hash("sha256", message)).not.toEqual(sha256(message)),
    );
    expect(core.hash("sha256", message)).toEqual(sha256(message));
  });
});
