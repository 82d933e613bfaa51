// Damage on purpose: proof that a check of this folder can fail.
import { type Room } from "../room.ts";

/** Address of `pattern` in the static data of the room. */
export function locate(room: Room, pattern: Uint8Array): number {
  const at = Buffer.from(room.memory.buffer).indexOf(pattern);
  if (at < 0) throw new Error("the pattern is not in the room's memory");
  return at;
}

/** Runs `body` with one bit of the constant that begins with `pattern` flipped, and mends it. */
export function withDamage<T>(room: Room, pattern: Uint8Array, body: () => T): T {
  const at = locate(room, pattern);
  const byte = room.bytes(at, 1);
  byte[0]! ^= 1;
  try {
    return body();
  } finally {
    byte[0]! ^= 1;
  }
}

/** A copy with bit `bit` flipped. */
export function flipped(data: Uint8Array, bit: number): Uint8Array {
  const copy = data.slice();
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}
