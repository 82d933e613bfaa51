// PrivateMessage (RFC 9420, 6.3): reading, opening, sealing.
import { Reader } from "../bytes/reader";
import { Writer } from "../bytes/writer";
import { aes128GcmOpen, aes128GcmSeal } from "../crypto/gcm";
import { alloc, mark, release } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { newReader, readFixed, readVector, vectorBytes, writeLength, writeVector } from "./codec";
import { Commit, newCommit, readCommit } from "./commit-content";
import { Group, memberSignatureKey } from "./group";
import { GroupContext, keyAndNonce } from "./key-schedule";
import { signatureContent, signContent, verifyContent } from "./labelled";
import { FRAMED_CONTENT_TBS } from "./labels";
import {
  AEAD_KEY_BYTES,
  AEAD_TAG_BYTES,
  CONTENT_APPLICATION,
  CONTENT_COMMIT,
  HASH_BYTES,
  PADDING_FLOOR_BYTES,
  PROTOCOL_VERSION,
  SIGNATURE_BYTES,
  WIRE_PRIVATE_MESSAGE,
} from "./limits";
import { MESSAGE_KEY_BYTES, Ratchet, ratchetPeek } from "./ratchet";
import { splitReceiver } from "./receiver";
import { make } from "./structure";

/** Random bytes that are mixed into each nonce (6.3.1). */
export const REUSE_GUARD_BYTES: u32 = 4;
/** Sender data: leaf index, generation, reuse guard. */
const SENDER_DATA_BYTES: u32 = 4 + 4 + REUSE_GUARD_BYTES;
const SENDER_DATA_SEALED_BYTES: u32 = SENDER_DATA_BYTES + AEAD_TAG_BYTES;
/** `sender_type` of a member (6). */
const SENDER_MEMBER: u32 = 1;

/** A PrivateMessage, as pointers into it. */
@unmanaged
export class PrivateMessage {
  groupId: usize;
  groupIdBytes: u32;
  epoch: u64;
  contentType: u32;
  authenticatedData: usize;
  authenticatedDataBytes: u32;
  /** Where `group_id` begins with its header. The additional data of both AEAD calls begin here. */
  header: usize;
  /** SenderDataAAD and PrivateContentAAD. */
  senderDataAadBytes: u32;
  contentAadBytes: u32;
  /** SENDER_DATA_SEALED_BYTES. */
  senderData: usize;
  ciphertext: usize;
  ciphertextBytes: u32;
}

/** Reads the head of an MLSMessage (section 6): version and wire format. */
export function readMessageHead(reader: Reader, wireFormat: u32): bool {
  return reader.u16() == PROTOCOL_VERSION && reader.u16() == wireFormat && !reader.failed;
}

/**
 * Reads an MLSMessage that must be a PrivateMessage and nothing else.
 *
 * @returns OK or Kind.Mls
 */
export function readPrivateMessage(ptr: usize, bytes: u32, message: PrivateMessage): i32 {
  const reader = newReader(ptr, bytes);
  const span = make<Reader>();
  if (!readMessageHead(reader, WIRE_PRIVATE_MESSAGE)) return fail(Kind.Mls, Detail.MlsWireFormat);
  message.header = reader.at;
  readVector(reader, span);
  message.groupId = span.at;
  message.groupIdBytes = span.left();
  message.epoch = reader.u64();
  message.contentType = reader.u8();
  message.senderDataAadBytes = <u32>(reader.at - message.header);
  readVector(reader, span);
  message.authenticatedData = span.at;
  message.authenticatedDataBytes = span.left();
  message.contentAadBytes = <u32>(reader.at - message.header);
  message.senderData = readFixed(reader, SENDER_DATA_SEALED_BYTES);
  readVector(reader, span);
  message.ciphertext = span.at;
  message.ciphertextBytes = span.left();
  if (!reader.finished() || message.ciphertextBytes < AEAD_TAG_BYTES) return fail(Kind.Mls, Detail.MlsDecode);
  return OK;
}

/** What a PrivateMessage held, authenticated. */
@unmanaged
export class AuthenticatedContent {
  sender: u32;
  generation: u32;
  /** `application_data` without its header, for application messages. */
  text: usize;
  textBytes: u32;
  /** For commits. */
  commit: Commit = changetype<Commit>(0);
  /** Of the encoded content, which begins where the ciphertext did. */
  contentBytes: u32;
  /** SIGNATURE_BYTES, right behind a header of two bytes. */
  signature: usize;
  /** HASH_BYTES, for commits. */
  confirmationTag: usize;
  /** `wire_format || FramedContent`, in the arena: what the transcript takes in, with the signature (8.2). */
  framed: usize;
  framedBytes: u32;
}

/** Content to be opened. */
export function newContent(): AuthenticatedContent {
  const content = make<AuthenticatedContent>();
  content.commit = newCommit();
  return content;
}

/** The ratchet that protects a content type. */
export function ratchetFor(group: Group, sender: u32, contentType: u32): Ratchet | null {
  const receiver = group.receiver(sender);
  if (!receiver) return null;
  splitReceiver(receiver);
  return contentType == CONTENT_APPLICATION ? receiver.application : receiver.handshake;
}

/**
 * Opens a message of the epoch in view and verifies its signature. The ciphertext is decrypted in place, or zeroed.
 * No ratchet moves: `ratchetSpend` is the caller's.
 *
 * @returns OK or Kind.Mls
 */
export function openPrivateMessage(group: Group, message: PrivateMessage, content: AuthenticatedContent): i32 {
  const key = alloc(MESSAGE_KEY_BYTES);
  const nonce = key + AEAD_KEY_BYTES;
  const senderData = alloc(SENDER_DATA_BYTES);
  keyAndNonce(group.senderDataSecret, message.ciphertext, min(message.ciphertextBytes, HASH_BYTES), key);
  if (
    !aes128GcmOpen(
      key,
      nonce,
      message.header,
      message.senderDataAadBytes,
      message.senderData,
      SENDER_DATA_SEALED_BYTES,
      senderData,
    )
  ) {
    return fail(Kind.Mls, Detail.MlsSenderData);
  }
  content.sender = bswap<u32>(load<u32>(senderData));
  content.generation = bswap<u32>(load<u32>(senderData, 4));
  const ratchet = ratchetFor(group, content.sender, message.contentType);
  if (!ratchet) return fail(Kind.Mls, Detail.MlsSender);
  const status = ratchetPeek(ratchet, content.generation, key);
  if (status != OK) return status;
  guardNonce(nonce, senderData + 8);
  if (
    !aes128GcmOpen(
      key,
      nonce,
      message.header,
      message.contentAadBytes,
      message.ciphertext,
      message.ciphertextBytes,
      message.ciphertext,
    )
  ) {
    return fail(Kind.Mls, Detail.MlsDecrypt);
  }
  return authenticate(group, message, content);
}

/** Mixes a reuse guard into a nonce (6.3.1). */
function guardNonce(nonce: usize, guard: usize): void {
  store<u32>(nonce, load<u32>(nonce) ^ load<u32>(guard));
}

/** Splits the decrypted PrivateMessageContent, checks its padding, verifies its signature. */
function authenticate(group: Group, message: PrivateMessage, content: AuthenticatedContent): i32 {
  const reader = newReader(message.ciphertext, message.ciphertextBytes - AEAD_TAG_BYTES);
  const start = reader.at;
  if (message.contentType == CONTENT_COMMIT) {
    readCommit(reader, content.commit);
  } else {
    const span = make<Reader>();
    readVector(reader, span);
    content.text = span.at;
    content.textBytes = span.left();
  }
  content.contentBytes = <u32>(reader.at - start);
  content.signature = readFixed(reader, SIGNATURE_BYTES);
  if (message.contentType == CONTENT_COMMIT) content.confirmationTag = readFixed(reader, HASH_BYTES);
  if (reader.failed) return fail(Kind.Mls, Detail.MlsDecode);
  while (reader.left()) if (reader.u8()) return fail(Kind.Mls, Detail.MlsPadding);

  const signed = framedContent(
    group.context,
    content.sender,
    message.authenticatedData,
    message.authenticatedDataBytes,
    message.contentType,
    start,
    content.contentBytes,
  );
  const contextBytes = group.context.bytes();
  content.framedBytes = framedBytes(group.context, message.authenticatedDataBytes, content.contentBytes);
  content.framed = signed.at - contextBytes - content.framedBytes;
  if (!verifyContent(memberSignatureKey(group, content.sender), signed, content.signature)) {
    return fail(Kind.Mls, Detail.MlsSignature);
  }
  return OK;
}

/** Size of `wire_format || FramedContent`. */
function framedBytes(context: GroupContext, authenticatedDataBytes: u32, contentBytes: u32): u32 {
  return 2 + vectorBytes(context.groupIdBytes) + 8 + 5 + vectorBytes(authenticatedDataBytes) + 1 + contentBytes;
}

/** FramedContentTBS (6.1) of a member's PrivateMessage, ready to be signed or verified. */
function framedContent(
  context: GroupContext,
  sender: u32,
  authenticatedData: usize,
  authenticatedDataBytes: u32,
  contentType: u32,
  content: usize,
  contentBytes: u32,
): Writer {
  const bytes = 2 + framedBytes(context, authenticatedDataBytes, contentBytes) + context.bytes();
  const writer = signatureContent(FRAMED_CONTENT_TBS, bytes);
  writer.u16(PROTOCOL_VERSION);
  writer.u16(WIRE_PRIVATE_MESSAGE);
  writeVector(writer, context.groupId, context.groupIdBytes);
  writer.u64(context.epoch);
  writer.u8(SENDER_MEMBER);
  writer.u32(sender);
  writeVector(writer, authenticatedData, authenticatedDataBytes);
  writer.u8(contentType);
  writer.bytes(content, contentBytes);
  context.write(writer);
  return writer;
}

/** Bytes of the PrivateMessageContent of a text, padding included (leaf.md 3.3). */
function paddedBytes(textBytes: u32): u32 {
  const bytes = vectorBytes(textBytes) + vectorBytes(SIGNATURE_BYTES);
  const block = max(PADDING_FLOOR_BYTES, (<u32>1) << (32 - clz(bytes)));
  return (bytes | (block / 8 - 1)) + 1;
}

/** Size of the message that seals `textBytes` bytes of text. */
export function sealedBytes(group: Group, textBytes: u32): u32 {
  const ciphertextBytes = paddedBytes(textBytes) + AEAD_TAG_BYTES;
  return (
    4 +
    vectorBytes(group.context.groupIdBytes) +
    8 +
    1 +
    1 +
    vectorBytes(SENDER_DATA_SEALED_BYTES) +
    vectorBytes(ciphertextBytes)
  );
}

/**
 * Writes a PrivateMessage with a text under the send ratchet's current generation, which the caller then spends.
 *
 * @param reuseGuard  REUSE_GUARD_BYTES of fresh randomness
 * @param out         takes `sealedBytes`; may not overlap `text`
 */
export function writePrivateMessage(group: Group, text: usize, textBytes: u32, reuseGuard: usize, out: usize): void {
  const position = mark();
  const writer = make<Writer>();
  writer.over(out, sealedBytes(group, textBytes));
  writer.u16(PROTOCOL_VERSION);
  writer.u16(WIRE_PRIVATE_MESSAGE);
  const header = writer.at;
  writeVector(writer, group.context.groupId, group.context.groupIdBytes);
  writer.u64(group.context.epoch);
  writer.u8(CONTENT_APPLICATION);
  const senderDataAadBytes = <u32>(writer.at - header);
  writer.u8(0); // no authenticated data
  const contentAadBytes = <u32>(writer.at - header);
  writeLength(writer, SENDER_DATA_SEALED_BYTES);
  const senderData = writer.claim(SENDER_DATA_SEALED_BYTES);
  const plainBytes = paddedBytes(textBytes);
  writeLength(writer, plainBytes + AEAD_TAG_BYTES);

  const ciphertext = writer.at;
  writeVector(writer, text, textBytes);
  const contentBytes = <u32>(writer.at - ciphertext);
  const content = framedContent(group.context, group.ownLeaf, 0, 0, CONTENT_APPLICATION, ciphertext, contentBytes);
  writeLength(writer, SIGNATURE_BYTES);
  signContent(group.identity.seed, group.identity.publicKey, content, writer.claim(SIGNATURE_BYTES));
  memory.fill(writer.at, 0, ciphertext + plainBytes - writer.at);

  const key = alloc(MESSAGE_KEY_BYTES);
  const nonce = key + AEAD_KEY_BYTES;
  ratchetPeek(group.send, group.send.generation, key);
  guardNonce(nonce, reuseGuard);
  aes128GcmSeal(key, nonce, header, contentAadBytes, ciphertext, plainBytes, ciphertext);

  store<u32>(senderData, load<u32>(reuseGuard), 8);
  store<u32>(senderData, bswap<u32>(group.send.generation), 4);
  store<u32>(senderData, bswap<u32>(group.ownLeaf));
  keyAndNonce(group.senderDataSecret, ciphertext, HASH_BYTES, key);
  aes128GcmSeal(key, nonce, header, senderDataAadBytes, senderData, SENDER_DATA_BYTES, senderData);
  release(position);
}
