// The phone as scenarios see it: the line-JSON process of interop/phone (the published engine).
import { LineProcess, type Line, type LineProcessOptions } from "./line-process.ts";

/** Every request but `forge` and `oracle`, whose members differ by what is asked. Bytes are hex. */
export interface PhoneRequests {
  start: { app: string; dir?: string; link?: "stream" | "ble" };
  link: { peer: string; up?: boolean; announce?: boolean };
  frame: { from: string; data: string };
  send: { to: string; text: string };
  tick: object;
  status: { peer: string };
  commit: { peer: string };
  rekey: { peer: string };
  invite: { petname?: string };
  scan: { blob: string };
  forge: Line;
  oracle: Line;
  /** Seconds between the phone's clock and the machine's; needs the clock shim (interop/phone/README.md). */
  clock: { offset: number };
  quit: object;
}

export type PhoneOp = keyof PhoneRequests;
export type PhoneRequest<O extends PhoneOp = PhoneOp> = { op: O } & PhoneRequests[O];

/** What the phone did before it was done, and how the request ended. */
export interface PhoneReply {
  ok: boolean;
  /** Result of the request; its members depend on the request. */
  r: Line;
  /** Why not, when `ok` is false. */
  error: string | undefined;
  /** Frames for the radio, in order. */
  frames: { to: string; data: string }[];
  /** Opened application messages. */
  messages: { from: string; text: string }[];
  /** Events of the engine, as it names them. */
  events: unknown[];
}

export interface Phone {
  request<O extends PhoneOp>(request: PhoneRequest<O>): Promise<PhoneReply>;
  close(): Promise<void>;
}

/** The phone refused a request that had to succeed. */
export class PhoneRefused extends Error {
  constructor(
    readonly op: string,
    message: string,
  ) {
    super(`the phone refused ${op}: ${message}`);
    this.name = "PhoneRefused";
  }
}

/** Makes a request that has to succeed. Throws PhoneRefused. */
export async function mustAsk<O extends PhoneOp>(phone: Phone, request: PhoneRequest<O>): Promise<PhoneReply> {
  const reply = await phone.request(request);
  if (!reply.ok) throw new PhoneRefused(request.op, reply.error ?? "no reason given");
  return reply;
}

/** The phone process. */
export class PhoneProcess implements Phone {
  private readonly process: LineProcess;
  private nextId = 1;

  constructor(command: readonly string[], options: LineProcessOptions = {}) {
    this.process = new LineProcess("phone", command, options);
  }

  async request<O extends PhoneOp>(request: PhoneRequest<O>): Promise<PhoneReply> {
    const id = this.nextId++;
    const lines = await this.process.exchange({ ...request, id }, (line) => line.t === "done");
    return replyFrom(lines);
  }

  close(): Promise<void> {
    return this.process.close();
  }

  kill(): Promise<void> {
    return this.process.kill();
  }
}

/** Sorts the lines of one answer, the last of which is `done`. */
function replyFrom(lines: Line[]): PhoneReply {
  const of = <T>(type: string): T[] => lines.filter((line) => line.t === type) as T[];
  const done = lines.at(-1)!;
  return {
    ok: done.ok === true,
    r: (done.r ?? {}) as Line,
    error: done.err === undefined ? undefined : String(done.err),
    frames: of<{ to: string; data: string }>("frame").map(({ to, data }) => ({ to, data })),
    messages: of<{ from: string; text: string }>("message").map(({ from, text }) => ({ from, text })),
    events: of<{ event: unknown }>("event").map(({ event }) => event),
  };
}
