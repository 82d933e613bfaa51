// `__MLS_WELCOME__`: the peer made a group and takes us in (leaf.md 5.2, D4, D5).
import { make } from "../mls/structure";
import { equal } from "../bytes/compare";
import { OK, fail } from "../runtime/fail";
import { Detail, EventType, Kind, Reason } from "../runtime/status";
import { Identity } from "../mls/group";
import { welcomeDecode, welcomeNames } from "../mls/welcome";
import { ENC_CONFIRM, ENC_CONFIRM_BYTES, WELCOME_BYTES } from "../sealed/text";
import { Gate, controlGate } from "../sealed/control";
import { WelcomeBody, readWelcomeBody } from "../sealed/welcome-body";
import { txDelete } from "../store/journal";
import { noteFirstSession, nowMs } from "./call";
import { loadIdentity } from "./device";
import { sendSealed } from "./emit";
import { Inbound, ignore, isSessionOf, peerEvent } from "./inbound";
import { Key } from "./limits";
import { Package, packageLoad } from "./packages";
import { Lookup, PEER_ESTABLISHED, PEER_NO_PAIR, Peer, slotErase } from "./peers";
import { JOIN_WORK_BYTES, requireRoom } from "./room";
import { welcomeSpends } from "./spent";
import { Purpose, sessionGroup, sessionJoin, sessionLoad, sessionStore, slotHasSession } from "./session";

/** Judges the frame, then joins. */
export function onWelcome(inbound: Inbound): i32 {
  const frame = inbound.frame;
  let status = controlGate(frame, false, nowMs(), make<Gate>());
  if (status != OK) return status;
  const body = make<WelcomeBody>();
  status = readWelcomeBody(frame.contentPtr + WELCOME_BYTES, frame.contentBytes - WELCOME_BYTES, body);
  if (status != OK) return status;
  if (body.inviterBytes != frame.senderBytes || !equal(body.inviter, frame.senderPtr, frame.senderBytes)) {
    return fail(Kind.IdentityBinding, Detail.BodyOwner);
  }
  if (!isSessionOf(inbound, body.groupId, body.groupIdBytes)) return fail(Kind.IdentityBinding, Detail.EnvelopeBinding);
  status = welcomeDecode(body.welcome, body.welcomeBytes);
  if (status == OK) status = requireRoom(JOIN_WORK_BYTES + 2 * body.welcomeBytes);
  if (status != OK) return status;
  if (inbound.lookup == Lookup.Unreadable) return fail(Kind.Storage, Detail.PeerUnreadable);
  if (inbound.lookup == Lookup.Absent) return fail(Kind.UnsolicitedWelcome, Detail.None);
  const identity = make<Identity>();
  status = loadIdentity(identity);
  return status == OK ? spend(inbound, body, identity) : status;
}

/** Only the package that was minted for this peer lets it in: a package can be read by anyone in range. */
function spend(inbound: Inbound, body: WelcomeBody, identity: Identity): i32 {
  const peer = inbound.peer;
  const item = make<Package>();
  let status = packageLoad(peer.slot, item);
  if (status != OK) return status;
  if (!item.minted || !welcomeNames(body.welcome, body.welcomeBytes, item.reference())) {
    return spentBefore(peer, body, identity, inbound);
  }
  if (!item.unspent) return fail(Kind.StaleKeyPackage, Detail.None);

  const group = sessionGroup(peer, identity);
  status = sessionJoin(peer, group, item, body.welcome, body.welcomeBytes);
  if (status != OK) return status;
  inbound.proven = true;
  // All of an older session goes in the same transaction, so that nothing of it outlives the join (D4).
  slotErase(peer.slot, Key.FirstPart);
  txDelete(peer.key(Key.Package));
  if (!peer.has(PEER_ESTABLISHED)) noteFirstSession();
  peer.set(PEER_ESTABLISHED, true);
  peer.set(PEER_NO_PAIR, false);
  peer.setLastJoin(inbound.frame.timestamp);
  peer.put();
  const joined = group.dirty;
  status = sendSealed(peer, group, ENC_CONFIRM, ENC_CONFIRM_BYTES, 0);
  if (status != OK) return status;
  group.dirty |= joined;
  sessionStore(peer, group);
  peerEvent(EventType.SessionEstablished, peer, 0);
  return OK;
}

/** A Welcome that made the session we hold is a duplicate: the confirm marker was lost, so it is sealed again (D5). */
function spentBefore(peer: Peer, body: WelcomeBody, identity: Identity, inbound: Inbound): i32 {
  if (!slotHasSession(peer.slot)) return fail(Kind.UnsolicitedWelcome, Detail.None);
  const group = sessionGroup(peer, identity);
  let status = sessionLoad(peer, group, Purpose.Seal, 0);
  if (status != OK) return status;
  if (!welcomeSpends(body.welcome, body.welcomeBytes, group.spentReference))
    return fail(Kind.UnsolicitedWelcome, Detail.None);
  inbound.proven = true;
  status = sendSealed(peer, group, ENC_CONFIRM, ENC_CONFIRM_BYTES, 0);
  if (status != OK) return status;
  sessionStore(peer, group);
  return ignore(Reason.WelcomeSpent);
}
