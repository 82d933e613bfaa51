// `__MLS_CONFIRM_PROBE__`: the peer asks whether we have the session (leaf.md 5.4).
import { make } from "../mls/structure";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind, Reason } from "../runtime/status";
import { Identity } from "../mls/group";
import { Gate, controlGate } from "../sealed/control";
import { loadIdentity } from "./device";
import { nowMs } from "./call";
import { sendConfirmAck } from "./emit";
import { Inbound, ignore } from "./inbound";
import { Lookup } from "./peers";
import { Purpose, sessionGroup, sessionLoad, slotHasSession } from "./session";

/** The answer is a promise to use the session, so the session is loaded first. */
export function onProbe(inbound: Inbound): i32 {
  let status = controlGate(inbound.frame, false, nowMs(), make<Gate>());
  if (status != OK) return status;
  inbound.proven = true;
  if (inbound.lookup == Lookup.Unreadable) return fail(Kind.Storage, Detail.PeerUnreadable);
  const peer = inbound.peer;
  if (inbound.lookup == Lookup.Absent || !slotHasSession(peer.slot)) return ignore(Reason.ProbeWithoutSession);
  const identity = make<Identity>();
  status = loadIdentity(identity);
  if (status != OK) return status;
  status = sessionLoad(peer, sessionGroup(peer, identity), Purpose.Promise, 0);
  return status == OK ? sendConfirmAck(peer, identity) : status;
}
