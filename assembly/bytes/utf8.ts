// UTF-8 (RFC 3629), strict: no overlong form, no surrogate, nothing above U+10FFFF, no cut sequence.

/** Top bit of each of eight bytes: set in none of them when all are ASCII. */
const TOP_BITS: u64 = 0x8080808080808080;

/** Whether the bytes are well-formed UTF-8. Time is linear; ASCII goes eight bytes a step. */
export function utf8Valid(ptr: usize, bytes: u32): bool {
  const end = ptr + bytes;
  let at = ptr;
  while (at < end) {
    if (end - at >= 8 && !(load<u64>(at) & TOP_BITS)) {
      at += 8;
      continue;
    }
    const lead = <u32>load<u8>(at++);
    if (lead < 0x80) continue;
    let more: u32 = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || <u32>(end - at) < more) return false;
    // The second byte carries what a lead byte alone cannot exclude (RFC 3629, section 4).
    const second = <u32>load<u8>(at);
    const least: u32 = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const most: u32 = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) return false;
    while (--more) if ((load<u8>(++at) & 0xc0) != 0x80) return false;
    at++;
  }
  return true;
}

/** Writes the scalar value `codePoint` and returns the count of bytes, 1 to 4. */
export function utf8Encode(codePoint: u32, out: usize): u32 {
  if (codePoint < 0x80) {
    store<u8>(out, codePoint);
    return 1;
  }
  const more: u32 = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
  for (let i = more; i; i--) {
    store<u8>(out + i, 0x80 | (codePoint & 0x3f));
    codePoint >>= 6;
  }
  const marker: u32 = 0xf0;
  store<u8>(out, (marker << (3 - more)) | codePoint);
  return more + 1;
}
