// The session with a peer: an MLS group of two, its parts on flash, and what may be done with it.
import { equal } from "../bytes/compare";
import { Reader } from "../bytes/reader";
import { Span } from "../bytes/span";
import { alloc, mark, release } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import {
  Group,
  Identity,
  groupBegin,
  groupMembers,
  isMember,
  memberIdentity,
  memberIdentityBytes,
  memberSignatureKey,
} from "../mls/group";
import { EPOCH_SLOTS } from "../mls/limits";
import { PART_MAX_BYTES, Part, allParts, groupDecode, groupEncode } from "../mls/parts";
import { Ratchet, SKIPPED_BYTES, roomForSkipped } from "../mls/ratchet";
import { newReceiver } from "../mls/receiver";
import { make } from "../mls/structure";
import { welcomeJoin } from "../mls/welcome";
import { SESSION_ID_BYTES, sessionId } from "../sealed/session-id";
import { ABSENT, journalFind, journalLoad, txDelete, txPut } from "../store/journal";
import { ADDRESS_BYTES, addressFormat, addressFromKey } from "../wire/address";
import { OWN_HASH } from "./device";
import { Key } from "./limits";
import { joinImported } from "./imported";
import { Package } from "./packages";
import { PEER_NO_PAIR, Peer } from "./peers";

// How the parts of a group lie in the journal, by how often they change. Key.FirstPart + one of these is the kind.
/** Member, Head and Epoch of the current epoch, each behind a length byte: changes with a join or a commit. */
const CORE: u32 = 0;
/** One part each. */
const SEND: u32 = 1;
const RECEIVE: u32 = 2;
const HANDSHAKE: u32 = 3;
const SKIPPED: u32 = 4;
/** An epoch before the current one, three of them by epoch: Epoch and Receive as in CORE, then Skipped. */
const PRIOR: u32 = 5;
const PRIOR_EPOCHS: u32 = EPOCH_SLOTS - 1;

function sessionKey(peer: Peer, kind: u32): u32 {
  return peer.key(<u32>Key.FirstPart + kind);
}

function priorKey(peer: Peer, epoch: u64): u32 {
  return sessionKey(peer, PRIOR + <u32>(epoch % PRIOR_EPOCHS));
}

/** Whether a session with the peer is on flash, readable or not. */
export function slotHasSession(slot: u32): bool {
  return journalFind(((<u32>Key.FirstPart) << 8) | slot) != ABSENT;
}

/** A group for the pair of us and `peer`, ready for a join or for its parts. */
export function sessionGroup(peer: Peer, identity: Identity): Group {
  const group = make<Group>();
  const id = alloc(SESSION_ID_BYTES);
  const address = alloc(ADDRESS_BYTES);
  sessionId(OWN_HASH, peer.hash(), id);
  addressFormat(peer.hash(), address);
  groupBegin(group, identity, id, SESSION_ID_BYTES, address);
  return group;
}

/** Largest part but Skipped, and what holds several. */
const SMALL_PART_BYTES: u32 = 112;
const CORE_MAX_BYTES: u32 = 3 * (1 + SMALL_PART_BYTES);
const PRIOR_MAX_BYTES: u32 = 2 * (1 + SMALL_PART_BYTES) + PART_MAX_BYTES;

/** What a group is loaded for. */
export const enum Purpose {
  /** To see that it is there and whole. */
  Promise,
  Seal,
  Open,
}

/** Takes a part that lies behind its length byte. An empty one is left out. */
function takePart(group: Group, part: u32, input: Reader): bool {
  const bytes = input.u8();
  const at = input.take(bytes);
  return !input.failed && (bytes == 0 || groupDecode(group, part, at, bytes));
}

/** Appends a part behind its length byte, and returns where it ends. */
function appendPart(group: Group, part: u32, at: usize): usize {
  const bytes = groupEncode(group, part, at + 1);
  store<u8>(at, bytes);
  return at + 1 + bytes;
}

/** Reads the value of a key. False when it is absent, longer than `most` or unreadable. */
function readValue(key: u32, most: u32, input: Reader): bool {
  const bytes = journalFind(key);
  if (bytes < 0 || <u32>bytes > most) return false;
  input.over(alloc(bytes), bytes);
  return journalLoad(key, input.at, bytes) == bytes;
}

/** Loads a part that has a key of its own. False when it is not what was stored. */
function loadPart(peer: Peer, group: Group, kind: u32, part: u32): bool {
  const input = make<Reader>();
  return readValue(sessionKey(peer, kind), SMALL_PART_BYTES, input) && groupDecode(group, part, input.at, input.left());
}

function loadCore(peer: Peer, group: Group): bool {
  const input = make<Reader>();
  return (
    readValue(sessionKey(peer, CORE), CORE_MAX_BYTES, input) &&
    takePart(group, Part.Member, input) &&
    takePart(group, Part.Head, input) &&
    takePart(group, Part.Epoch, input)
  );
}

/** The application ratchet that opens the peer's messages. */
function peerRatchet(group: Group): Ratchet {
  const leaf = group.peerLeaf();
  if (!group.receiver(leaf)) group.setReceiver(leaf, newReceiver());
  return group.receiver(leaf)!.application;
}

/** Loads what opens messages of the current epoch. The skipped keys, up to a kilobyte, go to where they are used. */
function loadReceiver(peer: Peer, group: Group): bool {
  if (!loadPart(peer, group, RECEIVE, Part.Receive)) return false;
  if (journalFind(sessionKey(peer, HANDSHAKE)) != ABSENT && !loadPart(peer, group, HANDSHAKE, Part.Handshake))
    return false;
  const bytes = journalFind(sessionKey(peer, SKIPPED));
  if (bytes == ABSENT) return true;
  const ratchet = peerRatchet(group);
  roomForSkipped(ratchet);
  ratchet.skippedCount = <u32>bytes / SKIPPED_BYTES;
  return journalLoad(sessionKey(peer, SKIPPED), ratchet.skipped, PART_MAX_BYTES) == bytes;
}

/** Takes an epoch before the current one into view, if it is held. */
function loadPrior(peer: Peer, group: Group, epoch: u64): bool {
  const key = priorKey(peer, epoch);
  if (group.epoch - epoch > PRIOR_EPOCHS || journalFind(key) == ABSENT) return true;
  const ratchet = peerRatchet(group);
  roomForSkipped(ratchet);
  const before = mark();
  const input = make<Reader>();
  const good =
    readValue(key, PRIOR_MAX_BYTES, input) &&
    takePart(group, Part.Epoch, input) &&
    takePart(group, Part.Receive, input);
  if (good) {
    memory.copy(ratchet.skipped, input.at, input.left());
    ratchet.skippedCount = input.left() / SKIPPED_BYTES;
  }
  release(before);
  return good;
}

/**
 * Loads the session with `peer`. That it is a pair was judged when it was joined and at each commit, so what is stored
 * is one, or is marked (leaf.md 5.3, 4 and 5).
 *
 * @param group   of `sessionGroup`
 * @param wanted  epoch of the message to open; one that is not held leaves the current one in view
 * @returns OK, NoSession, Storage, or IdentityBinding
 */
export function sessionLoad(peer: Peer, group: Group, purpose: Purpose, wanted: u64): i32 {
  if (!slotHasSession(peer.slot)) return fail(Kind.NoSession, Detail.None);
  if (peer.has(PEER_NO_PAIR)) return fail(Kind.IdentityBinding, Detail.NoPair);
  let good = loadCore(peer, group);
  if (good && purpose == Purpose.Seal) good = loadPart(peer, group, SEND, Part.Send);
  if (good && purpose == Purpose.Open) {
    good = wanted < group.epoch ? loadPrior(peer, group, wanted) : loadReceiver(peer, group);
  }
  return good ? OK : fail(Kind.Storage, Detail.SessionUnreadable);
}

/** Stages a part that has a key of its own. */
function storePart(peer: Peer, group: Group, kind: u32, part: u32): void {
  const value = alloc(SMALL_PART_BYTES);
  const bytes = groupEncode(group, part, value);
  if (bytes) txPut(sessionKey(peer, kind), value, bytes);
  else txDelete(sessionKey(peer, kind));
}

function storeCore(peer: Peer, group: Group): void {
  const value = alloc(CORE_MAX_BYTES);
  const end = appendPart(group, Part.Epoch, appendPart(group, Part.Head, appendPart(group, Part.Member, value)));
  txPut(sessionKey(peer, CORE), value, <u32>(end - value));
}

/** Stages the skipped keys from where they are. */
function storeSkipped(peer: Peer, group: Group): void {
  const ratchet = peerRatchet(group);
  if (ratchet.skippedCount) txPut(sessionKey(peer, SKIPPED), ratchet.skipped, ratchet.skippedCount * SKIPPED_BYTES);
  else txDelete(sessionKey(peer, SKIPPED));
}

/** The epoch in view as one that is no more the current one. */
export function sessionEpoch(group: Group, value: Span): void {
  const ratchet = peerRatchet(group);
  const skippedBytes = ratchet.skippedCount * SKIPPED_BYTES;
  value.ptr = alloc(2 * (1 + SMALL_PART_BYTES) + skippedBytes);
  const end = appendPart(group, Part.Receive, appendPart(group, Part.Epoch, value.ptr));
  memory.copy(end, ratchet.skipped, skippedBytes);
  value.bytes = <u32>(end - value.ptr) + skippedBytes;
}

/** Stages an epoch of `sessionEpoch`. */
export function sessionStorePrior(peer: Peer, epoch: u64, value: Span): void {
  txPut(priorKey(peer, epoch), value.ptr, value.bytes);
}

/** Stages what the last operation changed. */
export function sessionStore(peer: Peer, group: Group): void {
  const dirty = group.dirty;
  if (group.context.epoch != group.epoch) {
    const value = make<Span>();
    sessionEpoch(group, value);
    return sessionStorePrior(peer, group.context.epoch, value);
  }
  if (dirty & ((1 << Part.Member) | (1 << Part.Head) | (1 << Part.Epoch))) storeCore(peer, group);
  if (dirty & (1 << Part.Send)) storePart(peer, group, SEND, Part.Send);
  if (dirty & (1 << Part.Receive)) storePart(peer, group, RECEIVE, Part.Receive);
  if (dirty & (1 << Part.Handshake)) storePart(peer, group, HANDSHAKE, Part.Handshake);
  if (dirty & (1 << Part.Skipped)) storeSkipped(peer, group);
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
  return (
    groupMembers(group) == 2 &&
    isMemberAt(group, group.ownLeaf, group.identity.address) &&
    isMemberAt(group, group.peerLeaf(), group.peerAddress)
  );
}
