// A frame that arrived, and who claims to have sent it.
import { equal } from "../bytes/compare";
import { alloc } from "../runtime/arena";
import { OK } from "../runtime/fail";
import { EventType, Reason } from "../runtime/status";
import { SESSION_ID_BYTES, SESSION_NAME_MAX_BYTES, sessionId, sessionName } from "../sealed/session-id";
import { ADDRESS_BYTES, addressFormat } from "../wire/address";
import { Frame } from "../wire/frame";
import { OWN_ADDRESS, OWN_HASH } from "./device";
import { outboxEvent } from "./outbox";
import { Lookup, Peer } from "./peers";


@unmanaged
export class Inbound {
  frame: Frame;
  /** Hash of the sender's address; 0 when the sender is no address. */
  senderHash: usize;
  /** Whether the sender has a record; `peer` holds it when it was found, and after an admission. */
  lookup: Lookup;
  peer: Peer;
  /** The sender was proven: the frame may be acknowledged. */
  proven: bool;
}

/** Whether `id` is the session id of us and the sender, who may be a nickname. */
export function isSessionOf(inbound: Inbound, id: usize, bytes: u32): bool {
  const name = alloc(SESSION_NAME_MAX_BYTES);
  let length = SESSION_ID_BYTES;
  if (inbound.senderHash) sessionId(OWN_HASH, inbound.senderHash, name);
  else length = sessionName(OWN_ADDRESS, ADDRESS_BYTES, inbound.frame.senderPtr, inbound.frame.senderBytes, name);
  return length == bytes && equal(name, id, bytes);
}

/** Says that a frame was ignored. OK, for `return ignore(...)`. */
export function ignore(reason: Reason): i32 {
  store<u8>(outboxEvent(EventType.Ignored, 2), reason, 1);
  return OK;
}

/** An event about a peer, followed by `more` bytes that the caller fills at the returned address. */
export function peerEvent(type: EventType, peer: Peer, more: u32): usize {
  const at = outboxEvent(type, 1 + ADDRESS_BYTES + more);
  addressFormat(peer.hash(), at + 1);
  return at + 1 + ADDRESS_BYTES;
}
