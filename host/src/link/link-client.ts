// The computer's end of the link: one request at a time, each with a time limit.
import type { Readable, Writable } from "node:stream";
import { OffleafError } from "../errors.ts";
import { Answer, type LinkFrame } from "./frame.ts";
import { SlipChannel, type Dropped } from "./slip-channel.ts";

/** Everything that a request brought. */
export interface LinkReply {
  status: number;
  detail: number;
  answer: Uint8Array;
  /** TRANSMIT and EVENT payloads, each in the order of arrival. */
  frames: Uint8Array[];
  events: Uint8Array[];
  /** Text of the TRAP frame, when the core trapped. */
  trap: string | undefined;
}

interface Waiting {
  request: number;
  seq: number;
  reply: LinkReply;
  resolve: (reply: LinkReply) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

const HELLO_REPLY = Answer.Reply | 0x01;
const UNASKED_SEQ = 0;
const LAST_SEQ = 255;
/** Status and detail before the answer of a reply. */
const REPLY_HEADER_BYTES = 5;

export class LinkClient {
  private readonly channel: SlipChannel;
  private waiting: Waiting | undefined;
  private failure: OffleafError | undefined;
  private seq = UNASKED_SEQ;
  private last: Promise<unknown> = Promise.resolve();
  private bootHello: Uint8Array | undefined;
  private bootWaiters: (() => void)[] = [];
  private readonly unlisten: () => void;

  /** @param onLog gets each line that the board logs */
  constructor(
    readable: Readable,
    writable: Writable,
    private readonly onLog: (text: string) => void,
  ) {
    this.channel = new SlipChannel(readable, writable, (frame) => this.take(frame));
    // That a stream ended says nothing of why; its owner knows, and calls `fail`.
    const onError = (error: Error): void => this.fail(new OffleafError("E-LINK-02", { why: error.message }));
    readable.on("error", onError);
    writable.on("error", onError);
    this.unlisten = () => {
      readable.off("error", onError);
      writable.off("error", onError);
    };
  }

  /** Lets go of the streams, for another client on the same ones. */
  detach(): void {
    this.unlisten();
    this.channel.detach();
    this.fail(new OffleafError("E-LINK-02", { why: "the link was given up" }));
  }

  get dropped(): Dropped {
    return this.channel.dropped;
  }

  /** The payload of the HELLO reply that a board sends by itself when it starts. Throws E-LINK-01, E-LINK-02. */
  async booted(timeoutMs: number): Promise<Uint8Array> {
    if (!this.bootHello && !this.failure) await this.bootHelloArrives(timeoutMs);
    if (this.bootHello) return this.bootHello;
    throw (
      this.failure ?? new OffleafError("E-LINK-01", { why: `it did not say hello within ${timeoutMs} ms of its start` })
    );
  }

  /** Requests queue up. Throws E-LINK-01 or E-LINK-02, after which the link is of no more use. */
  request(type: number, payload: Uint8Array, timeoutMs: number): Promise<LinkReply> {
    const reply = this.last.then(() => this.send(type, payload, timeoutMs));
    this.last = reply.catch(() => {});
    return reply;
  }

  /** Ends every wait with `error`; the first one given stays. */
  fail(error: OffleafError): void {
    this.failure ??= error;
    this.wakeBootWaiters();
    const waiting = this.takeWaiting();
    waiting?.reject(this.failure);
  }

  private send(type: number, payload: Uint8Array, timeoutMs: number): Promise<LinkReply> {
    if (this.failure) return Promise.reject(this.failure);
    this.seq = this.seq === LAST_SEQ ? UNASKED_SEQ + 1 : this.seq + 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const why = `no reply to request 0x${type.toString(16).padStart(2, "0")} within ${timeoutMs} ms`;
        this.fail(new OffleafError("E-LINK-01", { why }));
      }, timeoutMs);
      const reply = { status: 0, detail: 0, answer: new Uint8Array(), frames: [], events: [], trap: undefined };
      this.waiting = { request: type, seq: this.seq, reply, resolve, reject, timer };
      this.channel.send({ type, seq: this.seq, payload });
    });
  }

  private take({ type, seq, payload }: LinkFrame): void {
    if (type === Answer.Log) return this.onLog(Buffer.from(payload).toString("utf8"));
    if (type === HELLO_REPLY && seq === UNASKED_SEQ) return this.takeBootHello(payload);
    const waiting = this.waiting;
    if (!waiting || waiting.seq !== seq) return; // a late answer to a request that nobody waits for
    if (type === Answer.Transmit) waiting.reply.frames.push(payload.slice());
    else if (type === Answer.Event) waiting.reply.events.push(payload.slice());
    else if (type === Answer.Trap) waiting.reply.trap = Buffer.from(payload).toString("utf8");
    else if (type === (Answer.Reply | waiting.request)) this.finish(waiting, payload);
    else
      this.fail(
        new OffleafError("E-LINK-03", {
          why: `answer 0x${type.toString(16)} to request 0x${waiting.request.toString(16)}`,
        }),
      );
  }

  private finish(waiting: Waiting, payload: Uint8Array): void {
    if (payload.length < REPLY_HEADER_BYTES) {
      this.fail(new OffleafError("E-LINK-03", { why: `a reply of ${payload.length} bytes` }));
      return;
    }
    const { reply } = waiting;
    reply.status = payload[0]!;
    reply.detail = Buffer.from(payload).readUInt32LE(1);
    reply.answer = payload.slice(REPLY_HEADER_BYTES);
    this.takeWaiting()?.resolve(reply);
  }

  private takeBootHello(payload: Uint8Array): void {
    if (payload.length < REPLY_HEADER_BYTES) return;
    if (this.bootHello) {
      // The board started again by itself: whatever it was asked is lost.
      this.fail(new OffleafError("E-LINK-02", { why: "the board restarted" }));
      return;
    }
    this.bootHello = payload.slice(REPLY_HEADER_BYTES);
    this.wakeBootWaiters();
  }

  private bootHelloArrives(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.bootWaiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private wakeBootWaiters(): void {
    for (const wake of this.bootWaiters.splice(0)) wake();
  }

  private takeWaiting(): Waiting | undefined {
    const waiting = this.waiting;
    this.waiting = undefined;
    if (waiting) clearTimeout(waiting.timer);
    return waiting;
  }
}
