// `__MLS_ENC__`: a message or a commit of the session (leaf.md 5.3).
import { make } from "../mls/structure";
import { equal } from "../bytes/compare";
import { Span } from "../bytes/span";
import { utf8Valid } from "../bytes/utf8";
import { OK, fail } from "../runtime/fail";
import { Detail, EventType, Kind } from "../runtime/status";
import { Group, Identity } from "../mls/group";
import { CONTENT_COMMIT } from "../mls/limits";
import { Opened, groupOpen } from "../mls/message";
import { PrivateMessage, readPrivateMessage } from "../mls/private-message";
import { Envelope, readEnvelope, readEnvelopeBytes } from "../sealed/envelope";
import { isConfirmMarker } from "../sealed/prefix";
import { ENCRYPTED_BYTES } from "../sealed/text";
import { ADDRESS_BYTES, addressFormat } from "../wire/address";
import { Frame } from "../wire/frame";
import { UUID_BYTES } from "../wire/limits";
import { keepChanges } from "./call";
import { loadIdentity } from "./device";
import { Inbound, isSessionOf, peerEvent } from "./inbound";
import { Key } from "./limits";
import { outboxEventAt } from "./outbox";
import { Lookup, PEER_NO_PAIR, Peer, slotErase } from "./peers";
import { COMMIT_WORK_BYTES, OPEN_WORK_BYTES, requireRoom } from "./room";
import { Purpose, isPair, sessionEpoch, sessionGroup, sessionLoad, sessionStore, sessionStorePrior } from "./session";

/** What stands before the text in a MessageReceived event: type, peer, frame id. */
const RECEIVED_HEAD_BYTES: u32 = 1 + ADDRESS_BYTES + UUID_BYTES;

/** Whether the envelope names the session of the frame's two ends (sealed.md 5.4). */
function isBound(inbound: Inbound, envelope: Envelope): bool {
  const frame = inbound.frame;
  if (envelope.senderBytes != frame.senderBytes || !equal(envelope.sender, frame.senderPtr, frame.senderBytes))
    return false;
  return isSessionOf(inbound, envelope.groupId, envelope.groupIdBytes);
}

/** Opens a sealed frame, stores what that changed, and says what it was. */
export function onSealed(inbound: Inbound): i32 {
  const envelope = make<Envelope>();
  const frame = inbound.frame;
  let status = frame.tailBytes
    ? readEnvelopeBytes(frame.tailPtr, frame.tailBytes, envelope)
    : readEnvelope(frame.contentPtr + ENCRYPTED_BYTES, frame.contentBytes - ENCRYPTED_BYTES, envelope);
  if (status != OK) return status;
  if (!isBound(inbound, envelope)) return fail(Kind.IdentityBinding, Detail.EnvelopeBinding);
  if (inbound.lookup == Lookup.Unreadable) return fail(Kind.Storage, Detail.PeerUnreadable);
  if (inbound.lookup == Lookup.Absent) return fail(Kind.NoSession, Detail.None);

  const peer = inbound.peer;
  const identity = make<Identity>();
  status = loadIdentity(identity);
  if (status != OK) return status;
  const message = make<PrivateMessage>();
  const decoded = readPrivateMessage(envelope.ciphertext, envelope.ciphertextBytes, message);
  const work = message.contentType == CONTENT_COMMIT ? COMMIT_WORK_BYTES : OPEN_WORK_BYTES;
  status = requireRoom(work + envelope.ciphertextBytes);
  if (status != OK) return status;
  const group = sessionGroup(peer, identity);
  status = sessionLoad(peer, group, Purpose.Open, message.epoch);
  if (status == OK) status = decoded;
  if (status != OK) return status;
  const past = make<Span>();
  if (message.contentType == CONTENT_COMMIT) sessionEpoch(group, past);
  const opened = make<Opened>();
  status = groupOpen(group, message, opened);
  if (status != OK) return status;

  // A refusal from here on has spent its generation all the same (leaf.md D14). The author needs no look: only the
  // peer's ratchets are held, and the peer's address is the frame's sender.
  keepChanges();
  inbound.proven = true;
  if (opened.contentType == CONTENT_COMMIT) return committed(peer, group, opened, past);
  sessionStore(peer, group);
  return delivered(frame, peer, opened);
}

/** A text: the confirm marker, or a message for firmware. */
function delivered(frame: Frame, peer: Peer, opened: Opened): i32 {
  if (isConfirmMarker(opened.text, opened.textBytes)) {
    peerEvent(EventType.SessionEstablished, peer, 0);
    return OK;
  }
  if (!utf8Valid(opened.text, opened.textBytes)) return fail(Kind.MalformedFrame, Detail.TextNotUtf8);
  // The event is laid around the text where it was decrypted: the head of the message before it has more than the room.
  const at = opened.text - RECEIVED_HEAD_BYTES;
  store<u8>(at, EventType.MessageReceived);
  addressFormat(peer.hash(), at + 1);
  memory.copy(at + 1 + ADDRESS_BYTES, frame.idPtr, UUID_BYTES);
  outboxEventAt(at, RECEIVED_HEAD_BYTES + opened.textBytes);
  return OK;
}

/** A commit that was applied: what is left may be no pair, or without us (leaf.md 3.4 and D3). */
function committed(peer: Peer, group: Group, opened: Opened, past: Span): i32 {
  if (opened.removed) {
    slotErase(peer.slot, Key.FirstPart);
    return fail(Kind.IdentityBinding, Detail.Removed);
  }
  if (!isPair(group)) {
    peer.set(PEER_NO_PAIR, true);
    peer.put();
    return fail(Kind.IdentityBinding, Detail.NoPair);
  }
  sessionStorePrior(peer, group.epoch - 1, past);
  sessionStore(peer, group);
  store<u64>(peerEvent(EventType.CommitApplied, peer, 8), group.epoch);
  return OK;
}
