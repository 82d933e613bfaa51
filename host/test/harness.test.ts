// The harness in front of a board: members are checked, answers have the shapes of docs/harness.md.
import { DETAILS, EVENTS, KINDS, REASONS, type LeafReply } from "@offleaf/interop";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { PowerLost, TRAPPED, Unsupported } from "../src/board/board.ts";
import { Device } from "../src/harness/device.ts";
import { readLines, serve } from "../src/harness/serve.ts";
import { BoardDouble, STATS } from "./board-double.ts";

const PEER = "off1".padEnd(44, "q");
const APP = "com.example.lock";
const U64_MAX = 2n ** 64n - 1n;

/** Each line to a device on a fresh double; the replies. */
async function talk(lines: (string | object)[], board = new BoardDouble()): Promise<LeafReply[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const text: Buffer[] = [];
  output.on("data", (chunk: Buffer) => text.push(chunk));
  input.end(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  await serve(new Device(board), input, output);
  return Buffer.concat(text)
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LeafReply);
}

const kinds = (replies: LeafReply[]): string[] => replies.map((reply) => (reply.ok ? "ok" : reply.error.kind));

describe("lines", () => {
  it("each line has one reply; what is no JSON object is BadRequest", async () => {
    const bad = ["", "  ", "nonsense", "[1]", "1", '"op"', "null", '{"op":"hello"', "{}{}"];
    expect(kinds(await talk(bad))).toEqual(bad.map(() => "BadRequest"));
  });

  it("bytes that are not UTF-8 are BadRequest, and the next line is read", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end(Buffer.concat([Buffer.from('{"op":"'), Buffer.of(0xff, 0x0a), Buffer.from('{"op":"hello"}')]));
    await serve(new Device(new BoardDouble()), input, output);
    const replies = (output.read() as Buffer)
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as LeafReply);
    expect(kinds(replies)).toEqual(["BadRequest", "ok"]);
  });

  it("lines are cut at newlines only, and a limit skips to the next one", async () => {
    async function* chunks(): AsyncGenerator<Buffer> {
      for (const text of ["a", "b\nc", "\n", "123456", "7\nx\ny"]) yield Buffer.from(text);
    }
    const got: string[] = [];
    for await (const line of readLines(chunks(), 6)) got.push(line === "too-long" ? line : line.toString());
    expect(got).toEqual(["ab", "c", "too-long", "x", "y"]);
  });

  it("a line of 5 MiB is a request", async () => {
    const board = new BoardDouble();
    const [reply] = await talk([{ op: "receive", frame: "ab".repeat(2.5 * 2 ** 20), now: 1 }], board);
    expect(reply!.ok).toBe(true);
    expect((board.calls[0] as { frame: Uint8Array }).frame.length).toBe(2.5 * 2 ** 20);
  });
});

describe("members", () => {
  it("id is echoed: text, numbers, numbers that a double cannot hold; anything else is BadRequest", async () => {
    const [text, number] = await talk(['{"id":"a","op":"hello"}', '{"op":"hello","id":0}']);
    expect([text!.id, number!.id]).toEqual(["a", 0]);
    const input = new PassThrough();
    const output = new PassThrough();
    input.end('{"id":12345678901234567890,"op":"power"}\n');
    await serve(new Device(new BoardDouble()), input, output);
    expect((output.read() as Buffer).toString()).toBe(
      '{"id":12345678901234567890,"ok":true,"frames":[],"events":[]}\n',
    );
    const bad = await talk(['{"op":"hello","id":null}', '{"op":"hello","id":[1]}', '{"op":"hello","id":true}']);
    expect(kinds(bad)).toEqual(["BadRequest", "BadRequest", "BadRequest"]);
    expect(bad.every((reply) => !("id" in reply))).toBe(true);
  });

  it("a refusal echoes the id", async () => {
    expect(await talk(['{"op":"nope","id":7}'])).toMatchObject([
      { id: 7, ok: false, error: { kind: "BadRequest" }, frames: [], events: [] },
    ]);
  });

  it("unknown members are ignored, unknown requests refused, inherited names too", async () => {
    expect(
      kinds(await talk(['{"op":"hello","x":{"y":1}}', '{"op":"HELLO"}', '{"op":"toString"}', '{"op":1}', "{}"])),
    ).toEqual(["ok", "BadRequest", "BadRequest", "BadRequest", "BadRequest"]);
  });

  it("now is required and a whole number from 0 to 2^64 - 1, exactly", async () => {
    const board = new BoardDouble();
    const at = (now: string): string => `{"op":"receive","frame":"","now":${now}}`;
    const good = ["0", "1700000000", "9007199254740993", `${U64_MAX}`, "1e3"];
    expect(kinds(await talk(good.map(at), board))).toEqual(good.map(() => "ok"));
    expect(board.calls.map((call) => (call as { now: bigint }).now)).toEqual([
      0n,
      1700000000n,
      9007199254740993n,
      U64_MAX,
      1000n,
    ]);
    const bad = ["-1", "1.5", "-0.5", `${U64_MAX + 1n}`, "1e400", '"1"', "null", "true", "[]"];
    expect(kinds(await talk(bad.map(at)))).toEqual(bad.map(() => "BadRequest"));
    for (const op of ["receive", "advertise", "seal", "pairing"]) {
      const whole = { op, frame: "", peer: PEER, text: "", open: true };
      expect(kinds(await talk([whole, { ...whole, now: 1 }]))).toEqual(["BadRequest", "ok"]);
    }
  });

  it("bytes are hex of whole bytes; text has an encoding in UTF-8", async () => {
    const frames = ["0", "0g", " 00", "zz", 5].map((frame) => ({ op: "receive", frame, now: 1 }));
    expect(kinds(await talk(frames))).toEqual(frames.map(() => "BadRequest"));
    const text = (escaped: string): string => `{"op":"seal","peer":"${PEER}","text":"${escaped}","now":1}`;
    const board = new BoardDouble();
    expect(kinds(await talk([text("\\ud800"), text("\\udc00\\ud800"), text("\\ud83d\\ude00\\u0000")], board))).toEqual([
      "BadRequest",
      "BadRequest",
      "ok",
    ]);
    expect(board.calls).toMatchObject([{ text: Buffer.from("\u{1f600}\0") }]);
  });

  it("modes, faults and flash positions are checked", async () => {
    const board = new BoardDouble();
    const replies = await talk(
      [
        { op: "open", appId: APP, mode: "again" },
        { op: "open" },
        { op: "fault", after: 0, kind: "smoke" },
        { op: "fault", kind: "cut" },
        { op: "fault", after: -1, kind: "cut" },
        { op: "fault", after: 2, kind: "tear", bits: 4294967295 },
        { op: "fault", after: 2, kind: "error" },
        { op: "flash" },
        { op: "flash", write: "00" },
        { op: "flash", write: "00", at: 101 },
        { op: "flash", write: "00", at: 100 },
        { op: "pairing", open: 1, now: 1 },
        { op: "pairing", open: true, seconds: 1.5, now: 1 },
      ],
      board,
    );
    expect(kinds(replies)).toEqual([
      "BadRequest",
      "BadRequest",
      "BadRequest",
      "BadRequest",
      "BadRequest",
      "ok",
      "ok",
      "BadRequest",
      "BadRequest",
      "BadRequest",
      "ok",
      "BadRequest",
      "BadRequest",
    ]);
    expect(board.faults).toEqual([
      { after: 2, kind: "tear", bits: 4294967295 },
      { after: 2, kind: "error", bits: 0 },
    ]);
    expect(board.calls).toEqual([]);
  });
});

describe("answers", () => {
  const bytes = (...parts: (string | Uint8Array)[]): Uint8Array =>
    Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const u64 = (value: bigint): Uint8Array => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigUInt64LE(value);
    return buffer;
  };

  it("results have their members", async () => {
    const board = new BoardDouble();
    board.outcomes = [
      { answer: bytes(PEER, new Uint8Array(32).fill(0xab)) },
      { answer: bytes(PEER, PEER) },
      { answer: Uint8Array.of(1, 1, 2) },
      { answer: Uint8Array.of(0) },
      { answer: bytes("AQID") },
    ];
    const replies = await talk(
      [
        { op: "open", appId: APP },
        { op: "peers" },
        { op: "session", peer: PEER },
        { op: "session", peer: PEER },
        { op: "invite" },
        { op: "stats" },
        { op: "flash", read: true },
      ],
      board,
    );
    expect(replies.map((reply) => (reply.ok ? reply.r : undefined))).toEqual([
      { address: PEER, publicKey: "ab".repeat(32) },
      { peers: [PEER, PEER] },
      { session: true, envVersions: [1, 2] },
      { session: false, envVersions: [] },
      { invite: "AQID" },
      STATS,
      { flash: "0102ff" },
    ]);
  });

  it("frames and events come in order, each event with its fields", async () => {
    const board = new BoardDouble();
    const id = Buffer.from("00112233445566778899aabbccddeeff", "hex");
    board.outcomes = [
      {
        frames: [Uint8Array.of(0xf5, 1), bytes("{}")],
        events: [
          bytes(Uint8Array.of(EVENTS.PeerAdvertised), PEER),
          bytes(Uint8Array.of(EVENTS.SessionReset), PEER),
          bytes(Uint8Array.of(EVENTS.SessionEstablished), PEER),
          bytes(Uint8Array.of(EVENTS.MessageReceived), PEER, id, "gr\u00fc\u00df"),
          bytes(Uint8Array.of(EVENTS.MessageReceived), PEER, id),
          bytes(Uint8Array.of(EVENTS.CommitApplied), PEER, u64(7n)),
          Uint8Array.of(EVENTS.Ignored, REASONS["reset-spent"]),
        ],
      },
    ];
    const frameId = "00112233-4455-6677-8899-aabbccddeeff";
    expect(await talk([{ op: "receive", frame: "00", now: 1 }], board)).toEqual([
      {
        ok: true,
        frames: ["f501", "7b7d"],
        events: [
          { type: "PeerAdvertised", peer: PEER },
          { type: "SessionReset", peer: PEER },
          { type: "SessionEstablished", peer: PEER },
          { type: "MessageReceived", peer: PEER, text: "gr\u00fc\u00df", frameId },
          { type: "MessageReceived", peer: PEER, text: "", frameId },
          { type: "CommitApplied", peer: PEER, epoch: 7 },
          { type: "Ignored", reason: "reset-spent" },
        ],
      },
    ]);
  });

  it("every error kind of the core has its name, and NotOpen is the harness's own", async () => {
    const board = new BoardDouble();
    board.outcomes = [
      ...Object.values(KINDS).map((status) => ({ status })),
      { status: KINDS.Storage, detail: DETAILS.NotOpen },
    ];
    const replies = await talk(
      board.outcomes.map(() => ({ op: "peers" })),
      board,
    );
    expect(kinds(replies)).toEqual([...Object.keys(KINDS), "NotOpen"]);
  });

  it("Unsupported and PowerLost come from the board", async () => {
    const board = new BoardDouble();
    board.outcomes = [new Unsupported("no"), new PowerLost("dark")];
    expect(kinds(await talk([{ op: "peers" }, { op: "peers" }, { op: "power" }], board))).toEqual([
      "Unsupported",
      "PowerLost",
      "ok",
    ]);
    expect(board.powered).toBe(1);
  });

  it("a peer longer than any address still reaches the core, cut", async () => {
    const board = new BoardDouble();
    await talk([{ op: "advertise", peer: "x".repeat(1000), now: 1 }], board);
    expect((board.calls[0] as { peer: Uint8Array }).peer.length).toBe(255);
  });

  it("after a trap the device is opened as it was, with the pairing window closed", async () => {
    const board = new BoardDouble();
    board.outcomes = [{}, {}, { status: TRAPPED, trap: "unreachable" }];
    const replies = await talk(
      [{ op: "open", appId: APP }, { op: "pairing", open: true, now: 5 }, { op: "peers" }, { op: "peers" }],
      board,
    );
    expect(kinds(replies)).toEqual(["ok", "ok", "Trap", "ok"]);
    expect(board.calls.slice(3, 5)).toEqual([
      { call: "open", mode: "resume", appId: Buffer.from(APP) },
      { call: "pairing", open: false, seconds: 0, now: 0n },
    ]);
  });

  it("a trap before open, or after power, opens nothing", async () => {
    const board = new BoardDouble();
    board.outcomes = [{ status: TRAPPED }, {}, { status: TRAPPED }];
    await talk([{ op: "peers" }, { op: "open", appId: APP }, { op: "power" }, { op: "peers" }], board);
    expect(board.calls.map(({ call }) => call)).toEqual(["peers", "open", "peers"]);
  });
});
