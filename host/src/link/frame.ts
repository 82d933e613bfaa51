// Frames of the link between board and computer (docs/link.md): numbers, and bytes to fields and back.
import { crc32 } from "node:zlib";

export const LINK_VERSION = 1;

/** Requests, computer to board. */
export const Request = {
  Hello: 0x01,
  Open: 0x02,
  Receive: 0x03,
  Advertise: 0x04,
  Seal: 0x05,
  Peers: 0x06,
  Session: 0x07,
  Unpair: 0x08,
  Invite: 0x09,
  Pairing: 0x0a,
  Selftest: 0x0b,
  Stats: 0x0c,
  Reset: 0x0d,
  Fault: 0x40,
} as const;

/** Answers, board to computer. A reply is `Reply | request`. */
export const Answer = { Transmit: 0x70, Event: 0x71, Log: 0x72, Trap: 0x73, Reply: 0x80 } as const;

/** Statuses of a reply beside 0 and the error kinds of the core. */
export const Status = { Ok: 0, Short: 253, Unsupported: 254, Trap: 255 } as const;

const CRC_BYTES = 4;
const HEADER_BYTES = 2;
/** The shortest frame: type, sequence number and CRC. */
export const MIN_FRAME_BYTES = HEADER_BYTES + CRC_BYTES;
/** The longest frame that is taken; far above what a board sends, it only bounds memory under noise. */
export const MAX_FRAME_BYTES = 128 * 1024;

export interface LinkFrame {
  type: number;
  seq: number;
  payload: Uint8Array;
}

/** The bytes of a frame before SLIP. */
export function encodeFrame({ type, seq, payload }: LinkFrame): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length + CRC_BYTES);
  bytes[0] = type;
  bytes[1] = seq;
  bytes.set(payload, HEADER_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -CRC_BYTES)), bytes.length - CRC_BYTES);
  return bytes;
}

/** The frame in `bytes`, or why there is none. */
export function decodeFrame(bytes: Buffer): LinkFrame | "length" | "crc" {
  if (bytes.length < MIN_FRAME_BYTES || bytes.length > MAX_FRAME_BYTES) return "length";
  if (crc32(bytes.subarray(0, -CRC_BYTES)) !== bytes.readUInt32LE(bytes.length - CRC_BYTES)) return "crc";
  return { type: bytes[0]!, seq: bytes[1]!, payload: bytes.subarray(HEADER_BYTES, -CRC_BYTES) };
}
