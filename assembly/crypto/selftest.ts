// A known answer for each primitive, run by the firmware at start: finds a compiler or runtime that computes wrongly.
import { alloc, mark, release } from "../runtime/arena";
import { equal } from "../bytes/compare";
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from "./ed25519";
import { GCM_TAG_BYTES, aes128GcmSeal } from "./gcm";
import { hkdfExpand } from "./hkdf";
import { hmacSha256 } from "./hmac";
import { hpkeDeriveKeyPair, hpkeOpenBase } from "./hpke";
import { SHA256_BYTES, sha256, sha512 } from "./sha2";
import { x25519 } from "./x25519";

// The transcript: each answer is an input of later ones, so one digest at the end stands for all.
const SEED: u32 = 0; // 32 bytes: 0, 1, 2, ...
const WIDE_DIGEST: u32 = 32; // SHA-512 of SEED
const TAG: u32 = 96; // HMAC-SHA-256 under SEED of all before
const OKM: u32 = 128; // HKDF-Expand of TAG, info SEED
const OKM_BYTES: u32 = 48;
const SHARED: u32 = 176; // X25519 of SEED and TAG
const PUBLIC: u32 = 208; // Ed25519 public key of SEED
const SIGNATURE: u32 = 240; // Ed25519 by SEED over all before
const SECRET_KEY: u32 = 304; // HPKE key pair of SEED
const PUBLIC_KEY: u32 = 336;
const CIPHER: u32 = 368; // AES-128-GCM of the first bytes of the transcript, key TAG, nonce OKM, data SHARED
const PLAIN_BYTES: u32 = 45;
const TRANSCRIPT_BYTES: u32 = CIPHER + PLAIN_BYTES + GCM_TAG_BYTES;

/** SHA-256 of the transcript; then the tag of the empty message, sealed with HPKE. The tests compute both anew. */
const ANSWERS: usize = memory.data<u8>([
  0x42, 0xdf, 0xc9, 0x01, 0x30, 0x2c, 0x22, 0x12, 0xae, 0x91, 0x03, 0x40, 0xb5, 0xeb, 0x53, 0x63, 0x43, 0x8a, 0x6a,
  0x3f, 0x9a, 0xe4, 0x9a, 0x7e, 0xc1, 0x98, 0x20, 0x05, 0x06, 0x25, 0xf7, 0x46, 0x83, 0x10, 0xe8, 0xc4, 0x77, 0x8e,
  0x4e, 0xf4, 0xfb, 0xdc, 0x6d, 0x74, 0xb4, 0x8a, 0x88, 0x83,
]);

/** Whether every primitive gives its known answer and both verifications refuse a changed bit. */
export function cryptoSelftest(): bool {
  const position = mark();
  const ok = run(alloc(TRANSCRIPT_BYTES), alloc(SHA256_BYTES));
  release(position);
  return ok;
}

function run(t: usize, digest: usize): bool {
  for (let i: u32 = 0; i < 32; i++) store<u8>(t + SEED + i, i);
  sha512(t + SEED, 32, t + WIDE_DIGEST);
  hmacSha256(t + SEED, 32, t, TAG, t + TAG);
  hkdfExpand(t + TAG, t + SEED, 32, t + OKM, OKM_BYTES);
  if (!x25519(t + SHARED, t + SEED, t + TAG)) return false;
  ed25519PublicKey(t + SEED, t + PUBLIC);
  ed25519Sign(t + SEED, t + PUBLIC, t, SIGNATURE, t + SIGNATURE);
  hpkeDeriveKeyPair(t + SEED, 32, t + SECRET_KEY, t + PUBLIC_KEY);
  aes128GcmSeal(t + TAG, t + OKM, t + SHARED, 32, t, PLAIN_BYTES, t + CIPHER);
  sha256(t, TRANSCRIPT_BYTES, digest);
  if (!equal(digest, ANSWERS, SHA256_BYTES)) return false;

  // HPKE: the encapsulated key is the HPKE key of the pair itself, the message empty.
  memory.copy(digest, ANSWERS + SHA256_BYTES, GCM_TAG_BYTES);
  if (!verifies(t) || !opens(t, digest)) return false;
  flip(t + SIGNATURE);
  flip(digest);
  return !verifies(t) && !opens(t, digest);
}

function verifies(t: usize): bool {
  return ed25519Verify(t + PUBLIC, t, SIGNATURE, t + SIGNATURE);
}

function opens(t: usize, tag: usize): bool {
  return hpkeOpenBase(t + PUBLIC_KEY, t + SECRET_KEY, t + PUBLIC_KEY, t, 32, t + TAG, 32, tag, GCM_TAG_BYTES, t);
}

function flip(at: usize): void {
  store<u8>(at, load<u8>(at) ^ 1);
}
