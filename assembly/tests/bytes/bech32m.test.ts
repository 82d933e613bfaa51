// Bech32m against known answers (BIP-350, BIP-173), and its promise to find damage.
import { describe, expect, it } from "vitest";
import { loadRoom } from "../room.ts";

const room = loadRoom("bytes");
const BECH32M = 0x2bc830a3;
const residue = (text: string): number =>
  room.scope(
    () => room.call("bech32Residue", room.put(new Uint8Array(Buffer.from(text, "latin1"))), text.length) >>> 0,
  );

const VALID = ["A1LQFN3A", "a1lqfn3a", "split1checkupstagehandshakeupstreamerranterredcaperredlc445v", "?1v759aa"];

describe("Bech32m", () => {
  it("knows the valid strings of BIP-350, and tells the older code apart", () => {
    for (const text of VALID) expect(residue(text), text).toBe(BECH32M);
    for (const text of ["A12UEL5L", "?1ezyfcl"]) expect(residue(text), text).toBe(1);
  });

  it("refuses text that is not well formed", () => {
    for (const text of ["", "1", "a1", "1qyrz8wqd2c9m", "y1b0jsk6g", "a1LQFN3A", "\x7f1g6xzxy", "\x801vctc34"]) {
      expect([BECH32M, 1], text).not.toContain(residue(text));
    }
  });

  it("finds every change of one character", () => {
    const address = "off1qysluvwl5922yctzd0u9gpr06gn3k7ldfvgtwgvn";
    expect(residue(address)).toBe(BECH32M);
    for (let at = 4; at < address.length; at++) {
      for (const c of "qpzry9x8gf2tvdw0s3jn54khce6mua7l") {
        if (c === address[at]) continue;
        expect(residue(address.slice(0, at) + c + address.slice(at + 1))).not.toBe(BECH32M);
      }
    }
  });
});
