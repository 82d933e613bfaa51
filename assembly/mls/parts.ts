// A group as the store keeps it: seven parts, so that an operation writes only what it changed.
import { Reader } from "../bytes/reader";
import { Writer } from "../bytes/writer";
import { Group, KEY_PREFIX_BYTES, SPENT_REFERENCE_BYTES } from "./group";
import { HASH_BYTES, KEY_BYTES, MAX_SKIPPED } from "./limits";
import { roomForSkipped, SKIPPED_BYTES } from "./ratchet";
import { newReceiver, Receiver } from "./receiver";
import { make } from "./structure";

// Only a pair is stored: us and one peer at leaves 0 and 1. The group id and both addresses are the caller's to know.

/** The parts. Those of an epoch lie in slot `epoch % EPOCH_SLOTS`, all others in one place. */
export const enum Part {
  /** What a join fixed: own leaf, leaf private key, peer's signature key, spent reference. */
  Member = 0,
  /** The current epoch's number, init secret and interim transcript hash. */
  Head = 1,
  /** Own send ratchet. */
  Send = 2,
  /** Handshake ratchet of the peer in the current epoch. */
  Handshake = 3,
  /** Of an epoch: context and sender data secret. */
  Epoch = 4,
  /** Of an epoch: the peer's application ratchet, or the secret tree node that it and the handshake ratchet grow from. */
  Receive = 5,
  /** Of an epoch: keys of skipped generations. */
  Skipped = 6,
}

/** Number of parts. */
export const PARTS: u32 = 7;
/** Largest part. */
export const PART_MAX_BYTES: u32 = MAX_SKIPPED * SKIPPED_BYTES;

/** Longest number at the end of a part. */
const NUMBER_MAX_BYTES: u32 = 8;

/** Whether a part lies in the slot of its epoch. */
export function isPerEpoch(part: u32): bool {
  return part >= <u32>Part.Epoch;
}

/** The dirty mask with every part. */
export function allParts(): u32 {
  return (1 << PARTS) - 1;
}

/** Moves fields between a group and the bytes of a part, whichever way: one list of fields serves both. */
@unmanaged
class PartCursor {
  writes: bool;
  reader: Reader = changetype<Reader>(0);
  writer: Writer = changetype<Writer>(0);

  /** `bytes` bytes at `ptr`. */
  field(ptr: usize, bytes: u32): void {
    if (this.writes) return this.writer.bytes(ptr, bytes);
    const at = this.reader.take(bytes);
    if (!this.reader.failed) memory.copy(ptr, at, bytes);
  }

  /**
   * A number in as few bytes as it needs, none for 0. It ends its part, so its length is known.
   *
   * @returns the number that the part has
   */
  number(value: u64): u64 {
    if (this.writes) {
      for (let rest = value; rest; rest >>= 8) this.writer.u8((<u32>rest) & 0xff);
      return value;
    }
    const reader = this.reader;
    if (reader.left() > NUMBER_MAX_BYTES) reader.failed = true;
    value = 0;
    while (reader.end > reader.at) value = (value << 8) | load<u8>(--reader.end);
    return value;
  }
}

/** The peer's receiver, made on first use. */
function peerReceiver(group: Group): Receiver {
  const known = group.receiver(group.peerLeaf());
  if (known) return known;
  const made = newReceiver();
  group.setReceiver(group.peerLeaf(), made);
  return made;
}

function exchange(group: Group, part: u32, cursor: PartCursor): void {
  switch (part) {
    case Part.Member: {
      cursor.field(group.privateKeys, KEY_BYTES);
      cursor.field(group.peerSignatureKey, KEY_BYTES);
      cursor.field(group.spentReference, SPENT_REFERENCE_BYTES);
      const number = cursor.number((group.notBefore << 1) | group.ownLeaf);
      group.notBefore = number >> 1;
      group.ownLeaf = (<u32>number) & 1;
      group.heldKeys |= 1;
      break;
    }
    case Part.Head: {
      cursor.field(group.initSecret, HASH_BYTES);
      cursor.field(group.interimTranscriptHash, HASH_BYTES);
      cursor.field(group.peerKeyPrefix, KEY_PREFIX_BYTES);
      group.epoch = cursor.number(group.epoch);
      break;
    }
    case Part.Send: {
      cursor.field(group.send.secret, HASH_BYTES);
      group.send.generation = <u32>cursor.number(group.send.generation);
      break;
    }
    case Part.Handshake: {
      const receiver = peerReceiver(group);
      if (receiver.split || !cursor.writes) cursor.field(receiver.handshake.secret, HASH_BYTES);
      break;
    }
    case Part.Epoch: {
      const context = group.context;
      cursor.field(context.treeHash, HASH_BYTES);
      cursor.field(context.confirmedTranscriptHash, HASH_BYTES);
      cursor.field(group.senderDataSecret, HASH_BYTES);
      context.epoch = cursor.number(context.epoch);
      group.inView = true;
      break;
    }
    case Part.Receive: {
      // 0 for the secret tree node that nothing was derived from yet, else the next generation plus 1.
      const receiver = peerReceiver(group);
      cursor.field(receiver.application.secret, HASH_BYTES);
      const state = cursor.number(receiver.split ? <u64>receiver.application.generation + 1 : 0);
      receiver.split = state != 0;
      if (receiver.split) receiver.application.generation = <u32>(state - 1);
      break;
    }
    default: {
      const ratchet = peerReceiver(group).application;
      roomForSkipped(ratchet);
      if (!cursor.writes) ratchet.skippedCount = min(cursor.reader.left() / SKIPPED_BYTES, MAX_SKIPPED);
      cursor.field(ratchet.skipped, ratchet.skippedCount * SKIPPED_BYTES);
    }
  }
}

/**
 * Writes one part of a pair's group.
 *
 * @param out  takes PART_MAX_BYTES
 * @returns bytes written; 0: the part is to be deleted from the store
 */
export function groupEncode(group: Group, part: u32, out: usize): u32 {
  const cursor = make<PartCursor>();
  cursor.writes = true;
  cursor.writer = make<Writer>();
  cursor.writer.over(out, PART_MAX_BYTES);
  exchange(group, part, cursor);
  return cursor.writer.written();
}

/**
 * Takes one stored part into a group that `groupBegin` made ready; Member comes first. A part that the store does not
 * have is left out.
 *
 * @returns false when the bytes are not such a part
 */
export function groupDecode(group: Group, part: u32, ptr: usize, bytes: u32): bool {
  const cursor = make<PartCursor>();
  cursor.reader = make<Reader>();
  cursor.reader.over(ptr, bytes);
  exchange(group, part, cursor);
  return cursor.reader.finished();
}
