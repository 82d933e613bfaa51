// The harness on `sim` with the core of the build: identity, power, faults, flash, hostile bytes.
import fc from "fast-check";
import type { LeafOp, LeafReply, LeafRequest } from "@offleaf/interop";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SimBoard, type SimOptions } from "../src/board/sim.ts";
import { Device } from "../src/harness/device.ts";

const APP = "com.example.lock";
const NOW = 1_800_000_000;
/** A good address of somebody who is not there. */
const STRANGER = "off1q9ga83pe0z60kxm5u68sduuhawzs7pmhvsduznpp";

const folder = mkdtempSync(join(tmpdir(), "offleaf-sim-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `flash-${++files}`);

const device = (options: SimOptions = {}): Device =>
  new Device(new SimBoard(options), (error) => {
    throw error;
  });

async function done<O extends LeafOp>(leaf: Device, request: LeafRequest<O>): Promise<LeafReply<O> & { ok: true }> {
  const reply = await leaf.request(request);
  if (!reply.ok) throw new Error(`${request.op}: ${reply.error.kind} ${reply.error.message}`);
  return reply;
}

async function refused<O extends LeafOp>(leaf: Device, request: LeafRequest<O>): Promise<string> {
  const reply = await leaf.request(request);
  return reply.ok ? "ok" : reply.error.kind;
}

const open = (leaf: Device, mode: "open" | "provision" | "resume" = "open") =>
  done(leaf, { op: "open", appId: APP, mode });

describe("identity", () => {
  it("an erased part is provisioned, and comes back as the same device", async () => {
    const flash = newFile();
    const first = device({ flash });
    expect(await refused(first, { op: "open", appId: APP, mode: "resume" })).toBe("NotProvisioned");
    const { r } = await open(first, "provision");
    expect(r!.address).toMatch(/^off1[a-z0-9]{40}$/);
    expect(await refused(first, { op: "open", appId: APP, mode: "provision" })).toBe("AlreadyProvisioned");
    await done(first, { op: "power" });
    expect((await open(first, "resume")).r).toEqual(r);
    expect((await open(first)).r).toEqual(r);
    await first.close();
    const second = device({ flash });
    expect((await open(second)).r).toEqual(r);
    await second.close();
  });

  it("every part has its own key: two parts are two devices", async () => {
    const addresses = await Promise.all([device(), device()].map(async (leaf) => (await open(leaf)).r!.address));
    expect(addresses[0]).not.toBe(addresses[1]);
  });

  it("seeded entropy makes the same device twice, and is refused without the switch for tests", async () => {
    const make = async (seed: string): Promise<string> => {
      const leaf = device({ testEntropy: true });
      await done(leaf, { op: "entropy", seed });
      return (await open(leaf)).r!.address;
    };
    expect(await make("00")).toBe(await make("00"));
    expect(await make("00")).not.toBe(await make("01"));
    expect(await refused(device(), { op: "entropy", seed: "00" })).toBe("Unsupported");
  });
});

describe("requests in the wrong state", () => {
  const needOpen: LeafRequest[] = [
    { op: "advertise", peer: STRANGER, now: NOW },
    { op: "receive", frame: "00", now: NOW },
    { op: "seal", peer: STRANGER, text: "x", now: NOW },
    { op: "peers" },
    { op: "session", peer: STRANGER },
    { op: "unpair", peer: STRANGER },
    { op: "invite" },
    { op: "pairing", open: true, now: NOW },
  ];

  it.each(needOpen)("$op answers NotOpen before open and after power", async (request) => {
    const leaf = device();
    expect(await refused(leaf, request)).toBe("NotOpen");
    await open(leaf);
    await done(leaf, { op: "power" });
    expect(await refused(leaf, request)).toBe("NotOpen");
  });

  it("hello, stats, flash, power and fault need no open", async () => {
    const leaf = device();
    const { r } = await done(leaf, { op: "hello" });
    expect(r).toMatchObject({ harness: 1, board: "sim", abi: 1, core: { version: "0.1.0" } });
    expect(r!.core.sha256).toMatch(/^[0-9a-f]{64}$/);
    for (const request of [
      { op: "stats" },
      { op: "flash", read: true },
      { op: "power" },
      { op: "fault", after: 9, kind: "cut" },
    ] as LeafRequest[]) {
      expect(await refused(leaf, request)).toBe("ok");
    }
  });
});

describe("calls", () => {
  it("advertise gives one frame, seal without a session NoSession, and peers lists whom it advertised to", async () => {
    const leaf = device();
    await open(leaf);
    const { frames } = await done(leaf, { op: "advertise", peer: STRANGER, now: NOW });
    expect(frames).toHaveLength(1);
    expect(await refused(leaf, { op: "seal", peer: STRANGER, text: "x", now: NOW })).toBe("NoSession");
    expect((await done(leaf, { op: "peers" })).r!.peers).toEqual([STRANGER]);
    expect((await done(leaf, { op: "session", peer: STRANGER })).r).toEqual({ session: false, envVersions: [] });
    await done(leaf, { op: "unpair", peer: STRANGER });
    expect((await done(leaf, { op: "peers" })).r!.peers).toEqual([]);
  });

  it("an invite parses as InviteV1 of this device", async () => {
    const leaf = device();
    const { r } = await open(leaf);
    const blob = Buffer.from((await done(leaf, { op: "invite" })).r!.invite, "base64url");
    expect([blob[0], blob.toString("hex", 2, 34), blob[34], blob.toString("latin1", 35, 79)]).toEqual([
      1,
      r!.publicKey,
      44,
      r!.address,
    ]);
  });

  it("stats count since the last stats", async () => {
    const leaf = device();
    await open(leaf);
    const { r } = await done(leaf, { op: "stats" });
    expect(r!.flashPrograms).toBeGreaterThan(0);
    expect(r!.flashBytes).toBe(4 * r!.flashPrograms);
    expect(r!.arena).toBeGreaterThan(0);
    expect((await done(leaf, { op: "stats" })).r).toMatchObject({ flashPrograms: 0, flashErases: 0, flashBytes: 0 });
  });

  it("a frame that is longer than the mailbox is MalformedFrame, and so is a text", async () => {
    const leaf = device();
    await open(leaf);
    const { frameBytes } = (await done(leaf, { op: "hello" })).r!;
    expect(await refused(leaf, { op: "receive", frame: "7b".repeat(frameBytes), now: NOW })).toBe("MalformedFrame");
    expect(await refused(leaf, { op: "receive", frame: "7b".repeat(frameBytes + 1), now: NOW })).toBe("MalformedFrame");
    expect(await refused(leaf, { op: "seal", peer: STRANGER, text: "x".repeat(frameBytes), now: NOW })).toBe(
      "MalformedFrame",
    );
  });

  it("any bytes are refused or ignored, program nothing, and leave the device usable", async () => {
    const leaf = device();
    const { r } = await open(leaf);
    const frame = Buffer.from((await done(leaf, { op: "advertise", peer: STRANGER, now: NOW })).frames[0]!, "hex");
    const before = (await done(leaf, { op: "flash", read: true })).r;
    const bent = fc.tuple(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
      const copy = Buffer.from(frame);
      copy[at]! ^= flip;
      return copy;
    });
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 65_536, minLength: 60_000 }),
      fc.json().map((text) => Buffer.from(text)),
      bent,
      fc.nat(frame.length).map((cut) => frame.subarray(0, cut)),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        const reply = await leaf.request({ op: "receive", frame: Buffer.from(bytes).toString("hex"), now: NOW });
        expect(reply.ok ? reply.events.map(({ type }) => type) : reply.error.kind).not.toBe("Trap");
        if (reply.ok) expect([reply.frames, reply.events.map(({ type }) => type)]).toEqual([[], ["Ignored"]]);
      }),
      { numRuns: 300 },
    );
    expect((await done(leaf, { op: "flash", read: true })).r).toEqual(before);
    expect((await open(leaf)).r).toEqual(r);
  });
});

describe("faults", () => {
  it.each(["cut", "tear"] as const)(
    "after a %s everything but power and hello is PowerLost, then the device is as before",
    async (kind) => {
      const leaf = device();
      const { r } = await open(leaf);
      for (let after = 0; after < 12; after++) {
        await done(leaf, { op: "fault", after, kind, bits: after });
        const struck = await leaf.request({ op: "advertise", peer: STRANGER, now: NOW });
        expect(struck).toMatchObject({ ok: false, error: { kind: "PowerLost" }, frames: [], events: [] });
        for (const request of [
          { op: "peers" },
          { op: "stats" },
          { op: "flash", read: true },
          { op: "fault", after: 0, kind: "cut" },
          { op: "open", appId: APP },
        ] as LeafRequest[]) {
          expect(await refused(leaf, request)).toBe("PowerLost");
        }
        expect(await refused(leaf, { op: "hello" })).toBe("ok");
        await done(leaf, { op: "power" });
        expect((await open(leaf, "resume")).r).toEqual(r);
        expect((await done(leaf, { op: "peers" })).r!.peers).toEqual([]);
      }
    },
  );

  it("an error is Storage without a frame, and the next try succeeds", async () => {
    const leaf = device();
    await open(leaf);
    await done(leaf, { op: "fault", after: 0, kind: "error" });
    expect(await refused(leaf, { op: "advertise", peer: STRANGER, now: NOW })).toBe("Storage");
    expect((await done(leaf, { op: "advertise", peer: STRANGER, now: NOW })).frames).toHaveLength(1);
  });

  it("power clears a plan, and so does none", async () => {
    const leaf = device();
    await open(leaf);
    await done(leaf, { op: "fault", after: 0, kind: "cut" });
    await done(leaf, { op: "power" });
    await open(leaf);
    await done(leaf, { op: "fault", after: 0, kind: "cut" });
    await done(leaf, { op: "fault", after: 0, kind: "none" });
    expect(await refused(leaf, { op: "advertise", peer: STRANGER, now: NOW })).toBe("ok");
  });

  it("a dump put back is the device of before; erased flash is a new device", async () => {
    const leaf = device();
    const { r } = await open(leaf);
    const dump = (await done(leaf, { op: "flash", read: true })).r as { flash: string };
    await done(leaf, { op: "flash", write: "ff".repeat(dump.flash.length / 2), at: 0 });
    await done(leaf, { op: "power" });
    expect((await open(leaf, "provision")).r!.address).not.toBe(r!.address);
    await done(leaf, { op: "flash", write: dump.flash, at: 0 });
    await done(leaf, { op: "power" });
    expect((await open(leaf, "resume")).r).toEqual(r);
    expect(await refused(leaf, { op: "flash", write: "00", at: dump.flash.length / 2 })).toBe("BadRequest");
  });
});
