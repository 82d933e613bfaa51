// Labelled hashing, derivation, signing and encryption (RFC 9420, 5.1.2, 5.1.3, 5.2 and 8).
import { Writer } from "../bytes/writer";
import { ed25519Sign, ed25519Verify } from "../crypto/ed25519";
import { hkdfExpand } from "../crypto/hkdf";
import { hpkeOpenBase } from "../crypto/hpke";
import { sha256 } from "../crypto/sha2";
import { mark, release } from "../runtime/arena";
import { lengthBytes, newWriter, vectorBytes, writeLength, writeVector } from "./codec";
import { PREFIX, PREFIX_BYTES } from "./labels";
import { HASH_BYTES } from "./limits";

// A label is a pointer to a length byte and text; "MLS 1.0 " is put before it here.

/** Encoded size of a label with prefix and header. */
function labelBytes(label: usize): u32 {
  return vectorBytes(PREFIX_BYTES + load<u8>(label));
}

function writeLabel(writer: Writer, label: usize): void {
  const bytes = load<u8>(label);
  writeLength(writer, PREFIX_BYTES + bytes);
  writer.bytes(PREFIX, PREFIX_BYTES);
  writer.bytes(label + 1, bytes);
}

/** `label<V> || content<V>`: the input of RefHash, of a signature, and the info of HPKE. */
function labelled(label: usize, content: usize, bytes: u32): Writer {
  const writer = newWriter(labelBytes(label) + vectorBytes(bytes));
  writeLabel(writer, label);
  writeVector(writer, content, bytes);
  return writer;
}

/** ExpandWithLabel(secret, label, context, bytes) of RFC 9420, section 8. `secret` is 32 bytes; `out` may be `secret`. */
export function expandWithLabel(
  secret: usize,
  label: usize,
  context: usize,
  contextBytes: u32,
  out: usize,
  bytes: u32,
): void {
  const position = mark();
  const info = newWriter(2 + labelBytes(label) + vectorBytes(contextBytes));
  info.u16(bytes);
  writeLabel(info, label);
  writeVector(info, context, contextBytes);
  hkdfExpand(secret, info.start, info.written(), out, bytes);
  release(position);
}

/** DeriveSecret(secret, label): 32 bytes to `out`, which may be `secret`. */
export function deriveSecret(secret: usize, label: usize, out: usize): void {
  expandWithLabel(secret, label, 0, 0, out, HASH_BYTES);
}

/** RefHash(label, value) of section 5.2: 32 bytes to `out`. */
export function refHash(label: usize, value: usize, bytes: u32, out: usize): void {
  const position = mark();
  const input = labelled(label, value, bytes);
  sha256(input.start, input.written(), out);
  release(position);
}

/**
 * Begins the content of a signature (section 5.1.2): the label and the header of `bytes` bytes of content are
 * written, the caller appends exactly those bytes and hands the writer to `signContent` or `verifyContent`.
 */
export function signatureContent(label: usize, bytes: u32): Writer {
  const writer = newWriter(labelBytes(label) + lengthBytes(bytes) + bytes);
  writeLabel(writer, label);
  writeLength(writer, bytes);
  return writer;
}

/** SignWithLabel over prepared content: 64 bytes to `signature`. */
export function signContent(seed: usize, publicKey: usize, content: Writer, signature: usize): void {
  ed25519Sign(seed, publicKey, content.start, content.written(), signature);
}

/** VerifyWithLabel over prepared content. */
export function verifyContent(publicKey: usize, content: Writer, signature: usize): bool {
  return ed25519Verify(publicKey, content.start, content.written(), signature);
}

/** VerifyWithLabel over content that lies in one piece. */
export function verifyWithLabel(publicKey: usize, label: usize, content: usize, bytes: u32, signature: usize): bool {
  const position = mark();
  const good = verifyContent(publicKey, labelled(label, content, bytes), signature);
  release(position);
  return good;
}

/** DecryptWithLabel of section 5.1.3. `out` takes `bytes - 16` bytes. */
export function decryptWithLabel(
  privateKey: usize,
  publicKey: usize,
  label: usize,
  context: usize,
  contextBytes: u32,
  kemOutput: usize,
  ciphertext: usize,
  bytes: u32,
  out: usize,
): bool {
  const position = mark();
  const info = labelled(label, context, contextBytes);
  const good = hpkeOpenBase(kemOutput, privateKey, publicKey, info.start, info.written(), 0, 0, ciphertext, bytes, out);
  release(position);
  return good;
}
