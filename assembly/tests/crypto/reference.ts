// What the tests of this room compare with: node:crypto and @noble, and HPKE built from them.
import { createHash, createHmac, createCipheriv } from "node:crypto";
import { ed25519, x25519 } from "@noble/curves/ed25519.js";

/** A deterministic source of test bytes: SHA-256 in counter mode. */
export class Seeded {
  private block = 0;
  constructor(private readonly label: string) {}

  bytes(count: number): Uint8Array {
    const parts: Buffer[] = [];
    for (let have = 0; have < count; have += 32)
      parts.push(createHash("sha256").update(`${this.label} ${this.block++}`).digest());
    return new Uint8Array(Buffer.concat(parts).subarray(0, count));
  }

  /** A number of 0 to `below` - 1. */
  number(below: number): number {
    return Buffer.from(this.bytes(4)).readUInt32LE() % below;
  }
}

const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));

export const sha256 = (data: Uint8Array): Uint8Array => new Uint8Array(createHash("sha256").update(data).digest());
export const sha512 = (data: Uint8Array): Uint8Array => new Uint8Array(createHash("sha512").update(data).digest());
export const hmac = (hash: "sha256" | "sha512", key: Uint8Array, data: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac(hash, key).update(data).digest());

/** HKDF-Expand (RFC 5869, 2.3). */
export function expand(prk: Uint8Array, info: Uint8Array, count: number): Uint8Array {
  let okm = new Uint8Array(0);
  let block = new Uint8Array(0);
  for (let i = 1; okm.length < count; i++) {
    block = new Uint8Array(hmac("sha256", prk, concat(block, info, Uint8Array.of(i))));
    okm = new Uint8Array(concat(okm, block));
  }
  return okm.subarray(0, count);
}

/** AES-128-GCM: ciphertext, then tag. */
export function gcmSeal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plain: Uint8Array): Uint8Array {
  const cipher = createCipheriv("aes-128-gcm", key, nonce).setAAD(aad);
  return concat(cipher.update(plain), cipher.final(), cipher.getAuthTag());
}

const KEM = concat(text("KEM"), Uint8Array.of(0, 0x20));
const HPKE = concat(text("HPKE"), Uint8Array.of(0, 0x20, 0, 1, 0, 1));
const EMPTY = new Uint8Array(0);

const labeledExtract = (suite: Uint8Array, salt: Uint8Array, label: string, ikm: Uint8Array): Uint8Array =>
  hmac("sha256", salt, concat(text("HPKE-v1"), suite, text(label), ikm));
const labeledExpand = (
  suite: Uint8Array,
  prk: Uint8Array,
  label: string,
  info: Uint8Array,
  count: number,
): Uint8Array =>
  expand(prk, concat(Uint8Array.of(count >> 8, count), text("HPKE-v1"), suite, text(label), info), count);

/** DeriveKeyPair (RFC 9180, 7.1.3). */
export function hpkeKeyPair(ikm: Uint8Array): { secretKey: Uint8Array; publicKey: Uint8Array } {
  const secretKey = labeledExpand(KEM, labeledExtract(KEM, EMPTY, "dkp_prk", ikm), "sk", EMPTY, 32);
  return { secretKey, publicKey: x25519.getPublicKey(secretKey) };
}

/** ExtractAndExpand (RFC 9180, 4.1). */
function hpkeSharedSecret(dh: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  return labeledExpand(KEM, labeledExtract(KEM, EMPTY, "eae_prk", dh), "shared_secret", concat(enc, recipient), 32);
}

/** KeySchedule in base mode (RFC 9180, 5.1): key and base nonce. */
export function hpkeSchedule(sharedSecret: Uint8Array, info: Uint8Array): { key: Uint8Array; nonce: Uint8Array } {
  const context = concat(
    Uint8Array.of(0),
    labeledExtract(HPKE, EMPTY, "psk_id_hash", EMPTY),
    labeledExtract(HPKE, EMPTY, "info_hash", info),
  );
  const secret = labeledExtract(HPKE, sharedSecret, "secret", EMPTY);
  return {
    key: labeledExpand(HPKE, secret, "key", context, 16),
    nonce: labeledExpand(HPKE, secret, "base_nonce", context, 12),
  };
}

/** SealBase with a given ephemeral secret key. */
export function hpkeSeal(
  recipient: Uint8Array,
  info: Uint8Array,
  aad: Uint8Array,
  plain: Uint8Array,
  ephemeral: Uint8Array,
): { enc: Uint8Array; cipher: Uint8Array } {
  const enc = x25519.getPublicKey(ephemeral);
  const dh = x25519.getSharedSecret(ephemeral, recipient);
  const { key, nonce } = hpkeSchedule(hpkeSharedSecret(dh, enc, recipient), info);
  return { enc, cipher: gcmSeal(key, nonce, aad, plain) };
}

/** The answers of `cryptoSelftest`: SHA-256 of its transcript, then the HPKE tag. */
export function selftestAnswers(): Uint8Array {
  const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
  let transcript = concat(seed, sha512(seed));
  const tag = hmac("sha256", seed, transcript);
  const okm = expand(tag, seed, 48);
  const shared = x25519.getSharedSecret(seed, tag);
  transcript = concat(transcript, tag, okm, shared, ed25519.getPublicKey(seed));
  const pair = hpkeKeyPair(seed);
  transcript = concat(transcript, ed25519.sign(transcript, seed), pair.secretKey, pair.publicKey);
  transcript = concat(
    transcript,
    gcmSeal(tag.subarray(0, 16), okm.subarray(0, 12), shared, transcript.subarray(0, 45)),
  );
  const sealed = hpkeSeal(pair.publicKey, seed, tag, EMPTY, pair.secretKey);
  return concat(sha256(transcript), sealed.cipher);
}
