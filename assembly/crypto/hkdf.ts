// HKDF with SHA-256 (RFC 5869).
import { alloc, mark, release } from "../runtime/arena";
import { HMAC_SHA256_BYTES, HmacSha256, hmacSha256 } from "./hmac";

/** Longest output of one expansion: 255 blocks (RFC 5869, 2.3). */
export const HKDF_MAX_BYTES: u32 = 255 * HMAC_SHA256_BYTES;

/** HKDF-Extract (2.2): 32 bytes to `prk`. An empty salt is the same as one of 32 zero bytes. */
export function hkdfExtract(salt: usize, saltBytes: u32, ikm: usize, ikmBytes: u32, prk: usize): void {
  hmacSha256(salt, saltBytes, ikm, ikmBytes, prk);
}

/**
 * HKDF-Expand (2.3).
 *
 * @param prk   32 bytes, secret
 * @param info  `infoBytes` bytes, public
 * @param okm   receives `okmBytes` bytes, at most HKDF_MAX_BYTES; may lie over `prk`, not over `info`
 */
export function hkdfExpand(prk: usize, info: usize, infoBytes: u32, okm: usize, okmBytes: u32): void {
  assert(okmBytes <= HKDF_MAX_BYTES);
  const position = mark();
  const key = alloc(HMAC_SHA256_BYTES);
  memory.copy(key, prk, HMAC_SHA256_BYTES);
  const block = alloc(HMAC_SHA256_BYTES + 1);
  const counter = block + HMAC_SHA256_BYTES;
  const hmac = new HmacSha256();
  let chained: u32 = 0; // T(0) is empty
  while (okmBytes > 0) {
    store<u8>(counter, load<u8>(counter) + 1);
    hmac.init(key, HMAC_SHA256_BYTES);
    hmac.update(block, chained);
    hmac.update(info, infoBytes);
    hmac.update(counter, 1);
    hmac.final(block);
    chained = HMAC_SHA256_BYTES;
    const piece = min(okmBytes, HMAC_SHA256_BYTES);
    memory.copy(okm, block, piece);
    okm += piece;
    okmBytes -= piece;
  }
  release(position);
}
