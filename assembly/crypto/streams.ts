// The streaming classes as plain functions, which is how a test build can offer them.
import { HmacSha256 } from "./hmac";
import { Sha256, Sha512 } from "./sha2";

/** A started SHA-256, in the arena. */
export function sha256Start(): Sha256 {
  const hash = new Sha256();
  hash.init();
  return hash;
}

/** A started SHA-512, in the arena. */
export function sha512Start(): Sha512 {
  const hash = new Sha512();
  hash.init();
  return hash;
}

/** A started HMAC-SHA-256, in the arena. */
export function hmacSha256Start(key: usize, keyBytes: u32): HmacSha256 {
  const hmac = new HmacSha256();
  hmac.init(key, keyBytes);
  return hmac;
}

export function sha256Update(hash: Sha256, ptr: usize, bytes: u32): void {
  hash.update(ptr, bytes);
}

export function sha256Final(hash: Sha256, out: usize): void {
  hash.final(out);
}

export function sha512Update(hash: Sha512, ptr: usize, bytes: u32): void {
  hash.update(ptr, bytes);
}

export function sha512Final(hash: Sha512, out: usize): void {
  hash.final(out);
}

export function hmacSha256Update(hmac: HmacSha256, ptr: usize, bytes: u32): void {
  hmac.update(ptr, bytes);
}

export function hmacSha256Final(hmac: HmacSha256, out: usize): void {
  hmac.final(out);
}
