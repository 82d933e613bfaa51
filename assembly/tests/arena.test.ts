import { describe, expect, it } from "vitest";
import { loadRoom } from "./room.ts";

describe("arena", () => {
  it("hands out zeroed memory again after release", () => {
    const room = loadRoom("crypto");
    const position = room.call("mark");
    const at = room.alloc(64);
    room.bytes(at, 64).fill(0xa5);
    room.call("release", position);
    const again = room.alloc(64);
    expect(again).toBe(at);
    expect(room.read(again, 64).every((byte) => byte === 0)).toBe(true);
  });

  it("traps when full, at any size", () => {
    for (const bytes of [1024 * 1024, 0xffffffff, 0x7fffffff]) {
      const room = loadRoom("crypto");
      expect(() => room.alloc(bytes)).toThrow(WebAssembly.RuntimeError);
    }
  });
});
