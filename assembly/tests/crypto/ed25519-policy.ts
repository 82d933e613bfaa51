// What the design asks of Ed25519 verification, written down a second time over @noble's points.
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "./reference.ts";

const Point = ed25519.Point;

/** Little endian. */
const number = (data: Uint8Array): bigint => data.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);

/** The point, if `encoded` is its one encoding (RFC 8032, 5.1.3). */
function strictPoint(encoded: Uint8Array): InstanceType<typeof Point> | undefined {
  try {
    return Point.fromBytes(encoded, false);
  } catch {
    return undefined;
  }
}

/**
 * The verdict of RFC 8032 without the cofactor: S < L, canonical A and R, neither of small order, and S B = R + k A
 * exactly. @noble's own `verify` multiplies by the cofactor, so it is not used.
 */
export function policyAccepts(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const s = number(signature.subarray(32));
  const a = strictPoint(publicKey);
  const r = strictPoint(signature.subarray(0, 32));
  if (s >= Point.Fn.ORDER || !a || !r || a.isSmallOrder() || r.isSmallOrder()) return false;
  const challenge = sha512(new Uint8Array(Buffer.concat([signature.subarray(0, 32), publicKey, message])));
  const k = number(challenge) % Point.Fn.ORDER;
  return Point.BASE.multiplyUnsafe(s).equals(r.add(a.multiplyUnsafe(k)));
}
