// Records: headers that mounting can read without a key, and values under the device key.
import { alloc } from "../runtime/arena";
import { openValues, sealValues } from "./cipher";
import { pageBytes, programVerified, programWord, read } from "./flash";
import { indexPut, indexRemove, position } from "./index";
import {
  COMMITTED,
  DAMAGED,
  DELETED,
  ERASED,
  MAX_RECORD_ENTRIES,
  MAX_VALUE_BYTES,
  NO_KEY,
  TAG_BYTES,
  WORD_BYTES,
  carriedBytes,
  mix,
  recordBytes,
  recordHeaderBytes,
  wholeWords,
} from "./layout";

/** The first word of a header: count in five bits, its complement in five, the check in 22. */
const COUNT_MASK: u32 = 31;
const COUNT_BITS: u32 = 5;
const CHECK_SHIFT: u32 = 10;

// The header that `readRecord` found. `memory.data` wants a literal: 1 + MAX_RECORD_ENTRIES words.
const HEADER: usize = memory.data(32 * 4, 4);
const HEADER_WORDS: u32 = 1 + MAX_RECORD_ENTRIES;

/** Entries of the record that `readRecord` found. */
export let foundCount: u32 = 0;
/** Bytes of its values, without padding. */
export let foundValueBytes: u32 = 0;
/** Bytes of the whole record. */
export let foundBytes: u32 = 0;
/** The record that `openRecord` read last is as it was written. */
export let openedAuthentic: bool = false;

/** Entry `ordinal` of the record that `readRecord` found: key << 16 | length field. */
// @ts-ignore: decorator
@inline export function foundEntry(ordinal: u32): u32 {
  return load<u32>(HEADER + WORD_BYTES + (ordinal << 2));
}

/** First word of the header whose entries begin at `entries`, for a record at `at` of the page with `sequence`. */
function firstWord(entries: usize, count: u32, sequence: u32, at: u32): u32 {
  let sum = mix(sequence, at);
  for (let i: u32 = 0; i < count; i++) sum = mix(sum, load<u32>(entries + (i << 2)));
  return (sum & ~((1 << CHECK_SHIFT) - 1)) | ((count ^ COUNT_MASK) << COUNT_BITS) | count;
}

/** The count that a first word states, or 0 when it contradicts itself. */
function statedCount(first: u32): u32 {
  const count = first & COUNT_MASK;
  return ((first >>> COUNT_BITS) & COUNT_MASK) == (count ^ COUNT_MASK) ? count : 0;
}

/** Whether a word can be an entry: a key and a length field in their ranges. */
function isEntry(entry: u32): bool {
  const length = entry & 0xffff;
  return entry >>> 16 != NO_KEY && (length <= MAX_VALUE_BYTES || length >= DAMAGED);
}

/** Judges the header in HEADER and fills the `found...` variables. */
function parseHeader(sequence: u32, at: u32): bool {
  const first = load<u32>(HEADER);
  const count = statedCount(first);
  if (count == 0 || first != firstWord(HEADER + WORD_BYTES, count, sequence, at)) return false;
  let valueBytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (!isEntry(foundEntry(i))) return false;
    valueBytes += carriedBytes(foundEntry(i) & 0xffff);
  }
  foundCount = count;
  foundValueBytes = valueBytes;
  foundBytes = recordBytes(count, valueBytes);
  return at + foundBytes <= pageBytes;
}

/**
 * Reads the header of the record at `at` of a page into the `found...` functions. One flipped bit is put right: the
 * check has 22 bits, so at most one of the headers that differ in one bit fits, but for a chance of 1 in 4,000.
 *
 * @returns false when no header stands there
 */
export function readRecord(page: u32, sequence: u32, at: u32): bool {
  memory.fill(HEADER, 0xff, HEADER_WORDS * WORD_BYTES);
  read(page, at, HEADER, min(HEADER_WORDS * WORD_BYTES, pageBytes - at));
  if (parseHeader(sequence, at)) return true;
  for (let bit: u32 = 0; bit < HEADER_WORDS * 32; bit++) {
    const word = HEADER + ((bit >>> 5) << 2);
    const damaged = load<u32>(word);
    store<u32>(word, damaged ^ (1 << (bit & 31)));
    if (parseHeader(sequence, at)) return true;
    store<u32>(word, damaged);
  }
  return false;
}

/**
 * After `readRecord` refused the header at `at` of the newest page: whether power went while it was written, or it was
 * never begun. `last` is the last programmed word of the page, not before `at`. Words are programmed in ascending order:
 * a torn first word is the last one; a torn entry is the last one too, behind whole entries and a first word that
 * counts it. Two erased words where a header belongs are no header. Everything else was complete and is damaged.
 */
export function headerIsTorn(at: u32, last: u32): bool {
  const first = load<u32>(HEADER);
  if ((first & foundEntry(0)) == ERASED) return true;
  if (last >= at + recordHeaderBytes(statedCount(first))) return false;
  for (let i: u32 = 0; at + recordHeaderBytes(i) < last; i++) if (!isEntry(foundEntry(i))) return false;
  return true;
}

/**
 * Reads and opens the record that `readRecord` found into the arena, which the caller releases.
 *
 * @returns address of the header, with the values in the clear behind it when `openedAuthentic`, otherwise zeros
 */
export function openRecord(page: u32, sequence: u32, at: u32): usize {
  const headerBytes = recordHeaderBytes(foundCount);
  const image = alloc(foundBytes);
  memory.copy(image, HEADER, headerBytes);
  read(page, at + headerBytes, image + headerBytes, foundBytes - headerBytes);
  openedAuthentic = openValues(image, headerBytes, wholeWords(foundValueBytes), sequence, at);
  return image;
}

/** What became of a record. */
export const enum Written {
  Whole,
  /** Nothing of it counts. */
  Nothing,
  /** Its commit word failed, and may count as programmed. */
  Unknown,
}

/**
 * Seals and writes a record.
 *
 * @param image  the record: a word of room, `count` entries, the values in the clear (padded with zeros to whole
 *               words), room for tag and commit word; changed
 */
export function writeRecord(image: usize, count: u32, valueBytes: u32, page: u32, sequence: u32, at: u32): Written {
  const bytes = recordBytes(count, valueBytes);
  assert(count > 0 && count <= MAX_RECORD_ENTRIES && at + bytes <= pageBytes);
  store<u32>(image, firstWord(image + WORD_BYTES, count, sequence, at));
  if (!sealValues(image, recordHeaderBytes(count), wholeWords(valueBytes), sequence, at)) return Written.Nothing;
  const body = bytes - WORD_BYTES;
  if (!programVerified(page, at, image, body)) return Written.Nothing;
  return programWord(page, at + body, COMMITTED) ? Written.Whole : Written.Unknown;
}

/** Takes entries that are durable at `at` of `page` into the index; false when it is full. */
export function indexRecord(entries: usize, count: u32, page: u32, at: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    const entry = load<u32>(entries + (i << 2));
    if ((entry & 0xffff) == DELETED) indexRemove(entry >>> 16);
    else if (!indexPut(entry, position(page, at, i))) return false;
  }
  return true;
}

/** As `indexRecord`, for the record that `readRecord` found. */
export function indexFound(page: u32, at: u32): bool {
  return indexRecord(HEADER + WORD_BYTES, foundCount, page, at);
}
