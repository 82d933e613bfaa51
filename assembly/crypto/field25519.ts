// Arithmetic modulo p = 2^255 - 19, for X25519 and Ed25519 (RFC 7748, RFC 8032). Time does not depend on values.
//
// An element is ten i32 limbs of alternately 26 and 25 bits: value = sum of limb[i] * 2^ceil(25.5 i). Products fit i64 and
// compile to one SMLAL each on a Cortex-M. Limbs are signed. "Reduced" means |limb| <= 2^25 + 2^24 (even) or half of that
// (odd), which every product is. A sum or difference of two reduced elements may enter a product; the first factor may
// even be a sum of sums.
import { alloc, mark, release } from "../runtime/arena";

/** Bytes of an element in memory. */
export const FE_BYTES: u32 = 40;

/** Bytes of an encoded element. */
export const FE_ENCODED_BYTES: u32 = 32;

const LIMBS: u32 = 10;

/** Half of a limb's unit, so that carries round to nearest and limbs stay centred on zero. */
const HALF_26: i64 = 1 << 25;
const HALF_25: i64 = 1 << 24;

/** h = f. */
export function feCopy(h: usize, f: usize): void {
  memory.copy(h, f, FE_BYTES);
}

/** h = value, a small number. */
export function feSmall(h: usize, value: i32): void {
  memory.fill(h, 0, FE_BYTES);
  store<i32>(h, value);
}

/** h = f + g, not reduced. */
export function feAdd(h: usize, f: usize, g: usize): void {
  // Unrolled from the top: one bound check serves all ten.
  store<i32>(h, load<i32>(f, 36) + load<i32>(g, 36), 36);
  store<i32>(h, load<i32>(f, 32) + load<i32>(g, 32), 32);
  store<i32>(h, load<i32>(f, 28) + load<i32>(g, 28), 28);
  store<i32>(h, load<i32>(f, 24) + load<i32>(g, 24), 24);
  store<i32>(h, load<i32>(f, 20) + load<i32>(g, 20), 20);
  store<i32>(h, load<i32>(f, 16) + load<i32>(g, 16), 16);
  store<i32>(h, load<i32>(f, 12) + load<i32>(g, 12), 12);
  store<i32>(h, load<i32>(f, 8) + load<i32>(g, 8), 8);
  store<i32>(h, load<i32>(f, 4) + load<i32>(g, 4), 4);
  store<i32>(h, load<i32>(f) + load<i32>(g));
}

/** h = f - g, not reduced. */
export function feSubtract(h: usize, f: usize, g: usize): void {
  store<i32>(h, load<i32>(f, 36) - load<i32>(g, 36), 36);
  store<i32>(h, load<i32>(f, 32) - load<i32>(g, 32), 32);
  store<i32>(h, load<i32>(f, 28) - load<i32>(g, 28), 28);
  store<i32>(h, load<i32>(f, 24) - load<i32>(g, 24), 24);
  store<i32>(h, load<i32>(f, 20) - load<i32>(g, 20), 20);
  store<i32>(h, load<i32>(f, 16) - load<i32>(g, 16), 16);
  store<i32>(h, load<i32>(f, 12) - load<i32>(g, 12), 12);
  store<i32>(h, load<i32>(f, 8) - load<i32>(g, 8), 8);
  store<i32>(h, load<i32>(f, 4) - load<i32>(g, 4), 4);
  store<i32>(h, load<i32>(f) - load<i32>(g));
}

/** Exchanges f and g when `swap` is 1, keeps them when it is 0. */
export function feConditionalSwap(f: usize, g: usize, swap: u32): void {
  const mask = 0 - swap;
  for (let i: u32 = 0; i < FE_BYTES; i += 4) {
    const difference = (load<u32>(f + i) ^ load<u32>(g + i)) & mask;
    store<u32>(f + i, load<u32>(f + i) ^ difference);
    store<u32>(g + i, load<u32>(g + i) ^ difference);
  }
}

/** f = -f when `negate` is 1. */
export function feConditionalNegate(f: usize, negate: u32): void {
  const mask = 0 - negate;
  for (let i: u32 = 0; i < FE_BYTES; i += 4) store<u32>(f + i, (load<u32>(f + i) ^ mask) + negate);
}

/**
 * h = f * g, reduced. Column k collects limb i times limb j with i + j = k, and with i + j = k + 10 times 19 (2^255 = 19);
 * two odd limbs count double, their weights being half a bit above. `d` is a doubled limb, `w` a limb times 19.
 * Each column is carried before the next is summed, so one accumulator is live.
 */
export function feMultiply(h: usize, f: usize, g: usize): void {
  const f9 = load<i32>(f, 36),
    f8 = load<i32>(f, 32),
    f7 = load<i32>(f, 28),
    f6 = load<i32>(f, 24),
    f5 = load<i32>(f, 20),
    f4 = load<i32>(f, 16),
    f3 = load<i32>(f, 12),
    f2 = load<i32>(f, 8),
    f1 = load<i32>(f, 4),
    f0 = load<i32>(f);
  const g9 = load<i32>(g, 36),
    g8 = load<i32>(g, 32),
    g7 = load<i32>(g, 28),
    g6 = load<i32>(g, 24),
    g5 = load<i32>(g, 20),
    g4 = load<i32>(g, 16),
    g3 = load<i32>(g, 12),
    g2 = load<i32>(g, 8),
    g1 = load<i32>(g, 4),
    g0 = load<i32>(g);
  const d1 = f1 << 1,
    d3 = f3 << 1,
    d5 = f5 << 1,
    d7 = f7 << 1,
    d9 = f9 << 1;
  const w1 = g1 * 19,
    w2 = g2 * 19,
    w3 = g3 * 19,
    w4 = g4 * 19,
    w5 = g5 * 19,
    w6 = g6 * 19,
    w7 = g7 * 19,
    w8 = g8 * 19,
    w9 = g9 * 19;
  let sum: i64 =
    <i64>f0 * g0 +
    <i64>d1 * w9 +
    <i64>f2 * w8 +
    <i64>d3 * w7 +
    <i64>f4 * w6 +
    <i64>d5 * w5 +
    <i64>f6 * w4 +
    <i64>d7 * w3 +
    <i64>f8 * w2 +
    <i64>d9 * w1;
  let carry = (sum + HALF_26) >> 26;
  const r0 = <i32>sum - ((<i32>carry) << 26);
  sum =
    carry +
    <i64>f0 * g1 +
    <i64>f1 * g0 +
    <i64>f2 * w9 +
    <i64>f3 * w8 +
    <i64>f4 * w7 +
    <i64>f5 * w6 +
    <i64>f6 * w5 +
    <i64>f7 * w4 +
    <i64>f8 * w3 +
    <i64>f9 * w2;
  carry = (sum + HALF_25) >> 25;
  const r1 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry +
    <i64>f0 * g2 +
    <i64>d1 * g1 +
    <i64>f2 * g0 +
    <i64>d3 * w9 +
    <i64>f4 * w8 +
    <i64>d5 * w7 +
    <i64>f6 * w6 +
    <i64>d7 * w5 +
    <i64>f8 * w4 +
    <i64>d9 * w3;
  carry = (sum + HALF_26) >> 26;
  const r2 = <i32>sum - ((<i32>carry) << 26);
  sum =
    carry +
    <i64>f0 * g3 +
    <i64>f1 * g2 +
    <i64>f2 * g1 +
    <i64>f3 * g0 +
    <i64>f4 * w9 +
    <i64>f5 * w8 +
    <i64>f6 * w7 +
    <i64>f7 * w6 +
    <i64>f8 * w5 +
    <i64>f9 * w4;
  carry = (sum + HALF_25) >> 25;
  const r3 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry +
    <i64>f0 * g4 +
    <i64>d1 * g3 +
    <i64>f2 * g2 +
    <i64>d3 * g1 +
    <i64>f4 * g0 +
    <i64>d5 * w9 +
    <i64>f6 * w8 +
    <i64>d7 * w7 +
    <i64>f8 * w6 +
    <i64>d9 * w5;
  carry = (sum + HALF_26) >> 26;
  const r4 = <i32>sum - ((<i32>carry) << 26);
  sum =
    carry +
    <i64>f0 * g5 +
    <i64>f1 * g4 +
    <i64>f2 * g3 +
    <i64>f3 * g2 +
    <i64>f4 * g1 +
    <i64>f5 * g0 +
    <i64>f6 * w9 +
    <i64>f7 * w8 +
    <i64>f8 * w7 +
    <i64>f9 * w6;
  carry = (sum + HALF_25) >> 25;
  const r5 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry +
    <i64>f0 * g6 +
    <i64>d1 * g5 +
    <i64>f2 * g4 +
    <i64>d3 * g3 +
    <i64>f4 * g2 +
    <i64>d5 * g1 +
    <i64>f6 * g0 +
    <i64>d7 * w9 +
    <i64>f8 * w8 +
    <i64>d9 * w7;
  carry = (sum + HALF_26) >> 26;
  const r6 = <i32>sum - ((<i32>carry) << 26);
  sum =
    carry +
    <i64>f0 * g7 +
    <i64>f1 * g6 +
    <i64>f2 * g5 +
    <i64>f3 * g4 +
    <i64>f4 * g3 +
    <i64>f5 * g2 +
    <i64>f6 * g1 +
    <i64>f7 * g0 +
    <i64>f8 * w9 +
    <i64>f9 * w8;
  carry = (sum + HALF_25) >> 25;
  const r7 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry +
    <i64>f0 * g8 +
    <i64>d1 * g7 +
    <i64>f2 * g6 +
    <i64>d3 * g5 +
    <i64>f4 * g4 +
    <i64>d5 * g3 +
    <i64>f6 * g2 +
    <i64>d7 * g1 +
    <i64>f8 * g0 +
    <i64>d9 * w9;
  carry = (sum + HALF_26) >> 26;
  const r8 = <i32>sum - ((<i32>carry) << 26);
  sum =
    carry +
    <i64>f0 * g9 +
    <i64>f1 * g8 +
    <i64>f2 * g7 +
    <i64>f3 * g6 +
    <i64>f4 * g5 +
    <i64>f5 * g4 +
    <i64>f6 * g3 +
    <i64>f7 * g2 +
    <i64>f8 * g1 +
    <i64>f9 * g0;
  carry = (sum + HALF_25) >> 25;
  const r9 = <i32>sum - ((<i32>carry) << 25);
  storeReduced(h, carry, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9);
}

/** h = f * f, reduced. */
export function feSquare(h: usize, f: usize): void {
  const f9 = load<i32>(f, 36),
    f8 = load<i32>(f, 32),
    f7 = load<i32>(f, 28),
    f6 = load<i32>(f, 24),
    f5 = load<i32>(f, 20),
    f4 = load<i32>(f, 16),
    f3 = load<i32>(f, 12),
    f2 = load<i32>(f, 8),
    f1 = load<i32>(f, 4),
    f0 = load<i32>(f);
  const d0 = f0 << 1,
    d1 = f1 << 1,
    d2 = f2 << 1,
    d3 = f3 << 1,
    d4 = f4 << 1,
    d5 = f5 << 1,
    d6 = f6 << 1,
    d7 = f7 << 1,
    d8 = f8 << 1,
    d9 = f9 << 1;
  const w5 = f5 * 19,
    w6 = f6 * 19,
    w7 = f7 * 19,
    w8 = f8 * 19,
    w9 = f9 * 19;
  let sum: i64 =
    <i64>f0 * f0 + ((<i64>d1 * w9) << 1) + <i64>d2 * w8 + ((<i64>d3 * w7) << 1) + <i64>d4 * w6 + <i64>d5 * w5;
  let carry = (sum + HALF_26) >> 26;
  const r0 = <i32>sum - ((<i32>carry) << 26);
  sum = carry + <i64>d0 * f1 + <i64>d2 * w9 + <i64>d3 * w8 + <i64>d4 * w7 + <i64>d5 * w6;
  carry = (sum + HALF_25) >> 25;
  const r1 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry + <i64>d0 * f2 + <i64>d1 * f1 + ((<i64>d3 * w9) << 1) + <i64>d4 * w8 + ((<i64>d5 * w7) << 1) + <i64>f6 * w6;
  carry = (sum + HALF_26) >> 26;
  const r2 = <i32>sum - ((<i32>carry) << 26);
  sum = carry + <i64>d0 * f3 + <i64>d1 * f2 + <i64>d4 * w9 + <i64>d5 * w8 + <i64>d6 * w7;
  carry = (sum + HALF_25) >> 25;
  const r3 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry + <i64>d0 * f4 + ((<i64>d1 * f3) << 1) + <i64>f2 * f2 + ((<i64>d5 * w9) << 1) + <i64>d6 * w8 + <i64>d7 * w7;
  carry = (sum + HALF_26) >> 26;
  const r4 = <i32>sum - ((<i32>carry) << 26);
  sum = carry + <i64>d0 * f5 + <i64>d1 * f4 + <i64>d2 * f3 + <i64>d6 * w9 + <i64>d7 * w8;
  carry = (sum + HALF_25) >> 25;
  const r5 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry + <i64>d0 * f6 + ((<i64>d1 * f5) << 1) + <i64>d2 * f4 + <i64>d3 * f3 + ((<i64>d7 * w9) << 1) + <i64>f8 * w8;
  carry = (sum + HALF_26) >> 26;
  const r6 = <i32>sum - ((<i32>carry) << 26);
  sum = carry + <i64>d0 * f7 + <i64>d1 * f6 + <i64>d2 * f5 + <i64>d3 * f4 + <i64>d8 * w9;
  carry = (sum + HALF_25) >> 25;
  const r7 = <i32>sum - ((<i32>carry) << 25);
  sum =
    carry + <i64>d0 * f8 + ((<i64>d1 * f7) << 1) + <i64>d2 * f6 + ((<i64>d3 * f5) << 1) + <i64>f4 * f4 + <i64>d9 * w9;
  carry = (sum + HALF_26) >> 26;
  const r8 = <i32>sum - ((<i32>carry) << 26);
  sum = carry + <i64>d0 * f9 + <i64>d1 * f8 + <i64>d2 * f7 + <i64>d3 * f6 + <i64>d4 * f5;
  carry = (sum + HALF_25) >> 25;
  const r9 = <i32>sum - ((<i32>carry) << 25);
  storeReduced(h, carry, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9);
}

/** Folds the last carry (times 19) into limb 0, carries that once, and stores. */
// @ts-ignore: decorator
@inline
function storeReduced(
  h: usize,
  carry: i64,
  r0: i32,
  r1: i32,
  r2: i32,
  r3: i32,
  r4: i32,
  r5: i32,
  r6: i32,
  r7: i32,
  r8: i32,
  r9: i32,
): void {
  const low = <i64>r0 + carry * 19;
  const up = (low + HALF_26) >> 26;
  store<i32>(h, r9, 36);
  store<i32>(h, r8, 32);
  store<i32>(h, r7, 28);
  store<i32>(h, r6, 24);
  store<i32>(h, r5, 20);
  store<i32>(h, r4, 16);
  store<i32>(h, r3, 12);
  store<i32>(h, r2, 8);
  store<i32>(h, r1 + <i32>up, 4);
  store<i32>(h, <i32>low - ((<i32>up) << 26));
}

/** h = f^(2^count), count at least 1. */
export function feSquareTimes(h: usize, f: usize, count: u32): void {
  feSquare(h, f);
  while (--count) feSquare(h, h);
}

/** h = f * factor, reduced; 0 <= factor < 2^17. */
export function feScale(h: usize, f: usize, factor: i32): void {
  let carry: i64 = 0;
  for (let i: u32 = 0; i < FE_BYTES; i += 8) {
    let sum = carry + <i64>load<i32>(f + i) * factor;
    carry = (sum + HALF_26) >> 26;
    const even = <i32>sum - ((<i32>carry) << 26);
    sum = carry + <i64>load<i32>(f + i, 4) * factor;
    carry = (sum + HALF_25) >> 25;
    store<i32>(h + i, <i32>sum - ((<i32>carry) << 25), 4);
    store<i32>(h + i, even);
  }
  // The last carry is below 2^18: 19 times it leaves limb 0 within a hair of reduced.
  store<i32>(h, load<i32>(h) + <i32>carry * 19);
}

/**
 * f^(2^250 - 1) to `h` and f^11 to `eleven`: the start that inversion and square root share. The exponent's run of ones
 * doubles: 5, 10, 20, 40, 50, 100, 200, 250.
 */
function feRunOf250(h: usize, eleven: usize, f: usize): void {
  const position = mark();
  const a = alloc(FE_BYTES);
  const b = alloc(FE_BYTES);
  const c = alloc(FE_BYTES);
  feSquare(a, f); // 2
  feSquareTimes(b, a, 2); // 8
  feMultiply(b, b, f); // 9
  feMultiply(eleven, b, a); // 11
  feSquare(a, eleven); // 22
  feMultiply(a, a, b); // 31 = 2^5 - 1
  feSquareTimes(b, a, 5);
  feMultiply(a, b, a); // 2^10 - 1
  feSquareTimes(b, a, 10);
  feMultiply(b, b, a); // 2^20 - 1
  feSquareTimes(c, b, 20);
  feMultiply(b, c, b); // 2^40 - 1
  feSquareTimes(b, b, 10);
  feMultiply(a, b, a); // 2^50 - 1
  feSquareTimes(b, a, 50);
  feMultiply(b, b, a); // 2^100 - 1
  feSquareTimes(c, b, 100);
  feMultiply(b, c, b); // 2^200 - 1
  feSquareTimes(b, b, 50);
  feMultiply(h, b, a); // 2^250 - 1
  release(position);
}

/** h = 1 / f = f^(p - 2), p - 2 = 2^255 - 21; 0 for 0. */
export function feInvert(h: usize, f: usize): void {
  const position = mark();
  const run = alloc(FE_BYTES);
  const eleven = alloc(FE_BYTES);
  feRunOf250(run, eleven, f);
  feSquareTimes(run, run, 5);
  feMultiply(h, run, eleven);
  release(position);
}

/** h = f^((p - 5) / 8), the exponent being 2^252 - 3 (RFC 8032, 5.1.3). */
export function fePowerP58(h: usize, f: usize): void {
  const position = mark();
  const run = alloc(FE_BYTES);
  const eleven = alloc(FE_BYTES);
  feRunOf250(run, eleven, f);
  feSquareTimes(run, run, 2);
  feMultiply(h, run, f);
  release(position);
}

/** Reads 32 bytes, little endian; bit 255 is ignored. Values of p and above are taken modulo p. */
export function feDecode(h: usize, encoded: usize): void {
  // Limb i begins at bit ceil(25.5 i); one unaligned double word covers it. Byte 24 is the last that one may start at.
  for (let i: u32 = 0; i < LIMBS; i++) {
    const bit = (51 * i + 1) >> 1;
    const byte = min<u32>(bit >> 3, 28);
    const shift = bit - (byte << 3);
    const low = load<u32>(encoded + byte) >> shift;
    const high = byte < 28 && shift > 0 ? (<u32>load<u8>(encoded + byte, 4)) << (32 - shift) : 0;
    store<u32>(h + 4 * i, (low | high) & (i & 1 ? 0x1ffffff : 0x3ffffff));
  }
  feCarry(h);
}

/** Reduces: one carry round each limb, the last folding into the first times 19. */
function feCarry(h: usize): void {
  let carry: i32 = 0;
  for (let i: u32 = 0; i < LIMBS; i++) {
    const bits = 26 - (i & 1);
    const limb = load<i32>(h + 4 * i) + carry;
    carry = (limb + (1 << (bits - 1))) >> bits;
    store<i32>(h + 4 * i, limb - (carry << bits));
  }
  store<i32>(h, load<i32>(h) + 19 * carry);
}

/** Writes the one encoding of f below p: 32 bytes, little endian. f may be a sum of two reduced elements. */
export function feEncode(encoded: usize, f: usize): void {
  const position = mark();
  const h = alloc(FE_BYTES);
  feCopy(h, f);
  feCarry(h);
  feCarry(h);
  // q = floor(h / p) is the carry out of bit 255 of h + 19, whatever the signs of the limbs; h - q p = h + 19 q - 2^255 q.
  let quotient: i32 = (19 * load<i32>(h, 36) + (1 << 24)) >> 25;
  for (let i: u32 = 0; i < LIMBS; i++) quotient = (load<i32>(h + 4 * i) + quotient) >> (26 - (i & 1));
  let carry: i32 = 19 * quotient;
  memory.fill(encoded, 0, FE_ENCODED_BYTES);
  for (let i: u32 = 0; i < LIMBS; i++) {
    const bits = 26 - (i & 1);
    const limb = load<i32>(h + 4 * i) + carry;
    carry = limb >> bits;
    const digits = (<u32>limb) & ((1 << bits) - 1);
    // The limb spans at most five bytes from its first bit.
    const bit = (51 * i + 1) >> 1;
    const at = encoded + (bit >> 3);
    const shift = bit & 7;
    store<u8>(at, load<u8>(at) | (digits << shift));
    store<u8>(at, digits >> (8 - shift), 1);
    store<u8>(at, digits >> (16 - shift), 2);
    store<u8>(at, digits >> (24 - shift), 3);
    if (shift + bits > 32) store<u8>(at, digits >> (32 - shift), 4);
  }
  release(position);
}

/** Lowest bit of the encoding, the sign of RFC 8032. */
export function feIsOdd(f: usize): u32 {
  const position = mark();
  const encoded = alloc(FE_ENCODED_BYTES);
  feEncode(encoded, f);
  const odd = (<u32>load<u8>(encoded)) & 1;
  release(position);
  return odd;
}

/** Whether f is 0 modulo p, in constant time. */
export function feIsZero(f: usize): bool {
  const position = mark();
  const encoded = alloc(FE_ENCODED_BYTES);
  feEncode(encoded, f);
  let bits: u32 = 0;
  for (let i: u32 = 0; i < FE_ENCODED_BYTES; i += 4) bits |= load<u32>(encoded + i);
  release(position);
  return bits == 0;
}
