// The primitives of binary frames (wire.md section 3): a reader with sticky faults, and varints out.
import { Reader } from "../bytes/reader";
import { utf8Valid } from "../bytes/utf8";
import { Writer } from "../bytes/writer";
import { Detail } from "../runtime/status";
import { LENGTH_LAST_MOST, LENGTH_MOST_BYTES, NUMBER_LAST_MOST, NUMBER_MOST_BYTES } from "./limits";

/** After the first fault every read yields 0, so a frame is read straight through and judged once. */
@unmanaged
export class FrameReader extends Reader {
  /** Why it failed; 0 after a failure means that the input was too short. */
  detail: u32;

  /** Fails with `detail` unless it failed before. */
  fault(detail: u32): void {
    if (this.failed) return;
    this.failed = true;
    this.at = this.end;
    this.detail = detail;
  }

  /** The first fault, or 0. */
  firstFault(): u32 {
    return this.failed && !this.detail ? Detail.UnexpectedEnd : this.detail;
  }

  /** Unsigned integer of base 128, least significant group first, in any length up to `most` bytes. */
  varint(most: u32, lastMost: u32): u64 {
    const start = this.at;
    let at = start;
    let byte: u32;
    do {
      if (at == this.end) {
        this.failed = true;
        this.at = at;
        return 0;
      }
      byte = load<u8>(at++);
      if (<u32>(at - start) == most && byte > lastMost) {
        this.fault(Detail.BadVarint);
        return 0;
      }
    } while (byte >= 0x80);
    this.at = at;
    // From the most significant group down, so that every shift is by a constant.
    let value: u64 = 0;
    while (at > start) value = (value << 7) | (load<u8>(--at) & 0x7f);
    return value;
  }

  /** A length or a count. */
  length(): u32 {
    return <u32>this.varint(LENGTH_MOST_BYTES, LENGTH_LAST_MOST);
  }

  /** A 64-bit number. */
  number(): u64 {
    return this.varint(NUMBER_MOST_BYTES, NUMBER_LAST_MOST);
  }

  /** A byte that tells no from yes; others fail with `detail`. */
  choice(detail: u32): bool {
    const byte = this.u8();
    if (byte > 1) this.fault(detail);
    return byte == 1;
  }

  /** A length and as many bytes, whose place goes into the slot: pointer and bytes. */
  span(slot: usize): void {
    const bytes = this.length();
    const ptr = this.take(bytes);
    store<u32>(slot, this.failed ? 0 : bytes, 4);
    store<u32>(slot, ptr);
  }

  /** A span of well-formed UTF-8. */
  text(slot: usize): void {
    this.span(slot);
    if (!this.failed && !utf8Valid(load<u32>(slot), load<u32>(slot, 4))) this.fault(Detail.BadUtf8);
  }

  /** A span, if there. */
  optional(slot: usize): void {
    if (this.choice(Detail.BadOption)) this.span(slot);
  }
}

/** Bytes of the shortest varint. */
export function varintBytes(value: u64): u32 {
  let bytes: u32 = 1;
  while ((value >>= 7)) bytes++;
  return bytes;
}

/** Writes the shortest varint. */
export function writeVarint(writer: Writer, value: u64): void {
  while (value >= 0x80) {
    writer.u8(((<u32>value) & 0x7f) | 0x80);
    value >>= 7;
  }
  writer.u8(<u32>value);
}

/** Writes a length and the bytes. */
export function writeSpan(writer: Writer, ptr: usize, bytes: u32): void {
  writeVarint(writer, bytes);
  writer.bytes(ptr, bytes);
}
