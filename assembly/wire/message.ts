// The model of a message (wire.md section 1). Fields lie in the order of `Member`, eight bytes each, so that the tables of
// schema.ts can read and write them as slots. Pointers lead into the input or the arena.

@unmanaged
export class Frame {
  /** 16 bytes. */
  idPtr: usize;
  idBytes: u32;
  senderPtr: usize;
  senderBytes: u32;
  recipientPtr: usize;
  recipientBytes: u32;
  appIdPtr: usize;
  appIdBytes: u32;
  priority: u64;
  ttl: u64;
  hopCount: u64;
  /** Milliseconds since 1970; anyone can rewrite it. */
  timestamp: i64;
  lamport: u64;
  contentType: u64;
  /** Without the tail, as long as `tailBytes` is not 0. */
  contentPtr: usize;
  contentBytes: u32;
  binaryContentPtr: usize;
  binaryContentBytes: u32;
  /** Compact JSON (member and test builds; the device checks it and keeps nothing). */
  mediaPtr: usize;
  mediaBytes: u32;
  /** Entries of metadata.ts. */
  metadataPtr: usize;
  metadataBytes: u32;
  requiresAck: u64;
  replyToPtr: usize;
  replyToBytes: u32;
  forwardPtr: usize;
  forwardBytes: u32;
  replyContextPtr: usize;
  replyContextBytes: u32;
  /** Base64 tail of the content that a binary frame split off, as the bytes that it stands for (frameContent puts it back). */
  tailPtr: usize;
  tailBytes: u32;
  /** A bit for each member that is there, by place; members that a message always has need none. */
  present: u32;
  /** Bytes of the input that the frame took; a binary frame ignores what follows. */
  consumed: u32;
  /** Member that `detail` of a refusal is about, for the log: its place, plus one. */
  faultMember: u32;
}

/** Members that every message has: 1 to 11, metadata, requires_ack. */
export const ALWAYS_PRESENT: u32 = 0x67ff;
