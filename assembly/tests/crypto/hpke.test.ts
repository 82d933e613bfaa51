// HPKE base mode: the first vector of RFC 9180, then an independent HPKE over node:crypto and @noble/curves.
import { x25519 } from "@noble/curves/ed25519.js";
import { expect, test } from "vitest";
import { hex, toHex } from "../room.ts";
import { flipped } from "./damage.ts";
import { Primitives } from "./primitives.ts";
import { Seeded, hpkeKeyPair, hpkeSeal } from "./reference.ts";

const core = new Primitives();

test("RFC 9180, A.1.1", () => {
  const info = hex("4f6465206f6e2061204772656369616e2055726e");
  const recipient = core.hpkeDeriveKeyPair(hex("6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037"));
  const sender = core.hpkeDeriveKeyPair(hex("7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234"));
  expect(toHex(recipient.publicKey)).toBe("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d");
  const [aad, plain] = [hex("436f756e742d30"), new Uint8Array(Buffer.from("Beauty is truth, truth beauty"))] as const;
  const sealed = core.hpkeSeal(recipient.publicKey, info, aad, plain, sender.secretKey)!;
  expect(toHex(sealed.enc)).toBe("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431");
  expect(toHex(sealed.cipher)).toBe(
    "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
  );
  expect(core.hpkeOpen(sealed.enc, recipient.secretKey, recipient.publicKey, info, aad, sealed.cipher)).toEqual(plain);
});

test("key pairs and messages are those of the reference", () => {
  const source = new Seeded("hpke");
  for (let round = 0; round < 6; round++) {
    const ikm = source.bytes(32 + round);
    const pair = hpkeKeyPair(ikm);
    expect(core.hpkeDeriveKeyPair(ikm)).toEqual(pair);
    const [info, aad, plain] = [source.bytes(7 * round), source.bytes(11 * round), source.bytes(29 * round)];
    const ephemeral = source.bytes(32);
    const sealed = hpkeSeal(pair.publicKey, info, aad, plain, ephemeral);
    expect(core.hpkeSeal(pair.publicKey, info, aad, plain, ephemeral)).toEqual(sealed);
    expect(core.hpkeOpen(sealed.enc, pair.secretKey, pair.publicKey, info, aad, sealed.cipher)).toEqual(plain);
  }
});

test("a change anywhere is refused", () => {
  const source = new Seeded("hpke forgery");
  const pair = hpkeKeyPair(source.bytes(32));
  const [info, aad, plain] = [source.bytes(9), source.bytes(9), source.bytes(20)] as const;
  const { enc, cipher } = hpkeSeal(pair.publicKey, info, aad, plain, source.bytes(32));
  const open = (parts: Partial<Record<"enc" | "info" | "aad" | "cipher" | "recipient", Uint8Array>>) =>
    core.hpkeOpen(
      parts.enc ?? enc,
      pair.secretKey,
      parts.recipient ?? pair.publicKey,
      parts.info ?? info,
      parts.aad ?? aad,
      parts.cipher ?? cipher,
    );
  expect(open({})).toEqual(plain);
  expect(open({ enc: flipped(enc, 77) })).toBeUndefined();
  expect(open({ info: flipped(info, 5) })).toBeUndefined();
  expect(open({ aad: flipped(aad, 5) })).toBeUndefined();
  expect(open({ cipher: flipped(cipher, 5) })).toBeUndefined();
  expect(open({ cipher: cipher.subarray(0, 15) })).toBeUndefined();
  expect(open({ recipient: x25519.getPublicKey(source.bytes(32)) })).toBeUndefined();
});

test("an all-zero exchange is refused on both sides (RFC 9180, 7.1.4)", () => {
  const source = new Seeded("hpke zero");
  const zero = new Uint8Array(32);
  const some = source.bytes(32);
  expect(core.hpkeSeal(zero, some, some, some, some)).toBeUndefined();
  const pair = hpkeKeyPair(some);
  expect(core.hpkeOpen(zero, pair.secretKey, pair.publicKey, some, some, source.bytes(40))).toBeUndefined();
});
