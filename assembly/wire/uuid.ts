// UUID text (RFC 9562, wire.md 9.3). Version and variant are not looked at.
import { hexDigit, hexEncode } from "../bytes/hex";
import { UUID_BYTES, UUID_TEXT_BYTES } from "./limits";

const HYPHEN: u32 = 0x2d;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;
const BARE_TEXT_BYTES: u32 = 32;

/** `urn:uuid:` */
const URN: usize = memory.data<u8>([0x75, 0x72, 0x6e, 0x3a, 0x75, 0x75, 0x69, 0x64, 0x3a]);
const URN_BYTES: u32 = 9;

/**
 * Reads a UUID: hyphenated, bare, hyphenated in braces, or hyphenated behind `urn:uuid:`; digits in either case.
 *
 * @param out receives 16 bytes; may be `text`
 */
export function uuidParse(text: usize, bytes: u32, out: usize): bool {
  if (bytes == UUID_TEXT_BYTES + 2) {
    if (load<u8>(text) != OPEN_BRACE || load<u8>(text + bytes - 1) != CLOSE_BRACE) return false;
    text++;
  } else if (bytes == UUID_TEXT_BYTES + URN_BYTES) {
    if (memory.compare(text, URN, URN_BYTES)) return false;
    text += URN_BYTES;
  } else if (bytes != UUID_TEXT_BYTES && bytes != BARE_TEXT_BYTES) return false;
  const hyphens = bytes != BARE_TEXT_BYTES;
  for (let i: u32 = 0; i < UUID_BYTES; i++) {
    if (hyphens && hyphenBefore(i) && load<u8>(text++) != HYPHEN) return false;
    const low = hexDigit(load<u8>(text, 1));
    const high = hexDigit(load<u8>(text));
    if ((high | low) > 15) return false;
    store<u8>(out + i, (high << 4) | low);
    text += 2;
  }
  return true;
}

/** Writes 36 characters: lower case, hyphenated 8-4-4-4-12. `out` may not overlap `uuid`. */
export function uuidFormat(uuid: usize, out: usize): void {
  for (let i: u32 = 0; i < UUID_BYTES; i++) {
    if (hyphenBefore(i)) store<u8>(out++, HYPHEN);
    hexEncode(uuid + i, 1, out);
    out += 2;
  }
}

/** Whether a hyphen stands before byte `i`: 4, 6, 8 and 10. */
function hyphenBefore(i: u32): bool {
  return !(i & 1) && i - 4 < 7;
}
