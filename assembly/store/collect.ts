// Opening a page: live records of the oldest page move to it, and with its commit word that page leaves the log.
import { flashErase } from "../board";
import { mark, release } from "../runtime/arena";
import { keyFailed } from "./cipher";
import { pageBytes, pages, readFailed } from "./flash";
import { indexFind, position, slotPosition } from "./index";
import {
  DAMAGED,
  PAGE_HEADER_BYTES,
  WORD_BYTES,
  carriedBytes,
  recordBytes,
  recordHeaderBytes,
  wholeWords,
} from "./layout";
import { headSequence, setTail, tailEnd, tailPage, tailSequence } from "./mount";
import {
  FREE,
  WORN,
  commitPageHeader,
  freePages,
  headerPreviousEnd,
  nextFreePage,
  pageOf,
  readPageHeader,
  setSequence,
  writePageHeader,
} from "./page";
import {
  Written,
  foundBytes,
  foundCount,
  foundEntry,
  indexRecord,
  openRecord,
  openedAuthentic,
  readRecord,
  writeRecord,
} from "./record";

/** Pages kept out of the log: one to move to, and from four pages on one more that may fail. */
// @ts-ignore: decorator
@inline function reservePages(): u32 {
  return pages < 4 ? 1 : 2;
}

/** Where the records of a page of the log end. */
function endOf(sequence: u32): u32 {
  if (sequence == tailSequence) return tailEnd;
  return readPageHeader(pageOf(sequence + 1)) ? headerPreviousEnd() : PAGE_HEADER_BYTES;
}

/** Entries of the record that `readRecord` found at `at` that are still the newest of their key. */
let liveCount: u32 = 0;
let liveValueBytes: u32 = 0;

/** Whether entry `ordinal` of that record is live. */
function isLive(page: u32, at: u32, ordinal: u32): bool {
  const slot = indexFind(foundEntry(ordinal) >>> 16);
  return slot != 0 && slotPosition(slot) == position(page, at, ordinal);
}

/** Fills `liveCount` and `liveValueBytes`. */
function countLive(page: u32, at: u32): void {
  liveCount = 0;
  liveValueBytes = 0;
  for (let i: u32 = 0; i < foundCount; i++) {
    if (!isLive(page, at, i)) continue;
    liveCount += 1;
    liveValueBytes += carriedBytes(foundEntry(i) & 0xffff);
  }
}

/** Bytes that the live records of a page need elsewhere; at most what they occupy. */
export function liveBytes(sequence: u32): u32 {
  const page = pageOf(sequence);
  const end = endOf(sequence);
  let sum: u32 = 0;
  for (let at = PAGE_HEADER_BYTES; at < end && readRecord(page, sequence, at); at += foundBytes) {
    countLive(page, at);
    if (liveCount > 0) sum += recordBytes(liveCount, liveValueBytes);
  }
  return sum;
}

/**
 * Reduces the record that `readRecord` found to its live entries, in place: `image` is the opened record, and entries
 * and values only ever move towards its start. Live entries of a record that is not authentic go on as damaged.
 *
 * @returns bytes of the values that are left
 */
function keepLive(image: usize, page: u32, at: u32): u32 {
  const values = image + recordHeaderBytes(liveCount);
  let entry = image + WORD_BYTES;
  let value = values;
  let source = image + recordHeaderBytes(foundCount);
  for (let i: u32 = 0; i < foundCount; i++) {
    const found = foundEntry(i);
    const bytes = carriedBytes(found & 0xffff);
    if (isLive(page, at, i)) {
      store<u32>(entry, openedAuthentic ? found : (found & 0xffff0000) | DAMAGED);
      entry += WORD_BYTES;
      if (openedAuthentic) {
        memory.copy(value, source, bytes);
        value += bytes;
      }
    }
    source += bytes;
  }
  const valueBytes = <u32>(value - values);
  memory.fill(value, 0, wholeWords(valueBytes) - valueBytes);
  return valueBytes;
}

/** Where the next copy goes. */
let copyEnd: u32 = 0;

/** Copies what is live of the record that `readRecord` found at `at` of an old page to `copyEnd` of a new one. */
function copyRecord(fromPage: u32, fromSequence: u32, at: u32, page: u32, sequence: u32): bool {
  const before = mark();
  const image = openRecord(fromPage, fromSequence, at);
  const valueBytes = keepLive(image, fromPage, at);
  const copyBytes = recordBytes(liveCount, valueBytes);
  let done =
    !readFailed && !keyFailed && writeRecord(image, liveCount, valueBytes, page, sequence, copyEnd) == Written.Whole;
  if (done) {
    done = indexRecord(image + WORD_BYTES, liveCount, page, copyEnd);
    copyEnd += copyBytes;
  }
  release(before);
  return done;
}

/** Copies all that is live on a page of the log. */
function copyPage(fromSequence: u32, page: u32, sequence: u32): bool {
  const from = pageOf(fromSequence);
  const end = endOf(fromSequence);
  for (let at = PAGE_HEADER_BYTES; at < end;) {
    if (!readRecord(from, fromSequence, at)) return false;
    const next = at + foundBytes;
    countLive(from, at);
    if (liveCount > 0 && !copyRecord(from, fromSequence, at, page, sequence)) return false;
    at = next;
  }
  return true;
}

/**
 * First sequence that stays in the log when a page is opened that must have `room` bytes left. Without `everything`,
 * pages leave only until the reserve is whole again. The first one always fits, because it fitted a page before.
 */
function headAfterOpening(room: u32, everything: bool): u32 {
  let free = freePages() - 1;
  let used = PAGE_HEADER_BYTES;
  let head = headSequence;
  for (; head <= tailSequence; head++) {
    if (!everything && free >= reservePages()) break;
    used += liveBytes(head);
    if (head > headSequence && used + room > pageBytes) break;
    free += 1;
  }
  return head;
}

/**
 * Opens the next page: erases it, writes its header, copies what is live on the pages that leave the log, and commits
 * all of that with one word. Until then the page is no part of the log; after it the old pages are not.
 *
 * @param room        bytes that should be free on it, which decides whether more than one page may leave
 * @param everything  move as much as fits
 * @returns false when the part failed: the caller must mount again, because the index may name the lost page
 */
export function openPage(room: u32, everything: bool): bool {
  const next = nextFreePage(tailPage);
  if (next < 0) return false;
  const page = <u32>next;
  const sequence = tailSequence + 1;
  setSequence(page, FREE);
  const head = headAfterOpening(room, everything);
  let done = flashErase(page) == 0 && writePageHeader(page, sequence, head, tailEnd);
  copyEnd = PAGE_HEADER_BYTES;
  for (let old = headSequence; done && old < head; old++) done = copyPage(old, page, sequence);
  if (!done || !commitPageHeader(page)) {
    setSequence(page, WORN);
    return false;
  }
  for (let old = headSequence; old < head; old++) setSequence(pageOf(old), FREE);
  setSequence(page, sequence);
  setTail(page, sequence, head, copyEnd);
  return true;
}

/**
 * Whether opening pages can ever make `bytes` of room: no page has to leave the log yet, or one of its pages leaves that
 * much beside its live records.
 */
export function canMakeRoom(bytes: u32): bool {
  if (freePages() > reservePages() || headSequence > tailSequence) return true;
  for (let sequence = headSequence; sequence <= tailSequence; sequence++) {
    if (PAGE_HEADER_BYTES + liveBytes(sequence) + bytes <= pageBytes) return true;
  }
  return false;
}
