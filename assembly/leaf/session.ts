// The session with a peer: an MLS group of two, its parts on flash, and what may be done with it.
import { equal } from "../bytes/compare";
import { alloc, mark, release } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { Group, Identity, groupBegin, groupMembers, isMember, memberIdentity, memberIdentityBytes, memberSignatureKey } from "../mls/group";
import { EPOCH_SLOTS } from "../mls/limits";
import { PART_MAX_BYTES, PARTS, Part, allParts, groupDecode, groupEncode, isPerEpoch } from "../mls/parts";
import { Ratchet, SKIPPED_BYTES, roomForSkipped } from "../mls/ratchet";
import { welcomeJoin } from "../mls/welcome";
import { SESSION_ID_BYTES, sessionId } from "../sealed/session-id";
import { ABSENT, journalFind, journalLoad, txDelete, txPut } from "../store/journal";
import { ADDRESS_BYTES, addressFormat, addressFromKey } from "../wire/address";
import { OWN_HASH } from "./device";
import { Key } from "./limits";
import { joinImported } from "./imported";
import { Package } from "./packages";
import { PEER_NO_PAIR, Peer } from "./peers";

/** Journal key of a part of the group of a slot; `epoch` matters for parts of an epoch. */
function partKey(slot: u32, part: u32, epoch: u64): u32 {
  let kind = <u32>Key.FirstPart + part;
  if (isPerEpoch(part)) kind += (part - Part.Epoch) * (EPOCH_SLOTS - 1) + (<u32>epoch & (EPOCH_SLOTS - 1));
  return (kind << 8) | slot;
}

/** Whether a session with the peer is on flash, readable or not. */
export function slotHasSession(slot: u32): bool {
  return journalFind(partKey(slot, Part.Member, 0)) != ABSENT;
}

/** A group for the pair of us and `peer`, ready for a join or for its parts. */
export function sessionGroup(peer: Peer, identity: Identity): Group {
  const group = new Group();
  const id = alloc(SESSION_ID_BYTES);
  const address = alloc(ADDRESS_BYTES);
  sessionId(OWN_HASH, peer.hash(), id);
  addressFormat(peer.hash(), address);
  groupBegin(group, identity, id, SESSION_ID_BYTES, address);
  return group;
}

/** Loads one part. OK or Storage. */
function loadPart(peer: Peer, group: Group, part: u32, epoch: u64, buffer: usize): i32 {
  const bytes = journalLoad(partKey(peer.slot, part, epoch), buffer, PART_MAX_BYTES);
  if (bytes == ABSENT) return OK;
  if (bytes < 0 || !groupDecode(group, part, buffer, bytes)) return fail(Kind.Storage, Detail.SessionUnreadable);
  return OK;
}

/** Largest part but Skipped. */
const SMALL_PART_BYTES: u32 = 112;

/** What a group is loaded for. */
export const enum Purpose {
  /** To see that it is there and whole. */
  Promise,
  Seal,
  Open,
}

/** Whether `purpose` takes a part; Member, Head and Epoch are always taken. */
function isNeeded(part: u32, purpose: Purpose): bool {
  if (part == Part.Send) return purpose == Purpose.Seal;
  return part <= <u32>Part.Head || part == Part.Epoch || purpose == Purpose.Open;
}

/**
 * Loads the session with `peer`. That it is a pair was judged when it was joined and at each commit, so what is stored
 * is one, or is marked (leaf.md 5.3, 4 and 5).
 *
 * @param group   of `sessionGroup`
 * @param wanted  epoch of the message to open; for other purposes the current one is taken
 * @returns OK, NoSession, Storage, or IdentityBinding
 */
export function sessionLoad(peer: Peer, group: Group, purpose: Purpose, wanted: u64): i32 {
  if (!slotHasSession(peer.slot)) return fail(Kind.NoSession, Detail.None);
  if (peer.has(PEER_NO_PAIR)) return fail(Kind.IdentityBinding, Detail.NoPair);
  for (let part: u32 = 0; part < <u32>Part.Skipped; part++) {
    if (!isNeeded(part, purpose)) continue;
    const key = partKey(peer.slot, part, purpose == Purpose.Open ? wanted : group.epoch);
    const bytes = journalFind(key);
    // Not every part exists: nothing was skipped, or the epoch of the message is not held.
    if (bytes == ABSENT && part > <u32>Part.Send) continue;
    if (bytes < 0 || <u32>bytes > SMALL_PART_BYTES) return fail(Kind.Storage, Detail.SessionUnreadable);
    const value = alloc(bytes);
    if (journalLoad(key, value, bytes) != bytes || !groupDecode(group, part, value, bytes)) {
      return fail(Kind.Storage, Detail.SessionUnreadable);
    }
  }
  return purpose == Purpose.Open ? loadSkipped(peer, group, wanted) : OK;
}

/** The application ratchet that opens the peer's messages, null when the epoch in view is not held. */
function peerRatchet(group: Group): Ratchet | null {
  const receiver = group.receiver(group.peerLeaf());
  return receiver ? receiver.application : null;
}

/** Loads the keys of skipped generations, up to a kilobyte, to where they are used. */
function loadSkipped(peer: Peer, group: Group, epoch: u64): i32 {
  const key = partKey(peer.slot, Part.Skipped, epoch);
  const bytes = journalFind(key);
  const ratchet = peerRatchet(group);
  if (bytes == ABSENT || !ratchet) return OK;
  roomForSkipped(ratchet);
  if (journalLoad(key, ratchet.skipped, PART_MAX_BYTES) < 0) return fail(Kind.Storage, Detail.SessionUnreadable);
  ratchet.skippedCount = <u32>bytes / SKIPPED_BYTES;
  return OK;
}

/** Stages the keys of skipped generations from where they are. */
function storeSkipped(key: u32, group: Group): void {
  const ratchet = peerRatchet(group);
  if (ratchet && ratchet.skippedCount) txPut(key, ratchet.skipped, ratchet.skippedCount * SKIPPED_BYTES);
  else txDelete(key);
}

/** Stages the parts that the last operation changed. */
export function sessionStore(peer: Peer, group: Group): void {
  for (let part: u32 = 0; part < PARTS; part++) {
    if (!(group.dirty & (1 << part))) continue;
    const key = partKey(peer.slot, part, group.context.epoch);
    if (part == <u32>Part.Skipped) {
      storeSkipped(key, group);
      continue;
    }
    const value = alloc(SMALL_PART_BYTES);
    const bytes = groupEncode(group, part, value);
    if (bytes) txPut(key, value, bytes);
    else txDelete(key);
  }
}

/** A part that is carried over a join: its length, its bytes. */
const CARRIED_BYTES: u32 = 8 + SMALL_PART_BYTES;

/**
 * Joins a group. All that joining took of the arena is given back: the group is made again from its parts.
 *
 * @param group  of `sessionGroup`, filled on success, with all parts to store
 * @returns OK; Mls; IdentityBinding when it is not the pair
 */
export function sessionJoin(peer: Peer, group: Group, item: Package, welcome: usize, bytes: u32): i32 {
  const carried = alloc(Part.Skipped * CARRIED_BYTES);
  const before = mark();
  const joining = sessionGroup(peer, group.identity);
  let status: i32;
  // @ts-ignore: constant of the build
  if (!LEAF && item.imported) status = joinImported(welcome, bytes, joining, item);
  else status = welcomeJoin(welcome, bytes, joining, item.seed(), item.reference(), item.notBefore());
  if (status == OK && !isPair(joining)) status = fail(Kind.IdentityBinding, Detail.NoPair);
  // Nothing was skipped yet.
  for (let part: u32 = 0; status == OK && part < <u32>Part.Skipped; part++) {
    const at = carried + part * CARRIED_BYTES;
    store<u32>(at, groupEncode(joining, part, at + 8));
  }
  release(before);
  if (status != OK) return status;
  for (let part: u32 = 0; part < <u32>Part.Skipped; part++) {
    const at = carried + part * CARRIED_BYTES;
    if (load<u32>(at)) groupDecode(group, part, at + 8, load<u32>(at));
  }
  group.dirty = allParts() & ~(1 << Part.Skipped);
  return OK;
}

/** Whether member `leaf` has this address, and the key that it comes from. */
function isMemberAt(group: Group, leaf: u32, address: usize): bool {
  if (!isMember(group, leaf) || memberIdentityBytes(group, leaf) != ADDRESS_BYTES) return false;
  const derived = alloc(ADDRESS_BYTES);
  addressFromKey(memberSignatureKey(group, leaf), derived);
  return equal(derived, address, ADDRESS_BYTES) && equal(memberIdentity(group, leaf), address, ADDRESS_BYTES);
}

/** The roster rule (leaf.md 5.3, 5): two members, we and the peer, each with the key of its address. */
export function isPair(group: Group): bool {
  return groupMembers(group) == 2
    && isMemberAt(group, group.ownLeaf, group.identity.address)
    && isMemberAt(group, group.peerLeaf(), group.peerAddress);
}
