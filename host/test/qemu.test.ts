// The harness on `qemu` with the leaf image of the build, and the same image behind a pseudo-terminal as a port.
import { DETAILS, KINDS, type LeafOp, type LeafReply, type LeafRequest } from "@offleaf/interop";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPart } from "../src/board/flash-file.ts";
import { QemuBoard } from "../src/board/qemu.ts";
import { qemuCommand, startQemu, stopQemu } from "../src/board/qemu-process.ts";
import { SerialBoard } from "../src/board/serial.ts";
import { Device } from "../src/harness/device.ts";
import { LinkBoard } from "../src/board/link-board.ts";
import { LinkClient } from "../src/link/link-client.ts";
import { imagePath } from "../src/paths.ts";
import { bundle, start } from "./command.ts";

const APP = "com.example.lock";
const NOW = 1_800_000_000;
const STRANGER = "off1q9ga83pe0z60kxm5u68sduuhawzs7pmhvsduznpp";

const folder = mkdtempSync(join(tmpdir(), "offleaf-qemu-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string): string => join(folder, name);

async function done<O extends LeafOp>(leaf: Device, request: LeafRequest<O>): Promise<LeafReply<O> & { ok: true }> {
  const reply = await leaf.request(request);
  if (!reply.ok) throw new Error(`${request.op}: ${reply.error.kind} ${reply.error.message}`);
  return reply;
}

async function refused<O extends LeafOp>(leaf: Device, request: LeafRequest<O>): Promise<string> {
  const reply = await leaf.request(request);
  return reply.ok ? "ok" : reply.error.kind;
}

describe("the emulated board", () => {
  it("works through power, faults and damage as sim does", async () => {
    const leaf = new Device(await QemuBoard.start({ flash: file("life") }));
    try {
      expect((await done(leaf, { op: "hello" })).r).toMatchObject({
        board: "qemu",
        image: "leaf",
        abi: 1,
        frameBytes: 8192,
      });
      expect(await refused(leaf, { op: "peers" })).toBe("NotOpen");
      const { r } = await done(leaf, { op: "open", appId: APP, mode: "provision" });
      const stats = (await done(leaf, { op: "stats" })).r!;
      for (const name of ["flashPrograms", "arena", "pool", "stack", "instructions"] as const)
        expect(stats[name]).toBeGreaterThan(0);

      expect(await refused(leaf, { op: "receive", frame: "7b".repeat(8193), now: NOW })).toBe("MalformedFrame");
      expect(await refused(leaf, { op: "receive", frame: "7b".repeat(65_536), now: NOW })).toBe("MalformedFrame");
      expect(await refused(leaf, { op: "entropy", seed: "00" })).toBe("Unsupported");

      for (const kind of ["cut", "tear"] as const) {
        await done(leaf, { op: "fault", after: 2, kind, bits: 1 });
        expect(await refused(leaf, { op: "advertise", peer: STRANGER, now: NOW })).toBe("PowerLost");
        expect(await refused(leaf, { op: "peers" })).toBe("PowerLost");
        expect(await refused(leaf, { op: "hello" })).toBe("ok");
        await done(leaf, { op: "power" });
        expect((await done(leaf, { op: "open", appId: APP, mode: "resume" })).r).toEqual(r);
        expect((await done(leaf, { op: "peers" })).r!.peers).toEqual([]);
      }
      await done(leaf, { op: "fault", after: 0, kind: "error" });
      expect(await refused(leaf, { op: "advertise", peer: STRANGER, now: NOW })).toBe("Storage");

      const dump = (await done(leaf, { op: "flash", read: true })).r as { flash: string };
      await done(leaf, { op: "flash", write: "ff".repeat(65_536), at: 0 });
      await done(leaf, { op: "power" });
      expect(await refused(leaf, { op: "open", appId: APP, mode: "resume" })).toBe("NotProvisioned");
      await done(leaf, { op: "flash", write: dump.flash, at: 0 });
      await done(leaf, { op: "power" });
      expect((await done(leaf, { op: "open", appId: APP, mode: "resume" })).r).toEqual(r);
    } finally {
      await leaf.close();
    }
  });

  it("holds its flash file alone", async () => {
    const first = await QemuBoard.start({ flash: file("locked") });
    await expect(QemuBoard.start({ flash: file("locked") })).rejects.toMatchObject({ code: "E-FLASH-03" });
    await first.close();
    await (await QemuBoard.start({ flash: file("locked") })).close();
  });

  it("a file name with a comma and a space is one file name", async () => {
    await (await QemuBoard.start({ flash: file("a, b") })).close();
    expect(readFileSync(file("a, b")).length).toBe(65_536 + 32);
  });

  it("what is no flash file, or no image, is said before anything starts", async () => {
    writeFileSync(file("short"), "x");
    await expect(QemuBoard.start({ flash: file("short") })).rejects.toMatchObject({ code: "E-FLASH-02" });
    await expect(QemuBoard.start({ flash: file("new"), image: file("no.elf") })).rejects.toMatchObject({
      code: "E-TOOL-03",
    });
  });

  it("noise on the link costs nothing but the noise", async () => {
    openPart(file("noise")).flash.close();
    const child = startQemu(imagePath("leaf"), file("noise"));
    try {
      const link = new LinkClient(child.stdout, child.stdin, () => {});
      const board = new LinkBoard(link);
      await link.booted(30_000);
      const noise = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * i * 7 + i * 31) & 0xff));
      child.stdin.write(noise);
      child.stdin.write(Buffer.of(0xdb)); // cut in the middle of an escape
      // A request that the mailbox cannot hold is read to its end and refused by the board itself.
      const long = await board.call({ call: "receive", frame: new Uint8Array(8193), now: 1n });
      expect([long.status, long.detail]).toEqual([KINDS.MalformedFrame, DETAILS.TooLong]);
      expect((await board.hello()).image).toBe("leaf");
      const { linkBadCrc, linkBadLength } = await board.stats();
      expect(linkBadCrc! + linkBadLength!).toBeGreaterThan(0);
    } finally {
      await stopQemu(child);
    }
  });
});

/** Processes that have this file open. */
const holders = (path: string): string[] =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === path);
      } catch {
        return false; // it has just ended, or is somebody else's
      }
    });

describe("SIGKILL", () => {
  let offleaf = "";
  beforeAll(async () => {
    offleaf = await bundle("qemu");
  });

  it("takes the emulator along, keeps what was answered, and the file can be used again at once", async () => {
    const flash = file("killed");
    const device = start(offleaf, ["device", "--board", "qemu", "--stdio", "--flash", flash]);
    const replies = createInterface({ input: device.stdout })[Symbol.asyncIterator]();
    device.stdin.write(`{"op":"open","appId":"${APP}","mode":"provision"}\n`);
    const opened = JSON.parse((await replies.next()).value as string) as { r: object };
    expect(holders(flash).length).toBeGreaterThan(0);
    const gone = new Promise((resolve) => device.once("exit", resolve));
    device.kill("SIGKILL");
    await gone;
    const leaf = new Device(await QemuBoard.start({ flash }));
    expect((await done(leaf, { op: "open", appId: APP, mode: "resume" })).r).toEqual(opened.r);
    await leaf.close();
    expect(holders(flash)).toEqual([]);
  });
});

describe("a board on a port", () => {
  let emulator: ChildProcess;
  let port = "";

  beforeAll(async () => {
    openPart(file("port")).flash.close();
    const [command, ...args] = qemuCommand(imagePath("leaf"), file("port")).map((word) =>
      word === "stdio,id=link,signal=off" ? "pty,id=link" : word,
    );
    emulator = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: emulator.stdout! })) {
      port = /redirected to (\/dev\/pts\/\d+)/.exec(line)?.[1] ?? "";
      if (port !== "") break;
    }
  });
  afterAll(() => void emulator.kill("SIGKILL"));

  it("is a device, comes back after power, and cannot be opened twice", async () => {
    const leaf = new Device(await SerialBoard.open(port));
    try {
      expect((await done(leaf, { op: "hello" })).r).toMatchObject({ board: "serial", image: "leaf" });
      const { r } = await done(leaf, { op: "open", appId: APP });
      await expect(SerialBoard.open(port)).rejects.toMatchObject({ code: "E-PORT-02" });
      await done(leaf, { op: "power" });
      expect(await refused(leaf, { op: "peers" })).toBe("NotOpen");
      expect((await done(leaf, { op: "open", appId: APP, mode: "resume" })).r).toEqual(r);
      expect(await refused(leaf, { op: "flash", read: true })).toBe("Unsupported");
    } finally {
      await leaf.close();
    }
  });
});
