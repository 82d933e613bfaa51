// A device under test: the core in Node over the flash model, called as docs/abi.md says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { BOARD_GEOMETRY, FlashModel } from "../../../host/src/board/flash-model.ts";
import { EVENTS, KINDS, REASONS } from "../../../interop/src/abi.ts";
import { root } from "../../../scripts/root.ts";

const text = new TextEncoder();

/** The module of the test build, which has the larger memory and the entries of internals.ts. */
export const TEST_MODULE = "build/test/leaf.wasm";

const modules = new Map<string, WebAssembly.Module>();
function moduleOf(path: string): WebAssembly.Module {
  let module = modules.get(path);
  if (!module) {
    module = new WebAssembly.Module(readFileSync(join(root, path)));
    modules.set(path, module);
  }
  return module;
}

const nameOf = (table: Record<string, number>, value: number): string =>
  Object.entries(table).find(([, number]) => number === value)?.[0] ?? `unknown ${value}`;

export type LeafEvent =
  | { type: "PeerAdvertised" | "SessionEstablished" | "SessionReset"; peer: string }
  | { type: "MessageReceived"; peer: string; text: string; frameId: string }
  | { type: "CommitApplied"; peer: string; epoch: bigint }
  | { type: "Ignored"; reason: string };

export interface Outcome {
  /** `OK` or the name of the error kind. */
  kind: string;
  detail: number;
  frames: Uint8Array[];
  events: LeafEvent[];
  answer: Uint8Array;
  /** Highest arena use of the call, bytes. */
  arena: number;
  /** Bytes that the call programmed, and pages that it erased. */
  flashBytes: number;
  erases: number;
}

/** UUID text of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function decodeEvent(data: Uint8Array): LeafEvent {
  const type = nameOf(EVENTS, data[0]!);
  if (type === "Ignored") return { type, reason: nameOf(REASONS, data[1]!) };
  const peer = Buffer.from(data.slice(1, 45)).toString("latin1");
  const rest = data.slice(45);
  if (type === "MessageReceived") {
    return {
      type,
      peer,
      frameId: uuidText(rest.slice(0, 16)),
      text: new TextDecoder("utf-8", { fatal: true }).decode(rest.slice(16)),
    };
  }
  if (type === "CommitApplied")
    return { type, peer, epoch: new DataView(rest.buffer, rest.byteOffset).getBigUint64(0, true) };
  return { type: type as "PeerAdvertised", peer };
}

/** One board with a device on it. */
export class LeafDevice {
  exports!: Record<string, CallableFunction>;
  private memory!: WebAssembly.Memory;
  private frames: Uint8Array[] = [];
  private events: Uint8Array[] = [];
  private spoke = false;
  /** Replaces hardware entropy; returning false is a failure of the source. */
  entropy: (out: Uint8Array) => boolean = (out) => {
    out.set(randomBytes(out.length));
    return true;
  };

  constructor(
    readonly flash: FlashModel = FlashModel.inMemory(BOARD_GEOMETRY),
    private readonly modulePath: string = TEST_MODULE,
    private readonly key: Uint8Array = new Uint8Array(32).fill(0x5a),
  ) {
    this.power();
  }

  /** Power off and on: all but flash is lost. */
  power(): void {
    this.flash.powerOn();
    const bytes = (at: number, count: number): Uint8Array => new Uint8Array(this.memory.buffer, at, count);
    const write = <T>(body: () => T): T => {
      if (this.spoke) throw new Error("the core wrote to flash after it had spoken");
      return body();
    };
    const board = {
      entropy: (at: number, count: number) => (this.entropy(bytes(at, count)) ? 0 : 1),
      flash_read: (at: number, into: number, count: number) => (this.flash.read(at, bytes(into, count)) ? 0 : 1),
      flash_program: (at: number, from: number, count: number) =>
        write(() => (this.flash.program(at, bytes(from, count).slice()) ? 0 : 1)),
      flash_erase: (page: number) => write(() => (this.flash.erase(page) ? 0 : 1)),
      flash_geometry: () => (Math.log2(this.flash.geometry.pageBytes) << 16) | this.flash.geometry.pages,
      device_key: (at: number) => {
        bytes(at, 32).set(this.key);
        return 0;
      },
      transmit: (at: number, count: number) => {
        this.spoke = true;
        this.frames.push(bytes(at, count).slice());
      },
      event: (at: number, count: number) => {
        this.spoke = true;
        this.events.push(bytes(at, count).slice());
      },
    };
    const abort = (_message: number, _file: number, line: number, column: number): never => {
      throw new Error(`assertion of the core failed at ${line}:${column}`);
    };
    const instance = new WebAssembly.Instance(moduleOf(this.modulePath), { board, env: { abort } });
    this.exports = instance.exports as unknown as Record<string, CallableFunction>;
    this.memory = instance.exports.memory as WebAssembly.Memory;
  }

  get mailbox(): number {
    return this.exports.mailbox!() as number;
  }

  get mailboxBytes(): number {
    return this.exports.mailbox_bytes!() as number;
  }

  /** All of linear memory, as it is between calls. */
  get image(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }

  /** Puts `input` in the mailbox and calls an export with the arguments. */
  call(name: string, input: Uint8Array, ...args: (number | bigint)[]): Outcome {
    this.frames = [];
    this.events = [];
    this.spoke = false;
    this.flash.takeCounters();
    if (input.length > this.mailboxBytes) throw new Error("the host of the core never writes past the mailbox");
    new Uint8Array(this.memory.buffer, this.mailbox, input.length).set(input);
    const result = this.exports[name]!(...args) as number;
    const report = new DataView(this.memory.buffer, this.mailbox - 8, 8);
    const counters = this.flash.takeCounters();
    const outcome: Outcome = {
      kind: result >= 0 ? "OK" : nameOf(KINDS, -result),
      detail: report.getUint32(0, true),
      frames: this.frames,
      events: this.events.map(decodeEvent),
      answer: new Uint8Array(this.memory.buffer, this.mailbox, Math.max(result, 0)).slice(),
      arena: report.getUint32(4, true),
      flashBytes: counters.bytes,
      erases: counters.erases,
    };
    if (outcome.kind !== "OK" && (outcome.frames.length > 0 || outcome.events.length > 0))
      throw new Error("a refused call spoke");
    return outcome;
  }

  open(appId = "com.example.lock", mode = 0): Outcome {
    const input = text.encode(appId);
    return this.call("open", input, mode, input.length);
  }

  receive(frame: Uint8Array, now: bigint): Outcome {
    return this.call("receive", frame, frame.length, now);
  }

  advertise(peer: string, now: bigint): Outcome {
    const input = text.encode(peer);
    return this.call("advertise", input, input.length, now);
  }

  seal(peer: string, message: string | Uint8Array, now: bigint): Outcome {
    const head = text.encode(peer);
    const body = typeof message === "string" ? text.encode(message) : message;
    return this.call("seal", new Uint8Array([...head, ...body]), head.length, body.length, now);
  }

  peers(): string[] {
    const { answer } = this.call("peers", new Uint8Array(0));
    return Buffer.from(answer).toString("latin1").match(/.{44}/g) ?? [];
  }

  session(peer: string): { session: boolean; envVersions: number[] } {
    const input = text.encode(peer);
    const { answer } = this.call("session", input, input.length);
    return { session: answer[0] === 1, envVersions: [...answer.slice(1)] };
  }

  unpair(peer: string): Outcome {
    const input = text.encode(peer);
    return this.call("unpair", input, input.length);
  }

  invite(petname = ""): Outcome {
    const input = text.encode(petname);
    return this.call("invite", input, input.length);
  }

  pairing(open: boolean, seconds: number, now: bigint): Outcome {
    return this.call("pairing", new Uint8Array(0), open ? 1 : 0, seconds, now);
  }
}
