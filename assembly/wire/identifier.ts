// Identifiers and service ids (wire.md 9.1, 9.2). Compared by bytes; nothing is trimmed, folded or normalised.
import { Detail } from "../runtime/status";
import { IDENTIFIER_MOST_BYTES, SERVICE_ID_MOST_BYTES } from "./limits";

const DOT: u32 = 0x2e;
const SLASH: u32 = 0x2f;
const COLON: u32 = 0x3a;
const BACKSLASH: u32 = 0x5c;
const UNDERSCORE: u32 = 0x5f;
const DELETE: u32 = 0x7f;

/** The policy without its length rule. Returns 0 or the detail of the first check that fails. */
export function identifierCharacters(ptr: usize, bytes: u32): u32 {
  if (!bytes) return Detail.IdEmpty;
  let dots: u32 = 0;
  let forbidden = false;
  for (let i: u32 = 0; i < bytes; i++) {
    const c = <u32>load<u8>(ptr + i);
    if (c < 0x20 || c == DELETE) return Detail.IdControl;
    if (c == DOT) dots++;
    if (c == SLASH || c == BACKSLASH || c == COLON) forbidden = true;
  }
  if (bytes <= 2 && dots == bytes) return Detail.IdDot;
  return forbidden ? Detail.IdForbidden : 0;
}

/** The policy for senders, recipients and application ids. Returns 0 or the detail of the first check that fails. */
export function identifierFault(ptr: usize, bytes: u32): u32 {
  return bytes > IDENTIFIER_MOST_BYTES ? Detail.IdTooLong : identifierCharacters(ptr, bytes);
}

/** Service id, well-formed UTF-8. Returns 0 or the detail of the first check that fails. */
export function serviceIdFault(ptr: usize, bytes: u32): u32 {
  if (!bytes) return Detail.SvcEmpty;
  let at: u32 = 0;
  while (at < bytes) {
    const blank = whiteSpaceBytes(ptr + at, bytes - at);
    if (!blank) break;
    at += blank;
  }
  if (at == bytes) return Detail.SvcBlank;
  if (bytes > SERVICE_ID_MOST_BYTES) return Detail.SvcTooLong;
  const reserved = bytes >= 2 && load<u8>(ptr) == UNDERSCORE && load<u8>(ptr, 1) == UNDERSCORE;
  return reserved ? Detail.SvcReserved : 0;
}

/** Bytes of the Unicode white space at `ptr`, 0 when there is none (property White_Space). */
function whiteSpaceBytes(ptr: usize, left: u32): u32 {
  const c = <u32>load<u8>(ptr);
  if (c == 0x20 || c - 0x09 < 5) return 1;
  if (c < 0xc2 || left < 2) return 0;
  const second = <u32>load<u8>(ptr, 1);
  // U+0085, U+00A0
  if (c == 0xc2) return second == 0x85 || second == 0xa0 ? 2 : 0;
  if (left < 3) return 0;
  const three = (c << 16) | (second << 8) | load<u8>(ptr, 2);
  // U+1680; U+2000 to U+200A; U+2028, U+2029, U+202F; U+205F; U+3000
  const spaces = three - 0xe28080 < 11 || three == 0xe280a8 || three == 0xe280a9 || three == 0xe280af;
  return spaces || three == 0xe19a80 || three == 0xe2819f || three == 0xe38080 ? 3 : 0;
}
