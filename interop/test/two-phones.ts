// Two phone processes and the air between them.
import {
  PhoneProcess,
  mustAsk,
  type LineProcessOptions,
  type PhoneOp,
  type PhoneReply,
  type PhoneRequest,
} from "../src/index.ts";
import { phoneCommand } from "../scenarios/tools.ts";

export const APP = "com.example.lock";
/** Frames that may cross before two phones are taken to talk for ever. */
const MAX_FRAMES = 200;

export type Who = "anna" | "bert";

/** What the engines did since the last `take`. */
export interface Log {
  /** Kind of every frame that crossed, with its sender: `anna json __MLS_KEY_PKG__`. */
  crossed: string[];
  /** Opened messages: `bert hears hello`. */
  heard: string[];
  /** Types of the engines' events. */
  events: { who: Who; event: Record<string, unknown> }[];
}

const emptyLog = (): Log => ({ crossed: [], heard: [], events: [] });

export class TwoPhones {
  private log = emptyLog();

  private constructor(
    readonly phones: Record<Who, PhoneProcess>,
    readonly addresses: Record<Who, string>,
  ) {}

  /** Two phones, linked, that have not exchanged anything. */
  static async start(start: Partial<PhoneRequest<"start">> = {}, options: LineProcessOptions = {}): Promise<TwoPhones> {
    const phones = { anna: new PhoneProcess(phoneCommand(), options), bert: new PhoneProcess(phoneCommand(), options) };
    const addresses = { anna: "", bert: "" };
    for (const who of ["anna", "bert"] as const) {
      const reply = await mustAsk(phones[who], { ...start, op: "start", app: APP });
      addresses[who] = String(reply.r.address);
    }
    await mustAsk(phones.anna, { op: "link", peer: addresses.bert });
    await mustAsk(phones.bert, { op: "link", peer: addresses.anna });
    return new TwoPhones(phones, addresses);
  }

  peerOf(who: Who): string {
    return this.addresses[other(who)];
  }

  /** A request that has to succeed; everything that it sets off is carried until the air is silent. */
  async ask<O extends PhoneOp>(who: Who, request: PhoneRequest<O>): Promise<PhoneReply> {
    const reply = await mustAsk(this.phones[who], request);
    await this.carry(who, reply);
    return reply;
  }

  /** Ticks on both sides, as many as it takes for held acknowledgements to leave. */
  async tick(times = 2): Promise<void> {
    for (let i = 0; i < times; i++) {
      await this.ask("anna", { op: "tick" });
      await this.ask("bert", { op: "tick" });
    }
  }

  async pair(): Promise<void> {
    await this.ask("anna", { op: "link", peer: this.peerOf("anna"), announce: true });
    await this.tick();
  }

  take(): Log {
    const taken = this.log;
    this.log = emptyLog();
    return taken;
  }

  async close(): Promise<void> {
    await this.phones.anna.close();
    await this.phones.bert.close();
  }

  private async carry(who: Who, first: PhoneReply): Promise<void> {
    const replies: [Who, PhoneReply][] = [[who, first]];
    let carried = 0;
    for (let next = replies.shift(); next; next = replies.shift()) {
      const [from, reply] = next;
      const to = other(from);
      this.log.heard.push(...reply.messages.map(({ text }) => `${from} hears ${text}`));
      this.log.events.push(...reply.events.map((event) => ({ who: from, event: event as Record<string, unknown> })));
      for (const { data } of reply.frames) {
        if (++carried > MAX_FRAMES) throw new Error(`more than ${MAX_FRAMES} frames crossed`);
        this.log.crossed.push(`${from} ${kindOf(data)}`);
        replies.push([to, await mustAsk(this.phones[to], { op: "frame", from: this.addresses[from], data })]);
      }
    }
  }
}

export const other = (who: Who): Who => (who === "anna" ? "bert" : "anna");

/** Encoding and prefix of a frame, read off its text without a codec. */
function kindOf(hex: string): string {
  const text = Buffer.from(hex, "hex").toString("latin1");
  const prefix = /__[A-Z_]+__/.exec(text)?.[0] ?? (text.includes("ack_for") ? "ack" : "other");
  return `${text.startsWith("{") ? "json" : "binary"} ${prefix}`;
}
