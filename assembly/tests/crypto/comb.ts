// The comb table of edwards25519.ts, computed from its definition with an independent implementation.
import { ed25519 } from "@noble/curves/ed25519.js";

export const COMBS = 2;
const TEETH = 5;
const SPACING = 26;

/** Entries of one comb: the top tooth is always positive. */
export const ENTRIES = 1 << (TEETH - 1);

const Point = ed25519.Point;
const { Fp } = Point;

/** 32 bytes, little endian. */
function encode(value: bigint): Uint8Array {
  const out = new Uint8Array(32);
  for (let i = 0; i < 32; i++) out[i] = Number((value >> BigInt(8 * i)) & 255n);
  return out;
}

/**
 * Entry `index` of comb `comb`: the sum of 2^(26 (5 comb + tooth)) B over the teeth, the top tooth positive, tooth t of the
 * others positive where bit t of `index` is set. As y + x, y - x, 2 d x y.
 */
export function combEntries(): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let comb = 0; comb < COMBS; comb++) {
    for (let index = 0; index < ENTRIES; index++) {
      let sum = Point.ZERO;
      for (let tooth = 0; tooth < TEETH; tooth++) {
        const power = 1n << BigInt(SPACING * (TEETH * comb + tooth));
        const term = Point.BASE.multiplyUnsafe(power % Point.Fn.ORDER);
        sum = tooth === TEETH - 1 || (index >> tooth) & 1 ? sum.add(term) : sum.subtract(term);
      }
      const { x, y } = sum.toAffine();
      const d = Point.CURVE().d;
      const packed = [Fp.add(y, x), Fp.sub(y, x), Fp.mul(Fp.mul(Fp.mul(x, y), d), 2n)].map(encode);
      const entry = new Uint8Array(96);
      packed.forEach((part, position) => entry.set(part, 32 * position));
      entries.push(entry);
    }
  }
  return entries;
}
