// Scalars modulo L = 2^252 + 27742317777372353535851937790883648493, the order of the base point (RFC 8032, 5.1).
import { alloc, mark, release } from "../runtime/arena";

export const SCALAR_BYTES: u32 = 32;

/** L, little endian. */
const ORDER: usize = memory.data<u8>([
  0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0x10,
]);

/** Digits base 256, as i32: 64 of them hold a product. */
const WIDE: u32 = 64;
export const SCALAR_WIDE_BYTES: u32 = 4 * WIDE;

/** Whether the 32 bytes at `s` are below L. For public values. */
export function scalarIsReduced(s: usize): bool {
  for (let i: i32 = 31; i >= 0; i--) {
    const digit = load<u8>(s + i);
    const limit = load<u8>(ORDER + i);
    if (digit != limit) return digit < limit;
  }
  return false;
}

/**
 * Subtracts factor * L * 256^at from the digits. All digits from `at` on become 0 to 255 but the top one, `at` + 31, which takes
 * the sign.
 */
function subtractOrder(digits: usize, at: u32, factor: i32): void {
  let carry: i32 = 0;
  for (let i: u32 = 0; ; i++) {
    const place = digits + ((at + i) << 2);
    const digit = load<i32>(place) + carry - factor * <i32>load<u8>(ORDER + i);
    if (i == SCALAR_BYTES - 1) {
      store<i32>(place, digit);
      return;
    }
    carry = digit >> 8;
    store<i32>(place, digit & 255);
  }
}

/**
 * Reduces 64 digits base 256 (each below 2^23) modulo L to 32 bytes at `out`. Works down from the top: what stands above
 * 256^at * 2^252 is subtracted as that many L. A step may overshoot by a little, so the top digit is signed.
 * Time does not depend on values.
 */
function reduceDigits(out: usize, digits: usize): void {
  let carry: i32 = 0;
  for (let i: u32 = 0; i < WIDE; i++) {
    const digit = load<i32>(digits + (i << 2)) + carry;
    carry = digit >> 8;
    store<i32>(digits + (i << 2), digit & 255);
  }
  assert(carry == 0);
  for (let at: i32 = SCALAR_BYTES - 1; at >= 0; at--) {
    const top = digits + ((at + 31) << 2);
    const high = (load<i32>(top, 4) << 8) + load<i32>(top);
    store<i32>(top, high);
    subtractOrder(digits, at, high >> 4);
  }
  // Now -L < value < 2^252. Add L if it is negative; take L off, and put it back if that was too much.
  const sign = digits + 4 * (SCALAR_BYTES - 1);
  subtractOrder(digits, 0, load<i32>(sign) >> 31);
  subtractOrder(digits, 0, 1);
  subtractOrder(digits, 0, load<i32>(sign) >> 31);
  for (let i: u32 = 0; i < SCALAR_BYTES; i++) store<u8>(out + i, load<i32>(digits + (i << 2)));
}

/** out = the 64-byte number at `wide` mod L. */
export function scalarReduce(out: usize, wide: usize): void {
  const position = mark();
  const digits = alloc(SCALAR_WIDE_BYTES);
  for (let i: u32 = 0; i < WIDE; i++) store<i32>(digits + (i << 2), load<u8>(wide + i));
  reduceDigits(out, digits);
  release(position);
}

/** out = a * b + c mod L; 32 bytes each, any values below 2^256. */
export function scalarMultiplyAdd(out: usize, a: usize, b: usize, c: usize): void {
  const position = mark();
  const digits = alloc(SCALAR_WIDE_BYTES);
  for (let i: u32 = 0; i < SCALAR_BYTES; i++) store<i32>(digits + (i << 2), load<u8>(c + i));
  for (let i: u32 = 0; i < SCALAR_BYTES; i++) {
    const factor = <i32>load<u8>(a + i);
    for (let j: u32 = 0; j < SCALAR_BYTES; j++) {
      const place = digits + ((i + j) << 2);
      store<i32>(place, load<i32>(place) + factor * <i32>load<u8>(b + j));
    }
  }
  reduceDigits(out, digits);
  release(position);
}
