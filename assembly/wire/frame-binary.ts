// A message as binary wire v1 (wire.md sections 3 to 5).
import { base64Decode } from "../bytes/base64";
import { Writer } from "../bytes/writer";
import { alloc, mark, release } from "../runtime/arena";
import { Detail } from "../runtime/status";
import { tailStart } from "./content-tail";
import { bit } from "./frame-json";
import { identifierFault } from "./identifier";
import {
  BINARY_MAGIC,
  BLOB_MOST_BYTES,
  EXT_MOST_ENTRIES,
  LAMPORT_MOST,
  METADATA_MOST_ENTRIES,
  TAG_CONTENT_TAIL,
  TAG_LAST_MOST,
  TAG_MOST_BYTES,
  TAG_REPLY_CONTEXT,
  UUID_BYTES,
} from "./limits";
import { ALWAYS_PRESENT, Frame } from "./message";
import { ENTRY_BYTES, TextMap } from "./metadata";
import { CONTENT_TYPE_FILE, CONTENT_TYPE_MOST, PRIORITY_MEDIUM, PRIORITY_MOST } from "./names";
import { Member, Type } from "./schema";
import { readBlob } from "./structure";
import { FrameReader, writeSpan, writeVarint } from "./varint";

const SLOT_BYTES: u32 = 8;

/** Where the slot of a member lies. */
// @ts-ignore: decorator
@inline
function slot(frame: Frame, member: Member): usize {
  return changetype<usize>(frame) + <u32>member * SLOT_BYTES;
}

/** Reads a binary frame. Returns 0 or the detail of the first fault. */
export function decodeBinary(ptr: usize, bytes: u32, frame: Frame): u32 {
  const reader = new FrameReader();
  reader.over(ptr, bytes);
  if (reader.u8() != BINARY_MAGIC) return bytes ? Detail.BadMagic : Detail.EmptyInput;
  readFields(reader, frame);
  frame.consumed = bytes - reader.left();
  frame.present |= ALWAYS_PRESENT;
  let fault = reader.firstFault();
  if (fault) return fault;
  fault = readBlobs(frame);
  if (fault) return fault;
  for (let member: u32 = Member.Sender; member <= <u32>Member.AppId; member++) {
    const at = changetype<usize>(frame) + member * SLOT_BYTES;
    fault = identifierFault(load<u32>(at), load<u32>(at, 4));
    frame.faultMember = member + 1;
    if (fault) return fault;
  }
  frame.faultMember = 0;
  return 0;
}

/** Fields 1 to 18, left to right. */
function readFields(reader: FrameReader, frame: Frame): void {
  frame.idPtr = reader.take(UUID_BYTES);
  frame.idBytes = UUID_BYTES;
  reader.text(slot(frame, Member.Sender));
  reader.text(slot(frame, Member.Recipient));
  reader.text(slot(frame, Member.AppId));
  const priority = reader.u8();
  frame.priority = priority > PRIORITY_MOST ? PRIORITY_MEDIUM : priority;
  frame.ttl = reader.u8();
  frame.hopCount = reader.u8();
  const zigzag = reader.number();
  frame.timestamp = (<i64>(zigzag >> 1)) ^ -((<i64>zigzag) & 1);
  frame.lamport = min(reader.number(), LAMPORT_MOST);
  const contentType = reader.u8();
  frame.contentType = contentType > CONTENT_TYPE_MOST ? CONTENT_TYPE_FILE : contentType;
  reader.text(slot(frame, Member.Content));
  readOptional(reader, frame, Member.BinaryContent);
  readOptional(reader, frame, Member.Media);
  readMetadata(reader, frame);
  frame.requiresAck = u64(reader.choice(Detail.BadBool));
  if (reader.choice(Detail.BadOption)) {
    frame.replyToPtr = reader.take(UUID_BYTES);
    frame.replyToBytes = UUID_BYTES;
    frame.present |= bit(Member.ReplyTo);
  }
  readOptional(reader, frame, Member.Forward);
  readExt(reader, frame);
}

function readOptional(reader: FrameReader, frame: Frame, member: Member): void {
  if (!reader.choice(Detail.BadOption)) return;
  reader.span(slot(frame, member));
  frame.present |= bit(member);
}

/** An entry takes two bytes at the least, so a count beyond half of what is left is a short input. */
function readMetadata(reader: FrameReader, frame: Frame): void {
  const count = reader.length();
  if (count > METADATA_MOST_ENTRIES) return reader.fault(Detail.LimitMetadata);
  const span = alloc(2 * SLOT_BYTES);
  const map = new TextMap();
  for (let i: u32 = 0; i < count && !reader.failed; i++) {
    reader.text(span);
    reader.text(span + SLOT_BYTES);
    if (reader.failed) return;
    const fault = map.set(load<u32>(span), load<u32>(span, 4), load<u32>(span, 8), load<u32>(span, 12));
    if (fault) reader.fault(fault);
  }
  frame.metadataPtr = map.entries;
  frame.metadataBytes = map.bytes;
}

/** Keeps the first entry of each known tag, by place; nothing is stored for the others. */
function readExt(reader: FrameReader, frame: Frame): void {
  const count = reader.length();
  if (count > EXT_MOST_ENTRIES) return reader.fault(Detail.LimitExt);
  for (let i: u32 = 0; i < count && !reader.failed; i++) {
    const tag = <u32>reader.varint(TAG_MOST_BYTES, TAG_LAST_MOST);
    const bytes = reader.length();
    const ptr = reader.take(bytes);
    if (reader.failed) return;
    if (tag == TAG_CONTENT_TAIL && !frame.tailPtr) {
      frame.tailPtr = ptr;
      frame.tailBytes = bytes;
    } else if (tag == TAG_REPLY_CONTEXT && !(frame.present & bit(Member.ReplyContext))) {
      frame.present |= bit(Member.ReplyContext);
      frame.replyContextPtr = ptr;
      frame.replyContextBytes = bytes;
    }
  }
}

/** Parses the three blobs in order, and replaces each by its compact form. */
function readBlobs(frame: Frame): u32 {
  let fault = readOneBlob(frame, Member.Media, Type.Media);
  if (!fault) fault = readOneBlob(frame, Member.Forward, Type.Forward);
  return fault ? fault : readOneBlob(frame, Member.ReplyContext, Type.ReplyContext);
}

function readOneBlob(frame: Frame, member: Member, type: Type): u32 {
  if (!(frame.present & bit(member))) return 0;
  const at = slot(frame, member);
  const bytes = load<u32>(at, 4);
  frame.faultMember = <u32>member + 1;
  if (bytes > BLOB_MOST_BYTES) return Detail.LimitBlob;
  const fault = readBlob(load<u32>(at), bytes, type, at);
  if (!fault) frame.faultMember = 0;
  return fault;
}

/** Writes a binary frame. */
export function encodeBinary(frame: Frame, writer: Writer): void {
  const present = frame.present | ALWAYS_PRESENT;
  const head = tailStart(frame.contentPtr, frame.contentBytes);
  const split = head < frame.contentBytes;
  writer.u8(BINARY_MAGIC);
  writer.bytes(frame.idPtr, UUID_BYTES);
  writeSpan(writer, frame.senderPtr, frame.senderBytes);
  writeSpan(writer, frame.recipientPtr, frame.recipientBytes);
  writeSpan(writer, frame.appIdPtr, frame.appIdBytes);
  writer.u8(<u32>frame.priority);
  writer.u8(<u32>frame.ttl);
  writer.u8(<u32>frame.hopCount);
  writeVarint(writer, ((<u64>frame.timestamp) << 1) ^ (<u64>(frame.timestamp >> 63)));
  writeVarint(writer, frame.lamport);
  writer.u8(<u32>frame.contentType);
  writeSpan(writer, frame.contentPtr, head);
  writeOptional(writer, present & bit(Member.BinaryContent), frame.binaryContentPtr, frame.binaryContentBytes);
  writeOptional(writer, present & bit(Member.Media), frame.mediaPtr, frame.mediaBytes);
  writeMetadata(writer, frame.metadataPtr, frame.metadataBytes);
  writer.u8(<u32>frame.requiresAck);
  const reply = present & bit(Member.ReplyTo);
  writer.u8(u32(reply != 0));
  if (reply) writer.bytes(frame.replyToPtr, UUID_BYTES);
  writeOptional(writer, present & bit(Member.Forward), frame.forwardPtr, frame.forwardBytes);
  const context = present & bit(Member.ReplyContext);
  writer.u8(u32(split) + u32(context != 0));
  if (split) writeTail(writer, frame.contentPtr + head, frame.contentBytes - head);
  if (context) {
    writer.u8(TAG_REPLY_CONTEXT);
    writeSpan(writer, frame.replyContextPtr, frame.replyContextBytes);
  }
}

function writeOptional(writer: Writer, present: u32, ptr: usize, bytes: u32): void {
  writer.u8(u32(present != 0));
  if (present) writeSpan(writer, ptr, bytes);
}

function writeMetadata(writer: Writer, entries: usize, bytes: u32): void {
  writeVarint(writer, bytes / ENTRY_BYTES);
  for (let at = entries; at < entries + bytes; at += ENTRY_BYTES) {
    writeSpan(writer, load<u32>(at), load<u32>(at, 4));
    writeSpan(writer, load<u32>(at, 8), load<u32>(at, 12));
  }
}

/** The ext entry of the tail, decoded where it is written. */
function writeTail(writer: Writer, tail: usize, bytes: u32): void {
  const position = mark();
  const decoded = alloc(bytes);
  writer.u8(TAG_CONTENT_TAIL);
  writeSpan(writer, decoded, base64Decode(tail, bytes, decoded));
  release(position);
}
