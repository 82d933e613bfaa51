// A cursor that writes into a fixed buffer: a write past the end sets `failed` and writes nothing more.

@unmanaged
export class Writer {
  start: usize;
  at: usize;
  end: usize;
  failed: bool;

  /** Points the cursor at a buffer of `bytes` bytes. */
  over(ptr: usize, bytes: u32): void {
    this.start = ptr;
    this.at = ptr;
    this.end = ptr + bytes;
    this.failed = false;
  }

  /** Bytes written so far. */
  written(): u32 {
    return <u32>(this.at - this.start);
  }

  /** Claims `bytes` bytes and returns where they begin, or 0 when they do not fit. */
  claim(bytes: u32): usize {
    if (this.failed || bytes > <u32>(this.end - this.at)) {
      this.failed = true;
      return 0;
    }
    const at = this.at;
    this.at = at + bytes;
    return at;
  }

  u8(value: u32): void {
    const at = this.claim(1);
    if (at) store<u8>(at, value);
  }

  /** Big endian. */
  u16(value: u32): void {
    const at = this.claim(2);
    if (at) store<u16>(at, bswap<u16>(<u16>value));
  }

  /** Big endian. */
  u32(value: u32): void {
    const at = this.claim(4);
    if (at) store<u32>(at, bswap<u32>(value));
  }

  /** Big endian. */
  u64(value: u64): void {
    const at = this.claim(8);
    if (at) store<u64>(at, bswap<u64>(value));
  }

  /** Little endian. */
  u32le(value: u32): void {
    const at = this.claim(4);
    if (at) store<u32>(at, value);
  }

  /** Little endian. */
  u64le(value: u64): void {
    const at = this.claim(8);
    if (at) store<u64>(at, value);
  }

  bytes(ptr: usize, count: u32): void {
    const at = this.claim(count);
    if (at) memory.copy(at, ptr, count);
  }
}
