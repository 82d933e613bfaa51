// Reads what a device emits, independently of the core: JSON, and binary wire v1 (wire.md sections 3 to 5).

export interface SeenFrame {
  wire: "json" | "binary";
  id: string;
  sender: string;
  recipient: string;
  app_id: string;
  priority: string;
  ttl: number;
  hop_count: number;
  timestamp: bigint;
  lamport_clock: bigint;
  content_type: string;
  content: string;
  metadata: Record<string, string>;
  requires_ack: boolean;
  reply_to_msg: string | null;
}

import type { JsonFrame } from "./peer.ts";

const PREFIXES = ["__MLS_KEY_PKG__", "__MLS_WELCOME__", "__MLS_ENC__", "__MLS_CONFIRM_PROBE__", "__MLS_CONFIRM_ACK__"];
const PRIORITIES = ["low", "medium", "high", "critical"];

class Cursor {
  at = 0;
  constructor(readonly data: Uint8Array) {}

  byte(): number {
    const value = this.data[this.at++];
    if (value === undefined) throw new Error("the frame is cut");
    return value;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  take(count: number): Uint8Array {
    if (this.at + count > this.data.length) throw new Error("the frame is cut");
    this.at += count;
    return this.data.slice(this.at - count, this.at);
  }

  bytes(): Uint8Array {
    return this.take(Number(this.varint()));
  }

  text(): string {
    return new TextDecoder("utf-8", { fatal: true }).decode(this.bytes());
  }
}

const uuid = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

function decodeBinary(data: Uint8Array): SeenFrame {
  const cursor = new Cursor(data);
  cursor.byte();
  const id = uuid(cursor.take(16));
  const [sender, recipient, app_id] = [cursor.text(), cursor.text(), cursor.text()];
  const priority = PRIORITIES[cursor.byte()]!;
  const ttl = cursor.byte();
  const hop_count = cursor.byte();
  const zigzag = cursor.varint();
  const lamport_clock = cursor.varint();
  if (cursor.byte() !== 0) throw new Error("not text");
  let content = cursor.text();
  for (let i = 0; i < 2; i++) if (cursor.byte() !== 0) throw new Error("the device sends no such field");
  const metadata: Record<string, string> = {};
  for (let count = cursor.varint(); count > 0n; count--) {
    const key = cursor.text();
    metadata[key] = cursor.text();
  }
  const requires_ack = cursor.byte() === 1;
  for (let i = 0; i < 2; i++) if (cursor.byte() !== 0) throw new Error("the device sends no such field");
  for (let count = cursor.varint(); count > 0n; count--) {
    if (cursor.varint() !== 1n) throw new Error("the device sends no such entry");
    content += Buffer.from(cursor.bytes()).toString("base64");
  }
  if (cursor.at !== data.length) throw new Error("bytes after the frame");
  return {
    wire: "binary",
    id,
    sender: sender!,
    recipient: recipient!,
    app_id: app_id!,
    priority,
    ttl,
    hop_count,
    timestamp: (zigzag >> 1n) ^ -(zigzag & 1n),
    lamport_clock,
    content_type: "text",
    content,
    metadata,
    requires_ack,
    reply_to_msg: null,
  };
}

/** A frame of the device in either encoding. */
export function decodeFrame(data: Uint8Array): SeenFrame {
  if (data[0] === 0xf5) return decodeBinary(data);
  const json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data)) as SeenFrame;
  return { ...json, wire: "json", timestamp: BigInt(json.timestamp), lamport_clock: BigInt(json.lamport_clock) };
}

class Output {
  readonly bytes: number[] = [];

  varint(value: bigint): void {
    for (; value > 0x7fn; value >>= 7n) this.bytes.push(Number(value & 0x7fn) | 0x80);
    this.bytes.push(Number(value));
  }

  span(data: Uint8Array): void {
    this.varint(BigInt(data.length));
    this.bytes.push(...data);
  }
}

/** Binary wire v1 of a frame, with the base64 tail split off as a phone does. */
export function encodeBinary(frame: JsonFrame): Uint8Array {
  const out = new Output();
  const text = new TextEncoder();
  out.bytes.push(0xf5, ...Buffer.from(frame.id.replaceAll("-", ""), "hex"));
  for (const item of [frame.sender, frame.recipient, frame.app_id]) out.span(text.encode(item));
  out.bytes.push(PRIORITIES.indexOf(frame.priority), frame.ttl, frame.hop_count);
  const stamp = BigInt(frame.timestamp);
  out.varint(BigInt.asUintN(64, (stamp << 1n) ^ (stamp >> 63n)));
  out.varint(BigInt(frame.lamport_clock));
  out.bytes.push(0);
  const tail = /(?:[A-Za-z0-9+/]{4}){16,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.exec(frame.content)?.[0] ?? "";
  out.span(text.encode(frame.content.slice(0, frame.content.length - tail.length)));
  out.bytes.push(0, 0);
  const metadata = Object.entries(frame.metadata);
  out.varint(BigInt(metadata.length));
  for (const pair of metadata) for (const item of pair) out.span(text.encode(item));
  out.bytes.push(frame.requires_ack ? 1 : 0, 0, 0);
  out.varint(tail ? 1n : 0n);
  if (tail) {
    out.varint(1n);
    out.span(Buffer.from(tail, "base64"));
  }
  return new Uint8Array(out.bytes);
}

/** What the vectors call a frame: its prefix, or `ack`. */
export function frameKind(frame: SeenFrame): string {
  if (frame.content === "" && frame.metadata.ack_for !== undefined) return "ack";
  return PREFIXES.find((prefix) => frame.content.startsWith(prefix)) ?? "none";
}

/** The key package in a key package frame. */
export function keyPackageOf(frame: SeenFrame): Uint8Array {
  const body = JSON.parse(frame.content.slice("__MLS_KEY_PKG__".length)) as { key_package_data: number[] };
  return new Uint8Array(body.key_package_data);
}

export interface SeenEnvelope {
  form: "compact" | "json";
  groupId: string;
  senderId: string;
  messageType: number | string;
  epoch: bigint;
  timestampMs: bigint;
  ciphertext: Uint8Array;
}

/** The envelope in a sealed frame. */
export function envelopeOf(frame: SeenFrame): SeenEnvelope {
  const body = frame.content.slice("__MLS_ENC__".length);
  if (body.startsWith("{")) {
    const json = JSON.parse(body) as {
      group_id: string;
      message_type: string;
      epoch: number;
      ciphertext: number[];
      sender_id: string;
      timestamp_ms: number;
    };
    return {
      form: "json",
      groupId: json.group_id,
      senderId: json.sender_id,
      messageType: json.message_type,
      epoch: BigInt(json.epoch),
      timestampMs: BigInt(json.timestamp_ms),
      ciphertext: new Uint8Array(json.ciphertext),
    };
  }
  const raw = Buffer.from(body, "base64");
  if (raw.toString("base64") !== body) throw new Error("the body is not canonical base64");
  const groupBytes = raw.readUInt32LE(0);
  const senderAt = 8 + groupBytes;
  const senderBytes = raw.readUInt32LE(4 + groupBytes);
  const at = senderAt + senderBytes;
  if (raw.length !== at + 21 + raw.readUInt32LE(at + 17)) throw new Error("bytes after the ciphertext");
  return {
    form: "compact",
    groupId: raw.toString("utf8", 4, 4 + groupBytes),
    senderId: raw.toString("utf8", senderAt, at),
    messageType: raw[at]!,
    epoch: raw.readBigUInt64LE(at + 1),
    timestampMs: raw.readBigUInt64LE(at + 9),
    ciphertext: new Uint8Array(raw.subarray(at + 21)),
  };
}
