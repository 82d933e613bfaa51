// Key schedule (RFC 9420, 8).
import { equalConstantTime } from "../bytes/compare";
import { hkdfExtract } from "../crypto/hkdf";
import { hmacSha256 } from "../crypto/hmac";
import { sha256 } from "../crypto/sha2";
import { alloc, mark, release } from "../runtime/arena";
import { Writer } from "../bytes/writer";
import { newWriter, vectorBytes, writeVector } from "./codec";
import { deriveSecret, expandWithLabel } from "./labelled";
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, CIPHER_SUITE, HASH_BYTES, PROTOCOL_VERSION } from "./limits";
import { CONFIRM, EPOCH, JOINER, KEY, NONCE, WELCOME } from "./labels";

/** GroupContext (8.1), as pointers. Hashes are 32 bytes. */
@unmanaged
export class GroupContext {
  groupId: usize;
  groupIdBytes: u32;
  epoch: u64;
  treeHash: usize;
  confirmedTranscriptHash: usize;
  /** Content of the extensions vector. */
  extensions: usize;
  extensionsBytes: u32;

  /** Encoded size. */
  bytes(): u32 {
    return 4 + vectorBytes(this.groupIdBytes) + 8 + 2 * (1 + HASH_BYTES) + vectorBytes(this.extensionsBytes);
  }

  write(writer: Writer): void {
    writer.u16(PROTOCOL_VERSION);
    writer.u16(CIPHER_SUITE);
    writeVector(writer, this.groupId, this.groupIdBytes);
    writer.u64(this.epoch);
    writeVector(writer, this.treeHash, HASH_BYTES);
    writeVector(writer, this.confirmedTranscriptHash, HASH_BYTES);
    writeVector(writer, this.extensions, this.extensionsBytes);
  }

  /** The encoding in a fresh buffer. */
  encoded(): Writer {
    const writer = newWriter(this.bytes());
    this.write(writer);
    return writer;
  }
}

/** joiner_secret from the last epoch's init_secret and the commit_secret. 32 bytes to `joiner`. */
export function joinerSecret(initSecret: usize, commitSecret: usize, context: GroupContext, joiner: usize): void {
  extractAndExpand(initSecret, commitSecret, JOINER, context, joiner);
}

/** epoch_secret from joiner_secret and psk_secret (32 zero bytes without PSKs). 32 bytes to `epochSecret`. */
export function epochSecretOf(joiner: usize, pskSecret: usize, context: GroupContext, epochSecret: usize): void {
  extractAndExpand(joiner, pskSecret, EPOCH, context, epochSecret);
}

function extractAndExpand(salt: usize, input: usize, label: usize, context: GroupContext, out: usize): void {
  const position = mark();
  const extracted = alloc(HASH_BYTES);
  hkdfExtract(salt, HASH_BYTES, input, HASH_BYTES, extracted);
  const encoded = context.encoded();
  expandWithLabel(extracted, label, encoded.start, encoded.written(), out, HASH_BYTES);
  release(position);
}

/** welcome_secret from joiner_secret and psk_secret. 32 bytes to `out`. */
export function welcomeSecret(joiner: usize, pskSecret: usize, out: usize): void {
  hkdfExtract(joiner, HASH_BYTES, pskSecret, HASH_BYTES, out);
  deriveSecret(out, WELCOME, out);
}

/** Key and nonce (28 bytes, key first) from a secret and a context, as Welcome and sender data use them. */
export function keyAndNonce(secret: usize, context: usize, contextBytes: u32, out: usize): void {
  expandWithLabel(secret, KEY, context, contextBytes, out, AEAD_KEY_BYTES);
  expandWithLabel(secret, NONCE, context, contextBytes, out + AEAD_KEY_BYTES, AEAD_NONCE_BYTES);
}

/** Whether `tag` confirms `confirmedTranscriptHash` under a confirmation_key (8.1). */
export function confirmationTagValid(confirmationKey: usize, confirmedTranscriptHash: usize, tag: usize): bool {
  const position = mark();
  const expected = alloc(HASH_BYTES);
  hmacSha256(confirmationKey, HASH_BYTES, confirmedTranscriptHash, HASH_BYTES, expected);
  const good = equalConstantTime(expected, tag, HASH_BYTES);
  release(position);
  return good;
}

/** Whether `tag` confirms `confirmedTranscriptHash` in the epoch of `epochSecret`. */
export function epochConfirmed(epochSecret: usize, confirmedTranscriptHash: usize, tag: usize): bool {
  const position = mark();
  const confirmationKey = alloc(HASH_BYTES);
  deriveSecret(epochSecret, CONFIRM, confirmationKey);
  const good = confirmationTagValid(confirmationKey, confirmedTranscriptHash, tag);
  release(position);
  return good;
}

/** interim_transcript_hash (8.2) after a commit that ended in `tag`. 32 bytes to `out`. */
export function interimTranscriptHash(confirmed: usize, tag: usize, out: usize): void {
  const position = mark();
  const input = newWriter(2 * HASH_BYTES + 1);
  input.bytes(confirmed, HASH_BYTES);
  writeVector(input, tag, HASH_BYTES);
  sha256(input.start, input.written(), out);
  release(position);
}
