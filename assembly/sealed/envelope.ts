// The envelope of a sealed frame in its three text forms (sealed.md section 5). Nothing in it is authenticated.
import { base64Decode } from "../bytes/base64";
import { Reader } from "../bytes/reader";
import { utf8Valid } from "../bytes/utf8";
import { Writer } from "../bytes/writer";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { writeByteArray, writeUnsigned } from "../wire/json-writer";
import { memberBytes, memberNumber, memberPtr, readBody } from "./body";
import { GROUP_ID_MAX_BYTES, groupIdValid } from "./group-id";
import {
  CIPHERTEXT,
  CIPHERTEXT_BYTES,
  ENVELOPE_MEMBERS,
  EPOCH,
  EPOCH_BYTES,
  GROUP_ID,
  GROUP_ID_BYTES,
  MESSAGE_TYPE,
  MESSAGE_TYPES,
  MESSAGE_TYPE_BYTES,
  SENDER_ID,
  SENDER_ID_BYTES,
  TIMESTAMP,
  TIMESTAMP_BYTES,
} from "./text";

/** Message types; they advise and decide nothing. */
export const MESSAGE_TYPE_APPLICATION: u32 = 0;
const MESSAGE_TYPE_COUNT: u32 = 4;

/** Longest sender id in the compact form, and longest ciphertext. */
const SENDER_MAX_BYTES: u32 = 4096;
const CIPHERTEXT_MAX_BYTES: u32 = 128 * 1024 * 1024;

/** Bytes of the compact form beside group id, sender and ciphertext. */
const COMPACT_FIXED_BYTES: u32 = 29;

/** Longest decimal u64. */
const DECIMAL_MAX_BYTES: u32 = 20;

/** Longest name of a message type. */
const NAME_MAX_BYTES: u32 = 11;

const OPEN_BRACE: u32 = 0x7b;


@unmanaged
export class Envelope {
  groupId: usize;
  groupIdBytes: u32;
  messageType: u32;
  epoch: u64;
  /** A complete MLSMessage, as claimed. */
  ciphertext: usize;
  ciphertextBytes: u32;
  sender: usize;
  senderBytes: u32;
  timestampMs: u64;
}

/** Reads a length that may be at most `most` and the UTF-8 bytes behind it. */
function readText(input: Reader, most: u32, bytes: usize): usize {
  const count = input.u32le();
  if (count > most) input.failed = true;
  const at = input.take(count);
  if (!input.failed && !utf8Valid(at, count)) input.failed = true;
  store<u32>(bytes, count);
  return at;
}

/** Reads the compact form (sealed.md 5.1); bytes behind the ciphertext are ignored. False when it is none. */
export function readCompact(ptr: usize, bytes: u32, envelope: Envelope): bool {
  const input = new Reader();
  input.over(ptr, bytes);
  envelope.groupId = readText(
    input,
    GROUP_ID_MAX_BYTES,
    changetype<usize>(envelope) + offsetof<Envelope>("groupIdBytes"),
  );
  envelope.sender = readText(input, SENDER_MAX_BYTES, changetype<usize>(envelope) + offsetof<Envelope>("senderBytes"));
  envelope.messageType = input.u8();
  envelope.epoch = input.u64le();
  envelope.timestampMs = input.u64le();
  envelope.ciphertextBytes = input.u32le();
  if (envelope.messageType >= MESSAGE_TYPE_COUNT || envelope.ciphertextBytes > CIPHERTEXT_MAX_BYTES) return false;
  envelope.ciphertext = input.take(envelope.ciphertextBytes);
  return !input.failed && groupIdValid(envelope.groupId, envelope.groupIdBytes);
}

/** Length of the name at `text`, which a zero ends. */
function nameBytes(text: usize): u32 {
  let bytes: u32 = 0;
  while (load<u8>(text + bytes)) bytes++;
  return bytes;
}

/** Code of a message type's name, or MESSAGE_TYPE_COUNT. */
function messageTypeOf(name: usize, bytes: u32): u32 {
  let text = MESSAGE_TYPES;
  for (let code: u32 = 0; code < MESSAGE_TYPE_COUNT; code++) {
    const length = nameBytes(text);
    if (length == bytes && memory.compare(text, name, bytes) == 0) return code;
    text += length + 1;
  }
  return MESSAGE_TYPE_COUNT;
}

/** Reads the JSON form, which is spent by it. */
function readJson(ptr: usize, bytes: u32, envelope: Envelope): bool {
  const members = readBody(ptr, bytes, ENVELOPE_MEMBERS);
  if (!members) return false;
  envelope.groupId = memberPtr(members, 0);
  envelope.groupIdBytes = memberBytes(members, 0);
  envelope.messageType = messageTypeOf(memberPtr(members, 1), memberBytes(members, 1));
  envelope.epoch = memberNumber(members, 2);
  envelope.ciphertext = memberPtr(members, 3);
  envelope.ciphertextBytes = memberBytes(members, 3);
  envelope.sender = memberPtr(members, 4);
  envelope.senderBytes = memberBytes(members, 4);
  envelope.timestampMs = memberNumber(members, 5);
  return envelope.messageType < MESSAGE_TYPE_COUNT && groupIdValid(envelope.groupId, envelope.groupIdBytes);
}

/** Reads what base64 held: the compact form, else JSON. OK or MalformedFrame. */
export function readEnvelopeBytes(ptr: usize, bytes: u32, envelope: Envelope): i32 {
  if (readCompact(ptr, bytes, envelope) || readJson(ptr, bytes, envelope)) return OK;
  return fail(Kind.MalformedFrame, Detail.Envelope);
}

/**
 * Reads the body of a sealed frame where it stands: it is decoded in place, and the envelope points into it.
 *
 * @returns OK or MalformedFrame
 */
export function readEnvelope(ptr: usize, bytes: u32, envelope: Envelope): i32 {
  if (bytes > 0 && load<u8>(ptr) == OPEN_BRACE) {
    return readJson(ptr, bytes, envelope) ? OK : fail(Kind.MalformedFrame, Detail.Envelope);
  }
  const decoded = base64Decode(ptr, bytes, ptr);
  return decoded < 0 ? fail(Kind.MalformedFrame, Detail.Envelope) : readEnvelopeBytes(ptr, decoded, envelope);
}

/** Bytes of the compact form before the ciphertext. */
export function compactHeadBytes(envelope: Envelope): u32 {
  return COMPACT_FIXED_BYTES + envelope.groupIdBytes + envelope.senderBytes;
}

/** Writes the compact form up to the ciphertext, which follows. */
export function writeCompactHead(out: Writer, envelope: Envelope): void {
  out.u32le(envelope.groupIdBytes);
  out.bytes(envelope.groupId, envelope.groupIdBytes);
  out.u32le(envelope.senderBytes);
  out.bytes(envelope.sender, envelope.senderBytes);
  out.u8(envelope.messageType);
  out.u64le(envelope.epoch);
  out.u64le(envelope.timestampMs);
  out.u32le(envelope.ciphertextBytes);
}

/** Room that the JSON form of an envelope needs. */
export function jsonMaxBytes(envelope: Envelope): u32 {
  return (
    GROUP_ID_BYTES +
    envelope.groupIdBytes +
    MESSAGE_TYPE_BYTES +
    NAME_MAX_BYTES +
    EPOCH_BYTES +
    CIPHERTEXT_BYTES +
    2 +
    4 * envelope.ciphertextBytes +
    SENDER_ID_BYTES +
    envelope.senderBytes +
    TIMESTAMP_BYTES +
    1 +
    2 * DECIMAL_MAX_BYTES
  );
}

/** Writes the JSON form. Ids are addresses and session ids: nothing in them needs an escape. */
export function writeJson(out: Writer, envelope: Envelope): void {
  out.bytes(GROUP_ID, GROUP_ID_BYTES);
  out.bytes(envelope.groupId, envelope.groupIdBytes);
  out.bytes(MESSAGE_TYPE, MESSAGE_TYPE_BYTES);
  let name = MESSAGE_TYPES;
  for (let code: u32 = 0; code < envelope.messageType; code++) name += nameBytes(name) + 1;
  out.bytes(name, nameBytes(name));
  out.bytes(EPOCH, EPOCH_BYTES);
  writeUnsigned(out, envelope.epoch);
  out.bytes(CIPHERTEXT, CIPHERTEXT_BYTES);
  writeByteArray(out, envelope.ciphertext, envelope.ciphertextBytes);
  out.bytes(SENDER_ID, SENDER_ID_BYTES);
  out.bytes(envelope.sender, envelope.senderBytes);
  out.bytes(TIMESTAMP, TIMESTAMP_BYTES);
  writeUnsigned(out, envelope.timestampMs);
  out.u8(0x7d);
}
