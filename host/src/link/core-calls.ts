// Calls of the core as requests of the link (docs/link.md).
import { OPEN_MODES, type CoreCall } from "../board/board.ts";
import { Request } from "./frame.ts";

export interface LinkRequest {
  type: number;
  payload: Uint8Array;
}

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const join = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);

/** Longest peer of a SEAL request: its length is one byte. Anything longer is no address. */
export const MAX_PEER_BYTES = 255;

/** The request that stands for a call. A `peer` of SEAL is at most MAX_PEER_BYTES long. */
export function linkRequest(call: CoreCall): LinkRequest {
  switch (call.call) {
    case "open":
      return { type: Request.Open, payload: join(Buffer.of(OPEN_MODES.indexOf(call.mode)), call.appId) };
    case "receive":
      return { type: Request.Receive, payload: join(u64(call.now), call.frame) };
    case "advertise":
      return { type: Request.Advertise, payload: join(u64(call.now), call.peer) };
    case "seal":
      return { type: Request.Seal, payload: join(u64(call.now), Buffer.of(call.peer.length), call.peer, call.text) };
    case "peers":
      return { type: Request.Peers, payload: join() };
    case "session":
      return { type: Request.Session, payload: call.peer };
    case "unpair":
      return { type: Request.Unpair, payload: call.peer };
    case "invite":
      return { type: Request.Invite, payload: call.petname };
    case "pairing":
      return { type: Request.Pairing, payload: join(Buffer.of(call.open ? 1 : 0), u32(call.seconds), u64(call.now)) };
    case "selftest":
      return { type: Request.Selftest, payload: join() };
  }
}
