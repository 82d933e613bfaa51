// The structures inside a message: media metadata, forward note, reply context.
import { Writer } from "../bytes/writer";
import { alloc, mark, release } from "../runtime/arena";
import { Detail } from "../runtime/status";
import { JsonReader } from "./json-reader";
import { BLOB_MOST_BYTES } from "./limits";
import { FORWARDED_FROM, MEDIA_METADATA, REPLY_CONTEXT, STRUCTURE_MOST_MEMBERS, Type } from "./schema";
import { SLOT_BYTES, Structure, structureCreate, writeStructure } from "./structure";

/** Longest canonical JSON beside the texts: names, quotes, numbers. */
const CANONICAL_MOST_FIXED_BYTES: u32 = 1024;
/** A control character grows from one byte to six. */
const CANONICAL_MOST_GROWTH: u32 = 6;

/** Table of a structure of a message. */
function tableOf(type: u32): usize {
  return type == Type.Media ? MEDIA_METADATA : type == Type.Forward ? FORWARDED_FROM : REPLY_CONTEXT;
}

/** Number of a structure as `Frame.fault` has it; a message is 0. */
export function structureNumber(type: u32): u32 {
  return type - (Type.Media - 1);
}

/**
 * Reads the structure that comes next and puts the pointer and bytes of its JSON into the slot: canonical JSON in the
 * arena, so that it can be encoded again, or in the leaf build, which does not, the text it was read from, spent.
 *
 * @returns the member that a fault of the reader is about; 0 without a fault
 */
export function readNested(reader: JsonReader, type: u32, slot: usize): u32 {
  const position = mark();
  const structure = structureCreate();
  const slots = alloc(STRUCTURE_MOST_MEMBERS * SLOT_BYTES);
  reader.peek();
  const start = reader.at;
  const good = structure.over(reader, tableOf(type), slots) && structure.all();
  const bytes = <u32>(reader.at - start);
  const member = structure.member;
  if (good && bytes > BLOB_MOST_BYTES) reader.fault(Detail.LimitBlob);
  // @ts-ignore: constant of the build
  if (LEAF || reader.detail) {
    store<u32>(slot, bytes, 4);
    store<u32>(slot, start);
    release(position);
  } else canonical(structure, type, slots, bytes, slot);
  return member;
}

/** Writes what `structure` read from `bytes` bytes of JSON in the form that every writer gives it. */
function canonical(structure: Structure, type: u32, slots: usize, bytes: u32, slot: usize): void {
  const most = bytes * CANONICAL_MOST_GROWTH + CANONICAL_MOST_FIXED_BYTES;
  const writer = changetype<Writer>(alloc(offsetof<Writer>()));
  const start = mark();
  writer.over(alloc(most), most);
  writeStructure(writer, tableOf(type), slots, structure.present);
  assert(!writer.failed);
  release(start + ((writer.written() + 7) & ~7));
  store<u32>(slot, writer.written(), 4);
  store<u32>(slot, writer.start);
}
