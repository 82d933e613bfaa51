// Canonical signing payloads: a domain, then each field behind its length (u32, big endian).
import { Writer } from "../bytes/writer";

/** Bytes that a field adds to its own. */
export const FIELD_OVERHEAD_BYTES: u32 = 4;

/** Appends one field. */
export function writeField(out: Writer, at: usize, bytes: u32): void {
  out.u32(bytes);
  out.bytes(at, bytes);
}
