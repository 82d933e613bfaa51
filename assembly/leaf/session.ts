// The session with a peer: an MLS group of two, its parts on flash, and what may be done with it.
import { equal } from "../bytes/compare";
import { alloc } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { Group, Identity, groupBegin, groupMembers, isMember, memberIdentity, memberIdentityBytes, memberSignatureKey } from "../mls/group";
import { EPOCH_SLOTS } from "../mls/limits";
import { PART_MAX_BYTES, PARTS, Part, groupDecode, groupEncode, isPerEpoch } from "../mls/parts";
import { SESSION_ID_BYTES, sessionId } from "../sealed/session-id";
import { ABSENT, journalFind, journalLoad, txDelete, txPut } from "../store/journal";
import { ADDRESS_BYTES, addressFormat, addressFromKey } from "../wire/address";
import { OWN_HASH } from "./device";
import { Key } from "./limits";
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
  const buffer = alloc(PART_MAX_BYTES);
  for (let part: u32 = 0; part < PARTS; part++) {
    if (!isNeeded(part, purpose)) continue;
    const bytes = journalLoad(partKey(peer.slot, part, purpose == Purpose.Open ? wanted : group.epoch), buffer, PART_MAX_BYTES);
    // Not every part exists: nothing was skipped, or the epoch of the message is not held.
    if (bytes == ABSENT && part > <u32>Part.Send) continue;
    if (bytes < 0 || !groupDecode(group, part, buffer, bytes)) return fail(Kind.Storage, Detail.SessionUnreadable);
  }
  return OK;
}

/** Stages the parts that the last operation changed. */
export function sessionStore(peer: Peer, group: Group): void {
  const scratch = alloc(PART_MAX_BYTES);
  for (let part: u32 = 0; part < PARTS; part++) {
    if (!(group.dirty & (1 << part))) continue;
    const key = partKey(peer.slot, part, group.context.epoch);
    const bytes = groupEncode(group, part, scratch);
    const value = alloc(bytes);
    memory.copy(value, scratch, bytes);
    if (bytes) txPut(key, value, bytes);
    else txDelete(key);
  }
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
