// Base64 (RFC 4648): the standard alphabet with padding, and base64url without. Reading is strict: padding
// exactly as required, unused bits zero, no white space. For public data only: time depends on the text.

const PLUS: u32 = 0x2b;
const DASH: u32 = 0x2d;
const SLASH: u32 = 0x2f;
const PAD: u32 = 0x3d;
const UNDERSCORE: u32 = 0x5f;

/** What `base64Value` answers for a byte outside the alphabet. */
const INVALID: u32 = 255;

/** Six bits of a character of the standard alphabet, or more than 63. */
export function base64Value(c: u32): u32 {
  if (c - 0x41 < 26) return c - 0x41;
  if (c - 0x61 < 26) return c - 0x61 + 26;
  if (c - 0x30 < 10) return c - 0x30 + 52;
  return c == PLUS ? 62 : c == SLASH ? 63 : INVALID;
}

/** Six bits of a character of base64url, or more than 63. */
function urlValue(c: u32): u32 {
  if (c == DASH) return 62;
  if (c == UNDERSCORE) return 63;
  return c == PLUS || c == SLASH ? INVALID : base64Value(c);
}

/** Character of six bits. */
function character(value: u32, url: bool): u32 {
  if (value < 26) return value + 0x41;
  if (value < 52) return value - 26 + 0x61;
  if (value < 62) return value - 52 + 0x30;
  if (value == 62) return url ? DASH : PLUS;
  return url ? UNDERSCORE : SLASH;
}

/** Characters that `bytes` bytes take with padding. */
export function base64Length(bytes: u32): u32 {
  return ((bytes + 2) / 3) << 2;
}

function encode(ptr: usize, bytes: u32, out: usize, url: bool): u32 {
  let at = out;
  let bits: u32 = 0;
  let held: u32 = 0;
  for (let i: u32 = 0; i < bytes; i++) {
    held = (held << 8) | load<u8>(ptr + i);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      store<u8>(at++, character((held >> bits) & 63, url));
    }
  }
  if (bits) store<u8>(at++, character((held << (6 - bits)) & 63, url));
  if (!url) while ((at - out) & 3) store<u8>(at++, PAD);
  return <u32>(at - out);
}

function decode(text: usize, bytes: u32, out: usize, url: bool): i32 {
  if (url) {
    if ((bytes & 3) == 1) return -1;
  } else {
    if (bytes & 3) return -1;
    for (let i = 0; i < 2; i++) if (bytes && load<u8>(text + bytes - 1) == PAD) bytes--;
  }
  let at = out;
  let bits: u32 = 0;
  let held: u32 = 0;
  for (let i: u32 = 0; i < bytes; i++) {
    const c = <u32>load<u8>(text + i);
    const value = url ? urlValue(c) : base64Value(c);
    if (value > 63) return -1;
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      store<u8>(at++, held >> bits);
    }
  }
  return held & ((1 << bits) - 1) ? -1 : <i32>(at - out);
}

/** Writes the base64 of `bytes` bytes, `base64Length(bytes)` characters, and returns their count. No overlap. */
export function base64Encode(ptr: usize, bytes: u32, out: usize): u32 {
  return encode(ptr, bytes, out, false);
}

/** Reads strict base64. `out` may be `text`. Returns the count of bytes, or -1 with `out` undefined. */
export function base64Decode(text: usize, bytes: u32, out: usize): i32 {
  return decode(text, bytes, out, false);
}

/** Writes base64url without padding and returns the count of characters. No overlap. */
export function base64UrlEncode(ptr: usize, bytes: u32, out: usize): u32 {
  return encode(ptr, bytes, out, true);
}

/** Reads strict base64url without padding. `out` may be `text`. Returns the count of bytes, or -1. */
export function base64UrlDecode(text: usize, bytes: u32, out: usize): i32 {
  return decode(text, bytes, out, true);
}
