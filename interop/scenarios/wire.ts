// Frames as the scenarios read and make them: both encodings in, JSON out. Written against the format alone, so that it
// does not share a mistake with the core or with the phone.

/** The members of a frame that a leaf and a phone exchange. */
export interface Frame {
  id: string;
  sender: string;
  recipient: string;
  app_id: string;
  priority: "low" | "medium" | "high" | "critical";
  ttl: number;
  hop_count: number;
  /** Milliseconds since 1970. */
  timestamp: number;
  lamport_clock: number;
  content_type: string;
  content: string;
  metadata: Record<string, string>;
  requires_ack: boolean;
  reply_to_msg: string | null;
}

export type Encoding = "json" | "binary";

const WIRE_V1_MAGIC = 0xf5;
const PRIORITIES = ["low", "medium", "high", "critical"] as const;
/** Ext tag of a base64 tail of the content that travels as raw bytes. */
const EXT_CONTENT_TAIL = 1;

export function encodingOf(hex: string): Encoding {
  return Number.parseInt(hex.slice(0, 2), 16) === WIRE_V1_MAGIC ? "binary" : "json";
}

/** Reads a frame in either encoding. Throws when it is no frame. */
export function readFrame(hex: string): Frame {
  const bytes = Buffer.from(hex, "hex");
  if (encodingOf(hex) === "binary") return readBinary(bytes);
  const { binary_content: _binary, ...members } = JSON.parse(bytes.toString("utf8")) as Frame & {
    binary_content?: number[];
  };
  return members;
}

/** Writes a frame as JSON, in hex. */
export function writeFrame(frame: Frame): string {
  return Buffer.from(JSON.stringify(frame), "utf8").toString("hex");
}

function readBinary(bytes: Buffer): Frame {
  const cursor = new Cursor(bytes);
  cursor.byte();
  const frame: Frame = {
    id: uuidText(cursor.take(16)),
    sender: cursor.text(),
    recipient: cursor.text(),
    app_id: cursor.text(),
    priority: PRIORITIES[cursor.byte()] ?? "medium",
    ttl: cursor.byte(),
    hop_count: cursor.byte(),
    timestamp: Number(cursor.zigzag()),
    lamport_clock: Number(cursor.varint()),
    content_type: cursor.byte() === 0 ? "text" : "file",
    content: cursor.text(),
    metadata: {},
    requires_ack: true,
    reply_to_msg: null,
  };
  cursor.optionalBytes(); // binary content
  cursor.optionalBytes(); // media metadata
  for (let count = cursor.varint(); count > 0n; count--) {
    const key = cursor.text();
    frame.metadata[key] = cursor.text();
  }
  frame.requires_ack = cursor.byte() === 1;
  if (cursor.byte() === 1) frame.reply_to_msg = uuidText(cursor.take(16));
  cursor.optionalBytes(); // forwarded from
  for (let count = cursor.varint(); count > 0n; count--) {
    const tag = Number(cursor.varint());
    const value = cursor.bytes();
    if (tag === EXT_CONTENT_TAIL) frame.content += value.toString("base64");
  }
  return frame;
}

class Cursor {
  private at = 0;

  constructor(private readonly source: Buffer) {}

  take(count: number): Buffer {
    if (this.at + count > this.source.length)
      throw new Error(`the frame ends inside a field of ${count} bytes at ${this.at}`);
    this.at += count;
    return this.source.subarray(this.at - count, this.at);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  bytes(): Buffer {
    return this.take(Number(this.varint()));
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  optionalBytes(): Buffer | undefined {
    return this.byte() === 1 ? this.bytes() : undefined;
  }
}

/** Sixteen bytes as lower-case UUID text. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
