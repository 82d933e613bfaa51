// Ed25519 (RFC 8032, 5.1). Signing takes the same time for every key and message of one length.
import { alloc, mark, release } from "../runtime/arena";
import { equal } from "../bytes/compare";
import {
  EDWARDS_POINT_BYTES,
  edwardsBaseMultiply,
  edwardsDecode,
  edwardsDoubleMultiply,
  edwardsEncode,
  edwardsHasSmallOrder,
  edwardsNegate,
} from "./edwards25519";
import { SCALAR_BYTES, scalarIsReduced, scalarMultiplyAdd, scalarReduce } from "./scalar25519";
import { SHA512_BYTES, Sha512, sha512 } from "./sha2";

export const ED25519_SEED_BYTES: u32 = 32;
export const ED25519_PUBLIC_BYTES: u32 = 32;
export const ED25519_SIGNATURE_BYTES: u32 = 64;

/** Clamped secret scalar and, behind it, the prefix (5.1.5): 64 bytes at `out` from a 32-byte seed. */
function expandSeed(out: usize, seed: usize): void {
  sha512(seed, ED25519_SEED_BYTES, out);
  store<u8>(out, load<u8>(out) & 248);
  store<u8>(out, (load<u8>(out, 31) & 127) | 64, 31);
}

/** Encoded k B. */
function encodeBaseMultiple(out: usize, k: usize): void {
  const position = mark();
  const point = alloc(EDWARDS_POINT_BYTES);
  edwardsBaseMultiply(point, k);
  edwardsEncode(out, point);
  release(position);
}

/** SHA-512 over three pieces, modulo L, 32 bytes to `out`. */
function hashToScalar(out: usize, a: usize, aBytes: u32, b: usize, bBytes: u32, message: usize, bytes: u32): void {
  const position = mark();
  const digest = alloc(SHA512_BYTES);
  const hash = new Sha512();
  hash.init();
  hash.update(a, aBytes);
  hash.update(b, bBytes);
  hash.update(message, bytes);
  hash.final(digest);
  scalarReduce(out, digest);
  release(position);
}

/** The public key (5.1.5) of a 32-byte seed, 32 bytes to `out`. */
export function ed25519PublicKey(seed: usize, out: usize): void {
  const position = mark();
  const expanded = alloc(SHA512_BYTES);
  expandSeed(expanded, seed);
  encodeBaseMultiple(out, expanded);
  release(position);
}

/**
 * Signs (5.1.6).
 *
 * @param seed       32 bytes, secret
 * @param publicKey  32 bytes, must be that of the seed
 * @param signature  receives 64 bytes; may not overlap the message
 */
export function ed25519Sign(seed: usize, publicKey: usize, message: usize, bytes: u32, signature: usize): void {
  const position = mark();
  const expanded = alloc(SHA512_BYTES);
  const r = alloc(SCALAR_BYTES);
  const k = alloc(SCALAR_BYTES);
  expandSeed(expanded, seed);
  hashToScalar(r, expanded + 32, 32, message, 0, message, bytes);
  encodeBaseMultiple(signature, r);
  hashToScalar(k, signature, 32, publicKey, 32, message, bytes);
  scalarMultiplyAdd(signature + 32, k, expanded, r);
  release(position);
}

/**
 * Verifies (5.1.7) without the cofactor: S B = R + k A must hold exactly. Refused besides: S of L and above, encodings that
 * are not canonical, and a public key or R of small order.
 */
export function ed25519Verify(publicKey: usize, message: usize, bytes: u32, signature: usize): bool {
  if (!scalarIsReduced(signature + 32)) return false;
  const position = mark();
  const ok = verify(publicKey, message, bytes, signature);
  release(position);
  return ok;
}

function verify(publicKey: usize, message: usize, bytes: u32, signature: usize): bool {
  const a = alloc(EDWARDS_POINT_BYTES);
  const r = alloc(EDWARDS_POINT_BYTES);
  const k = alloc(SCALAR_BYTES);
  const encoded = alloc(ED25519_PUBLIC_BYTES);
  if (!edwardsDecode(a, publicKey)) return false;
  memory.copy(r, a, EDWARDS_POINT_BYTES);
  if (edwardsHasSmallOrder(r)) return false;
  hashToScalar(k, signature, 32, publicKey, 32, message, bytes);
  edwardsNegate(a);
  edwardsDoubleMultiply(r, k, a, signature + 32);
  // The one encoding of S B - k A must be R, so an R that is not canonical never matches.
  edwardsEncode(encoded, r);
  return equal(encoded, signature, 32) && !edwardsHasSmallOrder(r);
}
