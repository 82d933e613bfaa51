// The journal: keys and values on flash, changed by transactions that are one atomic append each (docs/journal.md).
// A key is kind << 8 | slot, below 0xFFFF. Reads see what is committed; a transaction in progress is not visible.
import { flashErase } from "../board";
import { mark, release } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { openPage } from "./collect";
import { lastProgrammed, pages } from "./flash";
import { indexFind, slotLength, slotPosition } from "./index";
import { DAMAGED, WORD_BYTES, carriedBytes, recordHeaderBytes } from "./layout";
import { headSequence, mount, mounted, tailSequence } from "./mount";
import { FREE, WORN, sequenceOf } from "./page";
import { foundCount, foundEntry, openRecord, openedAuthentic, readRecord } from "./record";
import { remount, txBegin, txCommit, txDelete } from "./transaction";

export { txBegin, txCommit, txDelete, txPut } from "./transaction";

/** `journalFind` and `journalLoad`: the key has no value. */
export const ABSENT: i32 = -1;
/** `journalFind` and `journalLoad`: the newest value of the key was complete and cannot be read; a Storage error. */
export const UNREADABLE: i32 = -2;

/**
 * Put this key (with an empty value) in the transaction that deletes secrets, and call `journalPurge` after it: a purge
 * that a power cut stopped is then finished by the next mount.
 */
export const PURGE_PENDING: u32 = 0xfffe;

/**
 * Takes the state from flash. To be called once after power came, before anything else.
 *
 * @returns OK, or Storage: JournalDamaged when what was complete is unreadable, JournalFlash when the part failed
 */
export function journalMount(): i32 {
  const status = mount();
  if (status != OK || !indexFind(PURGE_PENDING)) return status;
  // The deletion is durable already; a part that fails at the purge is asked again at the next mount.
  const purged = journalPurge();
  return mounted ? OK : purged;
}

/** Bytes of the value of `key`, ABSENT or UNREADABLE. Reads no flash, so it does not notice fresh damage. */
export function journalFind(key: u32): i32 {
  if (!mounted) return UNREADABLE;
  const slot = indexFind(key);
  if (!slot) return ABSENT;
  const length = slotLength(slot);
  return length == DAMAGED ? UNREADABLE : length;
}

/**
 * Reads the value of `key`. A value longer than `capacity` is not what the caller ever wrote: UNREADABLE.
 *
 * @param out  receives up to `capacity` bytes, on success only
 * @returns bytes of the value, ABSENT or UNREADABLE
 */
export function journalLoad(key: u32, out: usize, capacity: u32): i32 {
  const bytes = journalFind(key);
  if (bytes < 0) return bytes;
  if (<u32>bytes > capacity) return UNREADABLE;
  const at = slotPosition(indexFind(key));
  const before = mark();
  const value = openValue(at, (key << 16) | bytes);
  if (value) memory.copy(out, value, bytes);
  release(before);
  return value ? bytes : UNREADABLE;
}

/** Opens the record at a position and returns the address of the value of `entry` in the arena, or 0. */
function openValue(position: u32, entry: u32): usize {
  const page = position >>> 19;
  const at = ((position >>> 5) & 0x3fff) * WORD_BYTES;
  const ordinal = position & 31;
  const sequence = sequenceOf(page);
  if (!readRecord(page, sequence, at) || ordinal >= foundCount || foundEntry(ordinal) != entry) return 0;
  let value = openRecord(page, sequence, at) + recordHeaderBytes(foundCount);
  if (!openedAuthentic) return 0;
  for (let i: u32 = 0; i < ordinal; i++) value += carriedBytes(foundEntry(i) & 0xffff);
  return value;
}

/**
 * Moves all that is live to fresh pages and erases the rest, so that nothing deleted or replaced before is left on the
 * part. Costs an erase for every page in use. Atomic in every step: a cut leaves the values as they are, and with
 * PURGE_PENDING set the next mount goes on.
 *
 * @returns OK, or Storage (JournalFlash) when a page could not be moved or erased
 */
export function journalPurge(): i32 {
  if (!mounted) return fail(Kind.Storage, Detail.JournalUnmounted);
  const newest = tailSequence;
  while (headSequence <= newest) if (!openPage(0, true)) return remount();
  let clean = true;
  for (let page: u32 = 0; page < pages; page++) {
    const sequence = sequenceOf(page);
    if ((sequence == FREE || sequence == WORN) && lastProgrammed(page) >= 0) clean = flashErase(page) == 0 && clean;
  }
  if (!clean) return fail(Kind.Storage, Detail.JournalFlash);
  txBegin();
  txDelete(PURGE_PENDING);
  return txCommit();
}
