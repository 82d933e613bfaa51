// The test build of the sealed room behind plain values.
import { DETAILS, KINDS } from "../../../interop/src/abi.ts";
import { loadRoom, type Room, toHex } from "../room.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** More than any structure of the core takes. */
const STRUCTURE_BYTES = 256;

const nameOf = (table: Record<string, number>, value: number): string =>
  Object.entries(table).find(([, number]) => number === value)?.[0] ?? `unknown ${value}`;

export interface FrameJson {
  id: string;
  sender: string;
  recipient: string;
  app_id: string;
  priority: string;
  ttl: number;
  hop_count: number;
  timestamp_ms: string;
  content: string;
  metadata?: Record<string, string>;
}

export interface EnvelopeFields {
  groupId: string;
  messageType: number;
  epoch: string;
  timestampMs: string;
  senderId: string;
  ciphertext: string;
}

/** An envelope as the vectors spell it. */
export interface EnvelopeVector {
  group_id: string;
  message_type_code: number;
  epoch: string;
  timestamp_ms: string;
  sender_id: string;
  ciphertext_hex: string;
}

export class SealedRoom {
  readonly room: Room = loadRoom("sealed");

  private get view(): DataView {
    return new DataView(this.room.memory.buffer);
  }

  private word(at: number): number {
    return this.view.getUint32(at, true);
  }

  private text(at: number, count: number): string {
    return decoder.decode(this.room.read(at, count));
  }

  private kind(status: number): string {
    return status === 0 ? "OK" : nameOf(KINDS, status);
  }

  private put(text: string | Uint8Array): [number, number] {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    return [this.room.put(bytes), bytes.length];
  }

  /** What a function that returns a pointer and sets `lastLength` wrote. */
  private written(name: string, ...args: (number | bigint)[]): Uint8Array {
    const at = this.room.call(name, ...args);
    return this.room.read(at, this.room.call("lastLength"));
  }

  addressFromKey(key: Uint8Array): string {
    return this.room.scope(() => {
      const out = this.room.alloc(44);
      this.room.call("addressFromKey", this.room.put(key), out);
      return this.text(out, 44);
    });
  }

  addressFormat(hash: Uint8Array): string {
    return this.room.scope(() => {
      const out = this.room.alloc(44);
      this.room.call("addressFormat", this.room.put(hash), out);
      return this.text(out, 44);
    });
  }

  addressParse(text: string): { hash?: Uint8Array; detail?: string } {
    return this.room.scope(() => {
      const out = this.room.alloc(20);
      const status = this.room.call("addressParse", ...this.put(text), out);
      return status === 0 ? { hash: this.room.read(out, 20) } : { detail: nameOf(DETAILS, status) };
    });
  }

  sessionId(a: string, b: string): string {
    const first = this.addressParse(a).hash;
    const second = this.addressParse(b).hash;
    return this.room.scope(() => {
      const out = this.room.alloc(1024);
      if (first && second) {
        this.room.call("sessionId", this.room.put(first), this.room.put(second), out);
        return this.text(out, 97);
      }
      return this.text(out, this.room.call("sessionName", ...this.put(a), ...this.put(b), out));
    });
  }

  groupIdValid(text: string): boolean {
    return this.room.scope(() => this.room.call("groupIdValid", ...this.put(text)) === 1);
  }

  isFresh(nowMs: bigint, stampMs: bigint): boolean {
    return this.room.call("isFresh", nowMs, stampMs) === 1;
  }

  /** Decodes a frame; the pointer is good within the scope. */
  private frameOf(frame: FrameJson): number {
    const { timestamp_ms: stamp, ...rest } = frame;
    const json = JSON.stringify({ ...rest, timestamp: "STAMP" }).replace('"STAMP"', stamp);
    const at = this.room.alloc(STRUCTURE_BYTES);
    if (this.room.call("frameDecode", ...this.put(json), at) !== 0) throw new Error("the frame does not decode");
    return at;
  }

  controlPayload(frame: FrameJson, dated: boolean): Uint8Array {
    return this.room.scope(() => this.written("controlPayloadText", this.frameOf(frame), dated ? 1 : 0));
  }

  controlSign(frame: FrameJson, seed: Uint8Array, publicKey: Uint8Array): Uint8Array {
    return this.room.scope(() => {
      const out = this.room.alloc(64);
      this.room.call("controlSign", this.frameOf(frame), this.room.put(seed), this.room.put(publicKey), out);
      return this.room.read(out, 64);
    });
  }

  gate(frame: FrameJson, undatedAllowed: boolean, nowMs: bigint): { kind: string; dated: boolean } {
    return this.room.scope(() => {
      const gate = this.room.alloc(STRUCTURE_BYTES);
      const kind = this.kind(this.room.call("controlGate", this.frameOf(frame), undatedAllowed ? 1 : 0, nowMs, gate));
      return { kind, dated: this.view.getUint8(gate) === 1 };
    });
  }

  /** What the gate says to a key of `bytes` bytes under a well-formed sender. */
  gateWithKeyOf(bytes: number): string {
    const frame: FrameJson = {
      id: "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      sender: this.addressFormat(new Uint8Array(20)),
      recipient: "b",
      app_id: "a",
      priority: "low",
      ttl: 8,
      hop_count: 0,
      timestamp_ms: "0",
      content: "__MLS_KEY_PKG__",
      metadata: {
        __ctrl_sig: Buffer.alloc(64).toString("base64"),
        __ctrl_pk: Buffer.alloc(bytes, 7).toString("base64"),
      },
    };
    return this.gate(frame, true, 0n).kind;
  }

  envelope(body: string): EnvelopeFields | string {
    return this.room.scope(() => {
      const at = this.room.alloc(STRUCTURE_BYTES);
      const status = this.room.call("readEnvelope", ...this.put(body), at);
      if (status !== 0) return this.kind(status);
      return {
        groupId: this.text(this.word(at), this.word(at + 4)),
        messageType: this.word(at + 8),
        epoch: this.view.getBigUint64(at + 16, true).toString(),
        ciphertext: toHex(this.room.read(this.word(at + 24), this.word(at + 28))),
        senderId: this.text(this.word(at + 32), this.word(at + 36)),
        timestampMs: this.view.getBigUint64(at + 40, true).toString(),
      };
    });
  }

  compactAccepted(bytes: Uint8Array): boolean {
    return this.room.scope(
      () => this.room.call("readCompact", ...this.put(bytes), this.room.alloc(STRUCTURE_BYTES)) === 1,
    );
  }

  private putEnvelope(vector: EnvelopeVector): number {
    const at = this.room.alloc(STRUCTURE_BYTES);
    const spans: [number, Uint8Array][] = [
      [0, encoder.encode(vector.group_id)],
      [24, new Uint8Array(Buffer.from(vector.ciphertext_hex, "hex"))],
      [32, encoder.encode(vector.sender_id)],
    ];
    for (const [offset, data] of spans) {
      const [ptr, count] = this.put(data);
      this.view.setUint32(at + offset, ptr, true);
      this.view.setUint32(at + offset + 4, count, true);
    }
    this.view.setUint32(at + 8, vector.message_type_code, true);
    this.view.setBigUint64(at + 16, BigInt(vector.epoch), true);
    this.view.setBigUint64(at + 40, BigInt(vector.timestamp_ms), true);
    return at;
  }

  envelopeCompact(vector: EnvelopeVector): Uint8Array {
    return this.room.scope(() => this.written("envelopeCompactText", this.putEnvelope(vector)));
  }

  envelopeJson(vector: EnvelopeVector): string {
    return this.room.scope(() => decoder.decode(this.written("envelopeJsonText", this.putEnvelope(vector))));
  }

  keyPackageText(address: string, keyPackage: Uint8Array, noSession = false): string {
    return this.room.scope(() => {
      const [at] = this.put(address);
      return decoder.decode(this.written("keyPackageText", at, ...this.put(keyPackage), noSession ? 1 : 0));
    });
  }

  keyPackageBody(
    json: string,
  ):
    | { user: string; sessionReset: boolean; noSession: boolean; wireVersions: number[]; envVersions: number[] }
    | undefined {
    return this.room.scope(() => {
      const at = this.room.alloc(STRUCTURE_BYTES);
      if (this.room.call("readKeyPackageBody", ...this.put(json), at) !== 0) return undefined;
      return {
        user: this.text(this.word(at), this.word(at + 4)),
        sessionReset: this.view.getUint8(at + 8) === 1,
        noSession: this.view.getUint8(at + 9) === 1,
        wireVersions: [...this.room.read(this.word(at + 12), this.word(at + 16))],
        envVersions: [...this.room.read(this.word(at + 20), this.word(at + 24))],
      };
    });
  }

  /** Both encodings of a frame, undefined when it does not decode. */
  frame(input: Uint8Array): { json: string; binary: string } | undefined {
    const encode = (frame: number, name: string): Uint8Array =>
      this.room.scope(() => {
        const capacity = 6 * input.length + 1024;
        const buffer = this.room.alloc(capacity);
        const writer = this.room.alloc(16);
        [buffer, buffer, buffer + capacity].forEach((value, index) =>
          this.view.setUint32(writer + 4 * index, value, true),
        );
        this.room.call(name, frame, writer);
        return this.room.read(buffer, this.word(writer + 4) - buffer);
      });
    return this.room.scope(() => {
      const at = this.room.alloc(STRUCTURE_BYTES);
      if (this.room.call("frameDecode", ...this.put(input), at) !== 0) return undefined;
      if (this.room.call("frameContent", at) !== 0) return undefined;
      return { json: decoder.decode(encode(at, "frameEncodeJson")), binary: toHex(encode(at, "frameEncodeBinary")) };
    });
  }

  /** An invite of the device with this seed: its text, and what its signature covers. */
  invite(
    seed: Uint8Array,
    petname: string,
    signed: boolean,
  ): { text: string; payload: Uint8Array; petnameValid: boolean } {
    return this.room.scope(() => {
      const invite = this.room.alloc(STRUCTURE_BYTES);
      const publicKey = this.room.alloc(32);
      this.room.call("ed25519PublicKey", this.room.put(seed), publicKey);
      const [address] = this.put(this.addressFromKey(this.room.read(publicKey, 32)));
      const words = [publicKey, address, ...this.put(petname)];
      words.forEach((value, index) => this.view.setUint32(invite + 4 * index, value, true));
      if (signed) this.room.call("inviteSign", invite, this.room.put(seed));
      const payload = this.written("invitePayloadText", invite);
      const out = this.room.alloc(512);
      const count = this.room.call("inviteEncode", invite, out);
      return { text: this.text(out, count), payload, petnameValid: this.room.call("invitePetnameValid", invite) === 1 };
    });
  }

  inviteParse(text: string): { kind: string; signed: boolean; petname: string } {
    return this.room.scope(() => {
      const invite = this.room.alloc(STRUCTURE_BYTES);
      const kind = this.kind(this.room.call("inviteParse", ...this.put(text), invite));
      const petname = kind === "OK" ? this.text(this.word(invite + 8), this.word(invite + 12)) : "";
      return { kind, signed: kind === "OK" && this.word(invite + 16) !== 0, petname };
    });
  }

  petnameValid(petname: string | Uint8Array): boolean {
    return this.room.scope(() => this.room.call("petnameValid", ...this.put(petname)) === 1);
  }

  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    return this.room.scope(
      () => this.room.call("ed25519Verify", this.room.put(key), ...this.put(message), this.room.put(signature)) === 1,
    );
  }

  classify(content: string): number {
    return this.room.scope(() => this.room.call("classify", ...this.put(content)));
  }

  isReserved(text: string): boolean {
    return this.room.scope(() => this.room.call("isReserved", ...this.put(text)) === 1);
  }

  isConfirmMarker(text: string): boolean {
    return this.room.scope(() => this.room.call("isConfirmMarker", ...this.put(text)) === 1);
  }
}
