// The other end in TypeScript: addresses, control signatures, frames and envelopes, over ts-mls for the group.
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { KeyPackage } from "ts-mls";
import { Member } from "./member.ts";

const text = new TextEncoder();
const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32M = 0x2bc830a3;

function polymod(values: number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (let i = 0; i < 5; i++) if ((top >> i) & 1) sum ^= GENERATOR[i]!;
  }
  return sum >>> 0;
}

/** Address of 20 hash bytes (BIP-350). */
export function addressOfHash(hash: Uint8Array): string {
  const groups: number[] = [];
  let bits = 0;
  let held = 0;
  for (const byte of [1, ...hash]) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5;) {
      bits -= 5;
      groups.push((held >> bits) & 31);
    }
  }
  if (bits > 0) groups.push((held << (5 - bits)) & 31);
  const prefix = [..."off"].map((c) => c.charCodeAt(0));
  const head = [...prefix.map((c) => c >> 5), 0, ...prefix.map((c) => c & 31)];
  const sum = polymod([...head, ...groups, 0, 0, 0, 0, 0, 0]) ^ BECH32M;
  for (let i = 0; i < 6; i++) groups.push((sum >> (5 * (5 - i))) & 31);
  return `off1${groups.map((value) => CHARSET[value]).join("")}`;
}

export const hashOfKey = (key: Uint8Array): Uint8Array => sha256(key).slice(0, 20);
export const addressOfKey = (key: Uint8Array): string => addressOfHash(hashOfKey(key));

export interface JsonFrame {
  id: string;
  sender: string;
  recipient: string;
  app_id: string;
  priority: string;
  ttl: number;
  hop_count: number;
  timestamp: number | bigint;
  lamport_clock: number;
  content_type: string;
  content: string;
  metadata: Record<string, string>;
  requires_ack: boolean;
  reply_to_msg: string | null;
}

/** JSON with exact 64-bit integers. */
export function toJson(value: unknown): string {
  const marked = JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `\u0001${item}\u0001` : item));
  return marked.replace(/"\\u0001(-?\d+)\\u0001"/g, "$1");
}

const field = (data: Uint8Array): Uint8Array => {
  const out = new Uint8Array(4 + data.length);
  new DataView(out.buffer).setUint32(0, data.length);
  out.set(data, 4);
  return out;
};

/** The canonical signing payload of a control frame (sealed.md section 6). */
export function controlPayload(frame: JsonFrame, version: 1 | 2): Uint8Array {
  const parts = [
    text.encode(`offline-ctrl-v${version}`),
    ...[frame.sender, frame.id, frame.recipient, frame.content].map((item) => field(text.encode(item))),
  ];
  if (version === 2) {
    const stamp = new Uint8Array(8);
    new DataView(stamp.buffer).setBigInt64(0, BigInt(frame.timestamp));
    parts.push(field(stamp));
  }
  return Buffer.concat(parts);
}

let serial = 0;

/** A phone as the device meets it. */
export class Peer {
  readonly publicKey: Uint8Array;
  readonly address: string;
  group: Member | undefined;

  constructor(readonly seed: Uint8Array) {
    this.publicKey = ed25519.getPublicKey(seed);
    this.address = addressOfKey(this.publicKey);
  }

  sessionId(device: string, deviceHash: Uint8Array): string {
    const own = hashOfKey(this.publicKey);
    const first = Buffer.compare(own, deviceHash) <= 0;
    return first ? `session:${this.address}:${device}` : `session:${device}:${this.address}`;
  }

  frame(recipient: string, content: string, more: Partial<JsonFrame> = {}): JsonFrame {
    serial += 1;
    return {
      id: `aa000000-0000-0000-0000-${serial.toString(16).padStart(12, "0")}`,
      sender: this.address,
      recipient,
      app_id: "com.example.lock",
      priority: "high",
      ttl: 8,
      hop_count: 0,
      timestamp: 0,
      lamport_clock: 0,
      content_type: "text",
      content,
      metadata: {},
      requires_ack: true,
      reply_to_msg: null,
      ...more,
    };
  }

  sign(frame: JsonFrame, version: 1 | 2 = 2): JsonFrame {
    const signature = ed25519.sign(controlPayload(frame, version), this.seed);
    frame.metadata = {
      __ctrl_sig: Buffer.from(signature).toString("base64"),
      __ctrl_pk: Buffer.from(this.publicKey).toString("base64"),
    };
    return frame;
  }

  /** A key package frame with a dummy package, which a device does not look at. */
  keyPackage(recipient: string, timestamp: bigint, body: Record<string, unknown> = {}, version: 1 | 2 = 2): JsonFrame {
    const content = `__MLS_KEY_PKG__${toJson({ user_id: this.address, key_package_data: [1, 2, 3], wire_versions: [1], env_versions: [1], ctrl_versions: [2], ...body })}`;
    return this.sign(this.frame(recipient, content, { timestamp }), version);
  }

  /** Makes a group over the device's key package and the frame with its Welcome. */
  async welcome(
    device: string,
    deviceHash: Uint8Array,
    keyPackage: Uint8Array,
    timestamp: bigint,
    others: KeyPackage[] = [],
  ): Promise<JsonFrame> {
    const id = this.sessionId(device, deviceHash);
    this.group = await Member.found(id, this.address, this);
    const welcome = await this.group.add(keyPackage, ...others);
    const content = `__MLS_WELCOME__${toJson({ group_id: id, welcome_data: [...welcome], inviter_id: this.address, group_name: null, timestamp_ms: timestamp })}`;
    return this.sign(this.frame(device, content, { timestamp }));
  }

  /** The same in the compact form. */
  compact(device: string, deviceHash: Uint8Array, ciphertext: Uint8Array, more: Partial<JsonFrame> = {}): JsonFrame {
    const word = (value: number): Uint8Array => new Uint8Array(new Uint32Array([value]).buffer);
    const id = text.encode(this.sessionId(device, deviceHash));
    const sender = text.encode(this.address);
    const fixed = new Uint8Array(17);
    const body = Buffer.concat([
      word(id.length),
      id,
      word(sender.length),
      sender,
      fixed,
      word(ciphertext.length),
      ciphertext,
    ]);
    return this.frame(device, `__MLS_ENC__${body.toString("base64")}`, { priority: "medium", ...more });
  }

  /** A sealed frame around an MLSMessage, in the JSON form. */
  sealed(device: string, deviceHash: Uint8Array, ciphertext: Uint8Array, more: Partial<JsonFrame> = {}): JsonFrame {
    const body = {
      group_id: this.sessionId(device, deviceHash),
      message_type: "Application",
      epoch: 1,
      ciphertext: [...ciphertext],
      sender_id: this.address,
      timestamp_ms: 1,
    };
    return this.frame(device, `__MLS_ENC__${toJson(body)}`, { priority: "medium", ...more });
  }
}

export const encodeFrame = (frame: JsonFrame): Uint8Array => text.encode(toJson(frame));
