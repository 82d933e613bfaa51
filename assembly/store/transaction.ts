// A transaction: entries are staged in the arena and become one record, the whole of which counts or nothing.
import { alloc, mark, release } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { canMakeRoom, openPage } from "./collect";
import { pageBytes, pages } from "./flash";
import { MAX_LIVE_ENTRIES, indexFind, live } from "./index";
import {
  DELETED,
  MAX_RECORD_ENTRIES,
  MAX_VALUE_BYTES,
  NO_KEY,
  PAGE_HEADER_BYTES,
  WORD_BYTES,
  carriedBytes,
  recordBytes,
  recordHeaderBytes,
} from "./layout";
import { advanceTail, closeTail, mount, mounted, tailClosed, tailEnd, tailPage, tailSequence } from "./mount";
import { Written, indexRecord, writeRecord } from "./record";

/** Staged entries, in the arena: u32 entry as in a record, u32 address of the value. */
const STAGED_BYTES: u32 = 8;
let staged: usize = 0;
let stagedCount: u32 = 0;
/** Something was staged that no transaction can hold. */
let stagedBeyondLimit: bool = false;

/** Begins a transaction and forgets an unfinished one. Takes 248 bytes of the arena until the caller releases them. */
export function txBegin(): void {
  staged = alloc(MAX_RECORD_ENTRIES * STAGED_BYTES);
  stagedCount = 0;
  stagedBeyondLimit = false;
}

/** Address of the staged entry of `key`, or of the next free one. */
function stagedEntry(key: u32): usize {
  const end = staged + stagedCount * STAGED_BYTES;
  let entry = staged;
  while (entry < end && load<u16>(entry, 2) != key) entry += STAGED_BYTES;
  return entry;
}

/** Stages an entry; the last one of a key counts. */
function stage(key: u32, length: u32, ptr: usize): void {
  const entry = stagedEntry(key);
  if (entry == staged + stagedCount * STAGED_BYTES) {
    if (stagedCount == MAX_RECORD_ENTRIES) {
      stagedBeyondLimit = true;
      return;
    }
    stagedCount += 1;
  }
  store<u32>(entry, <u32>ptr, 4);
  store<u32>(entry, (key << 16) | length);
}

/** Sets a value of 0 to 4,096 bytes. `ptr` is read by `txCommit`, so the bytes must stay as they are until then. */
export function txPut(key: u32, ptr: usize, bytes: u32): void {
  if (key >= NO_KEY || bytes > MAX_VALUE_BYTES) stagedBeyondLimit = true;
  else stage(key, bytes, ptr);
}

/** Removes a key. Removing an absent one costs nothing. */
export function txDelete(key: u32): void {
  if (key >= NO_KEY) stagedBeyondLimit = true;
  else stage(key, DELETED, 0);
}

/** Keys that the staged entries add, and bytes of their values. */
let addedKeys: u32 = 0;
let stagedValueBytes: u32 = 0;

/** Drops deletions of keys that are absent, and measures the rest. */
function settleStaged(): void {
  addedKeys = 0;
  stagedValueBytes = 0;
  const end = staged + stagedCount * STAGED_BYTES;
  let kept = staged;
  for (let entry = staged; entry < end; entry += STAGED_BYTES) {
    const length: u32 = load<u16>(entry);
    if (!indexFind(load<u16>(entry, 2))) {
      if (length == DELETED) continue;
      addedKeys += 1;
    }
    stagedValueBytes += carriedBytes(length);
    store<u64>(kept, load<u64>(entry));
    kept += STAGED_BYTES;
  }
  stagedCount = <u32>(kept - staged) / STAGED_BYTES;
}

/** Lays the staged entries out as a record with its values in the clear. */
function composeRecord(image: usize): void {
  let value = image + recordHeaderBytes(stagedCount);
  for (let i: u32 = 0; i < stagedCount; i++) {
    const from = staged + i * STAGED_BYTES;
    const bytes = carriedBytes(load<u16>(from));
    memory.copy(value, load<u32>(from, 4), bytes);
    store<u32>(image + WORD_BYTES + i * WORD_BYTES, load<u32>(from));
    value += bytes;
  }
}

/** After the part failed: takes the state from flash again, as after a power cut. Returns Storage. */
export function remount(): i32 {
  mount();
  return fail(Kind.Storage, Detail.JournalFlash);
}

/** Whether the newest page takes a record of this size. */
function hasRoom(bytes: u32): bool {
  return tailSequence != 0 && !tailClosed && tailEnd + bytes <= pageBytes;
}

/** Opens pages until the newest one takes a record of this size. */
function makeRoom(bytes: u32): i32 {
  if (hasRoom(bytes)) return OK;
  if (!canMakeRoom(bytes)) return fail(Kind.Storage, Detail.JournalFull);
  // Each opening moves the oldest page, so after one round the page that `canMakeRoom` found has been it.
  for (let opened: u32 = 0; opened <= pages; opened++) {
    if (!openPage(bytes, false)) return remount();
    if (hasRoom(bytes)) return OK;
  }
  return fail(Kind.Storage, Detail.JournalFull);
}

/** Appends the staged entries to the newest page, which has room for them. */
function append(bytes: u32): i32 {
  const image = alloc(bytes);
  composeRecord(image);
  const written = writeRecord(image, stagedCount, stagedValueBytes, tailPage, tailSequence, tailEnd);
  if (written == Written.Whole && indexRecord(image + WORD_BYTES, stagedCount, tailPage, tailEnd)) {
    advanceTail(tailEnd + bytes);
    return OK;
  }
  closeTail();
  // The next page says where this one ends, so that a commit word which failed half-way never counts.
  if (written == Written.Unknown && !openPage(0, false)) return remount();
  return fail(Kind.Storage, Detail.JournalFlash);
}

/**
 * Makes all staged entries durable at once.
 *
 * Either the state is exactly that after the transaction and the result is OK, or it is exactly that before it and the
 * result is Storage: JournalFull (the live values leave no room), JournalLimit (more than 31 entries, or a record longer
 * than a page), JournalFlash (the part failed; the next transaction goes to another page), JournalUnmounted.
 * When power goes during the call it is one of the two after the next mount.
 */
export function txCommit(): i32 {
  if (!mounted) return fail(Kind.Storage, Detail.JournalUnmounted);
  settleStaged();
  const bytes = recordBytes(stagedCount, stagedValueBytes);
  if (stagedBeyondLimit || bytes > pageBytes - PAGE_HEADER_BYTES) return fail(Kind.Storage, Detail.JournalLimit);
  if (stagedCount == 0) return OK;
  if (live + addedKeys > MAX_LIVE_ENTRIES) return fail(Kind.Storage, Detail.JournalFull);
  const before = mark();
  let status = makeRoom(bytes);
  if (status == OK) status = append(bytes);
  release(before);
  stagedCount = 0;
  return status;
}
