// Hexadecimal text (RFC 4648, section 8). Digits are read in either case and written in lower case.

/** What `hexDigit` answers for a byte that is no digit. */
export const HEX_INVALID: u32 = 255;

/** Value of the digit `c`, 0 to 15, or HEX_INVALID. */
export function hexDigit(c: u32): u32 {
  const digit = c - 0x30;
  if (digit < 10) return digit;
  const letter = (c | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : HEX_INVALID;
}

/** Writes `2 * bytes` lower-case digits to `out`, which may not overlap the input. */
export function hexEncode(ptr: usize, bytes: u32, out: usize): void {
  for (let i: u32 = 0; i < bytes << 1; i++) {
    const byte = <u32>load<u8>(ptr + (i >> 1));
    const digit = i & 1 ? byte & 15 : byte >> 4;
    store<u8>(out + i, digit + (digit < 10 ? 0x30 : 0x57));
  }
}

/** Reads `bytes` bytes from `2 * bytes` digits; `out` may be `text`. False when a digit is none. */
export function hexDecode(text: usize, bytes: u32, out: usize): bool {
  for (let i: u32 = 0; i < bytes; i++) {
    const high = hexDigit(load<u8>(text + (i << 1)));
    const low = hexDigit(load<u8>(text + (i << 1), 1));
    if ((high | low) > 15) return false;
    store<u8>(out + i, (high << 4) | low);
  }
  return true;
}
