// The main job: a device and the real phone pair, talk, follow commits and a rekey, with power cycles between any two.
import { Conversation, mustDo, mustAsk, type Leaf, type LeafEvent, type Phone } from "@offleaf/interop";

export const APP_ID = "com.example.lock";

/** Who speaks first. */
export type Order = "device-first" | "phone-first";
export const ORDERS: readonly Order[] = ["device-first", "phone-first"];

export interface Step {
  step: string;
  order: Order;
  ok: boolean;
  ms: number;
  /** What the step found, or why it failed. */
  [fact: string]: unknown;
}

export interface MainJobOptions {
  order: Order;
  commits: number;
  /** Gets each step as it ends. */
  onStep: (step: Step) => void;
}

/** Steps of a run: open, pair, power, message; each commit with a power cycle; rekey, power, message. */
export const stepCount = (commits: number): number => 4 + 2 * commits + 3;

/** A step did not come out as it must. */
export class StepFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StepFailed";
  }
}

function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new StepFailed(otherwise);
}

/**
 * Runs the main job between a device on an erased part and a fresh phone.
 * Stops at the first step that fails; that one is the last in the list and has `ok: false`.
 */
export async function runMainJob(
  leaf: Leaf,
  phone: Phone,
  options: MainJobOptions,
): Promise<{ steps: Step[]; address: string; conversation?: Conversation }> {
  const job = new MainJob(leaf, phone, options);
  await job.run();
  return { steps: job.steps, address: job.address, ...(job.talk && { conversation: job.talk }) };
}

class MainJob {
  readonly steps: Step[] = [];
  address = "";
  talk: Conversation | undefined;
  private messages = 0;

  constructor(
    private readonly leaf: Leaf,
    private readonly phone: Phone,
    private readonly options: MainJobOptions,
  ) {}

  async run(): Promise<void> {
    const { commits } = this.options;
    const script: [string, () => Promise<object>][] = [
      ["open", () => this.open()],
      ["pair", () => this.pair()],
      ["power", () => this.power()],
      ["message", () => this.exchange()],
      ...Array.from({ length: commits }, (): [string, () => Promise<object>][] => [
        ["commit", () => this.commit()],
        ["power", () => this.power()],
      ]).flat(),
      ["rekey", () => this.rekey()],
      ["power", () => this.power()],
      ["message", () => this.exchange()],
    ];
    for (const [name, step] of script) if (!(await this.perform(name, step))) return;
  }

  private async perform(step: string, body: () => Promise<object>): Promise<boolean> {
    const start = Date.now();
    const record = (ok: boolean, facts: object): Step => ({
      step,
      order: this.options.order,
      ok,
      ms: Date.now() - start,
      ...facts,
    });
    let done: Step;
    try {
      done = record(true, await body());
    } catch (error) {
      done = record(false, {
        reason: error instanceof Error ? error.message : String(error),
        refused: this.refusals(),
      });
    }
    this.steps.push(done);
    this.options.onStep(done);
    return done.ok;
  }

  private async open(): Promise<object> {
    const { r: phone } = await mustAsk(this.phone, { op: "start", app: APP_ID });
    const { r } = await mustDo(this.leaf, { op: "open", appId: APP_ID, mode: "provision" });
    this.address = r!.address;
    this.talk = new Conversation(this.leaf, this.phone, this.address, String(phone.address));
    await this.talk.ask({ op: "link", peer: this.address });
    return { address: this.address, phone: phone.address };
  }

  private async pair(): Promise<object> {
    const { talk } = this.parts();
    if (this.options.order === "device-first") {
      await talk.device({ op: "advertise", peer: talk.phoneAddress, now: talk.now() });
    } else {
      await talk.ask({ op: "link", peer: this.address, announce: true });
    }
    await talk.settle();
    this.expectEvent("SessionEstablished");
    const epoch = await this.expectSession();
    return { epoch, frames: talk.crossings.length };
  }

  /** A message each way, each exactly once and unchanged. */
  private async exchange(): Promise<object> {
    const { talk } = this.parts();
    const question = `message ${++this.messages}: is it locked? \u{1f512}`;
    const answer = `message ${++this.messages}: locked`;
    talk.take();
    await talk.ask({ op: "send", to: this.address, text: question });
    await talk.settle();
    const opened = this.leafEvents("MessageReceived");
    must(
      opened.length === 1 && opened[0]!.text === question && opened[0]!.peer === talk.phoneAddress,
      `the device opened ${JSON.stringify(opened)} instead of ${question}`,
    );
    await talk.device({ op: "seal", peer: talk.phoneAddress, text: answer, now: talk.now() });
    await talk.settle();
    const heard = talk.take().flatMap((one) => ("message" in one ? [one.message.text] : []));
    must(heard.length === 1 && heard[0] === answer, `the phone opened ${JSON.stringify(heard)} instead of ${answer}`);
    return { frameId: opened[0]!.frameId };
  }

  /** Power off and on: the same device comes back, and talks at once. */
  private async power(): Promise<object> {
    await mustDo(this.leaf, { op: "power" });
    const { r } = await mustDo(this.leaf, { op: "open", appId: APP_ID, mode: "resume" });
    must(r!.address === this.address, `the device came back as ${r!.address}`);
    return this.exchange();
  }

  private async commit(): Promise<object> {
    const { talk } = this.parts();
    talk.take();
    const { r } = await talk.ask({ op: "commit", peer: this.address });
    await talk.settle();
    const applied = this.leafEvents("CommitApplied");
    must(
      applied.length === 1 && applied[0]!.epoch === r.epoch,
      `the device applied ${JSON.stringify(applied)}, the phone is in epoch ${String(r.epoch)}`,
    );
    await this.exchange();
    return { epoch: r.epoch };
  }

  private async rekey(): Promise<object> {
    const { talk } = this.parts();
    talk.take();
    await talk.ask({ op: "rekey", peer: this.address });
    await talk.settle();
    this.expectEvents(["SessionReset", "SessionEstablished"]);
    const epoch = await this.expectSession();
    await this.exchange();
    return { epoch };
  }

  private parts(): { talk: Conversation } {
    must(this.talk !== undefined, "the two ends never met");
    return { talk: this.talk };
  }

  /** Takes what happened; the events of this type, in order. */
  private leafEvents<T extends LeafEvent["type"]>(type: T): Extract<LeafEvent, { type: T }>[] {
    const all = this.parts()
      .talk.take()
      .flatMap((one) => (one.at === "leaf" ? [one.event] : []));
    return all.filter((event): event is Extract<LeafEvent, { type: T }> => event.type === type);
  }

  private expectEvent(type: LeafEvent["type"]): void {
    this.expectEvents([type]);
  }

  /** These types happened, in this order, among others. */
  private expectEvents(types: LeafEvent["type"][]): void {
    const seen = this.parts()
      .talk.take()
      .flatMap((one) => (one.at === "leaf" ? [one.event.type] : []));
    let from = 0;
    for (const type of types) {
      const at = seen.indexOf(type, from);
      must(at >= 0, `no ${type} among the events of the device: ${seen.join(", ") || "none"}`);
      from = at + 1;
    }
  }

  /** Both ends hold a session and the phone knows that the device does. Returns the epoch. */
  private async expectSession(): Promise<unknown> {
    const { talk } = this.parts();
    const { r } = await talk.ask({ op: "status", peer: this.address });
    must(r.session === true && r.confirmed === true, `the phone has no confirmed session: ${JSON.stringify(r)}`);
    const own = await talk.device({ op: "session", peer: talk.phoneAddress });
    must(own.r!.session, "the device has no session");
    return r.epoch;
  }

  /** What the device refused on the way, to explain a failure. */
  private refusals(): string[] {
    return (this.talk?.crossings ?? []).flatMap(({ refused }) => (refused === undefined ? [] : [refused]));
  }
}
