// Frames: telling the encodings apart (wire.md section 2), and what other rooms need of a message.
import { base64Length } from "../bytes/base64";
import { Span } from "../bytes/span";
import { Writer } from "../bytes/writer";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { wholeContent } from "./content-tail";
import { decodeBinary, encodeBinary } from "./frame-binary";
import { decodeJson, encodeJson } from "./frame-json";
import { BINARY_MAGIC, CONTENT_WHOLE_MOST_BYTES, FRAME_MOST_BYTES } from "./limits";
import { Frame } from "./message";
import { TextMap, mapFind } from "./metadata";

export { Frame } from "./message";

/**
 * Reads a frame in either encoding. The input is spent: strings are unescaped where they stand, and `frame` points into it.
 *
 * @param frame  zeroed
 * @returns OK, or MalformedFrame
 */
export function frameDecode(ptr: usize, bytes: u32, frame: Frame): i32 {
  const fault = decode(ptr, bytes, frame);
  return fault ? fail(Kind.MalformedFrame, fault) : OK;
}

function decode(ptr: usize, bytes: u32, frame: Frame): u32 {
  if (bytes > FRAME_MOST_BYTES) return Detail.LimitFrame;
  const first = bytes ? <u32>load<u8>(ptr) : 0;
  if (first == BINARY_MAGIC) return decodeBinary(ptr, bytes, frame);
  return first > BINARY_MAGIC ? Detail.UnsupportedVersion : decodeJson(ptr, bytes, frame);
}

/**
 * Puts a content whole whose tail was split off, in the arena.
 *
 * @returns OK, or MalformedFrame when that is too long for this build
 */
export function frameContent(frame: Frame): i32 {
  if (!frame.tailBytes) return OK;
  const whole = frame.contentBytes + base64Length(frame.tailBytes);
  if (whole > CONTENT_WHOLE_MOST_BYTES) return fail(Kind.MalformedFrame, Detail.LimitFrame);
  frame.contentPtr = wholeContent(frame.contentPtr, frame.contentBytes, frame.tailPtr, frame.tailBytes);
  frame.contentBytes = whole;
  frame.tailBytes = 0;
  return OK;
}

/** Writes the frame, whose content is whole, as binary wire v1. */
export function frameEncodeBinary(frame: Frame, writer: Writer): void {
  encodeBinary(frame, writer);
}

/** Writes the frame, whose content is whole, as JSON. */
export function frameEncodeJson(frame: Frame, writer: Writer): void {
  encodeJson(frame, writer);
}

/** Puts the metadata value of `key` into `value`. False when there is none. */
export function frameMetadata(frame: Frame, key: usize, keyBytes: u32, value: Span): bool {
  return mapFind(frame.metadataPtr, frame.metadataBytes, key, keyBytes, value);
}

/** Gives the frame one or two metadata entries; `second` may be 0. Keys and values must outlive the frame. */
export function frameSetMetadata(
  frame: Frame,
  key: usize,
  keyBytes: u32,
  value: usize,
  valueBytes: u32,
  second: usize,
  secondBytes: u32,
  secondValue: usize,
  secondValueBytes: u32,
): void {
  const map = new TextMap();
  map.set(key, keyBytes, value, valueBytes);
  if (second) map.set(second, secondBytes, secondValue, secondValueBytes);
  frame.metadataPtr = map.entries;
  frame.metadataBytes = map.bytes;
}
