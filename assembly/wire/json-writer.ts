// JSON output (wire.md section 7): compact, shortest integers, the escapes that the reference writes.
import { Writer } from "../bytes/writer";
import { ESCAPES, ESCAPES_BYTES, FALSE_AT, LITERALS, NULL_AT, TRUE_AT } from "./json-reader";
import { UUID_TEXT_BYTES } from "./limits";
import { uuidFormat } from "./uuid";

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const BACKSLASH: u32 = 0x5c;

/** `\u00`, which the two digits of a control character follow. */
const UNICODE_ESCAPE: usize = memory.data<u8>([0x5c, 0x75, 0x30, 0x30]);

/** Writes UTF-8 text as a string. */
export function writeText(writer: Writer, ptr: usize, bytes: u32): void {
  writer.u8(QUOTE);
  const end = ptr + bytes;
  let plain = ptr;
  for (let at = ptr; at < end; at++) {
    const c = <u32>load<u8>(at);
    if (c >= 0x20 && c != QUOTE && c != BACKSLASH) continue;
    writer.bytes(plain, <u32>(at - plain));
    plain = at + 1;
    writeEscape(writer, c);
  }
  writer.bytes(plain, <u32>(end - plain));
  writer.u8(QUOTE);
}

function writeEscape(writer: Writer, c: u32): void {
  // The last pair is the solidus, which is written as it is.
  for (let i: usize = 0; i < ESCAPES_BYTES - 2; i += 2) {
    if (load<u8>(ESCAPES + i, 1) != c) continue;
    writer.u8(BACKSLASH);
    writer.u8(load<u8>(ESCAPES + i));
    return;
  }
  writer.bytes(UNICODE_ESCAPE, 4);
  writer.u8(0x30 + (c >> 4));
  writer.u8((c & 15) + ((c & 15) < 10 ? 0x30 : 0x57));
}

/**
 * A tenth of `value`, rounded down, by long division in 16-bit digits: a 64-bit division is a library call on a Cortex-M, and
 * code that runs in place may not make one.
 */
function tenth(value: u64): u64 {
  let quotient: u64 = 0;
  let rest: u32 = 0;
  for (let i = 0; i < 4; i++) {
    const digits = (rest << 16) | (<u32>(value >> 48));
    quotient = (quotient << 16) | (digits / 10);
    rest = digits % 10;
    value <<= 16;
  }
  return quotient;
}

/** Writes an unsigned integer. */
export function writeUnsigned(writer: Writer, value: u64): void {
  // Digits come out last first: count them, then fill the claim from its end.
  let digits: u32 = 1;
  for (let rest = value; rest > 9; rest = tenth(rest)) digits++;
  const at = writer.claim(digits);
  if (!at) return;
  for (let place = at + digits; place > at;) {
    const rest = tenth(value);
    store<u8>(--place, 0x30 + <u32>(value - rest * 10));
    value = rest;
  }
}

/** Writes a signed integer. */
export function writeSigned(writer: Writer, value: i64): void {
  if (value < 0) writer.u8(0x2d);
  writeUnsigned(writer, value < 0 ? <u64>0 - <u64>value : <u64>value);
}

/** Writes bytes as an array of integers. */
export function writeByteArray(writer: Writer, ptr: usize, bytes: u32): void {
  writer.u8(0x5b);
  for (let i: u32 = 0; i < bytes; i++) {
    if (i) writer.u8(COMMA);
    writeUnsigned(writer, load<u8>(ptr + i));
  }
  writer.u8(0x5d);
}

/** Writes `true` or `false`. */
export function writeBoolean(writer: Writer, value: bool): void {
  writer.bytes(LITERALS + (value ? TRUE_AT : FALSE_AT), value ? 4 : 5);
}

/** Writes `null`. */
export function writeNull(writer: Writer): void {
  writer.bytes(LITERALS + NULL_AT, 4);
}

/** Writes 16 bytes as UUID text. */
export function writeUuid(writer: Writer, uuid: usize): void {
  const at = writer.claim(UUID_TEXT_BYTES + 2);
  if (!at) return;
  store<u8>(at, QUOTE);
  uuidFormat(uuid, at + 1);
  store<u8>(at + 1 + UUID_TEXT_BYTES, QUOTE);
}
