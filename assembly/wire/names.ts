// Names that stand for numbers: priorities and content types (wire.md section 11). A table is a count, then an entry a
// name: number (u8), length (u8), name. The first entry of a number is how it is written.

/** Priority of a new message, and of a binary frame with a number that is not known. */
export const PRIORITY_MEDIUM: u32 = 1;
export const PRIORITY_MOST: u32 = 3;

/** A file, or something that this build does not know. */
export const CONTENT_TYPE_FILE: u32 = 6;
export const CONTENT_TYPE_MOST: u32 = 8;

/** Priorities; a capital first letter is read and never written. */
// prettier-ignore
export const PRIORITIES: usize = memory.data<u8>([
  8,
  0, 3, 0x6c, 0x6f, 0x77, // low
  1, 6, 0x6d, 0x65, 0x64, 0x69, 0x75, 0x6d, // medium
  2, 4, 0x68, 0x69, 0x67, 0x68, // high
  3, 8, 0x63, 0x72, 0x69, 0x74, 0x69, 0x63, 0x61, 0x6c, // critical
  0, 3, 0x4c, 0x6f, 0x77, // Low
  1, 6, 0x4d, 0x65, 0x64, 0x69, 0x75, 0x6d, // Medium
  2, 4, 0x48, 0x69, 0x67, 0x68, // High
  3, 8, 0x43, 0x72, 0x69, 0x74, 0x69, 0x63, 0x61, 0x6c, // Critical
]);

/** Content types. */
// prettier-ignore
export const CONTENT_TYPES: usize = memory.data<u8>([
  9,
  0, 4, 0x74, 0x65, 0x78, 0x74, // text
  1, 5, 0x69, 0x6d, 0x61, 0x67, 0x65, // image
  2, 5, 0x76, 0x69, 0x64, 0x65, 0x6f, // video
  3, 5, 0x61, 0x75, 0x64, 0x69, 0x6f, // audio
  4, 10, 0x76, 0x6f, 0x69, 0x63, 0x65, 0x5f, 0x6e, 0x6f, 0x74, 0x65, // voice_note
  5, 10, 0x76, 0x69, 0x64, 0x65, 0x6f, 0x5f, 0x6e, 0x6f, 0x74, 0x65, // video_note
  6, 4, 0x66, 0x69, 0x6c, 0x65, // file
  7, 10, 0x66, 0x69, 0x6c, 0x65, 0x5f, 0x63, 0x68, 0x75, 0x6e, 0x6b, // file_chunk
  8, 4, 0x70, 0x6f, 0x6c, 0x6c, // poll
]);

/** The entry after `entry` of a table of names or members. */
// @ts-ignore: decorator
@inline export function nextEntry(entry: usize): usize {
  return entry + 2 + load<u8>(entry, 1);
}

/** Whether the entry bears this name. */
export function entryNamed(entry: usize, name: usize, bytes: u32): bool {
  return load<u8>(entry, 1) == bytes && memory.compare(entry + 2, name, bytes) == 0;
}

/** Number of a name, or -1. */
export function numberOf(table: usize, name: usize, bytes: u32): i32 {
  let entry = table + 1;
  for (let left = <u32>load<u8>(table); left; left--) {
    if (entryNamed(entry, name, bytes)) return load<u8>(entry);
    entry = nextEntry(entry);
  }
  return -1;
}

/** Entry of a number that the table knows; its length is at 1 and its name at 2. */
export function nameOf(table: usize, number: u32): usize {
  let entry = table + 1;
  while (load<u8>(entry) != number) entry = nextEntry(entry);
  return entry;
}
