// The name on a label: short UTF-8 text without control or format characters (Unicode categories Cc and Cf).
import { utf8Valid } from "../bytes/utf8";

/** Longest petname. */
export const PETNAME_MAX_BYTES: u32 = 64;

/** Ranges of Cc and Cf, first and last code point, ascending (Unicode 16.0, DerivedGeneralCategory). */
const REFUSED: usize = memory.data<u32>([
  0x0000, 0x001f, 0x007f, 0x009f, 0x00ad, 0x00ad, 0x0600, 0x0605, 0x061c, 0x061c, 0x06dd, 0x06dd, 0x070f, 0x070f,
  0x0890, 0x0891, 0x08e2, 0x08e2, 0x180e, 0x180e, 0x200b, 0x200f, 0x202a, 0x202e, 0x2060, 0x2064, 0x2066, 0x206f,
  0xfeff, 0xfeff, 0xfff9, 0xfffb, 0x110bd, 0x110bd, 0x110cd, 0x110cd, 0x13430, 0x1343f, 0x1bca0, 0x1bca3, 0x1d173,
  0x1d17a, 0xe0001, 0xe0001, 0xe0020, 0xe007f,
]);
const REFUSED_BYTES: usize = 23 * 8;

function isRefused(codePoint: u32): bool {
  for (let at = REFUSED; at < REFUSED + REFUSED_BYTES; at += 8) {
    if (codePoint <= load<u32>(at, 4)) return codePoint >= load<u32>(at);
  }
  return false;
}

/** Bytes of the UTF-8 sequence that starts with `first`. */
function sequenceBytes(first: u32): u32 {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** 1 to PETNAME_MAX_BYTES bytes of UTF-8, no character of Cc or Cf (bidirectional overrides, joiners, controls). */
export function petnameValid(at: usize, bytes: u32): bool {
  if (bytes == 0 || bytes > PETNAME_MAX_BYTES || !utf8Valid(at, bytes)) return false;
  const end = at + bytes;
  while (at < end) {
    const first = <u32>load<u8>(at);
    const length = sequenceBytes(first);
    let codePoint = length == 1 ? first : first & (0x7f >> length);
    for (let i: u32 = 1; i < length; i++) codePoint = (codePoint << 6) | ((<u32>load<u8>(at + i)) & 0x3f);
    if (isRefused(codePoint)) return false;
    at += length;
  }
  return true;
}
