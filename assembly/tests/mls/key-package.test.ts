// The device's key package, byte by byte (leaf.md 3.1).
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { describe, expect, it } from "vitest";
import { toHex } from "../room.ts";
import { ascii, Device, room } from "./device.ts";
import { DEVICE, fill, GROUP, PHONE } from "./pair.ts";

const NOT_BEFORE = 1_796_078_308n;
const LIFETIME_S = 2_419_200n;

/** `label<V> || content<V>` with the prefix of MLS. */
function labelled(label: string, content: Uint8Array): Uint8Array {
  const text = ascii(`MLS 1.0 ${label}`);
  return new Uint8Array([text.length, ...text, 0x40 | (content.length >> 8), content.length & 255, ...content]);
}

describe("the key package", () => {
  const device = new Device(fill(0x11), DEVICE, GROUP, PHONE);
  const keyPackage = device.mint(fill(0x33), NOT_BEFORE);
  const publicKey = ed25519.getPublicKey(fill(0x11));
  const field = (at: number, bytes: number): Uint8Array => keyPackage.slice(at, at + bytes);
  const u64 = (value: bigint): string => value.toString(16).padStart(16, "0");

  it("has the layout of the profile", () => {
    expect(keyPackage.length).toBe(312);
    const expected = [
      "00010001",
      "20",
      toHex(field(5, 32)),
      "20",
      toHex(field(38, 32)),
      "20",
      toHex(publicKey),
      "0001",
      "2c",
      toHex(ascii(DEVICE)),
      "020001",
      "020001",
      "00",
      "00",
      "020001",
      "01",
      u64(NOT_BEFORE),
      u64(NOT_BEFORE + LIFETIME_S),
      "00",
      "4040",
      toHex(field(181, 64)),
      "00",
      "4040",
      toHex(field(248, 64)),
    ];
    expect(toHex(keyPackage)).toBe(expected.join(""));
  });

  it("is signed twice, and named by its hash", () => {
    expect(ed25519.verify(field(181, 64), labelled("LeafNodeTBS", field(37, 142)), publicKey)).toBe(true);
    expect(ed25519.verify(field(248, 64), labelled("KeyPackageTBS", field(0, 246)), publicKey)).toBe(true);
    expect(toHex(device.reference)).toBe(toHex(sha256(labelled("KeyPackage Reference", keyPackage))));
  });

  it("has two key pairs of its seed, and others for another seed", () => {
    const pairs = room.scope(() =>
      ["init key", "leaf key"].map((name) => {
        const [privateKey, publicOut] = [room.alloc(32), room.alloc(32)];
        room.call(
          "packageKeyPair",
          room.put(fill(0x33)),
          room.put(new Uint8Array([name.length, ...ascii(name)])),
          privateKey,
          publicOut,
        );
        return [room.read(privateKey, 32), room.read(publicOut, 32)] as const;
      }),
    );
    for (const [privateKey, publicOut] of pairs) expect(toHex(x25519.getPublicKey(privateKey))).toBe(toHex(publicOut));
    expect(toHex(pairs[0]![1])).toBe(toHex(field(5, 32)));
    expect(toHex(pairs[1]![1])).toBe(toHex(field(38, 32)));
    expect(toHex(pairs[0]![1])).not.toBe(toHex(pairs[1]![1]));
    const other = new Device(fill(0x11), DEVICE, GROUP, PHONE).mint(fill(0x34), NOT_BEFORE);
    expect(toHex(other.slice(5, 70))).not.toBe(toHex(keyPackage.slice(5, 70)));
  });

  it("is the same each time it is made", () => {
    expect(toHex(new Device(fill(0x11), DEVICE, GROUP, PHONE).mint(fill(0x33), NOT_BEFORE))).toBe(toHex(keyPackage));
  });
});
