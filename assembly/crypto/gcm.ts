// AES-128-GCM (SP 800-38D) with 96-bit nonces and 128-bit tags. Time depends on lengths only.
import { alloc, mark, release } from "../runtime/arena";
import { equalConstantTime } from "../bytes/compare";
import { AES_BLOCK_BYTES, AES_SCHEDULE_BYTES, aesEncryptPair, aesExpandKey } from "./aes";

export const GCM_NONCE_BYTES: u32 = 12;
export const GCM_TAG_BYTES: u32 = 16;

/** Bits 0, 4, 8, ... of a word, and of a double word. Three zero bits between them hold the carries of a product. */
const EVERY_FOURTH: u32 = 0x11111111;
const EVERY_FOURTH_64: u64 = 0x1111111111111111;

/** Product of two words as polynomials over GF(2): integer products of bits four apart, whose carries are masked away. */
function carrylessMultiply(x: u32, y: u32): u64 {
  const x0 = <u64>(x & EVERY_FOURTH),
    x1 = <u64>(x & (EVERY_FOURTH << 1));
  const x2 = <u64>(x & (EVERY_FOURTH << 2)),
    x3 = <u64>(x & (EVERY_FOURTH << 3));
  const y0 = <u64>(y & EVERY_FOURTH),
    y1 = <u64>(y & (EVERY_FOURTH << 1));
  const y2 = <u64>(y & (EVERY_FOURTH << 2)),
    y3 = <u64>(y & (EVERY_FOURTH << 3));
  return (
    (((x0 * y0) ^ (x1 * y3) ^ (x2 * y2) ^ (x3 * y1)) & EVERY_FOURTH_64) |
    (((x0 * y1) ^ (x1 * y0) ^ (x2 * y3) ^ (x3 * y2)) & (EVERY_FOURTH_64 << 1)) |
    (((x0 * y2) ^ (x1 * y1) ^ (x2 * y0) ^ (x3 * y3)) & (EVERY_FOURTH_64 << 2)) |
    (((x0 * y3) ^ (x1 * y2) ^ (x2 * y1) ^ (x3 * y0)) & (EVERY_FOURTH_64 << 3))
  );
}

/** Bytes of the state of GHASH: H and Y, four words each with the least significant first, then the product. */
const GHASH_BYTES: u32 = 64;

/**
 * Y := (Y xor block) * H. Bytes of a block are read as one big-endian number, so bits run against the order of the
 * polynomial: the 255-bit product comes out one place low, and is reduced from its low end
 * by x^128 + x^7 + x^2 + x + 1.
 */
function ghashBlock(state: usize, block: usize): void {
  const y = state + 16;
  const z = state + 32;
  for (let i: u32 = 0; i < 4; i++)
    store<u32>(y + 4 * i, load<u32>(y + 4 * i) ^ bswap<u32>(load<u32>(block + 12 - 4 * i)));
  memory.fill(z, 0, 32);
  for (let i: u32 = 0; i < 4; i++) {
    for (let j: u32 = 0; j < 4; j++) {
      const at = z + 4 * (i + j);
      store<u64>(at, load<u64>(at) ^ carrylessMultiply(load<u32>(y + 4 * i), load<u32>(state + 4 * j)));
    }
  }
  let carried: u32 = 0;
  for (let i: u32 = 0; i < 8; i++) {
    const word = load<u32>(z + 4 * i);
    store<u32>(z + 4 * i, (word << 1) | carried);
    carried = word >> 31;
  }
  for (let i: u32 = 0; i < 4; i++) {
    const at = z + 4 * i;
    const low = load<u32>(at);
    store<u32>(at, load<u32>(at, 16) ^ low ^ (low >> 1) ^ (low >> 2) ^ (low >> 7), 16);
    store<u32>(at, load<u32>(at, 12) ^ (low << 31) ^ (low << 30) ^ (low << 25), 12);
  }
  memory.copy(y, z + 16, 16);
}

/** Takes in `bytes` bytes, the last block padded with zeros. `block` is 16 bytes of scratch. */
function ghash(state: usize, ptr: usize, bytes: u32, block: usize): void {
  for (; bytes >= AES_BLOCK_BYTES; bytes -= AES_BLOCK_BYTES, ptr += AES_BLOCK_BYTES) ghashBlock(state, ptr);
  if (bytes == 0) return;
  memory.fill(block, 0, AES_BLOCK_BYTES);
  memory.copy(block, ptr, bytes);
  ghashBlock(state, block);
}

/** A key and nonce at work. */
@unmanaged
class Gcm {
  schedule: usize;
  /** GHASH_BYTES. */
  hash: usize;
  /** Two counter blocks, then the two enciphered ones. */
  counters: usize;
  /** E(K, J0), which masks the tag. */
  mask: usize;
  block: usize;

  start(key: usize, nonce: usize): void {
    this.schedule = alloc(AES_SCHEDULE_BYTES);
    this.hash = alloc(GHASH_BYTES);
    this.counters = alloc(4 * AES_BLOCK_BYTES);
    this.mask = alloc(AES_BLOCK_BYTES);
    this.block = alloc(AES_BLOCK_BYTES);
    aesExpandKey(key, this.schedule);
    // Block 0 is zero and gives H; block 1 is J0 = nonce || 1.
    const counters = this.counters;
    memory.copy(counters + 16, nonce, GCM_NONCE_BYTES);
    store<u32>(counters, bswap<u32>(1), 28);
    aesEncryptPair(this.schedule, counters, counters + 32);
    for (let i: u32 = 0; i < 4; i++) store<u32>(this.hash + 4 * i, bswap<u32>(load<u32>(counters + 44 - 4 * i)));
    memory.copy(this.mask, counters + 48, 16);
    memory.copy(counters, nonce, GCM_NONCE_BYTES);
  }

  /** CTR mode from counter 2. */
  crypt(input: usize, bytes: u32, output: usize): void {
    const counters = this.counters;
    let counter: u32 = 2;
    for (let at: u32 = 0; at < bytes; at += 2 * AES_BLOCK_BYTES, counter += 2) {
      store<u32>(counters, bswap<u32>(counter + 1), 28);
      store<u32>(counters, bswap<u32>(counter), 12);
      aesEncryptPair(this.schedule, counters, counters + 32);
      const piece = min<u32>(bytes - at, 2 * AES_BLOCK_BYTES);
      for (let i: u32 = 0; i < piece; i++) {
        store<u8>(output + at + i, load<u8>(input + at + i) ^ load<u8>(counters + 32 + i));
      }
    }
  }

  /** The tag over `aad` and `cipher`, 16 bytes to `out`. */
  tag(aad: usize, aadBytes: u32, cipher: usize, cipherBytes: u32, out: usize): void {
    const hash = this.hash;
    const block = this.block;
    ghash(hash, aad, aadBytes, block);
    ghash(hash, cipher, cipherBytes, block);
    store<u64>(block, bswap<u64>((<u64>cipherBytes) << 3), 8);
    store<u64>(block, bswap<u64>((<u64>aadBytes) << 3));
    ghashBlock(hash, block);
    for (let i: u32 = 0; i < 4; i++) {
      store<u32>(out + 4 * i, bswap<u32>(load<u32>(hash + 28 - 4 * i)) ^ load<u32>(this.mask + 4 * i));
    }
  }
}

/**
 * Authenticated encryption (SP 800-38D, 7.1).
 *
 * @param key    16 bytes
 * @param nonce  12 bytes, never used twice with one key
 * @param out    receives `bytes` + 16 bytes, ciphertext then tag; may be `plain` itself
 */
export function aes128GcmSeal(
  key: usize,
  nonce: usize,
  aad: usize,
  aadBytes: u32,
  plain: usize,
  bytes: u32,
  out: usize,
): void {
  const position = mark();
  const gcm = new Gcm();
  gcm.start(key, nonce);
  gcm.crypt(plain, bytes, out);
  gcm.tag(aad, aadBytes, out, bytes, out + bytes);
  release(position);
}

/**
 * Authenticated decryption (7.2). True when the tag is right; else `out` is zeroed.
 *
 * @param cipherBytes  bytes at `cipher`, tag included
 * @param out          receives `cipherBytes` - 16 bytes; may be `cipher` itself
 */
export function aes128GcmOpen(
  key: usize,
  nonce: usize,
  aad: usize,
  aadBytes: u32,
  cipher: usize,
  cipherBytes: u32,
  out: usize,
): bool {
  if (cipherBytes < GCM_TAG_BYTES) return false;
  const bytes = cipherBytes - GCM_TAG_BYTES;
  const position = mark();
  const gcm = new Gcm();
  gcm.start(key, nonce);
  const tag = alloc(GCM_TAG_BYTES);
  gcm.tag(aad, aadBytes, cipher, bytes, tag);
  const right = equalConstantTime(tag, cipher + bytes, GCM_TAG_BYTES);
  if (right) gcm.crypt(cipher, bytes, out);
  else memory.fill(out, 0, bytes);
  release(position);
  return right;
}
