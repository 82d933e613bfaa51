// What is live: for each key its length and where its newest value lies. Nothing in it is secret.
import { WORD_BYTES } from "./layout";

/** Keys that can be live at once: sixteen peers with all their session parts need about 140. */
export const MAX_LIVE_ENTRIES: u32 = 160;

/** Per slot: u32 key << 16 | length field, u32 position. */
const SLOT_BYTES: u32 = 8;
// `memory.data` wants a literal: MAX_LIVE_ENTRIES * SLOT_BYTES.
const INDEX: usize = memory.data(160 * 8, 4);

/** Live entries, including damaged ones. */
export let live: u32 = 0;

/** Forgets everything. */
export function indexClear(): void {
  live = 0;
}

/** Position of entry `ordinal` of the record at `at` of `page`. */
// @ts-ignore: decorator
@inline export function position(page: u32, at: u32, ordinal: u32): u32 {
  return (page << 19) | ((at / WORD_BYTES) << 5) | ordinal;
}

/** Address of the slot of `key`, or 0. */
export function indexFind(key: u32): usize {
  const end = INDEX + live * SLOT_BYTES;
  for (let slot = INDEX; slot < end; slot += SLOT_BYTES) {
    if (load<u16>(slot, 2) == key) return slot;
  }
  return 0;
}

/** Length field of a slot. */
// @ts-ignore: decorator
@inline export function slotLength(slot: usize): u32 {
  return load<u16>(slot);
}

/** Position of a slot. */
// @ts-ignore: decorator
@inline export function slotPosition(slot: usize): u32 {
  return load<u32>(slot, 4);
}

/** Records where the newest value of the entry's key lies; false when the index is full. */
export function indexPut(entry: u32, at: u32): bool {
  let slot = indexFind(entry >>> 16);
  if (!slot) {
    if (live == MAX_LIVE_ENTRIES) return false;
    slot = INDEX + live * SLOT_BYTES;
    live += 1;
  }
  store<u32>(slot, at, 4);
  store<u32>(slot, entry);
  return true;
}

/** Forgets a key. */
export function indexRemove(key: u32): void {
  const slot = indexFind(key);
  if (!slot) return;
  live -= 1;
  store<u64>(slot, load<u64>(INDEX + live * SLOT_BYTES));
}
