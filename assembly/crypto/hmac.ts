// HMAC (RFC 2104, FIPS 198-1) with SHA-256.
import { alloc, mark, release } from "../runtime/arena";
import { SHA256_BYTES, Sha2 } from "./sha2";

export const HMAC_SHA256_BYTES: u32 = SHA256_BYTES;

const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

/** One tag in progress, over either hash. */
@unmanaged
export class Hmac {
  hash: Sha2 = new Sha2();
  /** The padded key, a block long, under the pad that was hashed last. */
  pad: usize;

  /** (Re)starts under a key of any length; the hash has digests of `digestBytes` (32 or 64). */
  start(key: usize, keyBytes: u32, digestBytes: u32): void {
    const blockBytes = digestBytes << 1;
    if (!this.pad) this.pad = alloc(blockBytes);
    const hash = this.hash;
    const pad = this.pad;
    hash.start(digestBytes);
    memory.fill(pad, 0, blockBytes);
    if (keyBytes > blockBytes) {
      hash.update(key, keyBytes);
      hash.final(pad);
    } else memory.copy(pad, key, keyBytes);
    this.hashPad(INNER_PAD, digestBytes);
  }

  update(ptr: usize, bytes: u32): void {
    this.hash.update(ptr, bytes);
  }

  /** Writes the tag, as long as the digest. */
  final(out: usize): void {
    const digestBytes = this.hash.digestBytes;
    this.hash.final(out);
    this.hashPad(INNER_PAD ^ OUTER_PAD, digestBytes);
    this.hash.update(out, digestBytes);
    this.hash.final(out);
  }

  private hashPad(flip: u8, digestBytes: u32): void {
    const blockBytes = digestBytes << 1;
    for (let i: u32 = 0; i < blockBytes; i++) store<u8>(this.pad + i, load<u8>(this.pad + i) ^ flip);
    this.hash.start(digestBytes);
    this.hash.update(this.pad, blockBytes);
  }
}


@unmanaged
export class HmacSha256 extends Hmac {
  init(key: usize, keyBytes: u32): void {
    this.start(key, keyBytes, SHA256_BYTES);
  }
}

/** HMAC-SHA-256 in one go; 32 bytes to `out`, which may lie over `key` or `ptr`. */
export function hmacSha256(key: usize, keyBytes: u32, ptr: usize, bytes: u32, out: usize): void {
  const position = mark();
  const hmac = new HmacSha256();
  hmac.init(key, keyBytes);
  hmac.update(ptr, bytes);
  hmac.final(out);
  release(position);
}
