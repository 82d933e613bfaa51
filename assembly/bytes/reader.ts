// A cursor over bytes that cannot leave them: a read past the end sets `failed`, yields 0 and stays failed.

@unmanaged
export class Reader {
  at: usize;
  end: usize;
  failed: bool;

  /** Points the cursor at `bytes` bytes from `ptr`. */
  over(ptr: usize, bytes: u32): void {
    this.at = ptr;
    this.end = ptr + bytes;
    this.failed = false;
  }

  /** Bytes not yet read. */
  left(): u32 {
    return <u32>(this.end - this.at);
  }

  /** Everything was read and nothing was missing. */
  finished(): bool {
    return !this.failed && this.at == this.end;
  }

  /** Steps over `bytes` bytes and returns where they begin; on a short input fails and returns the end. */
  take(bytes: u32): usize {
    if (this.failed || bytes > this.left()) {
      this.failed = true;
      this.at = this.end;
      return this.end;
    }
    const at = this.at;
    this.at = at + bytes;
    return at;
  }

  u8(): u32 {
    const at = this.take(1);
    return this.failed ? 0 : load<u8>(at);
  }

  /** Big endian. */
  u16(): u32 {
    const at = this.take(2);
    return this.failed ? 0 : <u32>bswap<u16>(load<u16>(at));
  }

  /** Big endian. */
  u32(): u32 {
    const at = this.take(4);
    return this.failed ? 0 : bswap<u32>(load<u32>(at));
  }

  /** Big endian. */
  u64(): u64 {
    const at = this.take(8);
    return this.failed ? 0 : bswap<u64>(load<u64>(at));
  }

  /** Little endian. */
  u32le(): u32 {
    const at = this.take(4);
    return this.failed ? 0 : load<u32>(at);
  }

  /** Little endian. */
  u64le(): u64 {
    const at = this.take(8);
    return this.failed ? 0 : load<u64>(at);
  }
}
