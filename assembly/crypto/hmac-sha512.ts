// HMAC-SHA-512: no protocol of the device asks for it; it is how tests reach HMAC over the wide hash.
import { mark, release } from "../runtime/arena";
import { Hmac } from "./hmac";
import { SHA512_BYTES } from "./sha2";

/** HMAC-SHA-512 in one go; 64 bytes to `out`. */
export function hmacSha512(key: usize, keyBytes: u32, ptr: usize, bytes: u32, out: usize): void {
  const position = mark();
  const hmac = new Hmac();
  hmac.start(key, keyBytes, SHA512_BYTES);
  hmac.update(ptr, bytes);
  hmac.final(out);
  release(position);
}
