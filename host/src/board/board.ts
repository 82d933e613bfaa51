// What a device is to the host, whatever runs it: the core in Node, the emulated board, a board on a port.

/** Names of the modes of `open`; the position is the number of the ABI. */
export const OPEN_MODES = ["open", "provision", "resume"] as const;
export type OpenMode = (typeof OPEN_MODES)[number];

/** One call of the core (docs/abi.md). Text is UTF-8 bytes, `now` seconds since 1970 as an unsigned 64-bit number. */
export type CoreCall =
  | { call: "open"; mode: OpenMode; appId: Uint8Array }
  | { call: "receive"; frame: Uint8Array; now: bigint }
  | { call: "advertise"; peer: Uint8Array; now: bigint }
  | { call: "seal"; peer: Uint8Array; text: Uint8Array; now: bigint }
  | { call: "peers" }
  | { call: "session"; peer: Uint8Array }
  | { call: "unpair"; peer: Uint8Array }
  | { call: "invite"; petname: Uint8Array }
  | { call: "pairing"; open: boolean; seconds: number; now: bigint }
  | { call: "selftest" };

/** Status of a call that trapped in the core, beside 0 and the error kinds. */
export const TRAPPED = 255;

/** What a call brought. On any status but 0 there are no frames and no events. */
export interface CallOutcome {
  /** 0, an error kind of the core, or TRAPPED. */
  status: number;
  /** Detail code of a refusal, for the log. */
  detail: number;
  answer: Uint8Array;
  frames: Uint8Array[];
  /** Events as the core encodes them. */
  events: Uint8Array[];
  /** The runtime's words, when the core trapped. */
  trap: string | undefined;
}

export interface BoardHello {
  /** `baseline`, `leaf`, `leaf-interp`, `floor`; `sim` runs the module itself. */
  image: string;
  boardName: string;
  abi: number;
  /** SHA-256 of the core's WebAssembly module, hex. */
  coreSha256: string;
  /** Longest frame that one call takes, in bytes. */
  frameBytes: number;
}

/** Counters since the last reading; `null` where the board cannot measure. High-water marks are in bytes. */
export interface BoardStats {
  flashPrograms: number;
  flashErases: number;
  flashBytes: number;
  arena: number;
  pool: number | null;
  stack: number | null;
  instructions: number | null;
  linkBadCrc: number | null;
  linkBadLength: number | null;
}

export const FAULT_KINDS = ["none", "cut", "tear", "error"] as const;

/** What happens to a flash operation: after `after` more operations, the next one is hit. */
export interface Fault {
  after: number;
  kind: (typeof FAULT_KINDS)[number];
  /** Seed of the bits that a torn operation leaves. */
  bits: number;
}

/** The board has no power: a fault cut it, or it ended. Only `power` brings it back. */
export class PowerLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PowerLost";
  }
}

/** This board cannot do that. */
export class Unsupported extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Unsupported";
  }
}

/**
 * A board with power. One request at a time. Every method but `power`, `hello` and `close` throws PowerLost
 * when the board has none; methods throw Unsupported where a kind of board cannot do something.
 */
export interface Board {
  readonly name: "sim" | "qemu" | "serial";
  hello(): Promise<BoardHello>;
  call(call: CoreCall): Promise<CallOutcome>;
  /** Power off and on: all but flash is lost. */
  power(): Promise<void>;
  /** Arms a fault; it replaces an armed one and power clears it. */
  fault(fault: Fault): Promise<void>;
  stats(): Promise<BoardStats>;
  readFlash(): Promise<Uint8Array>;
  /** Changes flash behind the core's back; bits may rise. Throws RangeError outside of the part. */
  writeFlash(at: number, bytes: Uint8Array): Promise<void>;
  /** Replaces hardware entropy by a stream made from `seed`. */
  seedEntropy(seed: Uint8Array): Promise<void>;
  /** Ends the board. */
  close(): Promise<void>;
}
