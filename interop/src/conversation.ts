// One device and one phone with a radio between them that loses nothing.
import { mustDo, type Leaf, type LeafEvent, type LeafOp, type LeafRequest, type LeafSuccess } from "./leaf.ts";
import { mustAsk, type Phone, type PhoneOp, type PhoneReply, type PhoneRequest } from "./phone.ts";

/** Frames that may cross before a conversation is taken for a loop; a pairing needs about a dozen. */
const MAX_FRAMES_PER_SETTLE = 400;

/** Something that an end reported, in order of time. */
export type Happening =
  | { at: "leaf"; event: LeafEvent }
  | { at: "phone"; message: { from: string; text: string } }
  | { at: "phone"; event: unknown };

/** A frame that crossed. */
export interface Crossing {
  to: "leaf" | "phone";
  data: string;
  /** Kind of refusal, when the device refused it. */
  refused?: string;
}

export class Conversation {
  /** Everything that happened since the last `take`. */
  private happenings: Happening[] = [];
  /** Every frame that crossed, for the log. */
  readonly crossings: Crossing[] = [];
  private toLeaf: string[] = [];
  private toPhone: string[] = [];

  /** @param now seconds since 1970, what the device is told */
  constructor(
    readonly leaf: Leaf,
    readonly phone: Phone,
    readonly leafAddress: string,
    readonly phoneAddress: string,
    readonly now: () => number = () => Math.floor(Date.now() / 1000),
  ) {}

  /** A request to the device that has to succeed; its frames go on the air. */
  async device<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafSuccess<O>> {
    const reply = await mustDo(this.leaf, request);
    this.takeFromLeaf(reply.frames, reply.events);
    return reply;
  }

  /** A request to the phone that has to succeed; its frames go on the air. */
  async ask<O extends PhoneOp>(request: PhoneRequest<O>): Promise<PhoneReply> {
    const reply = await mustAsk(this.phone, request);
    this.takeFromPhone(reply);
    return reply;
  }

  /** Carries frames until the air is silent. A refusal by the device is recorded, not thrown. */
  async settle(): Promise<void> {
    for (let carried = 0; this.toLeaf.length + this.toPhone.length > 0; carried++) {
      if (carried === MAX_FRAMES_PER_SETTLE) throw new Error(`the two ends did not fall silent in ${carried} frames`);
      const data = this.toPhone.shift();
      if (data !== undefined) await this.carryToPhone(data);
      else await this.carryToLeaf(this.toLeaf.shift()!);
    }
  }

  /** Takes what happened since the last call. */
  take(): Happening[] {
    const taken = this.happenings;
    this.happenings = [];
    return taken;
  }

  private async carryToPhone(data: string): Promise<void> {
    this.crossings.push({ to: "phone", data });
    this.takeFromPhone(await mustAsk(this.phone, { op: "frame", from: this.leafAddress, data }));
  }

  private async carryToLeaf(data: string): Promise<void> {
    const reply = await this.leaf.request({ op: "receive", frame: data, now: this.now() });
    if (!reply.ok) {
      this.crossings.push({ to: "leaf", data, refused: `${reply.error.kind}: ${reply.error.message}` });
      return;
    }
    this.crossings.push({ to: "leaf", data });
    this.takeFromLeaf(reply.frames, reply.events);
  }

  private takeFromLeaf(frames: string[], events: LeafEvent[]): void {
    this.toPhone.push(...frames);
    this.happenings.push(...events.map((event): Happening => ({ at: "leaf", event })));
  }

  private takeFromPhone(reply: PhoneReply): void {
    this.toLeaf.push(...reply.frames.filter(({ to }) => to === this.leafAddress).map(({ data }) => data));
    this.happenings.push(...reply.messages.map((message): Happening => ({ at: "phone", message })));
    this.happenings.push(...reply.events.map((event): Happening => ({ at: "phone", event })));
  }
}
