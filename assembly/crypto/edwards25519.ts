// The twisted Edwards curve -x^2 + y^2 = 1 + d x^2 y^2 over GF(2^255 - 19) (RFC 8032, 5.1). Points are extended coordinates
// (X : Y : Z : T), x = X/Z, y = Y/Z, xy = T/Z. Formulae: Hisil, Wong, Carter, Dawson, "Twisted Edwards curves revisited".
import { alloc, mark, release } from "../runtime/arena";
import { equal } from "../bytes/compare";
import { COMB_TABLE } from "./comb-table";
import {
  FE_BYTES,
  FE_ENCODED_BYTES,
  feAdd,
  feConditionalNegate,
  feConditionalSwap,
  feCopy,
  feDecode,
  feEncode,
  feInvert,
  feIsOdd,
  feIsZero,
  feMultiply,
  fePowerP58,
  feSmall,
  feSquare,
  feSubtract,
} from "./field25519";
import { SCALAR_BYTES, scalarMultiplyAdd } from "./scalar25519";

/** X, Y, Z, T. */
export const EDWARDS_POINT_BYTES: u32 = 4 * FE_BYTES;

/** A point as the second operand of an addition: Y + X, Y - X, 2 d T, 2 Z. */
const CACHED_BYTES: u32 = 4 * FE_BYTES;

const Y: u32 = FE_BYTES;
const Z: u32 = 2 * FE_BYTES;
const T: u32 = 3 * FE_BYTES;

/** 2 d, d = -121665/121666; and sqrt(-1) = 2^((p-1)/4). Encoded elements. */
const TWO_D: usize = memory.data<u32>([
  0x26b2f159, 0xebd69b94, 0x8283b156, 0x00e0149a, 0xeef3d130, 0x198e80f2, 0x56dffce7, 0x2406d9dc,
]);
const SQRT_MINUS_ONE: usize = memory.data<u32>([
  0x4a0ea0b0, 0xc4ee1b27, 0xad2fe478, 0x2f431806, 0x3dfbd7a7, 0x2b4d0099, 0x4fc1df0b, 0x2b832480,
]);

/** The neutral element (0 : 1 : 1 : 0). */
function setNeutral(p: usize): void {
  memory.fill(p, 0, EDWARDS_POINT_BYTES);
  store<i32>(p + Y, 1);
  store<i32>(p + Z, 1);
}

/** Finishes both formulae: p = (E F : G H : F G : E H); T only on demand. The wider factors come first (field25519.ts). */
function complete(p: usize, e: usize, f: usize, g: usize, h: usize, withT: bool): void {
  feMultiply(p, f, e);
  feMultiply(p + Y, g, h);
  feMultiply(p + Z, f, g);
  if (withT) feMultiply(p + T, e, h);
}

/**
 * p = 2 p. T is not read, and is written only with `withT`: doubling again needs none, adding does.
 */
function double(p: usize, withT: bool): void {
  const position = mark();
  const e = alloc(FE_BYTES),
    f = alloc(FE_BYTES),
    g = alloc(FE_BYTES),
    h = alloc(FE_BYTES);
  feAdd(e, p, p + Y);
  feSquare(e, e);
  feSquare(f, p);
  feSquare(g, p + Y);
  feAdd(h, f, g); // H = A + B
  feSubtract(g, f, g); // G = A - B
  feSubtract(e, h, e); // E = H - (X + Y)^2
  feSquare(f, p + Z);
  feAdd(f, f, f); // C = 2 Z^2
  feAdd(f, f, g); // F = C + G
  complete(p, e, f, g, h, withT);
  release(position);
}

/**
 * p = p + q, q cached; complete for every pair of points.
 *
 * @param affine  q has Z = 1 and no fourth element
 */
function add(p: usize, q: usize, affine: bool): void {
  const position = mark();
  const e = alloc(FE_BYTES),
    f = alloc(FE_BYTES),
    g = alloc(FE_BYTES),
    h = alloc(FE_BYTES);
  feAdd(h, p + Y, p);
  feMultiply(h, h, q); // B = (Y + X)(Y' + X')
  feSubtract(e, p + Y, p);
  feMultiply(e, e, q + FE_BYTES); // A = (Y - X)(Y' - X')
  feMultiply(f, p + T, q + 2 * FE_BYTES); // C = 2 d T T'
  if (affine) feAdd(g, p + Z, p + Z);
  else feMultiply(g, p + Z, q + 3 * FE_BYTES); // D = 2 Z Z'
  const b = p; // p is no longer read: it holds B, then H
  feCopy(b, h);
  feAdd(h, b, e); // H = B + A
  feSubtract(e, b, e); // E = B - A
  feCopy(b, f);
  feSubtract(f, g, b); // F = D - C
  feAdd(g, g, b); // G = D + C
  complete(p, e, f, g, h, true);
  release(position);
}

/** The point p as a second operand. */
function cache(q: usize, p: usize): void {
  const position = mark();
  const twoD = alloc(FE_BYTES);
  feDecode(twoD, TWO_D);
  feAdd(q, p + Y, p);
  feSubtract(q + FE_BYTES, p + Y, p);
  feMultiply(q + 2 * FE_BYTES, p + T, twoD);
  feAdd(q + 3 * FE_BYTES, p + Z, p + Z);
  release(position);
}

/** q = -q when `negate` is 1: exchanges the first two elements and negates the third. */
function negateCached(q: usize, negate: u32): void {
  feConditionalSwap(q, q + FE_BYTES, negate);
  feConditionalNegate(q + 2 * FE_BYTES, negate);
}

// Multiples of the base point: a signed comb (Hamburg, "Fast and compact elliptic-curve cryptography", 3.3) of 2 combs with 5
// teeth, 26 bits apart. Every one of 260 bits stands for +1 or -1, so no addition is ever skipped.

const COMBS: u32 = 2;
const TEETH: u32 = 5;
const SPACING: u32 = 26;
const ENTRIES: u32 = 16;
const ENTRY_BYTES: u32 = 3 * FE_ENCODED_BYTES;

/** 1/2 mod L, and (2^260 - 1) / 2 mod L: k becomes (k + 2^260 - 1) / 2, whose bits b stand for 2 b - 1. */
const HALF: usize = memory.data<u32>([
  0x2e7ae9f7, 0x2c09318d, 0x517bce6b, 0x0a6f7cef, 0x00000000, 0x00000000, 0x00000000, 0x08000000,
]);
const HALF_OF_ONES: usize = memory.data<u32>([
  0xb390f376, 0x22d7a45e, 0xd5ad633f, 0x9af28d9d, 0xfffffff5, 0xffffffff, 0xffffffff, 0x07ffffff,
]);

/** The digits of `k` for the comb: 33 bytes at `out`, the last zero. */
function combRecode(out: usize, k: usize): void {
  scalarMultiplyAdd(out, k, HALF, HALF_OF_ONES);
}

/** Loads entry `index` of comb `comb`, reading every entry of it. */
function combSelect(q: usize, comb: u32, index: u32): void {
  const position = mark();
  const encoded = alloc(FE_ENCODED_BYTES);
  const first = COMB_TABLE + comb * (ENTRIES * ENTRY_BYTES);
  for (let part: u32 = 0; part < 3; part++) {
    let at = first + part * FE_ENCODED_BYTES;
    let w0: u32 = 0,
      w1: u32 = 0,
      w2: u32 = 0,
      w3: u32 = 0,
      w4: u32 = 0,
      w5: u32 = 0,
      w6: u32 = 0,
      w7: u32 = 0;
    for (let i: u32 = 0; i < ENTRIES; i++, at += ENTRY_BYTES) {
      const difference = i ^ index;
      const mask = ((<u32>(0 - difference)) >> 31) - 1; // all ones where i is the index
      w7 |= load<u32>(at, 28) & mask;
      w6 |= load<u32>(at, 24) & mask;
      w5 |= load<u32>(at, 20) & mask;
      w4 |= load<u32>(at, 16) & mask;
      w3 |= load<u32>(at, 12) & mask;
      w2 |= load<u32>(at, 8) & mask;
      w1 |= load<u32>(at, 4) & mask;
      w0 |= load<u32>(at) & mask;
    }
    store<u32>(encoded, w7, 28);
    store<u32>(encoded, w6, 24);
    store<u32>(encoded, w5, 20);
    store<u32>(encoded, w4, 16);
    store<u32>(encoded, w3, 12);
    store<u32>(encoded, w2, 8);
    store<u32>(encoded, w1, 4);
    store<u32>(encoded, w0);
    feDecode(q + part * FE_BYTES, encoded);
  }
  release(position);
}

/** p = p + the points of both combs for column `column` of the digits. */
function combAdd(p: usize, digits: usize, column: u32): void {
  const position = mark();
  const q = alloc(CACHED_BYTES);
  for (let comb: u32 = 0; comb < COMBS; comb++) {
    let teeth: u32 = 0;
    for (let tooth: u32 = 0; tooth < TEETH; tooth++) {
      const bit = column + SPACING * (TEETH * comb + tooth);
      teeth |= (((<u32>load<u8>(digits + (bit >> 3))) >> (bit & 7)) & 1) << tooth;
    }
    const negative = (teeth >> (TEETH - 1)) ^ 1;
    combSelect(q, comb, (teeth ^ (0 - negative)) & (ENTRIES - 1));
    negateCached(q, negative);
    add(p, q, true);
  }
  release(position);
}

/** p = k B for the 32-byte number `k`, secret. */
export function edwardsBaseMultiply(p: usize, k: usize): void {
  const position = mark();
  const digits = alloc(SCALAR_BYTES + 1);
  combRecode(digits, k);
  setNeutral(p);
  for (let column: i32 = SPACING - 1; column >= 0; column--) {
    double(p, true);
    combAdd(p, digits, column);
  }
  release(position);
}

// Verification works on public values and takes the time that it takes.

/** Width of the non-adjacent form of the challenge; its digits are odd and below 2^4 in size. */
const NAF_WIDTH: u32 = 5;
const NAF_ENTRIES: u32 = 1 << (NAF_WIDTH - 2);
const NAF_DIGITS: u32 = 256;

/** Width-5 non-adjacent form of the 32 bytes at `k` (below 2^253): a signed byte for each bit. */
function nonAdjacentForm(naf: usize, k: usize): void {
  const position = mark();
  const padded = alloc(SCALAR_BYTES + 4);
  memory.copy(padded, k, SCALAR_BYTES);
  let carry: u32 = 0;
  for (let bit: u32 = 0; bit < NAF_DIGITS;) {
    const window = (load<u32>(padded + (bit >> 3)) >> (bit & 7)) & ((1 << NAF_WIDTH) - 1);
    if ((window & 1) == carry) {
      bit++;
      continue;
    }
    const digit = <i32>(window + carry);
    carry = digit >> (NAF_WIDTH - 1);
    store<i8>(naf + bit, digit - ((<i32>carry) << NAF_WIDTH));
    bit += NAF_WIDTH;
  }
  release(position);
}

/** p = k A + s B. `k` and `s` are 32 bytes, below L. Not for secrets. */
export function edwardsDoubleMultiply(p: usize, k: usize, a: usize, s: usize): void {
  const position = mark();
  const digits = alloc(SCALAR_BYTES + 1);
  combRecode(digits, s);
  const naf = alloc(NAF_DIGITS);
  nonAdjacentForm(naf, k);
  const table = alloc(NAF_ENTRIES * CACHED_BYTES); // A, 3 A, 5 A, ... 15 A
  oddMultiples(table, a);
  const q = alloc(CACHED_BYTES);
  setNeutral(p);
  for (let bit: i32 = NAF_DIGITS - 1; bit >= 0; bit--) {
    const digit = <i32>load<i8>(naf + bit);
    double(p, digit != 0 || bit < <i32>SPACING);
    if (digit != 0) {
      const sign = digit >> 31;
      memory.copy(q, table + (<u32>((digit ^ sign) - sign) / 2) * CACHED_BYTES, CACHED_BYTES);
      negateCached(q, sign & 1);
      add(p, q, false);
    }
    if (bit < <i32>SPACING) combAdd(p, digits, bit);
  }
  release(position);
}

/** The cached odd multiples A, 3 A, ... at `table`. */
function oddMultiples(table: usize, a: usize): void {
  const position = mark();
  const multiple = alloc(EDWARDS_POINT_BYTES);
  const twice = alloc(CACHED_BYTES);
  memory.copy(multiple, a, EDWARDS_POINT_BYTES);
  double(multiple, true);
  cache(twice, multiple);
  memory.copy(multiple, a, EDWARDS_POINT_BYTES);
  for (let i: u32 = 0; ; i++) {
    cache(table + i * CACHED_BYTES, multiple);
    if (i == NAF_ENTRIES - 1) break;
    add(multiple, twice, false);
  }
  release(position);
}

/** p = -p. */
export function edwardsNegate(p: usize): void {
  feConditionalNegate(p, 1);
  feConditionalNegate(p + T, 1);
}

/** Whether 8 p is neutral, that is whether p has small order. `p` is spent. */
export function edwardsHasSmallOrder(p: usize): bool {
  for (let i: u32 = 0; i < 3; i++) double(p, false);
  const difference = p + T;
  feSubtract(difference, p + Y, p + Z);
  return feIsZero(p) && feIsZero(difference);
}

/** Writes the 32-byte encoding (RFC 8032, 5.1.2). */
export function edwardsEncode(encoded: usize, p: usize): void {
  const position = mark();
  const inverse = alloc(FE_BYTES);
  const x = alloc(FE_BYTES);
  const y = alloc(FE_BYTES);
  feInvert(inverse, p + Z);
  feMultiply(x, p, inverse);
  feMultiply(y, p + Y, inverse);
  feEncode(encoded, y);
  store<u8>(encoded, load<u8>(encoded, 31) | (feIsOdd(x) << 7), 31);
  release(position);
}

/** Reads an encoding (RFC 8032, 5.1.3). False when it is not the one encoding of a point on the curve. Not for secrets. */
export function edwardsDecode(p: usize, encoded: usize): bool {
  const position = mark();
  const ok = decode(p, encoded);
  release(position);
  return ok;
}

function decode(p: usize, encoded: usize): bool {
  const again = alloc(FE_ENCODED_BYTES);
  const u = alloc(FE_BYTES),
    v = alloc(FE_BYTES),
    w = alloc(FE_BYTES),
    check = alloc(FE_BYTES);
  const y = p + Y;
  feDecode(y, encoded);
  // Canonical: y below p.
  feEncode(again, y);
  store<u8>(again, load<u8>(again, 31) | (load<u8>(encoded, 31) & 128), 31);
  if (!equal(again, encoded, FE_ENCODED_BYTES)) return false;

  // x^2 = u / v, u = y^2 - 1, v = d y^2 + 1; here both are doubled, 2 d being the constant at hand.
  const one = p + Z;
  feSmall(one, 1);
  feSquare(u, y);
  feDecode(w, TWO_D);
  feMultiply(v, u, w);
  feAdd(v, v, one);
  feAdd(v, v, one);
  feSubtract(u, u, one);
  feAdd(u, u, u);
  feMultiply(u, u, one);
  feMultiply(v, v, one);

  // x = u v^3 (u v^7)^((p - 5) / 8), the candidate root.
  feSquare(w, v);
  feMultiply(w, w, v); // v^3
  feSquare(check, w);
  feMultiply(check, check, v); // v^7
  feMultiply(check, check, u);
  fePowerP58(check, check);
  feMultiply(check, check, w);
  feMultiply(p, check, u);

  // v x^2 is u, or -u and then x needs a factor sqrt(-1).
  feSquare(check, p);
  feMultiply(check, check, v);
  feSubtract(w, check, u);
  if (!feIsZero(w)) {
    feAdd(w, check, u);
    if (!feIsZero(w)) return false;
    feDecode(w, SQRT_MINUS_ONE);
    feMultiply(p, p, w);
  }
  const sign = (<u32>load<u8>(encoded, 31)) >> 7;
  if (sign && feIsZero(p)) return false;
  feConditionalNegate(p, feIsOdd(p) ^ sign);
  feMultiply(p + T, p, y);
  return true;
}
