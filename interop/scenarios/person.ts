// Somebody with an identity key who makes control frames by hand: an honest stranger, or a hostile one.
// Signatures are made here with @noble/curves, so neither the core nor the phone vouches for itself.
import { randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { addressFromKey, sessionId } from "./address.ts";
import { uuidText, type Frame } from "./wire.ts";

export const PREFIX = {
  keyPackage: "__MLS_KEY_PKG__",
  welcome: "__MLS_WELCOME__",
  encrypted: "__MLS_ENC__",
  probe: "__MLS_CONFIRM_PROBE__",
  confirmAck: "__MLS_CONFIRM_ACK__",
} as const;

const SIGNATURE_KEY = "__ctrl_sig";
const PUBLIC_KEY_KEY = "__ctrl_pk";
const ACK_FOR = "ack_for";

/** Version of the control signature: 1 leaves the time out, 2 binds it. */
export type SignatureVersion = 1 | 2;

const MAX_UINT64_BYTES = 8;

/** A frame with the defaults of a phone; `changes` replace them. */
export function makeFrame(
  sender: string,
  recipient: string,
  content: string,
  nowSeconds: number,
  changes: Partial<Frame> = {},
): Frame {
  return {
    id: uuidText(randomBytes(16)),
    sender,
    recipient,
    app_id: "com.example.lock",
    priority: "high",
    ttl: 8,
    hop_count: 0,
    timestamp: nowSeconds * 1000,
    lamport_clock: 1,
    content_type: "text",
    content,
    metadata: {},
    requires_ack: true,
    reply_to_msg: null,
    ...changes,
  };
}

/** What a control signature covers: a domain, then each field behind its length. */
function signingPayload(frame: Frame, version: SignatureVersion): Uint8Array {
  const fields = [frame.sender, frame.id, frame.recipient, frame.content].map((text) => Buffer.from(text, "utf8"));
  if (version === 2) {
    const stamp = Buffer.alloc(MAX_UINT64_BYTES);
    stamp.writeBigInt64BE(BigInt(frame.timestamp));
    fields.push(stamp);
  }
  const prefixed = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  return Buffer.concat([Buffer.from(`offline-ctrl-v${version}`, "ascii"), ...prefixed]);
}

/** The key that signed a control frame, when the signature holds under `version`; `undefined` when it does not. */
export function signerOf(frame: Frame, version: SignatureVersion): string | undefined {
  const signature = frame.metadata[SIGNATURE_KEY];
  const publicKey = frame.metadata[PUBLIC_KEY_KEY];
  if (signature === undefined || publicKey === undefined) return undefined;
  const key = Buffer.from(publicKey, "base64");
  return ed25519.verify(Buffer.from(signature, "base64"), signingPayload(frame, version), key)
    ? key.toString("hex")
    : undefined;
}

/** The id of the frame that a delivery acknowledgement answers; `undefined` when the frame is none. */
export function acknowledges(frame: Frame): string | undefined {
  return frame.content === "" ? frame.metadata[ACK_FOR] : undefined;
}

export interface KeyPackageBody {
  user_id?: string;
  key_package_data?: number[];
  session_reset?: boolean;
  no_session?: boolean;
  wire_versions?: number[];
  env_versions?: number[];
  ctrl_versions?: number[];
}

export class Person {
  private readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly address: string;

  /** @param seed 32 bytes; without one, a new identity */
  constructor(seed: Uint8Array = randomBytes(32)) {
    this.secret = seed;
    this.publicKey = ed25519.getPublicKey(seed);
    this.address = addressFromKey(this.publicKey);
  }

  /** The frame with this person's signature, whoever its sender says to be. */
  sign(frame: Frame, version: SignatureVersion = 2): Frame {
    const signature = ed25519.sign(signingPayload(frame, version), this.secret);
    const metadata = {
      ...frame.metadata,
      [SIGNATURE_KEY]: Buffer.from(signature).toString("base64"),
      [PUBLIC_KEY_KEY]: Buffer.from(this.publicKey).toString("base64"),
    };
    return { ...frame, metadata };
  }

  /**
   * A key package frame, unsigned. A leaf takes capabilities from it and never reads the package inside, so that is
   * `key_package_data` of no meaning.
   */
  keyPackage(to: string, nowSeconds: number, body: KeyPackageBody = {}, changes: Partial<Frame> = {}): Frame {
    const payload = {
      user_id: this.address,
      key_package_data: [0, 1, 0, 1],
      remaining_lifetime_ms: 2_592_000_000,
      timestamp_ms: 0,
      session_reset: false,
      wire_versions: [1],
      env_versions: [1],
      rich_versions: [],
      data_versions: [],
      ctrl_versions: [2],
      svc_versions: [],
      ack_versions: [],
      ...body,
    };
    return makeFrame(this.address, to, PREFIX.keyPackage + JSON.stringify(payload), nowSeconds, changes);
  }

  /** A Welcome frame, unsigned; `welcome` is what it holds as MLS bytes. */
  welcome(
    to: string,
    nowSeconds: number,
    welcome: Uint8Array,
    body: { group_id?: string; inviter_id?: string } = {},
  ): Frame {
    const payload = {
      group_id: sessionId(this.address, to),
      welcome_data: [...welcome],
      inviter_id: this.address,
      group_name: null,
      timestamp_ms: nowSeconds * 1000,
      ...body,
    };
    return makeFrame(this.address, to, PREFIX.welcome + JSON.stringify(payload), nowSeconds);
  }

  /** A frame of one of the short control kinds, unsigned. */
  control(prefix: string, to: string, nowSeconds: number, changes: Partial<Frame> = {}): Frame {
    return makeFrame(this.address, to, prefix, nowSeconds, changes);
  }
}
