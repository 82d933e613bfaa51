// Presentation language of RFC 9420, section 2.1: variable-size vectors with their short length headers.
import { Reader } from "../bytes/reader";
import { Writer } from "../bytes/writer";
import { alloc } from "../runtime/arena";
import { make } from "./structure";

/** A cursor over `bytes` bytes from `ptr`. */
export function newReader(ptr: usize, bytes: u32): Reader {
  const reader = make<Reader>();
  reader.over(ptr, bytes);
  return reader;
}

/** A cursor over a fresh buffer of `bytes` bytes. */
export function newWriter(bytes: u32): Writer {
  const writer = make<Writer>();
  writer.over(alloc(bytes), bytes);
  return writer;
}

/** Reads a length header (2.1.2): 1, 2 or 4 bytes, shortest form only. */
export function readLength(reader: Reader): u32 {
  let length = reader.u8();
  const prefix = length >> 6;
  length &= 0x3f;
  if (prefix == 0) return length;
  for (let more = (1 << prefix) - 1; more > 0; more--) length = (length << 8) | reader.u8();
  if (prefix == 3 || lengthBytes(length) != (<u32>1) << prefix) reader.failed = true;
  return length;
}

/** Size of the header of a vector of `length` bytes. */
export function lengthBytes(length: u32): u32 {
  return length < 0x40 ? 1 : length < 0x4000 ? 2 : 4;
}

/** Reads a vector and points `content` at what it holds; both fail together. */
export function readVector(reader: Reader, content: Reader): void {
  const bytes = readLength(reader);
  const at = reader.take(bytes);
  content.over(at, reader.failed ? 0 : bytes);
  content.failed = reader.failed;
}

/** Reads a vector that must hold exactly `bytes` bytes; returns where they begin. */
export function readFixed(reader: Reader, bytes: u32): usize {
  if (readLength(reader) != bytes) reader.failed = true;
  return reader.take(bytes);
}

/** Steps over a vector. */
export function skipVector(reader: Reader): void {
  reader.take(readLength(reader));
}

/** Writes a length header. */
export function writeLength(writer: Writer, length: u32): void {
  const bytes = lengthBytes(length);
  if (bytes == 1) writer.u8(length);
  else if (bytes == 2) writer.u16(0x4000 | length);
  else writer.u32(0x80000000 | length);
}

/** Writes a vector. */
export function writeVector(writer: Writer, ptr: usize, bytes: u32): void {
  writeLength(writer, bytes);
  writer.bytes(ptr, bytes);
}

/** Bytes that a vector of `bytes` bytes takes with its header. */
export function vectorBytes(bytes: u32): u32 {
  return lengthBytes(bytes) + bytes;
}
