// Limits and sizes of the MLS room, in one place. Cipher suite 1 only (RFC 9420, 17.1).

/** `mls10` (RFC 9420, 6). */
export const PROTOCOL_VERSION: u32 = 1;
/** MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519. */
export const CIPHER_SUITE: u32 = 1;

/** KDF.Nh: every secret and every hash. */
export const HASH_BYTES: u32 = 32;
/** X25519 and Ed25519 public keys, and X25519 private keys. */
export const KEY_BYTES: u32 = 32;
/** AEAD.Nk, AEAD.Nn and the tag of AES-128-GCM. */
export const AEAD_KEY_BYTES: u32 = 16;
export const AEAD_NONCE_BYTES: u32 = 12;
export const AEAD_TAG_BYTES: u32 = 16;
export const SIGNATURE_BYTES: u32 = 64;

/** Largest tree, in leaf slots (a power of two). The device reads trees of 4 only to name the roster it refuses. */
// @ts-ignore: LEAF is a constant of the build
export const MAX_LEAVES: u32 = LEAF ? 4 : 128;
/** Levels of the largest tree: leaves are level 0. */
// @ts-ignore: LEAF is a constant of the build
export const MAX_LEVELS: u32 = LEAF ? 3 : 8;

/** A generation this far ahead of the next expected one still opens (leaf.md 3.3). */
export const MAX_AHEAD: u32 = 1024;
/** Keys of skipped generations kept for one ratchet; the oldest gives way. */
export const MAX_SKIPPED: u32 = 32;
/** Epochs that can be opened: the current one and three before it (leaf.md 7.3). */
export const EPOCH_SLOTS: u32 = 4;

/** Least block that padding aims at (leaf.md 3.3). */
export const PADDING_FLOOR_BYTES: u32 = 256;

/** Wire formats of an MLSMessage (RFC 9420, 6). */
export const WIRE_PRIVATE_MESSAGE: u32 = 2;
export const WIRE_WELCOME: u32 = 3;

/** Content types of a framed message (RFC 9420, 6). */
export const CONTENT_APPLICATION: u32 = 1;
export const CONTENT_COMMIT: u32 = 3;
