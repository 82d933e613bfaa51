// `__MLS_KEY_PKG__`: a peer says what it can read, and perhaps that it wants a new session (leaf.md 5.1, D6).
import { make } from "../mls/structure";
import { equal } from "../bytes/compare";
import { OK, fail } from "../runtime/fail";
import { Detail, EventType, Kind, Reason } from "../runtime/status";
import { Identity } from "../mls/group";
import { Gate, controlGate } from "../sealed/control";
import { KeyPackageBody, readKeyPackageBody } from "../sealed/key-package-body";
import { KEY_PACKAGE_BYTES } from "../sealed/text";
import { Frame } from "../wire/frame";
import { nowMs } from "./call";
import { loadIdentity } from "./device";
import { sendKeyPackage } from "./emit";
import { Inbound, ignore, peerEvent } from "./inbound";
import { INBOUND_PEERS, Key, PACKAGE_INTERVAL_S, PACKAGE_RESEND_AFTER_S } from "./limits";
import { Package, packageLoad } from "./packages";
import { Lookup, PEER_ENVELOPE_V1, PEER_NO_PAIR, PEER_WIRE_V1, Peer, peerAdmit, slotErase } from "./peers";
import { slotHasSession } from "./session";

/** The version of wire and envelope that we write too. */
const VERSION_1: u32 = 1;

/** Whether a list of versions has version 1. */
function hasVersion1(list: usize, bytes: u32): bool {
  for (let i: u32 = 0; i < bytes; i++) if (load<u8>(list + i) == VERSION_1) return true;
  return false;
}

/** Whether the frame takes the session with it, and says so when a reset does not (leaf.md 5.1, 6 to 8). */
function resets(frame: Frame, body: KeyPackageBody, dated: bool, peer: Peer): bool {
  const newer = frame.timestamp > peer.lastReset();
  if (body.sessionReset) {
    if (dated && newer) return true;
    ignore(dated ? Reason.ResetSpent : Reason.ResetUndated);
    return false;
  }
  // "No session" from before our join crossed the Welcome on its way and means nothing any more.
  return body.noSession && slotHasSession(peer.slot) && dated && newer && frame.timestamp > peer.lastJoin();
}

/** Takes what the peer can read in place of what it said before. */
function takeVersions(peer: Peer, body: KeyPackageBody): void {
  peer.set(PEER_WIRE_V1, hasVersion1(body.wireVersions, body.wireVersionsBytes));
  peer.set(PEER_ENVELOPE_V1, hasVersion1(body.envVersions, body.envVersionsBytes));
  peer.setEnvVersions(body.envVersions, body.envVersionsBytes);
}

/** Judges the frame and acts on it. */
export function onKeyPackage(inbound: Inbound): i32 {
  const frame = inbound.frame;
  const gate = make<Gate>();
  let status = controlGate(frame, true, nowMs(), gate);
  if (status != OK) return status;
  const body = make<KeyPackageBody>();
  status = readKeyPackageBody(frame.contentPtr + KEY_PACKAGE_BYTES, frame.contentBytes - KEY_PACKAGE_BYTES, body);
  if (status != OK) return status;
  if (body.userBytes != frame.senderBytes || !equal(body.user, frame.senderPtr, frame.senderBytes)) {
    return fail(Kind.IdentityBinding, Detail.BodyOwner);
  }
  inbound.proven = true;
  const peer = inbound.peer;
  if (inbound.lookup != Lookup.Found) {
    status = peerAdmit(inbound.senderHash, INBOUND_PEERS, peer);
    if (status != OK) return status;
    inbound.lookup = Lookup.Found;
  }
  return refresh(frame, body, gate.dated, peer);
}

/** What follows once the peer has a record. */
function refresh(frame: Frame, body: KeyPackageBody, dated: bool, peer: Peer): i32 {
  const item = make<Package>();
  const status = packageLoad(peer.slot, item);
  if (status != OK) return status;
  let holds = slotHasSession(peer.slot);
  let fresh = !item.minted && !holds;
  if (resets(frame, body, dated, peer)) {
    peer.setLastReset(frame.timestamp);
    peer.set(PEER_NO_PAIR, false);
    slotErase(peer.slot, Key.FirstPart);
    peerEvent(EventType.SessionReset, peer, 0);
    holds = false;
    fresh = true;
  }
  takeVersions(peer, body);
  peer.put();
  peerEvent(EventType.PeerAdvertised, peer, 0);

  const pause = item.isSendable() ? PACKAGE_RESEND_AFTER_S : PACKAGE_INTERVAL_S;
  const again = !fresh && body.noSession && !holds && !item.isYounger(pause);
  if (!fresh && !again) return OK;
  const identity = make<Identity>();
  const loaded = loadIdentity(identity);
  if (loaded != OK) return loaded;
  const plain = body.noSession || body.sessionReset;
  return sendKeyPackage(peer, identity, item, again && item.isSendable(), plain);
}
