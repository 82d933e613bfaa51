// The phone process: the published engine, twice, talking to itself, and the rules of its line-JSON surface.
import { afterEach, expect, test } from "vitest";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LineProcess, PhoneProcess, mustAsk } from "../src/index.ts";
import { phoneCommand, virtualTime } from "../scenarios/tools.ts";
import { APP, TwoPhones } from "./two-phones.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const ended of open.splice(0)) await ended.close();
});

async function twoPhones(...args: Parameters<typeof TwoPhones.start>): Promise<TwoPhones> {
  const phones = await TwoPhones.start(...args);
  open.push(phones);
  return phones;
}

function phone(env?: NodeJS.ProcessEnv): PhoneProcess {
  const started = new PhoneProcess(phoneCommand(), env === undefined ? {} : { env });
  open.push(started);
  return started;
}

test("two phones pair, talk, commit and rekey", async () => {
  const phones = await twoPhones();
  await phones.pair();
  const pairing = phones.take();
  expect(pairing.crossed[0]).toBe("anna json __MLS_KEY_PKG__");
  expect(pairing.crossed).toContain("bert binary __MLS_WELCOME__");
  expect(pairing.crossed.slice(1).every((frame) => frame.includes(" binary "))).toBe(true);
  await expectSession(phones, 1);

  await expectTalk(phones, "before the commit");
  const commit = await phones.ask("anna", { op: "commit", peer: phones.peerOf("anna") });
  expect(commit.r.epoch).toBe(2);
  await expectSession(phones, 2);
  await expectTalk(phones, "after the commit");

  await phones.ask("anna", { op: "rekey", peer: phones.peerOf("anna") });
  await phones.tick();
  await expectSession(phones, 1);
  await expectTalk(phones, "after the rekey");
  const again = await phones.phones.anna.request({ op: "rekey", peer: phones.peerOf("anna") });
  expect(again).toMatchObject({ ok: false, frames: [] });
  expect(again.error).toContain("30 s");
});

async function expectSession(phones: TwoPhones, epoch: number): Promise<void> {
  for (const who of ["anna", "bert"] as const) {
    const { r } = await phones.ask(who, { op: "status", peer: phones.peerOf(who) });
    expect(r, who).toMatchObject({
      session: true,
      confirmed: true,
      epoch,
      advertised: { env_versions: [1], wire_versions: [1] },
    });
  }
}

async function expectTalk(phones: TwoPhones, text: string): Promise<void> {
  phones.take();
  await phones.ask("anna", { op: "send", to: phones.peerOf("anna"), text });
  await phones.ask("bert", { op: "send", to: phones.peerOf("bert"), text });
  expect(phones.take().heard).toEqual([`bert hears ${text}`, `anna hears ${text}`]);
}

test("an identity and a session under a folder survive the process", async () => {
  const dir = mkdtempSync(join(tmpdir(), "offleaf-phone-"));
  try {
    const bert = phone();
    const { address: bertAddress } = (await mustAsk(bert, { op: "start", app: APP })).r as { address: string };
    let anna = phone();
    const started = await mustAsk(anna, { op: "start", app: APP, dir });
    const annaAddress = String(started.r.address);
    await exchange(anna, annaAddress, bert, bertAddress);
    await anna.kill();

    anna = phone();
    expect((await mustAsk(anna, { op: "start", app: APP, dir })).r).toEqual(started.r);
    const { r } = await mustAsk(anna, { op: "status", peer: bertAddress });
    expect(r).toMatchObject({ session: true, epoch: 1 });
    const sent = await mustAsk(bert, { op: "send", to: annaAddress, text: "still there?" });
    const heard = await mustAsk(anna, { op: "frame", from: bertAddress, data: sent.frames.at(-1)!.data });
    expect(heard.messages).toEqual([{ from: bertAddress, text: "still there?" }]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

/** Pairs two phones by hand: every frame of one goes to the other until both are silent. */
async function exchange(
  anna: PhoneProcess,
  annaAddress: string,
  bert: PhoneProcess,
  bertAddress: string,
): Promise<void> {
  await mustAsk(bert, { op: "link", peer: annaAddress });
  let toBert = (await mustAsk(anna, { op: "link", peer: bertAddress, announce: true })).frames;
  while (toBert.length > 0) {
    const answers = [];
    for (const { data } of toBert)
      answers.push(...(await mustAsk(bert, { op: "frame", from: annaAddress, data })).frames);
    toBert = [];
    for (const { data } of answers)
      toBert.push(...(await mustAsk(anna, { op: "frame", from: bertAddress, data })).frames);
  }
}

test("over Bluetooth a frame is several fragments", async () => {
  const phones = await twoPhones({ link: "ble" });
  const { frames } = await mustAsk(phones.phones.anna, { op: "link", peer: phones.peerOf("anna"), announce: true });
  expect(frames.length).toBeGreaterThan(8);
  const first = Buffer.from(frames[0]!.data, "hex");
  expect(first.length).toBeLessThanOrEqual(260);
  for (const { data } of frames) await phones.ask("bert", { op: "frame", from: phones.addresses.anna, data });
  await phones.tick();
  expect((await phones.ask("bert", { op: "status", peer: phones.addresses.anna })).r.state).not.toBe("NoKeyPackage");
});

test("an invite is read back, and a changed one is refused", async () => {
  const anna = phone();
  const { r: identity } = await mustAsk(anna, { op: "start", app: APP });
  const { r } = await mustAsk(anna, { op: "invite", petname: "Anna" });
  const blob = String(r.blob);
  expect((await mustAsk(anna, { op: "scan", blob })).r).toEqual({ ...identity, petname: "Anna", signed: true });
  const changed = blob.slice(0, -2) + (blob.endsWith("AA") ? "BB" : "AA");
  expect(await anna.request({ op: "scan", blob: changed })).toMatchObject({ ok: false });
  const bare = String((await mustAsk(anna, { op: "invite" })).r.blob);
  expect((await mustAsk(anna, { op: "scan", blob: bare })).r.petname).toBeNull();
});

test("an unanswered message is sent again in virtual time", async () => {
  const phones = await twoPhones({}, { env: virtualTime() });
  await phones.pair();
  const anna = phones.phones.anna;
  const sent = await mustAsk(anna, { op: "send", to: phones.peerOf("anna"), text: "lost" });
  expect(sent.frames).toHaveLength(1);
  const resends = [];
  for (let offset = 1; offset <= 60; offset++) {
    await mustAsk(anna, { op: "clock", offset });
    const { frames } = await mustAsk(anna, { op: "tick" });
    if (frames.some(({ data }) => Buffer.from(data, "hex").includes("__MLS_ENC__"))) resends.push(offset);
  }
  expect(resends.length).toBeGreaterThanOrEqual(2);
  expect(resends[0]).toBeGreaterThanOrEqual(9);
  expect(resends[0]).toBeLessThanOrEqual(15);
});

test("a key package from the future or the past is refused by a phone in virtual time", async () => {
  const DAY = 86_400;
  for (const [offset, taken] of [
    [0, true],
    [29 * DAY, true],
    [31 * DAY, false],
    [-2 * 3600, false],
  ] as const) {
    const anna = phone();
    const bert = phone({ ...virtualTime(), OFFLEAF_CLOCK_OFFSET: String(offset) });
    const annaAddress = String((await mustAsk(anna, { op: "start", app: APP })).r.address);
    const bertAddress = String((await mustAsk(bert, { op: "start", app: APP })).r.address);
    await mustAsk(bert, { op: "link", peer: annaAddress });
    const { frames } = await mustAsk(anna, { op: "link", peer: bertAddress, announce: true });
    const answer = await mustAsk(bert, { op: "frame", from: annaAddress, data: frames[0]!.data });
    const welcomed = answer.frames.some(({ data }) => Buffer.from(data, "hex").includes("__MLS_WELCOME__"));
    expect(welcomed, `offset ${offset} s`).toBe(taken);
  }
});

test("without the shim a clock request says what to do", async () => {
  const reply = await phone().request({ op: "clock", offset: 1 });
  expect(reply.ok).toBe(false);
  expect(reply.error).toContain("LD_PRELOAD");
});

test("a bad line is answered, and the next one is served", async () => {
  const surface = new LineProcess("phone", phoneCommand());
  open.push(surface);
  const ask = async (line: Record<string, unknown>) =>
    (await surface.exchange(line, (answer) => answer.t === "done")).at(-1);
  expect(await ask({ op: "tick", id: 1 })).toEqual({ t: "done", id: 1, ok: false, err: "not started" });
  expect(await ask({ op: "forget", id: "a" })).toEqual({ t: "done", id: "a", ok: false, err: "unknown op: forget" });
  expect(await ask({ id: 2 })).toEqual({ t: "done", id: 2, ok: false, err: "op is missing" });
  expect(await ask({ op: "start", app: 7, id: 3 })).toMatchObject({ id: 3, ok: false, err: "app is not text" });
  expect(await ask({ op: "start", app: "", id: 4 })).toMatchObject({ id: 4, ok: false });
  expect(await ask({ op: "start", app: APP, later: true, id: 5 })).toMatchObject({ id: 5, ok: true });
  expect(await ask({ op: "start", app: APP, id: 6 })).toMatchObject({ ok: false, err: "already started" });
  expect(await ask({ op: "frame", from: "x", data: "0g", id: 7 })).toMatchObject({ id: 7, ok: false });
  expect(await ask({ op: "commit", peer: "nobody", id: 8 })).toMatchObject({ id: 8, ok: false });
  expect(await ask({ op: "rekey", peer: "nobody", id: 9 })).toMatchObject({ id: 9, ok: false });
  expect(await ask({ op: "tick", id: null })).toEqual({ t: "done", ok: true, r: {} });
});

test("text that is no JSON is answered, and noise as a frame is dropped", async () => {
  const child = spawn(phoneCommand()[0]!, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const done = async (): Promise<Record<string, unknown>> => {
    const line = JSON.parse(String((await lines.next()).value)) as Record<string, unknown>;
    return line.t === "done" ? line : done();
  };
  child.stdin.write(Buffer.from("hello\n[]\n\n\xff\n", "latin1"));
  for (let i = 0; i < 3; i++) expect(await done()).toMatchObject({ ok: false });
  child.stdin.write(`{"op":"start","app":"${APP}"}\n{"op":"frame","from":"someone","data":"f5ff00"}\n`);
  expect(await done()).toMatchObject({ ok: true });
  expect(await done()).toEqual({ t: "done", ok: true, r: {} });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.end();
  expect(await ended).toBe(0);
});

test("the phone ends when the process that started it is killed", async () => {
  // Its input stays open here, so only the death of the shell can end it.
  const shell = spawn("sh", ["-c", `${phoneCommand()[0]} <&3 & echo $!; wait`], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const lines = createInterface({ input: shell.stdout! })[Symbol.asyncIterator]();
  const pid = Number((await lines.next()).value);
  const input = shell.stdio[3] as NodeJS.WritableStream;
  input.write('{"op":"scan","blob":""}\n');
  expect(String((await lines.next()).value)).toContain('"ok":false');
  expect(alive(pid)).toBe(true);
  shell.kill("SIGKILL");
  for (let i = 0; i < 40 && alive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(alive(pid)).toBe(false);
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
