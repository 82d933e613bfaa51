// The device's key package (leaf.md 3.1). All its private keys grow from one seed, so that 32 bytes have to be stored.
import { Writer } from "../bytes/writer";
import { hpkeDeriveKeyPair } from "../crypto/hpke";
import { alloc, mark, release } from "../runtime/arena";
import { newWriter, writeLength, writeVector } from "./codec";
import { Identity, IDENTITY_BYTES } from "./group";
import { deriveSecret, refHash, signatureContent, signContent } from "./labelled";
import { INIT_KEY, KEY_PACKAGE_REFERENCE, KEY_PACKAGE_TBS, LEAF_KEY, LEAF_NODE_TBS } from "./labels";
import { DEVICE_LEAF_SIGNED_BYTES, writeDeviceLeaf } from "./leaf-node";
import { CIPHER_SUITE, HASH_BYTES, KEY_BYTES, PROTOCOL_VERSION, SIGNATURE_BYTES } from "./limits";
import { make } from "./structure";

/** A signature with its header. */
const SIGNATURE_FIELD_BYTES: u32 = 2 + SIGNATURE_BYTES;

/** Size of the device's leaf node. */
export const DEVICE_LEAF_BYTES: u32 = DEVICE_LEAF_SIGNED_BYTES + SIGNATURE_FIELD_BYTES;

/** Size of the device's key package. */
export const KEY_PACKAGE_BYTES: u32 = 4 + 1 + KEY_BYTES + DEVICE_LEAF_BYTES + 1 + SIGNATURE_FIELD_BYTES;

/** Size of a KeyPackageRef. */
export const KEY_PACKAGE_REFERENCE_BYTES: u32 = HASH_BYTES;

/** Seconds between not_before and not_after (leaf.md 3.1). */
export const LIFETIME_SECONDS: u64 = 2419200;

/** Derives the HPKE key pair that `label` names from a key package's seed; 32 bytes each. */
export function packageKeyPair(seed: usize, label: usize, privateKey: usize, publicKey: usize): void {
  const position = mark();
  const secret = alloc(HASH_BYTES);
  deriveSecret(seed, label, secret);
  hpkeDeriveKeyPair(secret, HASH_BYTES, privateKey, publicKey);
  release(position);
}

/**
 * Makes a key package.
 *
 * @param seed       32 bytes, fresh and secret: the init key pair and the leaf key pair are derived from it
 * @param notBefore  seconds since 1970
 * @param out        receives KEY_PACKAGE_BYTES
 * @param reference  receives 32 bytes: the KeyPackageRef
 */
export function keyPackageMint(seed: usize, identity: Identity, notBefore: u64, out: usize, reference: usize): void {
  const position = mark();
  const privateKey = alloc(KEY_BYTES);
  const publicKey = alloc(KEY_BYTES);
  const writer = make<Writer>();
  writer.over(out, KEY_PACKAGE_BYTES);
  writer.u16(PROTOCOL_VERSION);
  writer.u16(CIPHER_SUITE);
  packageKeyPair(seed, INIT_KEY, privateKey, publicKey);
  writeVector(writer, publicKey, KEY_BYTES);
  packageKeyPair(seed, LEAF_KEY, privateKey, publicKey);
  const leaf = deviceLeaf(identity, publicKey, notBefore);
  writer.bytes(leaf, DEVICE_LEAF_BYTES);
  writer.u8(0); // no key package extensions

  const content = signatureContent(KEY_PACKAGE_TBS, writer.written());
  content.bytes(out, writer.written());
  writeSignature(writer, identity, content);
  refHash(KEY_PACKAGE_REFERENCE, out, KEY_PACKAGE_BYTES, reference);
  release(position);
}

function writeSignature(writer: Writer, identity: Identity, content: Writer): void {
  writeLength(writer, SIGNATURE_BYTES);
  signContent(identity.seed, identity.publicKey, content, writer.claim(SIGNATURE_BYTES));
}

/**
 * Writes the leaf node of a key package again, byte for byte: Ed25519 signatures are deterministic.
 *
 * @param encryptionKey  HPKE public key of the leaf
 * @returns DEVICE_LEAF_BYTES in the arena
 */
export function deviceLeaf(identity: Identity, encryptionKey: usize, notBefore: u64): usize {
  const writer = newWriter(DEVICE_LEAF_BYTES);
  const position = mark();
  writeDeviceLeaf(
    writer,
    encryptionKey,
    identity.publicKey,
    identity.address,
    IDENTITY_BYTES,
    notBefore,
    notBefore + LIFETIME_SECONDS,
  );
  const content = signatureContent(LEAF_NODE_TBS, writer.written());
  content.bytes(writer.start, writer.written());
  writeSignature(writer, identity, content);
  release(position);
  return writer.start;
}
