// Where a scenario plays: one device, any number of phones, and an air that carries what it is told to.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LeafProcess,
  PhoneProcess,
  mustAsk,
  mustDo,
  type LeafErrorKind,
  type LeafEvent,
  type LeafOp,
  type LeafRequest,
  type LeafSuccess,
  type PhoneOp,
  type PhoneReply,
  type PhoneRequest,
} from "../src/index.ts";
import { deviceCommand, phoneCommand, virtualTime, type DeviceChoice } from "./tools.ts";
import { readFrame, writeFrame, type Frame } from "./wire.ts";

export const APP_ID = "com.example.lock";
/** Frames that may cross in one `settle`; a pairing needs about a dozen. */
const MAX_FRAMES = 400;
const DEVICE_TIMEOUT_MS = 120_000;

/** A phone on the stage. */
export interface PhoneEnd {
  name: string;
  process: PhoneProcess;
  address: string;
  publicKey: string;
  /** Messages that it opened and nobody has looked at yet. */
  heard: string[];
}

/** Who speaks first. */
export type First = "device" | "phone";

/** A frame on its way, hex. */
export interface Flight {
  to: "device" | PhoneEnd;
  data: string;
  /** Phone whose link carries it. */
  link: PhoneEnd;
}

/** What happens to frames on their way. */
export interface Way {
  /** Runs after each frame that the device was given. */
  between?: () => Promise<void>;
  /** Whether the air loses a frame. */
  lose?: (frame: Frame, to: "device" | "phone") => boolean;
}

/** What the device answered to one frame. */
export interface Answer {
  error: LeafErrorKind | undefined;
  frames: Frame[];
  events: LeafEvent[];
}

export class Stage {
  /** Frames on the air, in order. */
  air: Flight[] = [];
  /** Every frame that the device sent with `do` and `settle`, in order. */
  readonly sent: Frame[] = [];
  /** Events of the device that nobody has looked at yet. */
  events: LeafEvent[] = [];
  /** Refusals of the device while frames were carried by `settle`. */
  refusals: LeafErrorKind[] = [];
  address = "";
  publicKey = "";
  private phones: PhoneEnd[] = [];
  private offsetSeconds = 0;

  private constructor(
    /** Whether a call takes milliseconds; an emulated board needs a hundred times as long. */
    readonly quick: boolean,
    readonly device: LeafProcess,
    private readonly folder: string,
    private readonly virtual: boolean,
  ) {}

  /** A stage with a device that has been opened for the first time. With `virtual`, time moves by `passTime` only. */
  static async set(choice: DeviceChoice, options: { virtual?: boolean; open?: boolean } = {}): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), "offleaf-stage-"));
    const device = new LeafProcess(deviceCommand(choice, join(folder, "flash")), { timeoutMs: DEVICE_TIMEOUT_MS });
    const stage = new Stage(choice.board === "sim", device, folder, options.virtual ?? false);
    if (options.open ?? true) {
      try {
        await stage.open();
      } catch (error) {
        await stage.strike();
        throw error;
      }
    }
    return stage;
  }

  /** Ends everything on the stage. */
  async strike(): Promise<void> {
    await Promise.all([this.device.close(), ...this.phones.map(({ process }) => process.close())]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Seconds since 1970, for the device. */
  now(): number {
    return Math.floor(Date.now() / 1000) + this.offsetSeconds;
  }

  async open(mode: "open" | "provision" | "resume" = "open"): Promise<void> {
    const { r } = await mustDo(this.device, { op: "open", appId: APP_ID, mode });
    this.address = r!.address;
    this.publicKey = r!.publicKey;
  }

  /** Power off and on; the device must come back as itself. */
  async powerCycle(): Promise<void> {
    const before = this.address;
    await mustDo(this.device, { op: "power" });
    await this.open("resume");
    assert.equal(this.address, before, "the device came back with another address");
  }

  /** A started phone with a link to the device; neither end has said anything. */
  async addPhone(name = "phone"): Promise<PhoneEnd> {
    const process = new PhoneProcess(phoneCommand(), this.virtual ? { env: virtualTime() } : {});
    const phone: PhoneEnd = { name, process, address: "", publicKey: "", heard: [] };
    this.phones.push(phone);
    const { r } = await mustAsk(process, { op: "start", app: APP_ID });
    phone.address = String(r.address);
    phone.publicKey = String(r.publicKey);
    await mustAsk(process, { op: "link", peer: this.address });
    return phone;
  }

  /** Lets time pass for the device and for every phone. Only on a stage with virtual time. */
  async passTime(seconds: number): Promise<void> {
    assert(this.virtual, "time passes by itself on this stage");
    this.offsetSeconds += seconds;
    for (const { process } of this.phones) await mustAsk(process, { op: "clock", offset: this.offsetSeconds });
  }

  /** A request to the device that has to succeed; its frames go on the air, its events are kept. */
  async do<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafSuccess<O>> {
    const reply = await mustDo(this.device, request);
    this.events.push(...reply.events);
    for (const data of reply.frames) this.launch(data);
    return reply;
  }

  /** A request that the device has to refuse; the kind of the refusal. */
  async refused<O extends LeafOp>(request: LeafRequest<O>): Promise<LeafErrorKind> {
    const reply = await this.device.request(request);
    assert(!reply.ok, `the device carried out ${request.op} although it should have refused`);
    assert.deepEqual([reply.frames, reply.events], [[], []], "a refusal brought frames or events");
    return reply.error.kind;
  }

  /** Hands a frame to the device. What it answers is returned and goes nowhere. */
  async give(frame: Frame | string): Promise<Answer> {
    const data = typeof frame === "string" ? frame : writeFrame(frame);
    const reply = await this.device.request({ op: "receive", frame: data, now: this.now() });
    if (!reply.ok) return { error: reply.error.kind, frames: [], events: [] };
    return { error: undefined, frames: reply.frames.map(readFrame), events: reply.events };
  }

  /** A request to a phone that has to succeed; its frames for the device go on the air. */
  async ask<O extends PhoneOp>(phone: PhoneEnd, request: PhoneRequest<O>): Promise<PhoneReply> {
    const reply = await mustAsk(phone.process, request);
    this.takeFrom(phone, reply);
    return reply;
  }

  /** What a phone said to the device since the last look, taken off the air. */
  intercept(): string[] {
    const taken = this.air.filter(({ to }) => to === "device").map(({ data }) => data);
    this.air = this.air.filter(({ to }) => to !== "device");
    return taken;
  }

  /** Carries frames until the air is silent. */
  async settle({ between, lose }: Way = {}): Promise<void> {
    for (let carried = 0; this.air.length > 0; carried++) {
      assert(carried < MAX_FRAMES, `the ends did not fall silent in ${MAX_FRAMES} frames`);
      const flight = this.air.shift()!;
      if (lose?.(readFrame(flight.data), flight.to === "device" ? "device" : "phone")) continue;
      await this.fly(flight);
      if (flight.to === "device") await between?.();
    }
  }

  /** Delivers one frame; what it leads to goes on the air. A refusal by the device is recorded, not thrown. */
  async fly({ to, data, link }: Flight): Promise<void> {
    if (to === "device") await this.carryToDevice(data);
    else this.takeFrom(link, await mustAsk(to.process, { op: "frame", from: this.address, data }));
  }

  /** Pairs: the device offers itself, or the phone discovers it. */
  async pair(phone: PhoneEnd, first: First = "device", way: Way = {}): Promise<void> {
    await this.beginPairing(phone, first);
    await this.settle(way);
    await this.expectSession(phone);
  }

  /** The first frame of a pairing goes on the air. */
  async beginPairing(phone: PhoneEnd, first: First = "device"): Promise<void> {
    if (first === "device") await this.do({ op: "advertise", peer: phone.address, now: this.now() });
    else await this.ask(phone, { op: "link", peer: this.address, announce: true });
  }

  /** Both ends hold a confirmed session. */
  async expectSession(phone: PhoneEnd): Promise<void> {
    const { r } = await this.ask(phone, { op: "status", peer: this.address });
    assert.deepEqual(
      { session: r.session, confirmed: r.confirmed },
      { session: true, confirmed: true },
      `the phone: ${JSON.stringify(r)}`,
    );
    const session = await this.do({ op: "session", peer: phone.address });
    assert.equal(session.r!.session, true, "the device has no session");
  }

  /** A message each way arrives exactly once and unchanged. */
  async talk(phone: PhoneEnd, text: string): Promise<void> {
    this.takeEvents();
    phone.heard = [];
    await this.ask(phone, { op: "send", to: this.address, text: `${text}?` });
    await this.settle();
    assert.deepEqual(messagesIn(this.takeEvents()), [{ peer: phone.address, text: `${text}?` }]);
    await this.do({ op: "seal", peer: phone.address, text: `${text}!`, now: this.now() });
    await this.settle();
    assert.deepEqual(phone.heard, [`${text}!`]);
  }

  takeEvents(): LeafEvent[] {
    const taken = this.events;
    this.events = [];
    return taken;
  }

  /** Whether this kind of device can do what the scenario needs. */
  async can<O extends LeafOp>(request: LeafRequest<O>): Promise<boolean> {
    const reply = await this.device.request(request);
    return reply.ok || reply.error.kind !== "Unsupported";
  }

  private async carryToDevice(data: string): Promise<void> {
    const reply = await this.device.request({ op: "receive", frame: data, now: this.now() });
    if (!reply.ok) {
      this.refusals.push(reply.error.kind);
      return;
    }
    this.events.push(...reply.events);
    for (const answer of reply.frames) this.launch(answer);
  }

  /** Puts a frame of the device on the air, for the phone that it names. */
  private launch(data: string): void {
    const frame = readFrame(data);
    this.sent.push(frame);
    const phone = this.phones.find(({ address }) => address === frame.recipient);
    if (phone) this.air.push({ to: phone, data, link: phone });
  }

  private takeFrom(phone: PhoneEnd, reply: PhoneReply): void {
    phone.heard.push(...reply.messages.map(({ text }) => text));
    const flights = reply.frames.filter(({ to }) => to === this.address);
    this.air.push(...flights.map(({ data }): Flight => ({ to: "device", data, link: phone })));
  }
}

/** The messages among events. */
export function messagesIn(events: LeafEvent[]): { peer: string; text: string }[] {
  return events.flatMap((event) => (event.type === "MessageReceived" ? [{ peer: event.peer, text: event.text }] : []));
}

/** Reasons of the frames that were ignored. */
export function reasonsIn(events: LeafEvent[]): string[] {
  return events.flatMap((event) => (event.type === "Ignored" ? [event.reason] : []));
}

/** Types of events, in order. */
export function typesOf(events: LeafEvent[]): string[] {
  return events.map(({ type }) => type);
}
