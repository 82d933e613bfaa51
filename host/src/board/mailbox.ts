// What fits the mailbox of the core. The rest never leaves the host: on a port, a megabyte would take minutes.
import { DETAILS, KINDS } from "@offleaf/interop";
import type { CallOutcome, CoreCall } from "./board.ts";

/** Bytes that a call puts into the mailbox. */
function argumentBytes(call: CoreCall): number {
  switch (call.call) {
    case "open":
      return call.appId.length;
    case "receive":
      return call.frame.length;
    case "seal":
      return call.peer.length + call.text.length;
    case "advertise":
    case "session":
    case "unpair":
      return call.peer.length;
    case "invite":
      return call.petname.length;
    default:
      return 0;
  }
}

/** The refusal of a call that the mailbox cannot hold; a board that is asked anyway answers the same. */
export function tooLong(call: CoreCall, mailboxBytes: number): CallOutcome | undefined {
  if (argumentBytes(call) <= mailboxBytes) return undefined;
  const nothing = { answer: new Uint8Array(), frames: [], events: [], trap: undefined };
  return { ...nothing, status: KINDS.MalformedFrame, detail: DETAILS.TooLong };
}
