// Structures in the arena.
import { alloc } from "../runtime/arena";

/** A zeroed structure. `new` would store every zero once more: half a kilobyte of code over the room. */
// @ts-ignore: decorator
@inline
export function make<T>(): T {
  return changetype<T>(alloc(offsetof<T>()));
}
