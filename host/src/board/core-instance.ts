// One instance of the core's module in Node: its exports, its mailbox, and its imports bound to a board.
import type { CoreCall } from "./board.ts";
import { OPEN_MODES } from "./board.ts";

/** The imports of the core (docs/abi.md), on bytes instead of pointers. Numbers are 0 or failure. */
export interface CoreImports {
  entropy(into: Uint8Array): number;
  flashRead(at: number, into: Uint8Array): number;
  flashProgram(at: number, data: Uint8Array): number;
  flashErase(page: number): number;
  flashGeometry(): number;
  deviceKey(into: Uint8Array): number;
  transmit(frame: Uint8Array): void;
  event(event: Uint8Array): void;
}

interface CoreExports {
  memory: WebAssembly.Memory;
  __heap_base: WebAssembly.Global;
  abi_version(): number;
  mailbox(): number;
  mailbox_bytes(): number;
  open(mode: number, appIdBytes: number): number;
  receive(frameBytes: number, now: bigint): number;
  advertise(peerBytes: number, now: bigint): number;
  seal(peerBytes: number, textBytes: number, now: bigint): number;
  peers(): number;
  session(peerBytes: number): number;
  unpair(peerBytes: number): number;
  invite(petnameBytes: number): number;
  pairing(open: number, seconds: number, now: bigint): number;
  selftest(): number;
}

const DEVICE_KEY_BYTES = 32;
/** Before the mailbox: detail and arena peak of the last call. */
const REPORT_BYTES = 8;
const REPORT_ARENA = 4;

/** What a call left behind. */
export interface CoreReport {
  /** Bytes of answer, or minus an error kind. */
  result: number;
  detail: number;
  arenaPeak: number;
  answer: Uint8Array;
}

export class CoreInstance {
  private readonly core: CoreExports;
  private readonly mailboxAt: number;
  readonly mailboxBytes: number;
  readonly abi: number;
  /** All of linear memory that exists on a board. */
  readonly memoryBytes: number;

  constructor(module: WebAssembly.Module, board: CoreImports) {
    const part = (at: number, count: number): Uint8Array => this.memory(at >>> 0, count >>> 0);
    const imports = {
      entropy: (at: number, count: number) => board.entropy(part(at, count)),
      flash_read: (from: number, at: number, count: number) => board.flashRead(from >>> 0, part(at, count)),
      flash_program: (to: number, at: number, count: number) => board.flashProgram(to >>> 0, part(at, count)),
      flash_erase: (page: number) => board.flashErase(page >>> 0),
      flash_geometry: () => board.flashGeometry(),
      device_key: (at: number) => board.deviceKey(part(at, DEVICE_KEY_BYTES)),
      transmit: (at: number, count: number) => board.transmit(part(at, count).slice()),
      event: (at: number, count: number) => board.event(part(at, count).slice()),
    };
    this.core = new WebAssembly.Instance(module, { board: imports }).exports as unknown as CoreExports;
    this.memoryBytes = this.core.__heap_base.value as number;
    this.mailboxAt = this.core.mailbox();
    this.mailboxBytes = this.core.mailbox_bytes();
    this.abi = this.core.abi_version();
  }

  /** Runs one call whose arguments fit the mailbox. Whatever it throws, the instance is dead. */
  run(call: CoreCall): CoreReport {
    const result = this.invoke(call);
    if (result > this.mailboxBytes) throw new WebAssembly.RuntimeError(`an answer of ${result} bytes`);
    const report = new DataView(this.core.memory.buffer, this.mailboxAt - REPORT_BYTES, REPORT_BYTES);
    return {
      result,
      detail: report.getUint32(0, true),
      arenaPeak: report.getUint32(REPORT_ARENA, true),
      answer: this.memory(this.mailboxAt, Math.max(result, 0)).slice(),
    };
  }

  private invoke(call: CoreCall): number {
    const { core } = this;
    switch (call.call) {
      case "open":
        return core.open(OPEN_MODES.indexOf(call.mode), this.put(call.appId));
      case "receive":
        return core.receive(this.put(call.frame), BigInt.asIntN(64, call.now));
      case "advertise":
        return core.advertise(this.put(call.peer), BigInt.asIntN(64, call.now));
      case "seal":
        this.put(call.peer, call.text);
        return core.seal(call.peer.length, call.text.length, BigInt.asIntN(64, call.now));
      case "peers":
        return core.peers();
      case "session":
        return core.session(this.put(call.peer));
      case "unpair":
        return core.unpair(this.put(call.peer));
      case "invite":
        return core.invite(this.put(call.petname));
      case "pairing":
        return core.pairing(call.open ? 1 : 0, call.seconds, BigInt.asIntN(64, call.now));
      case "selftest":
        return core.selftest();
    }
  }

  /** Fills the mailbox from its start; the sum of the lengths. */
  private put(...parts: Uint8Array[]): number {
    const data = Buffer.concat(parts);
    this.memory(this.mailboxAt, data.length).set(data);
    return data.length;
  }

  /** A view of memory. What a board does not have traps here as it does there. */
  private memory(at: number, count: number): Uint8Array {
    if (at + count > this.memoryBytes) throw new WebAssembly.RuntimeError("out of bounds memory access");
    return new Uint8Array(this.core.memory.buffer, at, count);
  }
}
