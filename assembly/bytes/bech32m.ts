// Bech32 and Bech32m text (BIP-173, BIP-350): checksum, characters, and five-bit groups.

/** What the checksum of valid text leaves: BIP-350. */
export const BECH32M: u32 = 0x2bc830a3;
/** The same for the older code, BIP-173. */
export const BECH32: u32 = 1;

/** Characters of the checksum. */
export const BECH32_CHECKSUM_GROUPS: u32 = 6;
const PREFIX_MOST_BYTES: u32 = 83;
const SEPARATOR: u32 = 0x31;

/** Character of each five-bit value: qpzry9x8gf2tvdw0s3jn54khce6mua7l. */
// prettier-ignore
const CHARSET: usize = memory.data<u8>([
  0x71, 0x70, 0x7a, 0x72, 0x79, 0x39, 0x78, 0x38, 0x67, 0x66, 0x32, 0x74, 0x76, 0x64, 0x77, 0x30,
  0x73, 0x33, 0x6a, 0x6e, 0x35, 0x34, 0x6b, 0x68, 0x63, 0x65, 0x36, 0x6d, 0x75, 0x61, 0x37, 0x6c,
]);

/** What each bit that is shifted out of the checksum adds to it (BIP-173, "Checksum"). */
const GENERATOR: usize = memory.data<u32>([0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]);

/** One step of the checksum: `group` is appended to what `sum` covers. */
function step(sum: u32, group: u32): u32 {
  let next = ((sum & 0x1ffffff) << 5) ^ group;
  for (let bit = 0; bit < 5; bit++) if ((sum >> (25 + bit)) & 1) next ^= load<u32>(GENERATOR + (bit << 2));
  return next;
}

/** The checksum after the prefix: its high bits, a zero, its low bits. Capitals count as small letters. */
function prefixSum(prefix: usize, bytes: u32): u32 {
  let sum: u32 = 1;
  for (let i: u32 = 0; i < bytes; i++) sum = step(sum, (<u32>lower(load<u8>(prefix + i))) >> 5);
  sum = step(sum, 0);
  for (let i: u32 = 0; i < bytes; i++) sum = step(sum, (<u32>lower(load<u8>(prefix + i))) & 31);
  return sum;
}

function isCapital(c: u32): bool {
  return c - 0x41 < 26;
}

function lower(c: u32): u32 {
  return isCapital(c) ? c + 0x20 : c;
}

/** Five-bit value of a character in either case, or 32 for a character that is none. */
export function bech32Value(c: u32): u32 {
  const wanted = lower(c);
  let value: u32 = 0;
  while (value < 32 && load<u8>(CHARSET + value) != wanted) value++;
  return value;
}

/** Bytes of the prefix: all before the last separator. `bytes` when there is none. */
export function bech32PrefixBytes(text: usize, bytes: u32): u32 {
  let at = bytes;
  while (at) if (load<u8>(text + --at) == SEPARATOR) return at;
  return bytes;
}

/**
 * What the checksum of `text` leaves: BECH32M or BECH32 for valid text of either code, 0 for text that is not
 * well formed (no separator, a prefix outside 1 to 83 characters of 21 to 7E, fewer than six characters of
 * data, a character outside the set, both cases).
 */
export function bech32Residue(text: usize, bytes: u32): u32 {
  const prefix = bech32PrefixBytes(text, bytes);
  if (prefix == 0 || prefix > PREFIX_MOST_BYTES || bytes - prefix < 1 + BECH32_CHECKSUM_GROUPS) return 0;
  let small = false;
  let capital = false;
  for (let i: u32 = 0; i < bytes; i++) {
    const c = <u32>load<u8>(text + i);
    if (c < 0x21 || c > 0x7e) return 0;
    if (isCapital(c)) capital = true;
    else if (c - 0x61 < 26) small = true;
  }
  if (small && capital) return 0;
  let sum = prefixSum(text, prefix);
  for (let i = prefix + 1; i < bytes; i++) {
    const value = bech32Value(load<u8>(text + i));
    if (value > 31) return 0;
    sum = step(sum, value);
  }
  return sum;
}

/**
 * Turns `groups` characters of data into `groups * 5 / 8` bytes.
 *
 * @returns whether this is the one spelling of these bytes: fewer than five surplus bits, all zero
 */
export function bech32Bytes(data: usize, groups: u32, out: usize): bool {
  let held: u32 = 0;
  let bits: u32 = 0;
  for (let i: u32 = 0; i < groups; i++) {
    held = (held << 5) | bech32Value(load<u8>(data + i));
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      store<u8>(out++, held >> bits);
    }
  }
  return bits < 5 && !(held & ((1 << bits) - 1));
}

/**
 * Writes Bech32m text: prefix, separator, the groups of `bytes` bytes padded with zero bits, checksum.
 *
 * @returns the count of characters
 */
export function bech32mEncode(prefix: usize, prefixBytes: u32, ptr: usize, bytes: u32, out: usize): u32 {
  memory.copy(out, prefix, prefixBytes);
  let at = out + prefixBytes;
  store<u8>(at++, SEPARATOR);
  let sum = prefixSum(prefix, prefixBytes);
  let held: u32 = 0;
  let bits: u32 = 0;
  for (let done: u32 = 0; done < bytes || bits;) {
    if (bits < 5) {
      // Past the end zero bits fill the last group.
      const more = done < bytes;
      held = more ? (held << 8) | load<u8>(ptr + done++) : held << (5 - bits);
      bits = more ? bits + 8 : 5;
    }
    bits -= 5;
    const value = (held >> bits) & 31;
    sum = step(sum, value);
    store<u8>(at++, load<u8>(CHARSET + value));
  }
  for (let i: u32 = 0; i < BECH32_CHECKSUM_GROUPS; i++) sum = step(sum, 0);
  sum ^= BECH32M;
  for (let shift: i32 = 25; shift >= 0; shift -= 5) store<u8>(at++, load<u8>(CHARSET + ((sum >> shift) & 31)));
  return <u32>(at - out);
}
