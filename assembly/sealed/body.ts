// Bodies of control frames and envelopes: JSON structures by the tables in `text.ts` (sealed.md 5.3).
import { alloc } from "../runtime/arena";
import { JsonReader } from "../wire/json-reader";
import { Structure } from "../wire/structure";

/** One member: pointer and bytes of a text or byte array, or a number; zero when absent. */
const SLOT_BYTES: u32 = 8;

/**
 * Reads a body where it stands, which spends it.
 *
 * @param table  of `text.ts`
 * @returns the slots of its members, which point into the body; 0 when it is no such structure
 */
export function readBody(ptr: usize, bytes: u32, table: usize): usize {
  const reader = new JsonReader();
  reader.over(ptr, bytes);
  const structure = new Structure();
  structure.table = table;
  structure.slots = alloc(load<u8>(table) * SLOT_BYTES);
  return structure.read(reader) && reader.finish() ? structure.slots : 0;
}

/** Where a text or byte array lies. */
export function memberPtr(slots: usize, place: u32): usize {
  return load<u32>(slots + place * SLOT_BYTES);
}

/** Its length. */
export function memberBytes(slots: usize, place: u32): u32 {
  return load<u32>(slots + place * SLOT_BYTES, 4);
}

/** A number or logical value. */
export function memberNumber(slots: usize, place: u32): u64 {
  return load<u64>(slots + place * SLOT_BYTES);
}
