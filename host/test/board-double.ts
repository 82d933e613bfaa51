// A board for tests of the harness alone: it answers what the test tells it to and records what it was asked.
import type { Board, BoardHello, BoardStats, CallOutcome, CoreCall, Fault } from "../src/board/board.ts";

const NOTHING: CallOutcome = {
  status: 0,
  detail: 0,
  answer: new Uint8Array(),
  frames: [],
  events: [],
  trap: undefined,
};

export const STATS: BoardStats = {
  flashPrograms: 1,
  flashErases: 2,
  flashBytes: 3,
  arena: 4,
  pool: null,
  stack: null,
  instructions: null,
  linkBadCrc: null,
  linkBadLength: null,
};

export class BoardDouble implements Board {
  readonly name = "sim";
  readonly calls: CoreCall[] = [];
  readonly faults: Fault[] = [];
  powered = 0;
  closed = false;
  /** What the next calls answer; afterwards, plain success. */
  outcomes: (Partial<CallOutcome> | Error)[] = [];

  async hello(): Promise<BoardHello> {
    return { image: "double", boardName: "double", abi: 1, coreSha256: "00".repeat(32), frameBytes: 8192 };
  }

  async call(call: CoreCall): Promise<CallOutcome> {
    this.calls.push(call);
    const outcome = this.outcomes.shift() ?? {};
    if (outcome instanceof Error) throw outcome;
    return { ...NOTHING, ...outcome };
  }

  async power(): Promise<void> {
    this.powered++;
  }

  async fault(fault: Fault): Promise<void> {
    this.faults.push(fault);
  }

  async stats(): Promise<BoardStats> {
    return STATS;
  }

  async readFlash(): Promise<Uint8Array> {
    return Uint8Array.of(1, 2, 255);
  }

  async writeFlash(at: number): Promise<void> {
    if (at > 100) throw new RangeError("outside");
  }

  async seedEntropy(): Promise<void> {}

  async close(): Promise<void> {
    this.closed = true;
  }
}
