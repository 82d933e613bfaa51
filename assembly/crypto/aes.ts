// AES-128, forward direction only (FIPS 197), bitsliced: no table, so time and addresses do not depend on the key or the data.
import { alloc, mark, release } from "../runtime/arena";

export const AES_KEY_BYTES: u32 = 16;
export const AES_BLOCK_BYTES: u32 = 16;

const ROUNDS: u32 = 10;

/** One round key, bitsliced: 8 words. */
const SLICE_BYTES: u32 = 32;

/** The expanded key: eleven bitsliced round keys. */
export const AES_SCHEDULE_BYTES: u32 = (ROUNDS + 1) * SLICE_BYTES;

/** x^i in GF(2^8), the round constants (FIPS 197, 5.2). */
const ROUND_CONSTANTS: usize = memory.data<u8>([0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36]);

/** Exchanges the bits of `a` under `mask << shift` with those of the word 4 * `stride` bytes on under `mask`. */
function exchange(at: usize, stride: u32, shift: u32, mask: u32): void {
  const b = load<u32>(at + stride);
  const a = load<u32>(at);
  const moved = ((a >> shift) ^ b) & mask;
  store<u32>(at + stride, b ^ moved);
  store<u32>(at, a ^ (moved << shift));
}

/**
 * Transposes 8 words: afterwards word i holds bit i of every byte. Its own inverse. Two blocks lie interleaved, a word of
 * one and a word of the other in turn.
 */
function transpose(q: usize): void {
  for (let i: u32 = 0; i < 8; i += 2) exchange(q + 4 * i, 4, 1, 0x55555555);
  for (let i: u32 = 0; i < 8; i += i & 1 ? 3 : 1) exchange(q + 4 * i, 8, 2, 0x33333333);
  for (let i: u32 = 0; i < 4; i++) exchange(q + 4 * i, 16, 4, 0x0f0f0f0f);
}

/**
 * SubBytes on 32 bytes at once: the circuit of Boyar and Peralta ("A small depth-16 circuit for the AES S-box", 2012),
 * 128 gates. Word 7 of `q` holds the high bits. Names are those of the paper.
 */
function subBytes(q: usize): void {
  const x0 = load<u32>(q, 28),
    x1 = load<u32>(q, 24),
    x2 = load<u32>(q, 20),
    x3 = load<u32>(q, 16);
  const x4 = load<u32>(q, 12),
    x5 = load<u32>(q, 8),
    x6 = load<u32>(q, 4),
    x7 = load<u32>(q);

  // Top linear layer.
  const y14 = x3 ^ x5,
    y13 = x0 ^ x6,
    y9 = x0 ^ x3,
    y8 = x0 ^ x5;
  const t0 = x1 ^ x2;
  const y1 = t0 ^ x7;
  const y4 = y1 ^ x3,
    y12 = y13 ^ y14,
    y2 = y1 ^ x0,
    y5 = y1 ^ x6;
  const y3 = y5 ^ y8;
  const t1 = x4 ^ y12;
  const y15 = t1 ^ x5,
    y20 = t1 ^ x1;
  const y6 = y15 ^ x7,
    y10 = y15 ^ t0,
    y11 = y20 ^ y9;
  const y7 = x7 ^ y11,
    y17 = y10 ^ y11,
    y19 = y10 ^ y8,
    y16 = t0 ^ y11;
  const y21 = y13 ^ y16,
    y18 = x0 ^ y16;

  // Inversion in GF(2^8) over GF(2^4).
  const t2 = y12 & y15,
    t3 = y3 & y6,
    t5 = y4 & x7,
    t7 = y13 & y16;
  const t4 = t3 ^ t2,
    t6 = t5 ^ t2;
  const t9 = (y5 & y1) ^ t7,
    t11 = (y2 & y7) ^ t7;
  const t12 = y9 & y11;
  const t14 = (y14 & y17) ^ t12,
    t16 = (y8 & y10) ^ t12;
  const t21 = t4 ^ t14 ^ y20,
    t22 = t6 ^ t16 ^ y19,
    t23 = t9 ^ t14 ^ y21,
    t24 = t11 ^ t16 ^ y18;
  const t25 = t21 ^ t22,
    t26 = t21 & t23;
  const t27 = t24 ^ t26;
  const t29 = (t25 & t27) ^ t22;
  const t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
  const t36 = t24 & (t27 ^ t33);
  const t37 = t36 ^ t23 ^ t33,
    t38 = t27 ^ t36;
  const t40 = t25 ^ (t29 & t38);
  const t41 = t40 ^ t37,
    t42 = t29 ^ t33,
    t43 = t29 ^ t40,
    t44 = t33 ^ t37;
  const t45 = t42 ^ t41;
  const z0 = t44 & y15,
    z1 = t37 & y6,
    z2 = t33 & x7,
    z3 = t43 & y16,
    z4 = t40 & y1,
    z5 = t29 & y7;
  const z6 = t42 & y11,
    z7 = t45 & y17,
    z8 = t41 & y10,
    z9 = t44 & y12,
    z10 = t37 & y3,
    z11 = t33 & y4;
  const z12 = t43 & y13,
    z13 = t40 & y5,
    z14 = t29 & y2,
    z15 = t42 & y9,
    z16 = t45 & y14,
    z17 = t41 & y8;

  // Bottom linear layer and the affine constant.
  const t46 = z15 ^ z16,
    t48 = z5 ^ z13,
    t53 = z0 ^ z3,
    t54 = z6 ^ z7;
  const t57 = z2 ^ z12 ^ t53,
    t58 = z4 ^ t46,
    t59 = z3 ^ t54;
  const t60 = t46 ^ t57,
    t62 = z7 ^ z8 ^ t58,
    t63 = z9 ^ z10 ^ t58,
    t64 = z4 ^ t59;
  const t65 = z14 ^ t57 ^ t62,
    t66 = z1 ^ t63,
    t67 = t64 ^ t65;
  const s3 = t53 ^ t66;
  store<u32>(q, t48 ^ ~t60);
  store<u32>(q, z12 ^ t48 ^ ~t62, 4);
  store<u32>(q, z10 ^ z11 ^ t65, 8);
  store<u32>(q, z2 ^ z5 ^ t66, 12);
  store<u32>(q, s3, 16);
  store<u32>(q, z16 ^ z17 ^ ~t67, 20);
  store<u32>(q, t64 ^ ~s3, 24);
  store<u32>(q, t59 ^ t63, 28);
}

/** ShiftRows on one slice: the bytes of row r are byte lane r, two bits apart for the two blocks. */
function shiftRows(x: u32): u32 {
  return (
    (x & 0x000000ff) |
    ((x & 0x0000fc00) >> 2) |
    ((x & 0x00000300) << 6) |
    ((x & 0x00f00000) >> 4) |
    ((x & 0x000f0000) << 4) |
    ((x & 0xc0000000) >> 6) |
    ((x & 0x3f000000) << 2)
  );
}

/** ShiftRows and, unless it is the last round, MixColumns; then AddRoundKey. */
function linearLayer(q: usize, roundKey: usize, last: bool): void {
  // MixColumns: b_i = 2 a_i + 3 a_(i+1) + a_(i+2) + a_(i+3); doubling moves slice i to i + 1 and folds slice 7 into 0, 1, 3, 4.
  const high = shiftRows(load<u32>(q, 28));
  const folded = high ^ rotr(high, 8);
  let below = folded;
  for (let i: u32 = 0; i < 8; i++) {
    const a = shiftRows(load<u32>(q + 4 * i));
    const next = rotr(a, 8);
    const pair = a ^ next;
    let b = a;
    if (!last) {
      b = below ^ next ^ rotr(pair, 16);
      if (i == 1 || i == 3 || i == 4) b ^= folded;
      below = pair;
    }
    store<u32>(q + 4 * i, b ^ load<u32>(roundKey + 4 * i));
  }
}

/** Key expansion (FIPS 197, 5.2): 16 bytes at `key` to AES_SCHEDULE_BYTES at `schedule`. */
export function aesExpandKey(key: usize, schedule: usize): void {
  const position = mark();
  const words = alloc(AES_KEY_BYTES);
  const scratch = alloc(SLICE_BYTES);
  memory.copy(words, key, AES_KEY_BYTES);
  for (let round: u32 = 0; ; round++) {
    const slice = schedule + round * SLICE_BYTES;
    for (let i: u32 = 0; i < 4; i++) {
      const word = load<u32>(words + 4 * i);
      store<u32>(slice + 8 * i, word, 4);
      store<u32>(slice + 8 * i, word);
    }
    transpose(slice);
    if (round == ROUNDS) break;
    let carried = load<u32>(words, 12);
    memory.fill(scratch, 0, SLICE_BYTES);
    store<u32>(scratch, rotr(carried, 8));
    transpose(scratch);
    subBytes(scratch);
    transpose(scratch);
    carried = load<u32>(scratch) ^ load<u8>(ROUND_CONSTANTS + round);
    for (let i: u32 = 0; i < 4; i++) {
      carried ^= load<u32>(words + 4 * i);
      store<u32>(words + 4 * i, carried);
    }
  }
  release(position);
}

/** Enciphers two blocks: 32 bytes at `input` to `output`, which may be the same place. */
export function aesEncryptPair(schedule: usize, input: usize, output: usize): void {
  const position = mark();
  const q = alloc(SLICE_BYTES);
  for (let i: u32 = 0; i < 4; i++) {
    store<u32>(q + 8 * i, load<u32>(input + 4 * i, 16), 4);
    store<u32>(q + 8 * i, load<u32>(input + 4 * i));
  }
  transpose(q);
  for (let i: u32 = 0; i < SLICE_BYTES; i += 4) store<u32>(q + i, load<u32>(q + i) ^ load<u32>(schedule + i));
  for (let round: u32 = 1; round <= ROUNDS; round++) {
    subBytes(q);
    linearLayer(q, schedule + round * SLICE_BYTES, round == ROUNDS);
  }
  transpose(q);
  for (let i: u32 = 0; i < 4; i++) {
    store<u32>(output + 4 * i, load<u32>(q + 8 * i, 4), 16);
    store<u32>(output + 4 * i, load<u32>(q + 8 * i));
  }
  release(position);
}
