// Length headers of vectors (RFC 9420, 2.1.2): shortest form only.
import { describe, expect, it } from "vitest";
import { hex } from "../room.ts";
import { room } from "./device.ts";

const length = (header: string): number =>
  room.scope(() => Number(room.call<bigint>("vectorLength", room.put(hex(header)), header.length / 2)));

describe("a length header", () => {
  it("has the shortest form", () => {
    expect(["00", "3f", "4040", "7fff", "80004000", "bfffffff"].map(length)).toEqual([
      0, 63, 64, 16383, 16384, 0x3fffffff,
    ]);
  });

  it("is refused in a longer form, in the fourth form, or torn", () => {
    expect(
      ["4000", "403f", "80000000", "80003fff", "c0000000", "c000000000000000", "ff", "40", "800040", ""].map(length),
    ).toEqual(new Array(10).fill(-1));
  });
});
