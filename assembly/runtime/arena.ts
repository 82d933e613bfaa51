// The arena: one bump allocator that every exported call starts empty and wipes at its end.
import { MEMORY_BYTES } from "./memory";

const ALIGNMENT: usize = 8;

/** Where the arena begins: the end of static data, which the compiler knows as `__heap_base`. */
// @ts-ignore: decorator
@inline function arenaStart(): usize {
  return (__heap_base + (ALIGNMENT - 1)) & ~(ALIGNMENT - 1);
}

/** Bytes handed out. Zero at rest. A zero initial value also keeps the interpreter from taking it for a stack pointer. */
let used: usize = 0;

/** Highest `used` since the last wipe: all that has to be cleared. */
let peak: usize = 0;

/** `bytes` of zeroed memory, 8-aligned. Traps when the arena is full: callers check sizes that come from outside. */
export function alloc(bytes: usize): usize {
  const at = arenaStart() + used;
  const next = used + ((bytes + (ALIGNMENT - 1)) & ~(ALIGNMENT - 1));
  if (bytes > MEMORY_BYTES || arenaStart() + next > MEMORY_BYTES) unreachable();
  used = next;
  if (next > peak) peak = next;
  return at;
}

/** Bytes still free. */
export function available(): usize {
  return MEMORY_BYTES - arenaStart() - used;
}

/** The position to hand back to `release`. */
export function mark(): usize {
  return used;
}

/** Wipes and frees all that was allocated since `position = mark()`. */
export function release(position: usize): void {
  assert(position <= used);
  memory.fill(arenaStart() + position, 0, used - position);
  used = position;
}

/** Wipes the whole arena and returns the most that was in use since the last wipe, in bytes. */
export function wipe(): usize {
  const high = peak;
  memory.fill(arenaStart(), 0, high);
  used = 0;
  peak = 0;
  return high;
}
