// SHA-256 and SHA-512 (FIPS 180-4). Time depends on lengths only.
import { alloc, mark, release } from "../runtime/arena";

export const SHA256_BYTES: u32 = 32;
export const SHA512_BYTES: u32 = 64;

const SHA256_ROUNDS: u32 = 64;
const SHA512_ROUNDS: u32 = 80;

/** Bytes of the length field at the end of the padding, by block size: an eighth of the block. */
const LENGTH_SHIFT: u32 = 3;

/**
 * Round constants of SHA-512 (4.2.3): 64 bits of the fraction of the cube root of each of the first 80 primes.
 * Those of SHA-256 (4.2.2) are the upper halves of the first 64.
 */
const ROUND_CONSTANTS: usize = memory.data<u64>([
  0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
  0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
  0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
  0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
  0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
  0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
  0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
  0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
  0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
  0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
  0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
  0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
  0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
  0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
  0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
  0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
]);

/** Initial chaining value of SHA-512 (5.3.5): square roots of the first 8 primes; SHA-256 (5.3.3) has the upper halves. */
const INITIAL_STATE: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
  0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);

/**
 * One hash in progress. Memory at `state`: the chaining value (8 words), then the message schedule, whose first
 * 16 words are also the buffer of the block that fills up.
 */
@unmanaged
export class Sha2 {
  state: usize;
  digestBytes: u32;
  /** Bytes hashed so far; below 2^32. */
  count: u32;

  /** (Re)starts a hash of `digestBytes` (32 or 64); the first start takes its memory from the arena. */
  start(digestBytes: u32): void {
    if (!this.state) {
      const rounds = digestBytes == SHA256_BYTES ? SHA256_ROUNDS : SHA512_ROUNDS;
      this.state = alloc(digestBytes + rounds * (digestBytes >> 3));
    }
    this.digestBytes = digestBytes;
    this.count = 0;
    for (let i: usize = 0; i < 8; i++) {
      if (digestBytes == SHA256_BYTES) store<u32>(this.state + (i << 2), load<u32>(INITIAL_STATE + (i << 3), 4));
      else store<u64>(this.state + (i << 3), load<u64>(INITIAL_STATE + (i << 3)));
    }
  }

  /** Hashes `bytes` more bytes. */
  update(ptr: usize, bytes: u32): void {
    const buffer = this.state + this.digestBytes;
    const blockBytes = this.digestBytes << 1;
    while (bytes > 0) {
      const filled = this.count & (blockBytes - 1);
      const piece = min(bytes, blockBytes - filled);
      memory.copy(buffer + filled, ptr, piece);
      ptr += piece;
      bytes -= piece;
      this.count += piece;
      if (filled + piece == blockBytes) this.compress();
    }
  }

  /** Pads (5.1) and writes the digest. The hash has to be started again before it is used again. */
  final(out: usize): void {
    const buffer = this.state + this.digestBytes;
    const blockBytes = this.digestBytes << 1;
    const filled = this.count & (blockBytes - 1);
    store<u8>(buffer + filled, 0x80);
    memory.fill(buffer + filled + 1, 0, blockBytes - filled - 1);
    if (filled >= blockBytes - (blockBytes >> LENGTH_SHIFT)) {
      this.compress();
      memory.fill(buffer, 0, blockBytes);
    }
    store<u64>(buffer + blockBytes - 8, bswap<u64>((<u64>this.count) << 3));
    this.compress();
    for (let at: u32 = 0; at < this.digestBytes; at += 8) {
      const word = load<u64>(this.state + at);
      const big = bswap<u64>(word);
      store<u64>(out + at, this.digestBytes == SHA256_BYTES ? rotr<u64>(big, 32) : big);
    }
  }

  private compress(): void {
    if (this.digestBytes == SHA256_BYTES) compress256(this.state);
    else compress512(this.state);
  }
}


@unmanaged
export class Sha256 extends Sha2 {
  init(): void {
    this.start(SHA256_BYTES);
  }
}


@unmanaged
export class Sha512 extends Sha2 {
  init(): void {
    this.start(SHA512_BYTES);
  }
}

/** SHA-256 of `bytes` bytes at `ptr`; 32 bytes to `out`. */
export function sha256(ptr: usize, bytes: u32, out: usize): void {
  digest(ptr, bytes, out, SHA256_BYTES);
}

/** SHA-512 of `bytes` bytes at `ptr`; 64 bytes to `out`. */
export function sha512(ptr: usize, bytes: u32, out: usize): void {
  digest(ptr, bytes, out, SHA512_BYTES);
}

function digest(ptr: usize, bytes: u32, out: usize, digestBytes: u32): void {
  const position = mark();
  const hash = new Sha2();
  hash.start(digestBytes);
  hash.update(ptr, bytes);
  hash.final(out);
  release(position);
}

/** Adds the block in the schedule's first 16 words to the chaining value (6.2.2). */
function compress256(state: usize): void {
  const schedule = state + SHA256_BYTES;
  for (let at = schedule; at < schedule + 64; at += 4) store<u32>(at, bswap<u32>(load<u32>(at)));
  for (let at = schedule; at < schedule + 4 * (SHA256_ROUNDS - 16); at += 4) {
    const w14 = load<u32>(at, 56);
    const w9 = load<u32>(at, 36);
    const w1 = load<u32>(at, 4);
    const sigma1 = rotr<u32>(w14, 17) ^ rotr<u32>(w14, 19) ^ (w14 >> 10);
    const sigma0 = rotr<u32>(w1, 7) ^ rotr<u32>(w1, 18) ^ (w1 >> 3);
    store<u32>(at, sigma1 + w9 + sigma0 + load<u32>(at), 64);
  }
  let h = load<u32>(state, 28);
  let g = load<u32>(state, 24);
  let f = load<u32>(state, 20);
  let e = load<u32>(state, 16);
  let d = load<u32>(state, 12);
  let c = load<u32>(state, 8);
  let b = load<u32>(state, 4);
  let a = load<u32>(state);
  for (let i: usize = 0; i < SHA256_ROUNDS; i++) {
    const sum1 = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
    const t1 =
      h + sum1 + (g ^ (e & (f ^ g))) + load<u32>(ROUND_CONSTANTS + (i << 3), 4) + load<u32>(schedule + (i << 2));
    const sum0 = rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
    const t2 = sum0 + ((a & b) | (c & (a | b)));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  store<u32>(state, h + load<u32>(state, 28), 28);
  store<u32>(state, g + load<u32>(state, 24), 24);
  store<u32>(state, f + load<u32>(state, 20), 20);
  store<u32>(state, e + load<u32>(state, 16), 16);
  store<u32>(state, d + load<u32>(state, 12), 12);
  store<u32>(state, c + load<u32>(state, 8), 8);
  store<u32>(state, b + load<u32>(state, 4), 4);
  store<u32>(state, a + load<u32>(state));
}

/** As `compress256`, with words of 64 bits (6.4.2). */
function compress512(state: usize): void {
  const schedule = state + SHA512_BYTES;
  for (let at = schedule; at < schedule + 128; at += 8) store<u64>(at, bswap<u64>(load<u64>(at)));
  for (let at = schedule; at < schedule + 8 * (SHA512_ROUNDS - 16); at += 8) {
    const w14 = load<u64>(at, 112);
    const w9 = load<u64>(at, 72);
    const w1 = load<u64>(at, 8);
    const sigma1 = rotr<u64>(w14, 19) ^ rotr<u64>(w14, 61) ^ (w14 >> 6);
    const sigma0 = rotr<u64>(w1, 1) ^ rotr<u64>(w1, 8) ^ (w1 >> 7);
    store<u64>(at, sigma1 + w9 + sigma0 + load<u64>(at), 128);
  }
  let h = load<u64>(state, 56);
  let g = load<u64>(state, 48);
  let f = load<u64>(state, 40);
  let e = load<u64>(state, 32);
  let d = load<u64>(state, 24);
  let c = load<u64>(state, 16);
  let b = load<u64>(state, 8);
  let a = load<u64>(state);
  for (let i: usize = 0; i < SHA512_ROUNDS << 3; i += 8) {
    const sum1 = rotr<u64>(e, 14) ^ rotr<u64>(e, 18) ^ rotr<u64>(e, 41);
    const t1 = h + sum1 + (g ^ (e & (f ^ g))) + load<u64>(ROUND_CONSTANTS + i) + load<u64>(schedule + i);
    const sum0 = rotr<u64>(a, 28) ^ rotr<u64>(a, 34) ^ rotr<u64>(a, 39);
    const t2 = sum0 + ((a & b) | (c & (a | b)));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  store<u64>(state, h + load<u64>(state, 56), 56);
  store<u64>(state, g + load<u64>(state, 48), 48);
  store<u64>(state, f + load<u64>(state, 40), 40);
  store<u64>(state, e + load<u64>(state, 32), 32);
  store<u64>(state, d + load<u64>(state, 24), 24);
  store<u64>(state, c + load<u64>(state, 16), 16);
  store<u64>(state, b + load<u64>(state, 8), 8);
  store<u64>(state, a + load<u64>(state));
}
