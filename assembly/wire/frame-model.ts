// A message (wire.md section 1). Its texts and bytes stay where they were decoded or built: a frame owns nothing.
import { base64Encode, base64Length } from "../bytes/base64";
import { Span } from "../bytes/span";
import { alloc } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Kind } from "../runtime/status";
import { DEFAULT_TTL } from "./limits";
import { metadataFind } from "./metadata";
import { PRIORITY_MEDIUM } from "./names";
import { Member } from "./schema";
import { SLOT_BYTES } from "./structure";

/**
 * The fields up to `replyContextBytes` are the slots of the table MESSAGE, eight bytes a member in its order. An
 * optional member is absent when its pointer is 0; an empty one has a pointer.
 */
@unmanaged
export class Frame {
  /** 16 bytes in textual order. */
  idPtr: usize;
  idBytes: u32;
  senderPtr: usize;
  senderBytes: u32;
  recipientPtr: usize;
  recipientBytes: u32;
  appIdPtr: usize;
  appIdBytes: u32;
  /** 0 low, 1 medium, 2 high, 3 critical. */
  priority: u32;
  private priorityHigh: u32;
  ttl: u32;
  private ttlHigh: u32;
  hopCount: u32;
  private hopCountHigh: u32;
  /** Milliseconds since 1970, for display only. */
  timestamp: i64;
  /** At most 2^63 - 1 after decoding. */
  lamport: u64;
  /** 0 to 8 (names.ts). */
  contentType: u32;
  private contentTypeHigh: u32;
  /** The content, or its head while `tailPtr` is not 0; see `frameContent`. */
  contentPtr: usize;
  contentBytes: u32;
  binaryPtr: usize;
  binaryBytes: u32;
  /** JSON of `media_metadata`; in the leaf build only its presence means anything after decoding. */
  mediaPtr: usize;
  mediaBytes: u32;
  /** Entries as metadata.ts has them. */
  metadataPtr: usize;
  metadataBytes: u32;
  requiresAck: u32;
  private requiresAckHigh: u32;
  /** 16 bytes. */
  replyToPtr: usize;
  replyToBytes: u32;
  /** JSON of `forwarded_from`, as for media. */
  forwardPtr: usize;
  forwardBytes: u32;
  /** JSON of `reply_context`, as for media. */
  replyContextPtr: usize;
  replyContextBytes: u32;

  /** Raw bytes whose base64 follows the content; 0 when the content is whole. */
  tailPtr: usize;
  tailBytes: u32;
  /** Bytes that the frame took of its input; a binary frame may be followed by others, which are ignored. */
  consumedBytes: u32;
  /** After a refusal: structure (0 message, 1 media, 2 forward, 3 reply context) in bits 8 up, member in bits 0 to 7. */
  fault: u32;
  /** After a refusal: offset in the input where reading stopped. */
  faultAt: u32;
}

/** A message with the defaults of section 1: medium, ttl 8, text, acknowledgement wanted, all else empty. */
export function frameCreate(): Frame {
  const frame = changetype<Frame>(alloc(offsetof<Frame>()));
  frameReset(frame);
  frame.ttl = DEFAULT_TTL;
  frame.priority = PRIORITY_MEDIUM;
  return frame;
}

/** Clears a frame before it is decoded into. */
export function frameReset(frame: Frame): void {
  memory.fill(changetype<usize>(frame), 0, offsetof<Frame>());
  frame.requiresAck = 1;
}

/** Slot of a member. */
// @ts-ignore: decorator
@inline export function slotOf(frame: Frame, member: Member): usize {
  return changetype<usize>(frame) + member * SLOT_BYTES;
}

/** Refuses a frame: kind MalformedFrame, with the detail for the log and the place in the frame. */
export function refuse(frame: Frame, detail: u32, structure: u32, member: u32, at: u32): i32 {
  frame.fault = (structure << 8) | member;
  frame.faultAt = at;
  return detail ? fail(Kind.MalformedFrame, detail) : OK;
}

/** Finds a metadata value by key. False when there is none. */
export function frameMetadata(frame: Frame, key: usize, keyBytes: u32, value: Span): bool {
  return metadataFind(frame.metadataPtr, frame.metadataBytes, key, keyBytes, value);
}

/** Makes the content whole: the head and the base64 of the tail, in the arena (wire.md 5.1). */
export function frameContent(frame: Frame): void {
  if (!frame.tailPtr) return;
  const whole = alloc(frame.contentBytes + base64Length(frame.tailBytes));
  memory.copy(whole, frame.contentPtr, frame.contentBytes);
  frame.contentBytes += base64Encode(frame.tailPtr, frame.tailBytes, whole + frame.contentBytes);
  frame.contentPtr = whole;
  frame.tailPtr = 0;
  frame.tailBytes = 0;
}
