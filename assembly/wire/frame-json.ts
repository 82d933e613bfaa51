// A message as JSON (wire.md sections 6 and 7).
import { Writer } from "../bytes/writer";
import { JsonReader } from "./json-reader";
import { LAMPORT_MOST } from "./limits";
import { ALWAYS_PRESENT, Frame } from "./message";
import { MESSAGE, Member } from "./schema";
import { Structure, writeStructure } from "./structure";

/** Reads a JSON frame, which is spent by it. Returns 0 or the detail of the first fault. */
export function decodeJson(ptr: usize, bytes: u32, frame: Frame): u32 {
  const reader = new JsonReader();
  reader.over(ptr, bytes);
  const structure = new Structure();
  structure.table = MESSAGE;
  structure.slots = changetype<usize>(frame);
  frame.requiresAck = 1;
  if (structure.read(reader)) reader.finish();
  frame.present = structure.present | ALWAYS_PRESENT;
  frame.faultMember = structure.faultMember;
  frame.consumed = bytes;
  if (frame.lamport > LAMPORT_MOST) frame.lamport = LAMPORT_MOST;
  return reader.detail;
}

/** Writes a JSON frame. */
export function encodeJson(frame: Frame, writer: Writer): void {
  writeStructure(writer, MESSAGE, changetype<usize>(frame), frame.present | ALWAYS_PRESENT);
}

/** Bit of a member in `present`. */
export function bit(member: Member): u32 {
  return 1 << member;
}
