// The flash part as the journal uses it: shape, reads, verified programs.
import { flashGeometry, flashProgram, flashRead } from "../board";
import { equal } from "../bytes/compare";
import { ERASED, MAX_PAGES, MAX_PAGE_SHIFT, MIN_PAGES, MIN_PAGE_SHIFT, WORD_BYTES } from "./layout";

/** Flash is compared and scanned in pieces of this size, which divides a page. */
const PIECE_BYTES: u32 = 64;
const PIECE: usize = memory.data(64, 4);

/** Pages of the part, 0 before `takeShape`. */
export let pages: u32 = 0;
/** Bytes of a page. */
export let pageBytes: u32 = 0;
/** A read failed since `takeShape`: what was concluded from it is worth nothing. */
export let readFailed: bool = false;

/** Asks the board for its geometry; false when the journal cannot live on it. */
export function takeShape(): bool {
  const geometry = <u32>flashGeometry();
  const shift = geometry >>> 16;
  pages = geometry & 0xffff;
  pageBytes = 1 << (shift & 31);
  readFailed = false;
  return pages >= MIN_PAGES && pages <= MAX_PAGES && shift >= MIN_PAGE_SHIFT && shift <= MAX_PAGE_SHIFT;
}

/** Reads within a page. A failure is remembered and leaves erased bytes. */
export function read(page: u32, at: u32, into: usize, bytes: u32): void {
  assert(page < pages && at + bytes <= pageBytes);
  if (flashRead(page * pageBytes + at, into, bytes) != 0) {
    memory.fill(into, 0xff, bytes);
    readFailed = true;
  }
}

/** Programs one word. */
export function programWord(page: u32, at: u32, word: u32): bool {
  store<u32>(PIECE, word);
  return flashProgram(page * pageBytes + at, PIECE, WORD_BYTES) == 0;
}

/** Programs whole words and reads them back; false when the part failed or holds something else. */
export function programVerified(page: u32, at: u32, ptr: usize, bytes: u32): bool {
  assert(at + bytes <= pageBytes && ((at | bytes) & (WORD_BYTES - 1)) == 0);
  let same = flashProgram(page * pageBytes + at, ptr, bytes) == 0;
  for (let done: u32 = 0; done < bytes && same; done += PIECE_BYTES) {
    const part = min(PIECE_BYTES, bytes - done);
    read(page, at + done, PIECE, part);
    same = equal(PIECE, ptr + done, part);
  }
  return same;
}

/** Offset of the last word of a page that is not erased, or -1 for an erased page. */
export function lastProgrammed(page: u32): i32 {
  for (let at = pageBytes; at > 0;) {
    at -= PIECE_BYTES;
    read(page, at, PIECE, PIECE_BYTES);
    for (let offset: i32 = PIECE_BYTES - WORD_BYTES; offset >= 0; offset -= WORD_BYTES) {
      if (load<u32>(PIECE + offset) != ERASED) return at + offset;
    }
  }
  return -1;
}
