// The images on the emulated Cortex-M33: link, calls, traps, flash, faults. The core is a probe that does what it is told.
import { createHash } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ALL_BITS, FlashModel, PowerLost, BOARD_GEOMETRY } from "../src/board/flash-model.ts";
import { Request, Status } from "../src/link/frame.ts";
import type { LinkReply } from "../src/link/link-client.ts";
import { buildTestImages, Emulator, flashFile, JOURNAL_BYTES, probeCore, testImages } from "./firmware/emulator.ts";
import { frame, MAILBOX_BYTES, MEMORY_BYTES, Op } from "./firmware/probe-core.ts";

const image = (name: string): string => join(testImages, `${name}.elf`);
const NOW = 1_700_000_000n;
const MALFORMED_FRAME = 6;
const TOO_LONG = 2;
const NOT_OPEN = 1;
const EXIT = { powerLost: 81, fault: 82, flashFile: 83 };
const FAULT_KIND = { none: 0, cut: 1, tear: 2, error: 3 };

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

const open = (board: Emulator): Promise<LinkReply> => board.request(Request.Open, Buffer.from("\0app"));
const receive = (board: Emulator, bytes: Uint8Array): Promise<LinkReply> =>
  board.request(Request.Receive, Buffer.concat([u64(NOW), bytes]));
const fault = (board: Emulator, after: number, kind: number, bits: number): Promise<LinkReply> =>
  board.request(Request.Fault, Buffer.concat([u32(after), Buffer.of(kind), u32(bits)]));
const program = (at: number, word: number): Buffer => frame(Op.Program, at, 4, word);

interface Stats {
  words: number;
  erases: number;
  bytes: number;
  arena: number;
  pool: number;
  stack: number;
  instructions: number;
  badCrc: number;
  badLength: number;
}

async function stats(board: Emulator): Promise<Stats> {
  const answer = Buffer.from((await board.request(Request.Stats)).answer);
  expect(answer).toHaveLength(40);
  return {
    words: answer.readUInt32LE(0),
    erases: answer.readUInt32LE(4),
    bytes: answer.readUInt32LE(8),
    arena: answer.readUInt32LE(12),
    pool: answer.readUInt32LE(16),
    stack: answer.readUInt32LE(20),
    instructions: Number(answer.readBigUInt64LE(24)),
    badCrc: answer.readUInt32LE(32),
    badLength: answer.readUInt32LE(36),
  };
}

beforeAll(buildTestImages, 300_000);

describe("baseline image", () => {
  it("says hello by itself and when asked, needs no flash, and has no core", async () => {
    const board = Emulator.start(image("baseline"));
    const hello = Buffer.from(await board.booted());
    expect(hello).toEqual(Buffer.concat([Buffer.of(1, 0, 0, 5), Buffer.from("an505"), Buffer.alloc(32), u32(0)]));
    expect(Buffer.from((await board.request(Request.Hello)).answer)).toEqual(hello);
    for (let type = Request.Open; type <= Request.Selftest; type++) {
      expect((await board.request(type, Buffer.alloc(20))).status).toBe(Status.Unsupported);
    }
    expect((await board.request(0x33)).status).toBe(Status.Unsupported);
  });
});

describe.each([
  ["leaf", 1],
  ["leaf-interp", 2],
])("%s image", (name, number) => {
  async function booted(flash = flashFile()): Promise<Emulator> {
    const board = Emulator.start(image(name), flash);
    await board.booted();
    return board;
  }

  async function opened(flash = flashFile()): Promise<Emulator> {
    const board = await booted(flash);
    expect((await open(board)).status).toBe(Status.Ok);
    return board;
  }

  it("names itself, the core and the largest frame", async () => {
    const board = Emulator.start(image(name), flashFile());
    const sha256 = createHash("sha256").update(readFileSync(probeCore)).digest();
    const expected = [Buffer.of(1, 1, number, 5), Buffer.from("an505"), sha256, u32(MAILBOX_BYTES)];
    expect(Buffer.from(await board.booted())).toEqual(Buffer.concat(expected));
  });

  it("hands every field of a request to the core", async () => {
    const board = await booted();
    const geometry = u32((13 << 16) | 8);
    const answer = async (type: number, ...payload: Uint8Array[]): Promise<Buffer> =>
      Buffer.from((await board.request(type, Buffer.concat(payload))).answer);
    expect(await answer(Request.Open, Buffer.of(2), Buffer.from("app"))).toEqual(
      Buffer.concat([Buffer.of(2), geometry]),
    );
    const late = 0x0123456789abcdefn;
    expect(await answer(Request.Advertise, u64(late), Buffer.from("peer"))).toEqual(u64(late));
    const seal = [u64(late), Buffer.of(4), Buffer.from("peertext and more")];
    expect(await answer(Request.Seal, ...seal)).toEqual(Buffer.concat([u32(4), u32(13), u64(late)]));
    const window = [Buffer.of(1), u32(0xfedcba98), u64(late)];
    expect(await answer(Request.Pairing, ...window)).toEqual(Buffer.concat([u32(1), u32(0xfedcba98), u64(late)]));
    expect(await answer(Request.Session, Buffer.from("abc"))).toEqual(Buffer.from("abc"));
    expect(await answer(Request.Invite, Buffer.from("petname"))).toEqual(Buffer.from("petname"));
    expect(await answer(Request.Peers)).toHaveLength(0);
    expect(await answer(Request.Selftest)).toHaveLength(0);
    const refused = await board.request(Request.Unpair, Buffer.from("x"));
    expect([refused.status, refused.detail]).toEqual([10, 77]);
  });

  it("refuses payloads that are too short, and takes frames up to the mailbox and not longer", async () => {
    const board = await opened();
    const SHORT = 253;
    const short: [number, number][] = [
      [Request.Open, 0],
      [Request.Receive, 7],
      [Request.Advertise, 7],
      [Request.Seal, 8],
      [Request.Pairing, 12],
      [Request.Fault, 8],
    ];
    for (const [type, bytes] of short) expect((await board.request(type, Buffer.alloc(bytes))).status).toBe(SHORT);
    expect((await board.request(Request.Seal, Buffer.concat([u64(NOW), Buffer.of(3, 1, 2)]))).status).toBe(SHORT);
    const longest = Buffer.alloc(MAILBOX_BYTES, 0xc0);
    longest[0] = Op.Echo;
    expect(Buffer.from((await receive(board, longest)).frames[0]!)).toEqual(longest);
    for (const bytes of [MAILBOX_BYTES + 1, 2 * MAILBOX_BYTES]) {
      const reply = await receive(board, Buffer.alloc(bytes, Op.Echo));
      expect([reply.status, reply.detail, reply.frames.length]).toEqual([MALFORMED_FRAME, TOO_LONG, 0]);
    }
    expect((await receive(board, frame(Op.Echo))).status).toBe(Status.Ok);
  });

  it("sends frames and events before the reply", async () => {
    const board = await opened();
    const bytes = Buffer.concat([frame(Op.Echo, 1, 2, 3), Buffer.from([0xc0, 0xdb, 0xdc, 0xdd, 0])]);
    const reply = await receive(board, bytes);
    expect(Buffer.from(reply.frames[0]!)).toEqual(bytes);
    expect(Buffer.from(reply.events[0]!)).toEqual(bytes);
  });

  it("survives every trap of the core and goes on with a fresh one", async () => {
    const board = await opened();
    const traps: [Buffer, RegExp][] = [
      [frame(Op.Unreachable), /unreachable/],
      [frame(Op.Recurse, 1_000_000), /stack/],
      [frame(Op.Transmit, MEMORY_BYTES - 4, 5), /out of bounds/],
      [frame(Op.Transmit, 0xffffffff, 1), /out of bounds/],
      [frame(Op.Entropy, MEMORY_BYTES - 4, 5), /out of bounds/],
      [frame(Op.DeviceKey, MEMORY_BYTES - 31), /out of bounds/],
      [frame(Op.Read, JOURNAL_BYTES, 1), /flash_read/],
      [frame(Op.Read, 0xffffffff, 2), /flash_read/],
      [frame(Op.Program, JOURNAL_BYTES - 4, 8), /flash_program/],
      [frame(Op.Program, 2, 4), /flash_program/],
      [frame(Op.Program, 4, 2), /flash_program/],
      [frame(Op.Erase, 8), /flash_erase/],
      [frame(Op.Answer, MAILBOX_BYTES + 1), /mailbox/],
    ];
    for (const [bytes, words] of traps) {
      const reply = await receive(board, bytes);
      expect(reply.status).toBe(Status.Trap);
      expect(reply.trap).toMatch(words);
      const closed = await receive(board, frame(Op.Echo));
      expect([closed.status, closed.detail]).toEqual([1, NOT_OPEN]);
      expect((await open(board)).status).toBe(Status.Ok);
    }
    for (const [op, at, bytes] of [
      [Op.Transmit, MEMORY_BYTES - 4, 4],
      [Op.Read, JOURNAL_BYTES - 1, 1],
      [Op.Recurse, 10, 0],
    ] as const) {
      expect((await receive(board, frame(op, at, bytes))).status).toBe(Status.Ok);
    }
  });

  it("does not wedge on noise, half frames and broken escapes", async () => {
    const board = await opened();
    let state = 1;
    const noise = Buffer.from(
      Array.from({ length: 1 << 14 }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24),
    );
    await board.write(noise);
    await board.write(Buffer.from([0xdb, 0xc0, 0xdb, 0x00, 0xc0, 0xc0, 1, 2, 3, 0xc0, 3, 0xdb]));
    expect((await receive(board, frame(Op.Echo))).status).toBe(Status.Ok);
    const { badCrc, badLength } = await stats(board);
    expect(badCrc).toBeGreaterThan(30);
    expect(badLength).toBeGreaterThan(1);
    const again = await stats(board);
    expect([again.badCrc, again.badLength]).toEqual([0, 0]);
  });

  it("counts instructions the same every time, and without the link", async () => {
    const run = async (): Promise<number[]> => {
      const board = await opened();
      const counts: number[] = [];
      for (const bytes of [frame(Op.Echo), Buffer.alloc(4096, Op.Echo), frame(Op.Spin, 1000), frame(Op.Spin, 2000)]) {
        await receive(board, bytes);
        counts.push((await stats(board)).instructions);
      }
      return counts;
    };
    const counts = await run();
    expect(await run()).toEqual(counts);
    const [small, large, once, twice] = counts as [number, number, number, number];
    expect(Math.abs(large - small)).toBeLessThan(1500);
    expect(twice - once).toBeGreaterThan(3000);
  });

  it("reports flash work, arena, pool and stack", async () => {
    const board = await opened();
    await stats(board);
    await receive(board, frame(Op.Program, 0, 8, 1));
    await receive(board, frame(Op.Erase, 3));
    const first = await stats(board);
    expect([first.words, first.bytes, first.erases, first.arena]).toEqual([2, 8, 1, 16]);
    expect(first.pool).toBeGreaterThan(MEMORY_BYTES);
    expect(first.stack).toBeGreaterThan(200);
    const second = await stats(board);
    expect([second.words, second.erases, second.arena]).toEqual([0, 0, 0]);
    expect([second.pool, second.stack]).toEqual([first.pool, first.stack]);
  });

  it("has everything that it programmed in the file when it answers", async () => {
    const flash = flashFile();
    const board = await opened(flash);
    const key = readFileSync(flash).subarray(JOURNAL_BYTES);
    for (let i = 0; i < 4; i++) expect((await receive(board, program(8192 + 4 * i, i))).status).toBe(Status.Ok);
    board.kill();
    await board.exit;
    expect(readFileSync(flash).readUInt32LE(8192 + 12)).toBe(3);
    const next = await opened(flash);
    expect(Buffer.from((await receive(next, frame(Op.Read, 8192, 16))).answer).readUInt32LE(8)).toBe(2);
    expect(Buffer.from((await receive(next, frame(Op.DeviceKey, 1024))).answer)).toEqual(key);
    expect((await receive(next, frame(Op.Erase, 1))).status).toBe(Status.Ok);
    expect(readFileSync(flash).readUInt32LE(8192)).toBe(0xffffffff);
  });

  it("takes entropy from outside: two boards differ", async () => {
    const [a, b] = [await opened(), await opened()];
    const draw = async (board: Emulator): Promise<string> =>
      Buffer.from((await receive(board, frame(Op.Entropy, 1024, 32))).answer).toString("hex");
    expect(new Set([await draw(a), await draw(a), await draw(b)]).size).toBe(3);
  });

  it("strikes planned faults exactly as the flash of sim", async () => {
    for (const kind of ["cut", "tear", "error"] as const) {
      for (const bits of [0, 1, 12345, ALL_BITS]) {
        const flash = flashFile();
        const model = FlashModel.inMemory(BOARD_GEOMETRY);
        const board = await opened(flash);
        expect((await fault(board, 2, FAULT_KIND[kind], bits)).status).toBe(Status.Ok);
        model.plan({ after: 2, kind, bits });
        const steps: [Buffer, () => boolean][] = [
          [program(0, 0x12345678), () => model.program(0, u32(0x12345678))],
          [program(4, 0x9abcdef0), () => model.program(4, u32(0x9abcdef0))],
          bits % 2 === 0 ? [frame(Op.Erase, 0), () => model.erase(0)] : [program(8, 0), () => model.program(8, u32(0))],
        ];
        for (const [request, expected] of steps) {
          let result: boolean | undefined;
          try {
            result = expected();
          } catch (error) {
            if (!(error instanceof PowerLost)) throw error;
          }
          if (result === undefined) {
            await expect(receive(board, request)).rejects.toThrow();
            expect(await board.exit).toBe(EXIT.powerLost);
          } else {
            expect((await receive(board, request)).status).toBe(result ? Status.Ok : 1);
          }
        }
        expect(readFileSync(flash).subarray(0, JOURNAL_BYTES).equals(model.dump())).toBe(true);
      }
    }
  });

  it("forgets a plan when it is replaced by none", async () => {
    const board = await opened();
    await fault(board, 0, FAULT_KIND.cut, 1);
    await fault(board, 0, FAULT_KIND.none, 0);
    expect((await receive(board, program(0, 1))).status).toBe(Status.Ok);
    expect((await fault(board, 0, 4, 0)).status).toBe(Status.Unsupported);
  });

  it("restarts on request", async () => {
    const board = await opened();
    expect((await board.request(Request.Reset)).status).toBe(Status.Ok);
    await expect(board.request(Request.Hello)).rejects.toThrow(/restarted/);
  });

  it("starts on nothing but a flash file of the right size", async () => {
    expect(await Emulator.start(image(name), "/nonexistent/flash").exit).toBe(EXIT.flashFile);
    const short = flashFile();
    truncateSync(short, JOURNAL_BYTES);
    expect(await Emulator.start(image(name), short).exit).toBe(EXIT.flashFile);
  });

  it("refuses a core whose memory is not what its code was compiled for, and lives without it", async () => {
    const elf = readFileSync(image(name));
    // The header of the core: magic, length of the file, size of memory.
    let header = elf.indexOf("OFLL");
    while (elf.readUInt32LE(header + 8) !== MEMORY_BYTES) header = elf.indexOf("OFLL", header + 1);
    elf.writeUInt32LE(MEMORY_BYTES + 8, header + 8);
    const flash = flashFile();
    const path = `${flash}.elf`;
    writeFileSync(path, elf);
    const board = Emulator.start(path, flash);
    await board.booted();
    expect(board.logs.join()).toMatch(/its memory has another size/);
    expect((await open(board)).status).toBe(Status.Unsupported);
  });
});

describe("rules of the board", () => {
  const Rule = {
    WriteCode: 1,
    RaiseBit: 2,
    ProgramTwice: 3,
    ProgramOutside: 4,
    ProgramUnaligned: 5,
    EraseOutside: 6,
    ReadNull: 7,
    RunFromRam: 8,
    OverflowStack: 9,
    OverflowStackGuarded: 10,
    WriteCodeGuarded: 11,
    Hang: 12,
    Measure: 13,
    UdfGuarded: 14,
    UnwindGuarded: 15,
    ReturnGuarded: 16,
  };
  const drill = (): Emulator => Emulator.start(image("drill"), flashFile());
  const result = async (board: Emulator, rule: number): Promise<number> =>
    Number(Buffer.from((await board.request(rule)).answer).readBigUInt64LE());

  it.each([
    ["a write to code flash", Rule.WriteCode, /^fault: status 00000082 at 1000/],
    ["raising a bit of flash", Rule.RaiseBit, /0 to 1/],
    ["programming a word twice", Rule.ProgramTwice, /since the last erase/],
    ["programming outside of the part", Rule.ProgramOutside, /outside/],
    ["programming between words", Rule.ProgramUnaligned, /not at a word/],
    ["erasing outside of the part", Rule.EraseOutside, /outside/],
    ["reading address 0", Rule.ReadNull, /^fault: status 00000082/],
    ["running code in RAM", Rule.RunFromRam, /^fault: status 00000001/],
    ["running out of stack", Rule.OverflowStack, /^fault: status 00100000/],
  ])("%s is a fault that is reported", async (_, rule, words) => {
    const board = drill();
    await expect(board.request(rule)).rejects.toThrow();
    expect(await board.exit).toBe(EXIT.fault);
    expect(board.logs.at(-1)).toMatch(words);
  });

  it("a guard survives faults, again and again, and tells them apart", async () => {
    const [RETURNED, UNWOUND, FAULT, UDF] = [0, 1, 2, 256];
    const board = drill();
    for (let i = 0; i < 3; i++) {
      expect(await result(board, Rule.ReturnGuarded)).toBe(RETURNED);
      expect(await result(board, Rule.OverflowStackGuarded)).toBe(FAULT);
      expect(await result(board, Rule.UdfGuarded)).toBe(UDF + 42);
      expect(await result(board, Rule.WriteCodeGuarded)).toBe(FAULT);
      expect(await result(board, Rule.UnwindGuarded)).toBe(UNWOUND);
    }
    expect(board.logs).toEqual(["drill ready"]);
  });

  it("the counter counts instructions", async () => {
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) counts.push(await result(drill(), Rule.Measure));
    expect(counts[0]).toBeGreaterThanOrEqual(200_000);
    expect(counts[0]).toBeLessThan(200_030);
    expect(new Set(counts).size).toBe(1);
  });

  it("the watchdog restarts a board that hangs", async () => {
    const board = drill();
    board.request(Rule.Hang).catch(() => undefined);
    await expect.poll(() => board.logs.length, { timeout: 55_000, interval: 500 }).toBe(2);
    expect(board.logs).toEqual(["drill ready", "drill ready"]);
  });
});
