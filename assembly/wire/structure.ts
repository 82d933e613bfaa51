// JSON structures by table (schema.ts): reading into slots of eight bytes, and writing from them.
import { Writer } from "../bytes/writer";
import { alloc, mark, release } from "../runtime/arena";
import { Detail } from "../runtime/status";
import { identifierFault } from "./identifier";
import { JsonReader } from "./json-reader";
import {
  writeBoolean,
  writeByteArray,
  writeNull,
  writeSigned,
  writeText,
  writeUnsigned,
  writeUuid,
} from "./json-writer";
import { BLOB_MOST_BYTES, UUID_BYTES } from "./limits";
import { ENTRY_BYTES, TextMap } from "./metadata";
import { CONTENT_TYPES, CONTENT_TYPE_FILE, PRIORITIES, entryNamed, nameOf, nextEntry, numberOf } from "./names";
import {
  FORWARDED_FROM,
  MEDIA_METADATA,
  NULLABLE,
  REPLY_CONTEXT,
  REQUIRED,
  STRUCTURE_MOST_MEMBERS,
  TYPE_MASK,
  Type,
  WRITE_NULL,
} from "./schema";
import { uuidParse } from "./uuid";

const SLOT_BYTES: u32 = 8;
const OPEN_ARRAY: u32 = 0x5b;
const QUOTE: u32 = 0x22;

/** What one structure being read knows of itself. */
@unmanaged
export class Structure {
  /** Table of schema.ts. */
  table: usize;
  /** Eight bytes a member, zero at the start. */
  slots: usize;
  /** Members that were named, null or not. */
  seen: u32;
  /** Members that have a value. */
  present: u32;
  /** Place, plus one, of the member at fault. */
  faultMember: u32;

  /** Reads a whole structure. False after a fault, which the reader names. */
  read(reader: JsonReader): bool {
    // @ts-ignore: constant of the build
    if (!LEAF && reader.peek() == OPEN_ARRAY) return this.readArray(reader);
    if (!reader.enterObject()) return false;
    while (reader.nextMember()) {
      const place = this.placeOf(reader.keyPtr, reader.keyBytes);
      if (place < 0) {
        if (!reader.skip()) return false;
        continue;
      }
      this.faultMember = place + 1;
      if ((this.seen >> place) & 1) return reader.fault(Detail.DuplicateField);
      if (!this.readMember(reader, place)) return false;
      this.faultMember = 0;
    }
    return !reader.detail && this.complete(reader, Detail.MissingField);
  }

  /** The array spelling (wire.md 6.6): values in the order of the table. */
  private readArray(reader: JsonReader): bool {
    if (!reader.enterArray()) return false;
    const members = <i32>load<u8>(this.table);
    let place: i32 = 0;
    while (reader.nextElement()) {
      if (place == members) return reader.fault(Detail.TrailingData);
      if (!this.readMember(reader, place++)) return false;
    }
    return !reader.detail && this.complete(reader, Detail.WrongLength);
  }

  /** Checks that nothing required is missing. */
  private complete(reader: JsonReader, detail: u32): bool {
    let entry = this.table + 1;
    for (let place: u32 = 0; place < <u32>load<u8>(this.table); place++, entry = nextEntry(entry)) {
      if (!(load<u8>(entry) & REQUIRED) || (this.seen >> place) & 1) continue;
      this.faultMember = place + 1;
      return reader.fault(detail);
    }
    return true;
  }

  private placeOf(name: usize, bytes: u32): i32 {
    let entry = this.table + 1;
    for (let place = 0; place < <i32>load<u8>(this.table); place++, entry = nextEntry(entry)) {
      if (entryNamed(entry, name, bytes)) return place;
    }
    return -1;
  }

  private readMember(reader: JsonReader, place: u32): bool {
    let entry = this.table + 1;
    for (let i: u32 = 0; i < place; i++) entry = nextEntry(entry);
    const kind = <u32>load<u8>(entry);
    this.seen |= 1 << place;
    if (kind & NULLABLE && reader.nil()) return true;
    if (reader.detail) return false;
    this.present |= 1 << place;
    return readValue(reader, kind & TYPE_MASK, this.slots + place * SLOT_BYTES);
  }
}

function keepSpan(slot: usize, ptr: usize, bytes: u32): bool {
  store<u32>(slot, bytes, 4);
  store<u32>(slot, ptr);
  return true;
}

function keepNumber(slot: usize, value: u64): bool {
  store<u64>(slot, value);
  return true;
}

/** Reads one value into its slot. */
function readValue(reader: JsonReader, type: u32, slot: usize): bool {
  switch (type) {
    case Type.Identifier:
    case Type.Uuid:
    case Type.Text: {
      if (!reader.text()) return false;
      if (type == Type.Identifier) {
        const fault = identifierFault(reader.ptr, reader.bytes);
        if (fault) return reader.fault(fault);
      }
      if (type == Type.Uuid) {
        if (!uuidParse(reader.ptr, reader.bytes, reader.ptr)) return reader.fault(Detail.BadUuid);
        return keepSpan(slot, reader.ptr, UUID_BYTES);
      }
      return keepSpan(slot, reader.ptr, reader.bytes);
    }
    case Type.Unsigned8:
      return reader.unsigned(255) && keepNumber(slot, reader.value);
    case Type.Unsigned32:
      return reader.unsigned(u32.MAX_VALUE) && keepNumber(slot, reader.value);
    case Type.Unsigned64:
      return reader.unsigned(u64.MAX_VALUE) && keepNumber(slot, reader.value);
    case Type.Signed64:
      return reader.signed() && keepNumber(slot, reader.value);
    case Type.Boolean:
      return reader.boolean() && keepNumber(slot, reader.value);
    case Type.Bytes:
      return reader.byteArray() && keepSpan(slot, reader.ptr, reader.bytes);
    case Type.Priority:
      return readPriority(reader, slot);
    case Type.ContentType: {
      if (!reader.text()) return false;
      const number = numberOf(CONTENT_TYPES, reader.ptr, reader.bytes);
      return keepNumber(slot, number < 0 ? CONTENT_TYPE_FILE : number);
    }
    case Type.TextMap:
      return readTextMap(reader, slot);
    default:
      return readNested(reader, nestedTable(type), slot);
  }
}

/** A priority is a variant, so what is no text and no object is not even the wrong type (wire.md 6.4). */
function readPriority(reader: JsonReader, slot: usize): bool {
  const c = reader.peek();
  // @ts-ignore: constant of the build
  const wrapped: bool = !LEAF && c == 0x7b;
  if (wrapped) {
    reader.enterObject();
    if (!reader.nextMember()) return reader.detail ? false : reader.fault(Detail.Syntax);
    reader.ptr = reader.keyPtr;
    reader.bytes = reader.keyBytes;
  } else if (c != QUOTE) return reader.detail ? false : reader.unexpected();
  else if (!reader.text()) return false;
  const number = numberOf(PRIORITIES, reader.ptr, reader.bytes);
  if (number < 0) return reader.fault(Detail.UnknownVariant);
  if (wrapped) {
    if (!reader.nil()) return reader.detail ? false : reader.wrongType();
    if (reader.nextMember() || reader.detail) return reader.fault(Detail.Syntax);
  }
  return keepNumber(slot, number);
}

function readTextMap(reader: JsonReader, slot: usize): bool {
  if (!reader.enterObject()) return false;
  const position = mark();
  const map = new TextMap();
  while (reader.nextMember()) {
    const key = reader.keyPtr;
    const keyBytes = reader.keyBytes;
    if (!reader.text()) break;
    const fault = map.set(key, keyBytes, reader.ptr, reader.bytes);
    if (fault) return reader.fault(fault);
  }
  if (reader.detail) {
    release(position);
    return false;
  }
  return keepSpan(slot, map.entries, map.bytes);
}

/** The table of a nested structure. */
export function nestedTable(type: u32): usize {
  if (type == Type.Media) return MEDIA_METADATA;
  return type == Type.Forward ? FORWARDED_FROM : REPLY_CONTEXT;
}

/**
 * Reads a nested structure and keeps its compact JSON; the device only checks it. The JSON may be longer than what was read
 * (the array spelling has no names), never more than six times that and the names.
 */
function readNested(reader: JsonReader, table: usize, slot: usize): bool {
  const start = reader.at;
  const structure = new Structure();
  structure.table = table;
  structure.slots = alloc(STRUCTURE_MOST_MEMBERS * SLOT_BYTES);
  if (!structure.read(reader)) return false;
  if (<u32>(reader.at - start) > BLOB_MOST_BYTES) return reader.fault(Detail.LimitBlob);
  // @ts-ignore: constant of the build
  if (LEAF) return true;
  const writer = new Writer();
  const room = 6 * <u32>(reader.at - start) + 512;
  writer.over(alloc(room), room);
  writeStructure(writer, table, structure.slots, structure.present);
  assert(!writer.failed);
  return keepSpan(slot, writer.start, writer.written());
}

/** Reads the JSON of a nested structure from bytes of its own (wire.md 4.3). Returns 0 or the detail. */
export function readBlob(ptr: usize, bytes: u32, type: u32, slot: usize): u32 {
  const reader = new JsonReader();
  reader.over(ptr, bytes);
  if (readNested(reader, nestedTable(type), slot)) reader.finish();
  return reader.detail;
}

/** Writes a structure compactly, members in the order of the table (wire.md section 7). */
export function writeStructure(writer: Writer, table: usize, slots: usize, present: u32): void {
  writer.u8(0x7b);
  let entry = table + 1;
  let first = true;
  for (let place: u32 = 0; place < <u32>load<u8>(table); place++, entry = nextEntry(entry)) {
    const kind = <u32>load<u8>(entry);
    const there = (present >> place) & 1;
    if (!there && !(kind & WRITE_NULL)) continue;
    if (!first) writer.u8(0x2c);
    first = false;
    writeText(writer, entry + 2, load<u8>(entry, 1));
    writer.u8(0x3a);
    if (there) writeValue(writer, kind & TYPE_MASK, slots + place * SLOT_BYTES);
    else writeNull(writer);
  }
  writer.u8(0x7d);
}

function writeValue(writer: Writer, type: u32, slot: usize): void {
  const ptr = <usize>load<u32>(slot);
  const bytes = load<u32>(slot, 4);
  const number = load<u64>(slot);
  switch (type) {
    case Type.Text:
    case Type.Identifier:
      return writeText(writer, ptr, bytes);
    case Type.Uuid:
      return writeUuid(writer, ptr);
    case Type.Signed64:
      return writeSigned(writer, <i64>number);
    case Type.Boolean:
      return writeBoolean(writer, number != 0);
    case Type.Bytes:
      return writeByteArray(writer, ptr, bytes);
    case Type.Priority:
      return writeName(writer, nameOf(PRIORITIES, <u32>number));
    case Type.ContentType:
      return writeName(writer, nameOf(CONTENT_TYPES, <u32>number));
    case Type.TextMap:
      return writeTextMap(writer, ptr, bytes);
    case Type.Media:
    case Type.Forward:
    case Type.ReplyContext:
      return writer.bytes(ptr, bytes);
    default:
      return writeUnsigned(writer, number);
  }
}

function writeName(writer: Writer, entry: usize): void {
  writeText(writer, entry + 2, load<u8>(entry, 1));
}

function writeTextMap(writer: Writer, entries: usize, bytes: u32): void {
  writer.u8(0x7b);
  for (let at = entries; at < entries + bytes; at += ENTRY_BYTES) {
    if (at > entries) writer.u8(0x2c);
    writeText(writer, load<u32>(at), load<u32>(at, 4));
    writer.u8(0x3a);
    writeText(writer, load<u32>(at, 8), load<u32>(at, 12));
  }
  writer.u8(0x7d);
}
