// A streaming JSON reader (RFC 8259, strict; wire.md section 6). It keeps places, not copies: strings are
// unescaped where they stand, so the input must be writable and is spent by reading. Nothing recurses, the work
// is linear in the input, and the first fault in byte order is the one that `detail` names.
import { hexDigit } from "../bytes/hex";
import { utf8Encode, utf8Valid } from "../bytes/utf8";
import { alloc, mark, release } from "../runtime/arena";
import { Detail } from "../runtime/status";
import { beyondDouble } from "./json-magnitude";
import { DROPPED_MOST_DEPTH } from "./limits";

/** What `peek` answers at the end of the input. */
const END: u32 = 256;

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const COLON: u32 = 0x3a;
const BACKSLASH: u32 = 0x5c;
const OPEN_ARRAY: u32 = 0x5b;
const CLOSE_ARRAY: u32 = 0x5d;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;
/** The largest 64-bit integer is ten times the one and the other. */
const LAST_TENFOLD: u64 = 1844674407370955161;
const LAST_DIGIT: u64 = 5;
/** From an opening bracket or brace to the closing one. */
const TO_CLOSE: u32 = 2;

/** Pairs of letter and meaning of the short escapes; the solidus, which is never written so, comes last. */
// prettier-ignore
export const ESCAPES: usize = memory.data<u8>([
  0x22, 0x22, 0x5c, 0x5c, 0x62, 0x08, 0x66, 0x0c, 0x6e, 0x0a, 0x72, 0x0d, 0x74, 0x09, 0x2f, 0x2f,
]);
export const ESCAPES_BYTES: usize = 16;

/** `nulltruefalse`. */
// prettier-ignore
export const LITERALS: usize = memory.data<u8>([
  0x6e, 0x75, 0x6c, 0x6c, 0x74, 0x72, 0x75, 0x65, 0x66, 0x61, 0x6c, 0x73, 0x65,
]);
export const NULL_AT: u32 = 0;
export const TRUE_AT: u32 = 4;
export const FALSE_AT: u32 = 8;

function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

/** Four bytes in which a bit of 80 is set when one of them ends or breaks a run of plain string text. */
// @ts-ignore: decorator
@inline function stops(word: u32): u32 {
  const quote = (word ^ 0x22222222) - 0x01010101;
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101;
  return ((word - 0x20202020) | quote | backslash) & ~word & 0x80808080;
}


@unmanaged
export class JsonReader {
  at: usize;
  end: usize;
  /** The first fault, or 0. */
  detail: u32;
  /** The member name that `nextMember` read. */
  keyPtr: usize;
  keyBytes: u32;
  /** The string, byte array, number or literal read last. */
  ptr: usize;
  bytes: u32;
  /** The integer read last; two's complement when signed. */
  value: u64;
  private escaped: bool;
  private integral: bool;
  private first: bool;
  private codePoint: u32;

  /** Starts at the front of `bytes` writable bytes. */
  over(ptr: usize, bytes: u32): void {
    this.at = ptr;
    this.end = ptr + bytes;
    this.detail = 0;
  }

  /** Records the first fault. Always false. */
  fault(detail: u32): bool {
    if (!this.detail) this.detail = detail;
    return false;
  }

  /** Steps over white space and answers the byte there, or END. */
  peek(): u32 {
    const end = this.end;
    let at = this.at;
    let c = END;
    while (at < end) {
      c = load<u8>(at);
      if (c > 0x20 || (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09)) break;
      c = END;
      at++;
    }
    this.at = at;
    return c;
  }

  /** Enters an object; members follow with `nextMember`. */
  enterObject(): bool {
    return this.enter(OPEN_OBJECT);
  }

  /** Enters an array; elements follow with `nextElement`. */
  enterArray(): bool {
    return this.enter(OPEN_ARRAY);
  }

  /** Reads the next name and its colon into `key`; the value follows. False after the last member and on a fault. */
  nextMember(): bool {
    if (!this.next(CLOSE_OBJECT)) return false;
    if (this.peek() != QUOTE) return this.unexpected();
    if (!this.text()) return false;
    this.keyPtr = this.ptr;
    this.keyBytes = this.bytes;
    return this.colon();
  }

  /** Steps to the next element, whose value follows. False after the last one and on a fault. */
  nextElement(): bool {
    if (!this.next(CLOSE_ARRAY)) return false;
    return this.peek() == CLOSE_ARRAY ? this.fault(Detail.Syntax) : true;
  }

  /** Reads a string into `ptr` and `bytes`, unescaped. */
  text(): bool {
    if (this.peek() != QUOTE) return this.wrongType();
    if (!this.string(true)) return false;
    if (this.escaped) this.unescape();
    return true;
  }

  /** Reads a plain integer from 0 to `most` into `value`. */
  unsigned(most: u64): bool {
    return this.integer(most, false);
  }

  /** Reads a plain integer of 64 bits with sign into `value`. */
  signed(): bool {
    return this.integer(<u64>i64.MAX_VALUE, true);
  }

  /** Reads `true` or `false` into `value`. */
  boolean(): bool {
    const c = this.peek();
    if (c != 0x74 && c != 0x66) return this.wrongType();
    this.value = u64(c == 0x74);
    return this.literal(c);
  }

  /** Steps over `null` if that comes next. False also when it is misspelt: see `detail`. */
  nil(): bool {
    return this.peek() == 0x6e && this.literal(0x6e);
  }

  /** Reads an array of integers from 0 to 255, packed to bytes where it stands, into `ptr` and `bytes`. */
  byteArray(): bool {
    if (!this.enterArray()) return false;
    const start = this.at;
    let out = start;
    for (;;) {
      out = this.packedRun(out);
      if (!this.nextElement()) break;
      if (!this.unsigned(255)) return false;
      store<u8>(out++, <u8>this.value);
    }
    this.ptr = start;
    this.bytes = <u32>(out - start);
    return !this.detail;
  }

  /** Checks that only white space is left. */
  finish(): bool {
    return this.peek() == END || this.fault(Detail.TrailingData);
  }

  /** The fault for a token that may not stand here. */
  unexpected(): bool {
    return this.fault(this.peek() == END ? Detail.Eof : Detail.Syntax);
  }

  /** The fault for a value of another type; a scalar that is itself broken is reported as that. */
  wrongType(): bool {
    const c = this.peek();
    if (c != OPEN_OBJECT && c != OPEN_ARRAY && !this.scalar(c, true)) return false;
    return this.fault(Detail.WrongType);
  }

  /**
   * Steps over one value of any kind, checking syntax only: strings may hold broken UTF-8 and lone surrogates,
   * numbers may have any size. A stack of one bit a level tells objects (1) from arrays.
   */
  skip(): bool {
    const position = mark();
    const good = this.walk();
    release(position);
    return good;
  }

  private walk(): bool {
    let stack: u64 = 0;
    let depth: u32 = 0;
    do {
      const c = this.peek();
      if (c == OPEN_OBJECT || c == OPEN_ARRAY) {
        if (depth == DROPPED_MOST_DEPTH) return this.fault(Detail.LimitDepth);
        // @ts-ignore: constant of the build
        if (!LEAF && depth && !(depth & 63)) store<u64>(alloc(8), stack);
        depth++;
        stack = (stack << 1) | u64(c == OPEN_OBJECT);
        this.at++;
        if (this.peek() != c + TO_CLOSE) {
          if (c == OPEN_OBJECT && !this.droppedKey()) return false;
          continue;
        }
      } else if (!this.scalar(c, false)) return false;
      // A value has ended: so do all that it was the last of.
      while (depth) {
        const isObject = (<u32>stack) & 1;
        const next = this.peek();
        if (next == COMMA) {
          this.at++;
          if (isObject && !this.droppedKey()) return false;
          break;
        }
        if (next != (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return this.unexpected();
        this.at++;
        depth--;
        stack >>= 1;
        // @ts-ignore: constant of the build
        if (!LEAF && depth && !(depth & 63)) stack = pop();
      }
    } while (depth);
    return true;
  }

  /** A name inside a dropped object, and its colon. */
  private droppedKey(): bool {
    if (this.peek() != QUOTE) return this.unexpected();
    return this.string(false) && this.colon();
  }

  private colon(): bool {
    if (this.peek() != COLON) return this.unexpected();
    this.at++;
    return true;
  }

  private enter(open: u32): bool {
    if (this.peek() != open) return this.wrongType();
    this.at++;
    this.first = true;
    return true;
  }

  /** Steps over the comma before the next entry, or over `close`, which ends the entries. */
  private next(close: u32): bool {
    const first = this.first;
    this.first = false;
    const c = this.peek();
    if (c == close) {
      this.at++;
      return false;
    }
    if (first) return true;
    if (c != COMMA) return this.unexpected();
    this.at++;
    return true;
  }

  /** Any scalar, whose first byte is `c`. */
  private scalar(c: u32, strict: bool): bool {
    if (c == QUOTE) return this.string(strict);
    if (c == MINUS || isDigit(c)) {
      if (!this.number(strict)) return false;
      // @ts-ignore: constant of the build
      if (!LEAF && strict && beyondDouble(this.ptr, this.bytes)) return this.fault(Detail.NumberOutOfRange);
      return true;
    }
    return this.literal(c);
  }

  /** The literal that begins with `c`. */
  private literal(c: u32): bool {
    const from: u32 = c == 0x6e ? NULL_AT : c == 0x74 ? TRUE_AT : c == 0x66 ? FALSE_AT : END;
    if (from == END) return this.unexpected();
    const bytes: u32 = from == FALSE_AT ? 5 : 4;
    for (let i: u32 = 0; i < bytes; i++) {
      if (this.at == this.end) return this.fault(Detail.Eof);
      if (load<u8>(this.at++) != load<u8>(LITERALS + from + i)) return this.fault(Detail.Syntax);
    }
    return true;
  }

  /** Scans the string whose quote is at `at`, as it is written, into `ptr` and `bytes`. */
  private string(strict: bool): bool {
    const end = this.end;
    const start = this.at + 1;
    let at = start;
    let seen: u32 = 0;
    this.escaped = false;
    for (;;) {
      while (end - at >= 4) {
        const word = load<u32>(at);
        if (stops(word)) break;
        seen |= word;
        at += 4;
      }
      if (at >= end) return this.fault(Detail.Eof);
      const c = <u32>load<u8>(at);
      if (c == QUOTE) break;
      if (c < 0x20) return this.fault(Detail.RawControl);
      if (c == BACKSLASH) {
        this.escaped = true;
        at = this.escape(at, strict);
        if (!at) return false;
      } else {
        seen |= c;
        at++;
      }
    }
    this.at = at + 1;
    this.ptr = start;
    this.bytes = <u32>(at - start);
    // Escapes are ASCII, so the text is well formed exactly when it is so as written.
    if (strict && seen & 0x80808080 && !utf8Valid(start, this.bytes)) return this.fault(Detail.BadUtf8);
    return true;
  }

  /** Reads the escape at `at` into `codePoint`. Returns where it ends, or 0 on a fault. */
  private escape(at: usize, strict: bool): usize {
    if (this.end - at < 2) return <usize>this.fault(Detail.Eof);
    const letter = <u32>load<u8>(at, 1);
    if (letter == 0x75) return this.unicodeEscape(at, strict);
    for (let i: usize = 0; i < ESCAPES_BYTES; i += 2) {
      if (load<u8>(ESCAPES + i) == letter) {
        this.codePoint = load<u8>(ESCAPES + i, 1);
        return at + 2;
      }
    }
    return <usize>this.fault(Detail.BadEscape);
  }

  private unicodeEscape(at: usize, strict: bool): usize {
    let next = this.fourDigits(at + 2);
    const high = this.codePoint;
    if (!next || !strict || high >> 11 != 0x1b) return next;
    // D800 to DFFF: only a high half followed by an escaped low half is a character.
    if (high >= 0xdc00) return <usize>this.fault(Detail.BadSurrogate);
    for (let i: usize = 0; i < 2; i++) {
      if (next + i == this.end) return <usize>this.fault(Detail.Eof);
      if (load<u8>(next + i) != (i ? 0x75 : BACKSLASH)) return <usize>this.fault(Detail.BadSurrogate);
    }
    next = this.fourDigits(next + 2);
    const low = this.codePoint;
    if (next && low >> 10 != 0x37) return <usize>this.fault(Detail.BadSurrogate);
    this.codePoint = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
    return next;
  }

  /** Four hexadecimal digits at `at` into `codePoint`. Returns where they end, or 0 on a fault. */
  private fourDigits(at: usize): usize {
    if (this.end - at < 4) return <usize>this.fault(Detail.Eof);
    let value: u32 = 0;
    for (let i: usize = 0; i < 4; i++) {
      const digit = hexDigit(load<u8>(at + i));
      if (digit > 15) return <usize>this.fault(Detail.BadEscape);
      value = (value << 4) | digit;
    }
    this.codePoint = value;
    return at + 4;
  }

  /** Replaces the escapes of the string just scanned; the text only shrinks. */
  private unescape(): void {
    const end = this.ptr + this.bytes;
    let from = this.ptr;
    let to = from;
    while (from < end) {
      const c = <u32>load<u8>(from);
      if (c == BACKSLASH) {
        from = this.escape(from, true);
        to += utf8Encode(this.codePoint, to);
      } else {
        store<u8>(to++, c);
        from++;
      }
    }
    this.bytes = <u32>(to - this.ptr);
  }

  /** Scans a number into `ptr` and `bytes` and tells in `integral` whether it is a plain integer. */
  private number(strict: bool): bool {
    const start = this.at;
    if (load<u8>(start) == MINUS) this.at++;
    const lead = this.here();
    if (!this.digits(strict)) return false;
    if (lead == 0x30 && this.at - start != (load<u8>(start) == MINUS ? 2 : 1)) return this.fault(Detail.BadNumber);
    const integerEnd = this.at;
    if (this.here() == 0x2e) {
      this.at++;
      if (!this.digits(strict)) return false;
    }
    if ((this.here() | 0x20) == 0x65) {
      this.at++;
      const sign = this.here();
      if (sign == MINUS || sign == 0x2b) this.at++;
      if (!this.digits(strict)) return false;
    }
    this.ptr = start;
    this.bytes = <u32>(this.at - start);
    this.integral = this.at == integerEnd;
    return true;
  }

  /** The byte at hand, white space too, or END. */
  private here(): u32 {
    return this.at < this.end ? <u32>load<u8>(this.at) : END;
  }

  /** One digit or more. */
  private digits(strict: bool): bool {
    const start = this.at;
    while (isDigit(this.here())) this.at++;
    if (this.at > start) return true;
    return this.fault(strict && start == this.end ? Detail.Eof : Detail.BadNumber);
  }

  /**
   * Reads a plain integer. One that 64 bits can hold but the member cannot is out of range; one beyond, a
   * fraction, an exponent and minus zero are of another type (wire.md 6.3).
   */
  private integer(most: u64, negatives: bool): bool {
    const c = this.peek();
    if (c != MINUS && !isDigit(c)) return this.wrongType();
    if (!this.scalar(c, true)) return false;
    if (!this.integral) return this.fault(Detail.WrongType);
    const negative = c == MINUS;
    const end = this.ptr + this.bytes;
    let value: u64 = 0;
    for (let at = this.ptr + u32(negative); at < end; at++) {
      const digit = <u64>load<u8>(at) - 0x30;
      if (value > LAST_TENFOLD || (value == LAST_TENFOLD && digit > LAST_DIGIT)) return this.fault(Detail.WrongType);
      value = value * 10 + digit;
    }
    if (negative) {
      if (value == 0 || value > <u64>i64.MIN_VALUE) return this.fault(Detail.WrongType);
      if (!negatives) return this.fault(Detail.OutOfRange);
      value = -value;
    } else if (value > most) return this.fault(Detail.OutOfRange);
    this.value = value;
    return true;
  }

  /**
   * Packs elements of a byte array as far as they stand without white space and with another one behind: the
   * bulk of every real one. Anything else is left for the careful path.
   */
  private packedRun(out: usize): usize {
    const end = this.end;
    let at = this.at;
    // Past the first element a comma stands before the next one.
    if (!this.first) {
      if (this.here() != COMMA) return out;
      at++;
    }
    for (;;) {
      let next = at;
      let value: u32 = 0;
      let c: u32 = END;
      while (next < end) {
        c = load<u8>(next++);
        if (!isDigit(c) || next - at > 3) break;
        value = value * 10 + c - 0x30;
      }
      // `at` stays before this element unless it is one to three digits, without a leading zero, up to 255.
      const digits = next - at - 1;
      if (c != COMMA || digits == 0 || value > 255 || (digits > 1 && load<u8>(at) == 0x30)) break;
      store<u8>(out++, value);
      at = next;
      this.at = next - 1;
      this.first = false;
    }
    return out;
  }
}

/** Takes back the word that `alloc` handed out last. */
function pop(): u64 {
  const last = mark() - 8;
  const word = load<u64>(alloc(0) - 8);
  release(last);
  return word;
}

/**
 * Walks one JSON document that nobody keeps: the whole input, one value of any kind, checked as a dropped value is.
 *
 * @returns the detail of the first fault, or 0
 */
export function jsonDocument(ptr: usize, bytes: u32): u32 {
  const position = mark();
  const reader = changetype<JsonReader>(alloc(offsetof<JsonReader>()));
  reader.over(ptr, bytes);
  if (reader.skip()) reader.finish();
  const detail = reader.detail;
  release(position);
  return detail;
}
