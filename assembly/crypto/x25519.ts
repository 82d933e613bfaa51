// X25519 (RFC 7748, section 5): the Montgomery ladder. Time does not depend on the scalar or the point.
import { alloc, mark, release } from "../runtime/arena";
import { edwardsBaseMultiply, EDWARDS_POINT_BYTES } from "./edwards25519";
import {
  FE_BYTES,
  feAdd,
  feConditionalSwap,
  feCopy,
  feDecode,
  feEncode,
  feInvert,
  feMultiply,
  feScale,
  feSmall,
  feSquare,
  feSubtract,
} from "./field25519";

export const X25519_BYTES: u32 = 32;

/** (A + 2) / 4 of Curve25519 less one, which the ladder of RFC 7748 calls a24. */
const A24: i32 = 121665;

/** Copies a scalar and clamps the copy (section 5, decodeScalar25519). */
function clamp(out: usize, scalar: usize): void {
  memory.copy(out, scalar, X25519_BYTES);
  store<u8>(out, load<u8>(out) & 248);
  store<u8>(out, (load<u8>(out, 31) & 127) | 64, 31);
}

/**
 * The shared secret of `scalar` and `point`, 32 bytes each, to `out`. False when it is all zero, that is when `point` has
 * small order (RFC 9180, 7.1.4; RFC 7748, 6.1). `out` may be either input.
 */
export function x25519(out: usize, scalar: usize, point: usize): bool {
  const position = mark();
  const k = alloc(X25519_BYTES);
  clamp(k, scalar);
  const x1 = alloc(FE_BYTES),
    x2 = alloc(FE_BYTES),
    z2 = alloc(FE_BYTES),
    x3 = alloc(FE_BYTES),
    z3 = alloc(FE_BYTES);
  const a = alloc(FE_BYTES),
    b = alloc(FE_BYTES);
  feDecode(x1, point);
  feSmall(x2, 1);
  feCopy(x3, x1);
  feSmall(z3, 1);
  let swapped: u32 = 0;
  for (let t: i32 = 254; t >= 0; t--) {
    const bit = ((<u32>load<u8>(k + (t >> 3))) >> (t & 7)) & 1;
    feConditionalSwap(x2, x3, bit ^ swapped);
    feConditionalSwap(z2, z3, bit ^ swapped);
    swapped = bit;
    ladderStep(x1, x2, z2, x3, z3, a, b);
  }
  feConditionalSwap(x2, x3, swapped);
  feConditionalSwap(z2, z3, swapped);
  feInvert(z2, z2);
  feMultiply(x2, x2, z2);
  feEncode(out, x2);
  let bits: u32 = 0;
  for (let i: u32 = 0; i < X25519_BYTES; i++) bits |= load<u8>(out + i);
  release(position);
  return bits != 0;
}

/** One step of the ladder (section 5): doubles (x2 : z2) and adds it to (x3 : z3), whose difference is x1. */
function ladderStep(x1: usize, x2: usize, z2: usize, x3: usize, z3: usize, a: usize, b: usize): void {
  feAdd(a, x2, z2); // A
  feSubtract(b, x2, z2); // B
  feAdd(x2, x3, z3); // C
  feSubtract(z2, x3, z3); // D
  feMultiply(x3, z2, a); // DA
  feMultiply(z3, x2, b); // CB
  feAdd(x2, x3, z3);
  feSubtract(z2, x3, z3);
  feSquare(x3, x2); // (DA + CB)^2
  feSquare(z2, z2);
  feMultiply(z3, z2, x1); // x1 (DA - CB)^2
  feSquare(a, a); // AA
  feSquare(b, b); // BB
  feMultiply(x2, a, b); // AA BB
  feSubtract(b, a, b); // E
  feScale(z2, b, A24);
  feAdd(a, a, z2);
  feMultiply(z2, a, b); // E (AA + a24 E)
}

/**
 * The public key of `scalar` to `out`: base point multiplication on the birationally equivalent Edwards curve, with its
 * table, then u = (1 + y) / (1 - y) (RFC 7748, 4.1).
 */
export function x25519Base(out: usize, scalar: usize): void {
  const position = mark();
  const k = alloc(X25519_BYTES);
  clamp(k, scalar);
  const point = alloc(EDWARDS_POINT_BYTES);
  edwardsBaseMultiply(point, k);
  const y = point + FE_BYTES;
  const z = point + 2 * FE_BYTES;
  const numerator = alloc(FE_BYTES);
  const denominator = alloc(FE_BYTES);
  feAdd(numerator, z, y);
  feSubtract(denominator, z, y);
  feInvert(denominator, denominator);
  feMultiply(numerator, numerator, denominator);
  feEncode(out, numerator);
  release(position);
}
