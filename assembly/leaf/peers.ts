// The peers of the device: a record for each, in numbered slots.
import { make } from "../mls/structure";
import { equal } from "../bytes/compare";
import { alloc, mark, release } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { ABSENT, UNREADABLE, journalFind, journalLoad, txDelete, txPut } from "../store/journal";
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressFormat } from "../wire/address";
import { ENV_VERSIONS_KEPT, Key, PART_KINDS, PEER_SLOTS } from "./limits";

/** The peer decodes binary frames (`wire_versions` has 1). */
export const PEER_WIRE_V1: u32 = 1;
/** The peer reads compact envelopes (`env_versions` has 1). */
export const PEER_ENVELOPE_V1: u32 = 2;
/** The peer had a session once. */
export const PEER_ESTABLISHED: u32 = 4;
/** A commit made the group something else than this pair: nothing is sealed, opened or promised any more. */
export const PEER_NO_PAIR: u32 = 8;

// The record: hash 20, order u32, last reset i64, last join i64 (both milliseconds), flags u8, env_versions (the rest).
const ORDER: usize = 20;
const LAST_RESET: usize = 24;
const LAST_JOIN: usize = 32;
const FLAGS: usize = 40;
const ENV_VERSIONS: usize = 41;
const RECORD_MIN_BYTES: u32 = 41;
const RECORD_MAX_BYTES: u32 = RECORD_MIN_BYTES + ENV_VERSIONS_KEPT;

/** One peer, loaded. */
@unmanaged
export class Peer {
  slot: u32;
  /** RECORD_MAX_BYTES bytes, of which `bytes` count. */
  record: usize;
  bytes: u32;

  /** ADDRESS_HASH_BYTES bytes. */
  hash(): usize {
    return this.record;
  }

  key(kind: u32): u32 {
    return (kind << 8) | this.slot;
  }

  /** Position among the peers, oldest first. */
  order(): u32 {
    return load<u32>(this.record, ORDER);
  }

  /** Stamp of the newest reset that was acted on, milliseconds; 0 before the first. */
  lastReset(): i64 {
    return load<i64>(this.record, LAST_RESET);
  }

  /**
   * Stamp of the newest Welcome that was joined. A frame that said "no session" before it is late, not news.
   */
  lastJoin(): i64 {
    return load<i64>(this.record, LAST_JOIN);
  }

  has(flag: u32): bool {
    return (load<u8>(this.record, FLAGS) & flag) != 0;
  }

  set(flag: u32, value: bool): void {
    const flags = (<u32>load<u8>(this.record, FLAGS)) & ~flag;
    store<u8>(this.record, value ? flags | flag : flags, FLAGS);
  }

  envVersions(): usize {
    return this.record + ENV_VERSIONS;
  }

  envVersionsBytes(): u32 {
    return this.bytes - RECORD_MIN_BYTES;
  }

  setLastReset(stampMs: i64): void {
    store<i64>(this.record, stampMs, LAST_RESET);
  }

  setLastJoin(stampMs: i64): void {
    store<i64>(this.record, stampMs, LAST_JOIN);
  }

  /** Replaces what the peer said it can read. */
  setEnvVersions(ptr: usize, bytes: u32): void {
    const kept = min(bytes, ENV_VERSIONS_KEPT);
    memory.copy(this.record + ENV_VERSIONS, ptr, kept);
    this.bytes = RECORD_MIN_BYTES + kept;
  }

  /** Stages the record. */
  put(): void {
    txPut(this.key(Key.Peer), this.record, this.bytes);
  }
}

/** What `peerFind` found. */
export const enum Lookup {
  Found,
  Absent,
  /** Not among the readable records, and one record cannot be read. */
  Unreadable,
}

function newPeer(slot: u32): Peer {
  const peer = make<Peer>();
  peer.record = alloc(RECORD_MAX_BYTES);
  peer.slot = slot;
  peer.bytes = RECORD_MIN_BYTES;
  return peer;
}

/** The record of `slot`; `bytes` below RECORD_MIN_BYTES is ABSENT or UNREADABLE. */
function loadInto(peer: Peer, slot: u32): i32 {
  peer.slot = slot;
  const bytes = journalLoad(peer.key(Key.Peer), peer.record, RECORD_MAX_BYTES);
  if (bytes >= 0 && <u32>bytes < RECORD_MIN_BYTES) return UNREADABLE;
  peer.bytes = bytes;
  return bytes;
}

/** An empty peer to look others up with. */
export function peerRoom(): Peer {
  return newPeer(0);
}

/** Finds the peer with this address hash. `peer` holds its record only when it was found. */
export function peerFind(hash: usize, peer: Peer): Lookup {
  let result = Lookup.Absent;
  for (let slot: u32 = 0; slot < PEER_SLOTS; slot++) {
    const bytes = loadInto(peer, slot);
    if (bytes == UNREADABLE) result = Lookup.Unreadable;
    else if (bytes != ABSENT && equal(peer.hash(), hash, ADDRESS_HASH_BYTES)) return Lookup.Found;
  }
  return result;
}

/** Whether the slot's session is on flash, readable or not. */
export function slotHasSession(slot: u32): bool {
  return journalFind((Key.FirstPart << 8) | slot) != ABSENT;
}

/** Stages the erasure of everything that belongs to a slot, from `kind` on. */
export function slotErase(slot: u32, kind: u32): void {
  for (; kind < <u32>Key.FirstPart + PART_KINDS; kind++) {
    const key = (kind << 8) | slot;
    if (journalFind(key) != ABSENT) txDelete(key);
  }
}

/**
 * Makes a record for a new peer, staged. When `limit` peers are known the first of them without a session is
 * forgotten; a record that cannot be read can never be found again and goes before all others.
 *
 * @param peer  receives the new record
 * @returns OK, or TooManyPeers when all have sessions
 */
export function peerAdmit(hash: usize, limit: u32, peer: Peer): i32 {
  let known: u32 = 0;
  let free = PEER_SLOTS;
  let victim = PEER_SLOTS;
  let victimOrder: u32 = 0;
  let order: u32 = 0;
  for (let slot: u32 = 0; slot < PEER_SLOTS; slot++) {
    const bytes = loadInto(peer, slot);
    if (bytes == ABSENT) {
      if (free == PEER_SLOTS) free = slot;
      continue;
    }
    known += 1;
    const own: u32 = bytes == UNREADABLE ? 0 : peer.order();
    order = max(order, own + 1);
    if (bytes != UNREADABLE && slotHasSession(slot)) continue;
    if (victim != PEER_SLOTS && own >= victimOrder) continue;
    victim = slot;
    victimOrder = own;
  }
  if (known >= limit || free == PEER_SLOTS) {
    if (victim == PEER_SLOTS) return fail(Kind.TooManyPeers, Detail.PeersFull);
    slotErase(victim, Key.Peer);
    free = victim;
  }
  memory.fill(peer.record, 0, RECORD_MAX_BYTES);
  peer.slot = free;
  peer.bytes = RECORD_MIN_BYTES;
  memory.copy(peer.record, hash, ADDRESS_HASH_BYTES);
  store<u32>(peer.record, order, ORDER);
  peer.put();
  return OK;
}

/** Stages the erasure of every peer whose record cannot be read. */
export function eraseUnreadable(): void {
  const before = mark();
  const peer = newPeer(0);
  for (let slot: u32 = 0; slot < PEER_SLOTS; slot++) {
    if (loadInto(peer, slot) == UNREADABLE) slotErase(slot, Key.Peer);
  }
  release(before);
}

/** What `peerList` sorts: order u32, hash. */
const LISTED_BYTES: u32 = 4 + ADDRESS_HASH_BYTES;

/** Writes the addresses of all readable peers, oldest first, and returns their length in bytes. */
export function peerList(out: usize): u32 {
  const peer = newPeer(0);
  const table = alloc(PEER_SLOTS * LISTED_BYTES);
  let end = table;
  for (let slot: u32 = 0; slot < PEER_SLOTS; slot++) {
    if (loadInto(peer, slot) < 0) continue;
    store<u32>(end, peer.order());
    memory.copy(end + 4, peer.hash(), ADDRESS_HASH_BYTES);
    end += LISTED_BYTES;
  }
  let bytes: u32 = 0;
  for (; end > table; bytes += ADDRESS_BYTES) {
    let next = table;
    for (let at = table; at < end; at += LISTED_BYTES) if (load<u32>(at) < load<u32>(next)) next = at;
    addressFormat(next + 4, out + bytes);
    end -= LISTED_BYTES;
    memory.copy(next, end, LISTED_BYTES);
  }
  return bytes;
}
