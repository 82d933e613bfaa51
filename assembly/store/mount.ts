// Finds the log on flash and builds the index from headers alone: no key is needed, no value is read.
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { lastProgrammed, pageBytes, pages, readFailed, takeShape } from "./flash";
import { indexClear } from "./index";
import { PAGE_HEADER_BYTES, WORD_BYTES } from "./layout";
import {
  FREE,
  WORN,
  confirmPageHeader,
  headerHead,
  headerPreviousEnd,
  headerSequence,
  pageOf,
  readPageHeader,
  sequenceOf,
  setSequence,
} from "./page";
import { foundBytes, headerIsTorn, indexFound, readRecord } from "./record";

/** The state below is what flash says. */
export let mounted: bool = false;
/** Sequences of the oldest and of the newest page of the log; the first page ever has 1. */
export let headSequence: u32 = 0;
export let tailSequence: u32 = 0;
/** The newest page. */
export let tailPage: u32 = 0;
/** Where its records end. */
export let tailEnd: u32 = 0;
/** It takes no more records: words behind `tailEnd` may have been programmed. */
export let tailClosed: bool = false;

/** Sets where the newest page stands after a record was added. */
export function advanceTail(end: u32): void {
  assert(end <= pageBytes);
  tailEnd = end;
}

/** Ends the newest page where it stands. */
export function closeTail(): void {
  tailClosed = true;
}

/** Makes `page` the newest page. */
export function setTail(page: u32, sequence: u32, head: u32, end: u32): void {
  tailPage = page;
  tailSequence = sequence;
  headSequence = head;
  tailEnd = end;
  tailClosed = false;
}

/**
 * Takes every page header into the table of sequences and finds the newest page. A worn page whose erase failed shows
 * its old header; only as the page that was being opened, and was committed after all, can it be of the log.
 */
function findTail(): void {
  const known = tailSequence;
  setTail(pages - 1, 0, 1, 0);
  for (let page: u32 = 0; page < pages; page++) {
    const worn = sequenceOf(page) == WORN;
    if (readPageHeader(page) && !(worn && headerSequence() <= known)) {
      setSequence(page, headerSequence());
      if (headerSequence() > tailSequence) setTail(page, headerSequence(), headerHead(), 0);
    } else if (!worn) setSequence(page, FREE);
  }
}

/** Takes pages before the head out of the table; false unless as many remain as there are sequences to the tail. */
function trimLog(): bool {
  let missing = tailSequence - headSequence + 1;
  for (let page: u32 = 0; page < pages; page++) {
    const sequence = sequenceOf(page);
    if (sequence < headSequence) setSequence(page, FREE);
    else if (sequence != WORN) missing -= 1;
  }
  return missing == 0;
}

/**
 * Takes the records of one page of the log into the index. Where the records of an older page end stands in the next
 * page; the newest page ends before the first record of which not even the commit word was begun.
 *
 * @returns false when the page, or a record that was complete, cannot be read
 */
function replayPage(sequence: u32): bool {
  const page = pageOf(sequence);
  if (page < 0) return false;
  const newest = sequence == tailSequence;
  let last: i32;
  if (newest) last = lastProgrammed(page);
  else {
    if (!readPageHeader(pageOf(sequence + 1))) return false;
    last = headerPreviousEnd() - WORD_BYTES;
  }
  let at = PAGE_HEADER_BYTES;
  while (<i32>at <= last) {
    const found = readRecord(page, sequence, at);
    const torn = found ? <u32>last < at + foundBytes - WORD_BYTES : headerIsTorn(at, last);
    if (torn && newest) {
      closeTail();
      break;
    }
    if (torn || !found || !indexFound(page, at)) return false;
    at += foundBytes;
  }
  if (newest) advanceTail(at);
  return true;
}

/** Rebuilds all state from flash. Writes at most one word. `OK`, or Storage with the reason. */
export function mount(): i32 {
  mounted = false;
  indexClear();
  if (!takeShape()) return fail(Kind.Storage, Detail.JournalFlash);
  findTail();
  if (tailSequence != 0) {
    if (!confirmPageHeader(tailPage)) return fail(Kind.Storage, Detail.JournalFlash);
    let whole = trimLog();
    for (let sequence = headSequence; whole && sequence <= tailSequence; sequence++) whole = replayPage(sequence);
    if (!whole && !readFailed) return fail(Kind.Storage, Detail.JournalDamaged);
  }
  if (readFailed) return fail(Kind.Storage, Detail.JournalFlash);
  mounted = true;
  return OK;
}
