// How the journal lies on flash (docs/journal.md). All integers are little endian, all offsets are within a page.

/** Flash is programmed in words. */
export const WORD_BYTES: u32 = 4;
/** An erased word. */
export const ERASED: u32 = 0xffffffff;
/** The word that ends a record and each copy of a page header, programmed when all before it is durable. */
export const COMMITTED: u32 = 0;

/** Geometries that the index can address: position() packs page, offset and entry into 25 bits. */
export const MIN_PAGES: u32 = 2;
export const MAX_PAGES: u32 = 64;
export const MIN_PAGE_SHIFT: u32 = 11;
export const MAX_PAGE_SHIFT: u32 = 16;

/** Page header: two copies of sequence, head, previous end, check, commit word. */
export const HEADER_COPY_BYTES: u32 = 20;
export const HEADER_COMMIT: u32 = 16;
export const PAGE_HEADER_BYTES: u32 = 2 * HEADER_COPY_BYTES;

/** Entries of one record, and so of one transaction: the count has five bits. */
export const MAX_RECORD_ENTRIES: u32 = 31;
/** Longest value in bytes. */
export const MAX_VALUE_BYTES: u32 = 4096;
/** As the length of an entry: the value was complete once and cannot be read any more. */
export const DAMAGED: u32 = 0xfffe;
/** As the length of an entry: the key is gone. */
export const DELETED: u32 = 0xffff;
/** Not a key, so that no entry is an erased word. */
export const NO_KEY: u32 = 0xffff;

/** Authentication tag of a record. */
export const TAG_BYTES: u32 = 16;

/** Rounded up to whole words. */
// @ts-ignore: decorator
@inline export function wholeWords(bytes: u32): u32 {
  return (bytes + (WORD_BYTES - 1)) & ~(WORD_BYTES - 1);
}

/** Bytes of the header of a record. */
// @ts-ignore: decorator
@inline export function recordHeaderBytes(count: u32): u32 {
  return WORD_BYTES + count * WORD_BYTES;
}

/** Bytes of a record of `count` entries whose values have `valueBytes` bytes together. */
export function recordBytes(count: u32, valueBytes: u32): u32 {
  return recordHeaderBytes(count) + wholeWords(valueBytes) + TAG_BYTES + WORD_BYTES;
}

/** Bytes of value that an entry with this length field carries. */
// @ts-ignore: decorator
@inline export function carriedBytes(length: u32): u32 {
  return length <= MAX_VALUE_BYTES ? length : 0;
}

/**
 * One step of the header checks: a bijection of `sum` for any `word` and of `word` for any `sum`, so that damage
 * within one word always changes the 32-bit result.
 */
export function mix(sum: u32, word: u32): u32 {
  const product = (sum ^ word) * 0x9e3779b1; // odd: floor(2^32 / golden ratio)
  return product ^ (product >>> 15);
}
