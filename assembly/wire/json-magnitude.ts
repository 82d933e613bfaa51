// Whether a JSON number is too large for a double. The reference names such a number as a fault of its own; the
// answer needs no floating point.

const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;

/** Power of ten of the leading digit of the largest double. */
const LARGEST_POWER: i32 = 308;
/** An exponent is not counted beyond this: no mantissa that fits in memory brings it back. */
const EXPONENT_STOP: i32 = 0x20000000;

/** First digits of 2^1024 - 2^970, from which on a number rounds to infinity: 17976931348623158079. */
// prettier-ignore
const FIRST_BEYOND: usize = memory.data<u8>([1, 7, 9, 7, 6, 9, 3, 1, 3, 4, 8, 6, 2, 3, 1, 5, 8, 0, 7, 9]);
const FIRST_BEYOND_DIGITS: u32 = 20;

/** Whether the number, which is well formed and `bytes` long, is beyond the largest double. */
export function beyondDouble(ptr: usize, bytes: u32): bool {
  const end = ptr + bytes;
  let at = ptr;
  if (load<u8>(at) == MINUS) at++;
  // Place of the first digit that is not zero, as a power of ten, and how the digits from it compare.
  let power: i32 = -1;
  let digits: u32 = 0;
  let order: i32 = 0;
  let fraction = false;
  for (; at < end; at++) {
    const c = <u32>load<u8>(at);
    if (c == POINT) {
      fraction = true;
      continue;
    }
    const digit = c - 0x30;
    if (digit > 9) break;
    if (digits || digit) {
      if (digits < FIRST_BEYOND_DIGITS && !order) order = <i32>digit - <i32>load<u8>(FIRST_BEYOND + digits);
      digits++;
      if (!fraction) power++;
    } else if (fraction) power--;
  }
  if (!digits) return false;
  if (at < end) {
    const negative = <u32>load<u8>(++at) == MINUS;
    let exponent: i32 = 0;
    for (; at < end; at++) {
      const digit = <u32>load<u8>(at) - 0x30;
      if (digit < 10 && exponent < EXPONENT_STOP / 10) exponent = exponent * 10 + <i32>digit;
    }
    power += negative ? -exponent : exponent;
  }
  if (power != LARGEST_POWER) return power > LARGEST_POWER;
  // Equal as far as it goes is beyond only when it goes all the way.
  return order > 0 || (order == 0 && digits >= FIRST_BEYOND_DIGITS);
}
