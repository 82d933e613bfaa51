// Page headers and the order of the pages in the log.
import { pages, programVerified, programWord, read } from "./flash";
import { COMMITTED, ERASED, HEADER_COMMIT, HEADER_COPY_BYTES, MAX_PAGES, PAGE_HEADER_BYTES, mix } from "./layout";

/** Start of the check of a page header: names the format and its version. */
const PAGE_MAGIC: u32 = 0x4f4c4a31; // "OLJ1"

/** Sequence of a page outside of the log. */
export const FREE: u32 = 0;
/** Sequence of a free page that failed since power came: used again when there is no other. */
export const WORN: u32 = 0xffffffff;

// Sequence of each page, FREE or WORN. `memory.data` wants a literal: MAX_PAGES words.
const SEQUENCES: usize = memory.data(64 * 4, 4);
// The copy of a header that was read last, or is written.
const HEADER: usize = memory.data(20, 4);

// @ts-ignore: decorator
@inline export function sequenceOf(page: u32): u32 {
  return load<u32>(SEQUENCES + (page << 2));
}

// @ts-ignore: decorator
@inline export function setSequence(page: u32, sequence: u32): void {
  assert(page < MAX_PAGES);
  store<u32>(SEQUENCES + (page << 2), sequence);
}

/** The page with this sequence, or -1. */
export function pageOf(sequence: u32): i32 {
  for (let page: u32 = 0; page < pages; page++) if (sequenceOf(page) == sequence) return page;
  return -1;
}

/** How many pages are FREE. */
export function freePages(): u32 {
  let count: u32 = 0;
  for (let page: u32 = 0; page < pages; page++) if (sequenceOf(page) == FREE) count += 1;
  return count;
}

/** The page with sequence `wanted` that follows `after` in physical order, or -1. */
function pageAfter(after: u32, wanted: u32): i32 {
  for (let step: u32 = 1; step <= pages; step++) {
    const page = (after + step) % pages;
    if (sequenceOf(page) == wanted) return page;
  }
  return -1;
}

/** Free page that follows `after` in physical order, or -1. Worn pages are tried again when nothing else is left. */
export function nextFreePage(after: u32): i32 {
  const page = pageAfter(after, FREE);
  return page >= 0 ? page : pageAfter(after, WORN);
}

/** What the last header said: sequence of the page. */
// @ts-ignore: decorator
@inline export function headerSequence(): u32 {
  return load<u32>(HEADER);
}

/** What the last header said: sequence of the oldest page of the log. */
// @ts-ignore: decorator
@inline export function headerHead(): u32 {
  return load<u32>(HEADER, 4);
}

/** What the last header said: where the records of the page before it end. */
// @ts-ignore: decorator
@inline export function headerPreviousEnd(): u32 {
  return load<u32>(HEADER, 8);
}

/** Check over the three fields of HEADER. */
function headerCheck(page: u32): u32 {
  return mix(mix(mix(mix(PAGE_MAGIC, page), load<u32>(HEADER, 8)), load<u32>(HEADER, 4)), load<u32>(HEADER));
}

/** Reads one copy of a page header; true when it is intact and committed. */
function readHeaderCopy(page: u32, at: u32): bool {
  read(page, at, HEADER, HEADER_COPY_BYTES);
  return load<u32>(HEADER, HEADER_COMMIT) == COMMITTED && load<u32>(HEADER, HEADER_COMMIT - 4) == headerCheck(page);
}

/** Reads a page header into the `header...` functions; false when the page was never committed. */
export function readPageHeader(page: u32): bool {
  return readHeaderCopy(page, HEADER_COPY_BYTES) || readHeaderCopy(page, 0);
}

/** Writes both copies of a header, all but the commit words. The page is erased. */
export function writePageHeader(page: u32, sequence: u32, head: u32, previousEnd: u32): bool {
  store<u32>(HEADER, previousEnd, 8);
  store<u32>(HEADER, head, 4);
  store<u32>(HEADER, sequence);
  store<u32>(HEADER, headerCheck(page), HEADER_COMMIT - 4);
  return (
    programVerified(page, 0, HEADER, HEADER_COMMIT) && programVerified(page, HEADER_COPY_BYTES, HEADER, HEADER_COMMIT)
  );
}

/** Makes the page, with the records copied into it, a part of the log. */
export function commitPageHeader(page: u32): bool {
  return programWord(page, HEADER_COMMIT, COMMITTED) && programWord(page, PAGE_HEADER_BYTES - 4, COMMITTED);
}

/**
 * Finishes a `commitPageHeader` that a power cut stopped between its two words. The first one may have been cut short
 * and read right only by luck; nothing may come to rest on the page before the second one stands.
 */
export function confirmPageHeader(page: u32): bool {
  read(page, PAGE_HEADER_BYTES - 4, HEADER, 4);
  return load<u32>(HEADER) != ERASED || programWord(page, PAGE_HEADER_BYTES - 4, COMMITTED);
}
