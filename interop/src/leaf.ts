// The device as scenarios see it: the requests and replies of docs/harness.md, over whatever carries them.
import type { KINDS, REASONS } from "./abi.ts";
import { LineProcess, type LineProcessOptions } from "./line-process.ts";

/** Kinds that the harness itself answers, beside those of the core. */
export type HarnessErrorKind = "BadRequest" | "NotOpen" | "Unsupported" | "PowerLost" | "Trap";
export type LeafErrorKind = keyof typeof KINDS | HarnessErrorKind;

/** What happened in a call, in order. */
export type LeafEvent =
  | { type: "PeerAdvertised" | "SessionEstablished" | "SessionReset"; peer: string }
  | { type: "MessageReceived"; peer: string; text: string; frameId: string }
  | { type: "CommitApplied"; peer: string; epoch: number }
  | { type: "Ignored"; reason: keyof typeof REASONS };

/** Every request, by `op`. Bytes are lower-case hex; `now` is seconds since 1970. */
export interface LeafRequests {
  hello: object;
  open: { appId: string; mode?: "open" | "provision" | "resume" };
  advertise: { peer: string; now: number };
  receive: { frame: string; now: number };
  seal: { peer: string; text: string; now: number };
  peers: object;
  session: { peer: string };
  unpair: { peer: string };
  invite: { petname?: string };
  pairing: { open: boolean; seconds?: number; now: number };
  power: object;
  fault: { after: number; kind: "cut" | "tear" | "error" | "none"; bits?: number };
  stats: object;
  flash: { read: true } | { write: string; at: number };
  entropy: { seed: string };
  selftest: object;
}

/** What `r` of a successful reply holds, by `op`. */
export interface LeafResults {
  hello: LeafHello;
  open: { address: string; publicKey: string };
  advertise: undefined;
  receive: undefined;
  seal: undefined;
  peers: { peers: string[] };
  session: { session: boolean; envVersions: number[] };
  unpair: undefined;
  invite: { invite: string };
  pairing: undefined;
  power: undefined;
  fault: undefined;
  stats: LeafStats;
  flash: { flash: string } | undefined;
  entropy: undefined;
  selftest: undefined;
}

export interface LeafHello {
  /** Version of the harness. */
  harness: number;
  board: string;
  /** Image on the board: `leaf`, `leaf-interp`; `sim` runs the module itself. */
  image: string;
  abi: number;
  /** `sha256` names the WebAssembly module; `version` is `unknown` for a core that this build did not make. */
  core: { version: string; sha256: string };
  /** Longest frame that one call takes, in bytes. */
  frameBytes: number;
}

/** Counters since the last `stats`; `null` where a board cannot measure. */
export interface LeafStats {
  /** Words programmed, pages erased, bytes programmed. */
  flashPrograms: number;
  flashErases: number;
  flashBytes: number;
  /** High-water marks in bytes: arena of the core, pool of the runtime, native stack. */
  arena: number;
  pool: number | null;
  stack: number | null;
  /** Instructions of the last call. */
  instructions: number | null;
  /** Link frames dropped for a bad CRC or a bad length. */
  linkBadCrc: number | null;
  linkBadLength: number | null;
}

export type LeafOp = keyof LeafRequests;
export type LeafRequest<O extends LeafOp = LeafOp> = { op: O; id?: number | string } & LeafRequests[O];

export interface LeafSuccess<O extends LeafOp = LeafOp> {
  id?: number | string;
  ok: true;
  /** Frames for the radio, hex, in order. */
  frames: string[];
  events: LeafEvent[];
  r?: LeafResults[O];
}

export interface LeafRefusal {
  id?: number | string;
  ok: false;
  error: { kind: LeafErrorKind; message: string };
  frames: [];
  events: [];
}

export type LeafReply<O extends LeafOp = LeafOp> = LeafSuccess<O> | LeafRefusal;

/** A device. Requests are answered in the order in which they were made. */
export interface Leaf {
  request<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafReply<O>>;
  /** Ends the device and whatever emulates it. */
  close(): Promise<void>;
}

/** A reply that was not expected to be a refusal. */
export class LeafRefused extends Error {
  constructor(
    readonly op: string,
    readonly kind: LeafErrorKind,
    message: string,
  ) {
    super(`the device refused ${op}: ${kind}, ${message}`);
    this.name = "LeafRefused";
  }
}

/** Makes a request that has to succeed. Throws LeafRefused. */
export async function mustDo<O extends LeafOp>(leaf: Leaf, request: LeafRequest<O>): Promise<LeafSuccess<O>> {
  const reply = await leaf.request(request);
  if (!reply.ok) throw new LeafRefused(request.op, reply.error.kind, reply.error.message);
  return reply;
}

/** A device behind another process that speaks the harness on stdin and stdout (`offleaf device --stdio`). */
export class LeafProcess implements Leaf {
  private readonly process: LineProcess;

  constructor(command: readonly string[], options: LineProcessOptions = {}) {
    this.process = new LineProcess("device", command, options);
  }

  async request<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafReply<O>> {
    const lines = await this.process.exchange(request, () => true);
    return lines[0] as unknown as LeafReply<O>;
  }

  /** End of input: the device and its emulator end. */
  close(): Promise<void> {
    return this.process.close();
  }

  /** SIGKILL, which is a power cut. Resolves when the process is gone. */
  kill(): Promise<void> {
    return this.process.kill();
  }
}
