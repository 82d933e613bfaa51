// What firmware asks of the device.
import { make } from "../mls/structure";
import { utf8Valid } from "../bytes/utf8";
import { equal } from "../bytes/compare";
import { alloc } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { MAILBOX } from "../runtime/memory";
import { Detail, Kind } from "../runtime/status";
import { Identity } from "../mls/group";
import { Invite, inviteEncode, invitePetnameValid, inviteSign } from "../sealed/invite";
import { isReserved } from "../sealed/prefix";
import { txPut } from "../store/journal";
import { ADDRESS_HASH_BYTES, addressParse } from "../wire/address";
import { purgeAfterwards } from "./call";
import { OWN_ADDRESS, OWN_HASH, OWN_PUBLIC, loadIdentity } from "./device";
import { sendKeyPackage, sendSealed } from "./emit";
import { Key, PEER_SLOTS, SEAL_TEXT_MAX_BYTES } from "./limits";
import { Package, packageLoad } from "./packages";
import { Lookup, Peer, eraseUnreadable, peerAdmit, peerFind, peerRoom, slotErase } from "./peers";
import { Purpose, sessionGroup, sessionLoad, sessionStore, slotHasSession } from "./session";

/** The address hash of a peer that firmware names, which is another device's (leaf.md D9). 0 after `fail`. */
function peerHash(text: usize, bytes: u32): usize {
  const hash = alloc(ADDRESS_HASH_BYTES);
  const fault = addressParse(text, bytes, hash);
  if (fault != OK) {
    fail(Kind.MalformedFrame, fault);
    return 0;
  }
  if (!equal(hash, OWN_HASH, ADDRESS_HASH_BYTES)) return hash;
  fail(Kind.MalformedFrame, Detail.OwnAddress);
  return 0;
}

/** Mints a key package for a peer and emits it. OK, MalformedFrame, TooManyPeers, Crypto or Storage. */
export function advertise(text: usize, bytes: u32): i32 {
  const hash = peerHash(text, bytes);
  if (!hash) return Kind.MalformedFrame;
  const peer = peerRoom();
  let status = OK;
  if (peerFind(hash, peer) != Lookup.Found) status = peerAdmit(hash, PEER_SLOTS, peer);
  if (status != OK) return status;
  const identity = make<Identity>();
  status = loadIdentity(identity);
  const item = make<Package>();
  if (status == OK) status = packageLoad(peer.slot, item);
  return status == OK ? sendKeyPackage(peer, identity, item, false, false) : status;
}

/** Seals a text for a peer and emits it. OK, MalformedFrame, Sealed, NoSession, IdentityBinding, Crypto or Storage. */
export function seal(peerText: usize, peerBytes: u32, text: usize, bytes: u32): i32 {
  const hash = peerHash(peerText, peerBytes);
  if (!hash) return Kind.MalformedFrame;
  if (bytes > SEAL_TEXT_MAX_BYTES) return fail(Kind.Sealed, Detail.TextTooLong);
  if (!utf8Valid(text, bytes)) return fail(Kind.Sealed, Detail.TextNotUtf8);
  if (isReserved(text, bytes)) return fail(Kind.Sealed, Detail.TextReserved);
  const peer = peerRoom();
  const lookup = peerFind(hash, peer);
  if (lookup == Lookup.Unreadable) return fail(Kind.Storage, Detail.PeerUnreadable);
  if (lookup == Lookup.Absent) return fail(Kind.NoSession, Detail.None);
  const identity = make<Identity>();
  let status = loadIdentity(identity);
  if (status != OK) return status;
  const group = sessionGroup(peer, identity);
  status = sessionLoad(peer, group, Purpose.Seal, 0);
  if (status == OK) status = sendSealed(peer, group, text, bytes, MAILBOX);
  if (status == OK) sessionStore(peer, group);
  return status;
}

/**
 * Erases all that is known of a peer. Works with whatever cannot be read; an unknown peer is no error.
 */
export function unpair(text: usize, bytes: u32): i32 {
  const hash = peerHash(text, bytes);
  if (!hash) return Kind.MalformedFrame;
  const peer = peerRoom();
  const lookup = peerFind(hash, peer);
  if (lookup == Lookup.Absent) return OK;
  if (lookup == Lookup.Unreadable) eraseUnreadable();
  else slotErase(peer.slot, Key.Peer);
  if (lookup == Lookup.Unreadable || slotHasSession(peer.slot)) txPut(Key.Left << 8, hash, ADDRESS_HASH_BYTES);
  purgeAfterwards();
  return OK;
}

/** Writes whether a session with the peer is on flash, and its `env_versions`. Returns the bytes written, or minus a kind. */
export function session(text: usize, bytes: u32, out: usize): i32 {
  const hash = peerHash(text, bytes);
  if (!hash) return -Kind.MalformedFrame;
  const peer = peerRoom();
  const found = peerFind(hash, peer) == Lookup.Found;
  store<u8>(out, found && slotHasSession(peer.slot) ? 1 : 0);
  if (!found) return 1;
  memory.copy(out + 1, peer.envVersions(), peer.envVersionsBytes());
  return 1 + peer.envVersionsBytes();
}

/** Writes the signed invite of this device. Returns the bytes written, or minus a kind. */
export function invite(petname: usize, bytes: u32, out: usize): i32 {
  const identity = make<Identity>();
  const loaded = loadIdentity(identity);
  if (loaded != OK) return -loaded;
  const label = make<Invite>();
  label.publicKey = OWN_PUBLIC;
  label.address = OWN_ADDRESS;
  label.petname = petname;
  label.petnameBytes = bytes;
  if (!invitePetnameValid(label)) return -fail(Kind.Sealed, Detail.Petname);
  inviteSign(label, identity.seed);
  return inviteEncode(label, out);
}
