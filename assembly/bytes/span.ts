// A stretch of bytes that something else owns.

@unmanaged
export class Span {
  ptr: usize;
  bytes: u32;
}
