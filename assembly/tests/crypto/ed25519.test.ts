// Ed25519: published answers, @noble/curves, and the policy of the design (RFC 8032 without the cofactor).
import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, test } from "vitest";
import { hex, toHex } from "../room.ts";
import { flipped } from "./damage.ts";
import { policyAccepts } from "./ed25519-policy.ts";
import { Primitives } from "./primitives.ts";
import { Seeded, sha512 } from "./reference.ts";

const core = new Primitives();
const { Point } = ed25519;
const L = Point.Fn.ORDER;
const P = 2n ** 255n - 19n;

const number = (data: Uint8Array): bigint => data.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
const encode = (value: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** A point of order 8. */
const TORSION = Point.fromBytes(hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), true);

/** The challenge of R, A and a message, modulo L. */
const challenge = (r: Uint8Array, a: Uint8Array, message: Uint8Array): bigint =>
  number(sha512(concat(r, a, message))) % L;

test("RFC 8032, 7.1, tests 1 and 2", () => {
  for (const [seed, pub, message, signature] of [
    [
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
  ] as const) {
    expect(toHex(core.ed25519PublicKey(hex(seed)))).toBe(pub);
    expect(toHex(core.ed25519Sign(hex(seed), hex(pub), hex(message)))).toBe(signature);
    expect(core.ed25519Verify(hex(pub), hex(message), hex(signature))).toBe(true);
  }
});

test("keys and signatures are those of @noble/curves", () => {
  const source = new Seeded("ed25519");
  for (let round = 0; round < 15; round++) {
    const [seed, message] = [source.bytes(32), source.bytes(source.number(300))];
    const publicKey = ed25519.getPublicKey(seed);
    const signature = ed25519.sign(message, seed);
    expect(core.ed25519PublicKey(seed)).toEqual(publicKey);
    expect(core.ed25519Sign(seed, publicKey, message)).toEqual(signature);
    expect(core.ed25519Verify(publicKey, message, signature)).toBe(true);
  }
});

describe("verification", () => {
  const source = new Seeded("ed25519 policy");
  const seed = source.bytes(32);
  const publicKey = ed25519.getPublicKey(seed);
  const message = source.bytes(40);
  const signature = ed25519.sign(message, seed);
  const { scalar } = ed25519.utils.getExtendedPublicKey(seed);

  test("refuses any changed bit", () => {
    for (let bit = 0; bit < 512; bit += 3)
      expect(core.ed25519Verify(publicKey, message, flipped(signature, bit))).toBe(false);
    for (let bit = 0; bit < 256; bit += 7)
      expect(core.ed25519Verify(flipped(publicKey, bit), message, signature)).toBe(false);
    for (let bit = 0; bit < 320; bit += 7)
      expect(core.ed25519Verify(publicKey, flipped(message, bit), signature)).toBe(false);
    expect(core.ed25519Verify(publicKey, message, signature)).toBe(true);
  });

  test("refuses S + L, which satisfies the equation", () => {
    const raised = concat(signature.subarray(0, 32), encode(number(signature.subarray(32)) + L));
    expect(core.ed25519Verify(publicKey, message, raised)).toBe(false);
  });

  test("refuses a public key or R of small order, in every encoding", () => {
    for (let multiple = 0; multiple < 8; multiple++) {
      const point = TORSION.multiplyUnsafe(BigInt(multiple));
      const small = point.toBytes();
      // A small: S B = R with R = S B, for a message whose challenge the torsion does not feel.
      const s = 12345n;
      const r = Point.BASE.multiply(s).toBytes();
      for (let i = 0; i < 64; i++) {
        const text = Uint8Array.of(i);
        if (challenge(r, small, text) % 8n !== 0n) continue;
        expect(core.ed25519Verify(small, text, concat(r, encode(s)))).toBe(false);
        break;
      }
      // R small: S = k a exactly, and R neutral or not felt.
      const k = challenge(small, publicKey, message);
      expect(core.ed25519Verify(publicKey, message, concat(small, encode((k * scalar) % L)))).toBe(false);
    }
  });

  test("refuses encodings that are not canonical", () => {
    // y = 1 + p, and x = 0 with the sign bit: both stand for the neutral element or its like.
    const forms = [encode(P), encode(P + 1n), encode(1n | (1n << 255n)), encode((P - 1n) | (1n << 255n))];
    for (const form of forms) {
      expect(core.ed25519Verify(form, message, signature)).toBe(false);
      expect(core.ed25519Verify(publicKey, message, concat(form, signature.subarray(32)))).toBe(false);
    }
    // The decoder alone, where small order cannot be the reason: y and y + p for the few y below 19.
    core.room.scope(() => {
      const point = core.room.alloc(160);
      const decodes = (y: bigint): number => core.room.call("edwardsDecode", point, core.room.put(encode(y)));
      const onCurve = Array.from({ length: 17 }, (_, i) => BigInt(i) + 2n).filter((y) => decodes(y) === 1);
      expect(onCurve.length).toBeGreaterThan(2);
      for (const y of onCurve) expect(decodes(y + P)).toBe(0);
    });
  });

  // Without the cofactor a key with a torsion part is taken exactly when the challenge cancels it.
  test("key of mixed order: accepted where the equation holds, refused where only 8 times it holds", () => {
    const mixed = Point.fromBytes(publicKey).add(TORSION).toBytes();
    const seen = new Set<boolean>();
    for (let i = 0; i < 40; i++) {
      const text = Uint8Array.of(i);
      const nonce = number(sha512(text)) % L;
      const r = Point.BASE.multiply(nonce).toBytes();
      const k = challenge(r, mixed, text);
      const forged = concat(r, encode((nonce + k * scalar) % L));
      const exact = k % 8n === 0n;
      seen.add(exact);
      expect(policyAccepts(mixed, text, forged)).toBe(exact);
      expect(core.ed25519Verify(mixed, text, forged)).toBe(exact);
    }
    expect(seen.size).toBe(2);
  });

  test("stays within its share of the arena", () => {
    // The arena is zeroed on release, so the highest byte ever written is found in a memory filled beforehand.
    const { room } = core;
    const [pub, text, sig] = [room.put(publicKey), room.put(message), room.put(signature)] as const;
    const start = room.alloc(8) + 8;
    room.bytes(start, 8192).fill(0x5a);
    expect(room.call("ed25519Verify", pub, text, message.length, sig)).toBe(1);
    const used = room.read(start, 8192).findLastIndex((byte) => byte !== 0x5a) + 1;
    expect(used).toBeGreaterThan(1024);
    expect(used).toBeLessThan(3 * 1024);
  });
});
