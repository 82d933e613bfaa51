// HPKE base mode (RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM: one message a context.
import { alloc, mark, release } from "../runtime/arena";
import { GCM_NONCE_BYTES, GCM_TAG_BYTES, aes128GcmOpen, aes128GcmSeal } from "./gcm";
import { AES_KEY_BYTES } from "./aes";
import { hkdfExpand } from "./hkdf";
import { HmacSha256 } from "./hmac";
import { SHA256_BYTES } from "./sha2";
import { X25519_BYTES, x25519, x25519Base } from "./x25519";

export const HPKE_KEM_BYTES: u32 = X25519_BYTES;

/** "HPKE-v1", then the suite ids of the KEM (section 4.1) and of HPKE itself (5.1): KEM 0x0020, KDF 1, AEAD 1. */
const VERSION_LABEL: usize = memory.data<u8>([0x48, 0x50, 0x4b, 0x45, 0x2d, 0x76, 0x31]);
const VERSION_LABEL_BYTES: u32 = 7;
const KEM_SUITE: usize = memory.data<u8>([0x4b, 0x45, 0x4d, 0x00, 0x20]);
const KEM_SUITE_BYTES: u32 = 5;
const HPKE_SUITE: usize = memory.data<u8>([0x48, 0x50, 0x4b, 0x45, 0x00, 0x20, 0x00, 0x01, 0x00, 0x01]);
const HPKE_SUITE_BYTES: u32 = 10;

// Labels, in one piece.
const LABELS: usize = memory.data<u8>([
  0x65,
  0x61,
  0x65,
  0x5f,
  0x70,
  0x72,
  0x6b, // eae_prk
  0x73,
  0x68,
  0x61,
  0x72,
  0x65,
  0x64,
  0x5f,
  0x73,
  0x65,
  0x63,
  0x72,
  0x65,
  0x74, // shared_secret
  0x70,
  0x73,
  0x6b,
  0x5f,
  0x69,
  0x64,
  0x5f,
  0x68,
  0x61,
  0x73,
  0x68, // psk_id_hash
  0x69,
  0x6e,
  0x66,
  0x6f,
  0x5f,
  0x68,
  0x61,
  0x73,
  0x68, // info_hash
  0x73,
  0x65,
  0x63,
  0x72,
  0x65,
  0x74, // secret
  0x6b,
  0x65,
  0x79, // key
  0x62,
  0x61,
  0x73,
  0x65,
  0x5f,
  0x6e,
  0x6f,
  0x6e,
  0x63,
  0x65, // base_nonce
  0x64,
  0x6b,
  0x70,
  0x5f,
  0x70,
  0x72,
  0x6b, // dkp_prk
  0x73,
  0x6b, // sk
]);
const EAE_PRK: usize = LABELS;
const SHARED_SECRET: usize = LABELS + 7;
const PSK_ID_HASH: usize = LABELS + 20;
const INFO_HASH: usize = LABELS + 31;
const SECRET: usize = LABELS + 40;
const KEY: usize = LABELS + 46;
const BASE_NONCE: usize = LABELS + 49;
const DKP_PRK: usize = LABELS + 59;
const SK: usize = LABELS + 66;

/** Mode byte, psk_id_hash, info_hash (5.1). */
const KEY_SCHEDULE_CONTEXT_BYTES: u32 = 1 + 2 * SHA256_BYTES;

/** Longest info of LabeledExpand here: two bytes, the fixed words, and the KEM context or the key schedule context. */
const LABELED_INFO_BYTES: u32 = 2 + VERSION_LABEL_BYTES + HPKE_SUITE_BYTES + 13 + KEY_SCHEDULE_CONTEXT_BYTES;

/** LabeledExtract (section 4): 32 bytes to `out`. The suite is that of the KEM or of HPKE. */
function labeledExtract(
  suite: usize,
  suiteBytes: u32,
  salt: usize,
  saltBytes: u32,
  label: usize,
  labelBytes: u32,
  ikm: usize,
  ikmBytes: u32,
  out: usize,
): void {
  const position = mark();
  const hmac = new HmacSha256();
  hmac.init(salt, saltBytes);
  hmac.update(VERSION_LABEL, VERSION_LABEL_BYTES);
  hmac.update(suite, suiteBytes);
  hmac.update(label, labelBytes);
  hmac.update(ikm, ikmBytes);
  hmac.final(out);
  release(position);
}

/** LabeledExpand (section 4): `outBytes` bytes to `out`. */
function labeledExpand(
  suite: usize,
  suiteBytes: u32,
  prk: usize,
  label: usize,
  labelBytes: u32,
  info: usize,
  infoBytes: u32,
  out: usize,
  outBytes: u32,
): void {
  const position = mark();
  const labeled = alloc(LABELED_INFO_BYTES);
  store<u16>(labeled, bswap<u16>(<u16>outBytes));
  let at = labeled + 2;
  memory.copy(at, VERSION_LABEL, VERSION_LABEL_BYTES);
  at += VERSION_LABEL_BYTES;
  memory.copy(at, suite, suiteBytes);
  at += suiteBytes;
  memory.copy(at, label, labelBytes);
  at += labelBytes;
  memory.copy(at, info, infoBytes);
  hkdfExpand(prk, labeled, <u32>(at - labeled) + infoBytes, out, outBytes);
  release(position);
}

/** ExtractAndExpand (4.1): the shared secret of `dh`, 32 bytes to `out`. The KEM context is enc, then pkR. */
function extractAndExpand(dh: usize, enc: usize, publicKey: usize, out: usize): void {
  const position = mark();
  const context = alloc(2 * X25519_BYTES);
  memory.copy(context, enc, X25519_BYTES);
  memory.copy(context + X25519_BYTES, publicKey, X25519_BYTES);
  const prk = alloc(SHA256_BYTES);
  labeledExtract(KEM_SUITE, KEM_SUITE_BYTES, prk, 0, EAE_PRK, 7, dh, X25519_BYTES, prk);
  labeledExpand(KEM_SUITE, KEM_SUITE_BYTES, prk, SHARED_SECRET, 13, context, 2 * X25519_BYTES, out, SHA256_BYTES);
  release(position);
}

/** KeySchedule in base mode (5.1): key to `key`, base nonce to `key` + 16. */
function keySchedule(sharedSecret: usize, info: usize, infoBytes: u32, key: usize): void {
  const position = mark();
  const context = alloc(KEY_SCHEDULE_CONTEXT_BYTES); // mode_base is 0
  const secret = alloc(SHA256_BYTES);
  labeledExtract(HPKE_SUITE, HPKE_SUITE_BYTES, secret, 0, PSK_ID_HASH, 11, secret, 0, context + 1);
  labeledExtract(HPKE_SUITE, HPKE_SUITE_BYTES, secret, 0, INFO_HASH, 9, info, infoBytes, context + 1 + SHA256_BYTES);
  labeledExtract(HPKE_SUITE, HPKE_SUITE_BYTES, sharedSecret, SHA256_BYTES, SECRET, 6, secret, 0, secret);
  labeledExpand(HPKE_SUITE, HPKE_SUITE_BYTES, secret, KEY, 3, context, KEY_SCHEDULE_CONTEXT_BYTES, key, AES_KEY_BYTES);
  labeledExpand(
    HPKE_SUITE,
    HPKE_SUITE_BYTES,
    secret,
    BASE_NONCE,
    10,
    context,
    KEY_SCHEDULE_CONTEXT_BYTES,
    key + AES_KEY_BYTES,
    GCM_NONCE_BYTES,
  );
  release(position);
}

/** DeriveKeyPair of X25519 (7.1.3): a key pair from `ikmBytes` bytes of secret, 32 bytes each to `secretKey` and `publicKey`. */
export function hpkeDeriveKeyPair(ikm: usize, ikmBytes: u32, secretKey: usize, publicKey: usize): void {
  const position = mark();
  const prk = alloc(SHA256_BYTES);
  labeledExtract(KEM_SUITE, KEM_SUITE_BYTES, prk, 0, DKP_PRK, 7, ikm, ikmBytes, prk);
  labeledExpand(KEM_SUITE, KEM_SUITE_BYTES, prk, SK, 2, prk, 0, secretKey, X25519_BYTES);
  x25519Base(publicKey, secretKey);
  release(position);
}

/**
 * The key and base nonce that both ends share: 28 bytes to `key`. False when the exchange gives zero (7.1.4).
 *
 * @param secretKey   own secret: ephemeral of the sender, or long-lived of the receiver
 * @param peer        the other end's public key
 */
function context(
  secretKey: usize,
  peer: usize,
  enc: usize,
  recipient: usize,
  info: usize,
  infoBytes: u32,
  key: usize,
): bool {
  const position = mark();
  const dh = alloc(X25519_BYTES);
  const ok = x25519(dh, secretKey, peer);
  if (ok) {
    const sharedSecret = alloc(SHA256_BYTES);
    extractAndExpand(dh, enc, recipient, sharedSecret);
    keySchedule(sharedSecret, info, infoBytes, key);
  }
  release(position);
  return ok;
}

/**
 * SealBase (6.1) for the public key `recipient`.
 *
 * @param ephemeral  32 bytes of fresh entropy, the ephemeral secret key
 * @param enc        receives the 32-byte encapsulation
 * @param out        receives `bytes` + 16 bytes; may be `plain`
 * @returns false when `recipient` has small order
 */
export function hpkeSealBase(
  recipient: usize,
  info: usize,
  infoBytes: u32,
  aad: usize,
  aadBytes: u32,
  plain: usize,
  bytes: u32,
  ephemeral: usize,
  enc: usize,
  out: usize,
): bool {
  const position = mark();
  const key = alloc(AES_KEY_BYTES + GCM_NONCE_BYTES);
  x25519Base(enc, ephemeral);
  const ok = context(ephemeral, recipient, enc, recipient, info, infoBytes, key);
  if (ok) aes128GcmSeal(key, key + AES_KEY_BYTES, aad, aadBytes, plain, bytes, out);
  release(position);
  return ok;
}

/**
 * OpenBase (6.1).
 *
 * @param enc          the 32-byte encapsulation
 * @param secretKey    32 bytes; `publicKey` is its public key
 * @param cipherBytes  bytes at `cipher`, tag included
 * @param out          receives `cipherBytes` - 16 bytes; may be `cipher`
 * @returns false when it does not open
 */
export function hpkeOpenBase(
  enc: usize,
  secretKey: usize,
  publicKey: usize,
  info: usize,
  infoBytes: u32,
  aad: usize,
  aadBytes: u32,
  cipher: usize,
  cipherBytes: u32,
  out: usize,
): bool {
  if (cipherBytes < GCM_TAG_BYTES) return false;
  const position = mark();
  const key = alloc(AES_KEY_BYTES + GCM_NONCE_BYTES);
  const ok =
    context(secretKey, enc, enc, publicKey, info, infoBytes, key) &&
    aes128GcmOpen(key, key + AES_KEY_BYTES, aad, aadBytes, cipher, cipherBytes, out);
  release(position);
  return ok;
}
