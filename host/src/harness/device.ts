// The harness of docs/harness.md over a board: requests in, replies out.
import type { Leaf, LeafEvent, LeafHello, LeafOp, LeafReply, LeafRequest, LeafStats } from "@offleaf/interop";
import { FAULT_KINDS, OPEN_MODES, TRAPPED, type Board, type CallOutcome, type CoreCall } from "../board/board.ts";
import { coreVersion } from "../build-info.ts";
import { decodeEvent } from "./events.ts";
import { BadRequest, count, flag, hex, optionalUtf8, seconds, utf8, word, type Members } from "./members.ts";
import { refusalFrom, refusalOf, type Refusal } from "./refusal.ts";

/** Version of the harness. */
export const HARNESS_VERSION = 1;

const ADDRESS_BYTES = 44;
/** No address is longer; the core refuses the rest by these alone, and the link carries no more. */
const MAX_PEER_BYTES = 255;
/** Seconds that a pairing window stays open when the request does not say: pairing.md section 9. */
const PAIRING_WINDOW_SECONDS = 120;

/** What a request brought when it was not refused. */
interface Done {
  frames: string[];
  events: LeafEvent[];
  r?: object;
}

/** What the core is told again after a trap, so that the device goes on as it was. */
interface Opened {
  appId: Uint8Array;
  /** A pairing window was in force. */
  windowed: boolean;
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const only = (r?: object): Done => ({ frames: [], events: [], ...(r && { r }) });
const peerOf = (members: Members): Uint8Array => utf8(members, "peer").subarray(0, MAX_PEER_BYTES);

export class Device implements Leaf {
  private opened: Opened | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private readonly ops: Record<LeafOp, (members: Members) => Promise<Done>>;

  /** @param onDefect gets an error that is no refusal; the request is answered with Trap all the same */
  constructor(
    private readonly board: Board,
    private readonly onDefect: (error: unknown) => void = () => {},
  ) {
    this.ops = {
      hello: () => this.hello(),
      open: (members) => this.open(members),
      advertise: (members) => this.core({ call: "advertise", peer: peerOf(members), now: seconds(members, "now") }),
      receive: (members) => this.core({ call: "receive", frame: hex(members, "frame"), now: seconds(members, "now") }),
      seal: (members) =>
        this.core({ call: "seal", peer: peerOf(members), text: utf8(members, "text"), now: seconds(members, "now") }),
      peers: () => this.core({ call: "peers" }, peersOf),
      session: (members) => this.core({ call: "session", peer: peerOf(members) }, sessionOf),
      unpair: (members) => this.core({ call: "unpair", peer: peerOf(members) }),
      invite: (members) => this.core({ call: "invite", petname: optionalUtf8(members, "petname") }, inviteOf),
      pairing: (members) => this.pairing(members),
      selftest: () => this.core({ call: "selftest" }),
      power: () => this.power(),
      fault: (members) => this.fault(members),
      stats: async () => only((await this.board.stats()) satisfies LeafStats),
      flash: (members) => this.flash(members),
      entropy: async (members) => {
        await this.board.seedEntropy(hex(members, "seed"));
        return only();
      },
    };
  }

  /** Answers one request; requests are answered in order. Never throws. */
  request<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafReply<O>> {
    return this.handle(request as unknown as Members) as Promise<LeafReply<O>>;
  }

  /** The same for members that nobody has checked yet. */
  handle(members: Members): Promise<LeafReply> {
    const reply = this.last.then(() => this.answer(members));
    this.last = reply;
    return reply;
  }

  async close(): Promise<void> {
    await this.last;
    await this.board.close();
  }

  private async answer(members: Members): Promise<LeafReply> {
    const id = members.id as number | string | undefined;
    try {
      checkId(members.id);
      const { frames, events, r } = await this.perform(members);
      return { ...(id !== undefined && { id }), ok: true, frames, events, ...(r && { r }) } as LeafReply;
    } catch (error) {
      return refuse(isId(members.id) ? id : undefined, error instanceof Refused ? error.refusal : this.refusal(error));
    }
  }

  private refusal(error: unknown): Refusal {
    const refusal = refusalFrom(error);
    if (refusal) return refusal;
    this.onDefect(error);
    return { kind: "Trap", message: `the host met a defect of its own: ${String(error)}` };
  }

  private perform(members: Members): Promise<Done> {
    const op = members.op;
    if (typeof op !== "string" || !Object.hasOwn(this.ops, op)) {
      throw new BadRequest(`op is one of ${Object.keys(this.ops).join(", ")}`);
    }
    return this.ops[op as LeafOp](members);
  }

  private async hello(): Promise<Done> {
    const { image, abi, coreSha256, frameBytes } = await this.board.hello();
    const core = { version: coreVersion(coreSha256), sha256: coreSha256 };
    return only({ harness: HARNESS_VERSION, board: this.board.name, image, abi, core, frameBytes } satisfies LeafHello);
  }

  private async open(members: Members): Promise<Done> {
    const appId = utf8(members, "appId");
    const mode = word(members, "mode", OPEN_MODES, "open");
    this.opened = undefined;
    const { answer } = await this.succeed({ call: "open", mode, appId });
    this.opened = { appId, windowed: false };
    const address = Buffer.from(answer.subarray(0, ADDRESS_BYTES)).toString("latin1");
    return only({ address, publicKey: toHex(answer.subarray(ADDRESS_BYTES)) });
  }

  private async pairing(members: Members): Promise<Done> {
    const open = flag(members, "open");
    const call: CoreCall = {
      call: "pairing",
      open,
      seconds: count(members, "seconds", open ? PAIRING_WINDOW_SECONDS : 0),
      now: seconds(members, "now"),
    };
    const done = await this.core(call);
    if (this.opened) this.opened.windowed = true;
    return done;
  }

  private async power(): Promise<Done> {
    this.opened = undefined;
    await this.board.power();
    return only();
  }

  private async fault(members: Members): Promise<Done> {
    await this.board.fault({
      after: count(members, "after"),
      kind: word(members, "kind", FAULT_KINDS),
      bits: count(members, "bits", 0),
    });
    return only();
  }

  private async flash(members: Members): Promise<Done> {
    if (members.read === true) return only({ flash: toHex(await this.board.readFlash()) });
    if (members.write === undefined) throw new BadRequest('flash wants "read":true, or "write" and "at"');
    const bytes = hex(members, "write");
    try {
      await this.board.writeFlash(count(members, "at"), bytes);
    } catch (error) {
      if (error instanceof RangeError) throw new BadRequest(error.message);
      throw error;
    }
    return only();
  }

  /** A call that needs an open device; the core itself knows whether it is. */
  private async core(call: CoreCall, result?: (answer: Uint8Array) => object): Promise<Done> {
    const { frames, events, answer } = await this.succeed(call);
    return { frames: frames.map(toHex), events: events.map(decodeEvent), ...(result && { r: result(answer) }) };
  }

  private async succeed(call: CoreCall): Promise<CallOutcome> {
    const outcome = await this.board.call(call);
    if (outcome.status === 0) return outcome;
    if (outcome.status === TRAPPED) await this.reopen();
    throw new Refused(refusalOf(outcome));
  }

  /** After a trap the core is new: it is opened as it was, and where a pairing window was in force it is closed. */
  private async reopen(): Promise<void> {
    const opened = this.opened;
    this.opened = undefined;
    if (!opened) return;
    const { status } = await this.board.call({ call: "open", mode: "resume", appId: opened.appId });
    if (status !== 0) return;
    this.opened = opened;
    if (opened.windowed) await this.board.call({ call: "pairing", open: false, seconds: 0, now: 0n });
  }
}

/** A refusal on its way to the reply. */
class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

const isId = (value: unknown): boolean =>
  value === undefined || typeof value === "string" || typeof value === "bigint" || Number.isFinite(value);

function checkId(value: unknown): void {
  if (!isId(value)) throw new BadRequest("id is a number or text");
}

/** The reply to a line that could not be read, or to a request that was refused. */
export function refuse(id: number | string | undefined, error: Refusal): LeafReply {
  return { ...(id !== undefined && { id }), ok: false, error, frames: [], events: [] };
}

function peersOf(answer: Uint8Array): object {
  const text = Buffer.from(answer).toString("latin1");
  return {
    peers: Array.from({ length: text.length / ADDRESS_BYTES }, (_, i) =>
      text.slice(i * ADDRESS_BYTES, (i + 1) * ADDRESS_BYTES),
    ),
  };
}

const sessionOf = (answer: Uint8Array): object => ({ session: answer[0] === 1, envVersions: [...answer.subarray(1)] });

const inviteOf = (answer: Uint8Array): object => ({ invite: Buffer.from(answer).toString("latin1") });
