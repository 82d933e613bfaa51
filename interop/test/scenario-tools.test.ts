// What scenarios are made with: the codec, addresses and signatures, against the real phone; and proof that a device
// which believes everything fails the scenarios of the gate.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PhoneProcess, mustAsk, type LeafEvent } from "../src/index.ts";
import { addressFromKey, sessionId } from "../scenarios/address.ts";
import { gate } from "../scenarios/cases/gate.ts";
import { PREFIX, Person, signerOf } from "../scenarios/person.ts";
import type { Stage } from "../scenarios/stage.ts";
import { phoneCommand } from "../scenarios/tools.ts";
import { encodingOf, readFrame, writeFrame, type Frame } from "../scenarios/wire.ts";
import { APP } from "./two-phones.ts";

interface End {
  process: PhoneProcess;
  address: string;
  publicKey: string;
}

let anna: End;
let bert: End;

async function start(): Promise<End> {
  const process = new PhoneProcess(phoneCommand());
  const { r } = await mustAsk(process, { op: "start", app: APP });
  return { process, address: String(r.address), publicKey: String(r.publicKey) };
}

beforeEach(async () => {
  [anna, bert] = [await start(), await start()];
});
afterEach(async () => {
  await Promise.all([anna.process.close(), bert.process.close()]);
});

/** What bert says when he discovers anna, and what she answers. */
async function greeting(): Promise<{ hello: string; answers: Frame[] }> {
  await mustAsk(anna.process, { op: "link", peer: bert.address });
  const { frames } = await mustAsk(bert.process, { op: "link", peer: anna.address, announce: true });
  const answer = await mustAsk(anna.process, { op: "frame", from: bert.address, data: frames[0]!.data });
  return { hello: frames[0]!.data, answers: answer.frames.map(({ data }) => readFrame(data)) };
}

test("addresses derive as the phone derives them", () => {
  for (const { publicKey, address } of [anna, bert])
    expect(addressFromKey(Buffer.from(publicKey, "hex"))).toBe(address);
});

test("known addresses and session order", () => {
  const key = Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex");
  expect(addressFromKey(key)).toBe("off1qysluvwl5922yctzd0u9gpr06gn3k7ldfvgtwgvn");
  const [a, b] = [new Person().address, new Person().address];
  expect(sessionId(a, b)).toBe(sessionId(b, a));
});

test("frames of the phone are read in both encodings, and its signatures hold under the right version", async () => {
  const { hello, answers } = await greeting();
  expect(encodingOf(hello)).toBe("json");
  const first = readFrame(hello);
  expect(writeFrame(first)).toHaveLength(hello.length);
  expect(signerOf(first, 1)).toBe(bert.publicKey);
  expect(signerOf(first, 2)).toBeUndefined();
  const welcome = answers.find(({ content }) => content.startsWith(PREFIX.welcome))!;
  expect(signerOf(welcome, 2)).toBe(anna.publicKey);
  expect(signerOf(welcome, 1)).toBeUndefined();
  expect(signerOf({ ...welcome, timestamp: welcome.timestamp + 1 }, 2)).toBeUndefined();
  const body = JSON.parse(welcome.content.slice(PREFIX.welcome.length)) as { group_id: string };
  expect(body.group_id).toBe(sessionId(anna.address, bert.address));
});

test("a frame that is written here is read by the phone", async () => {
  const { hello } = await greeting();
  await mustAsk(anna.process, { op: "link", peer: bert.address, up: false });
  const again = await start();
  try {
    await mustAsk(again.process, { op: "link", peer: bert.address });
    const frame = readFrame(hello);
    const { events } = await mustAsk(again.process, { op: "frame", from: bert.address, data: writeFrame(frame) });
    expect(events).toEqual([]);
    const changed = writeFrame({ ...frame, recipient: again.address });
    const warned = await mustAsk(again.process, { op: "frame", from: bert.address, data: changed });
    expect(JSON.stringify(warned.events)).toContain("security_warning");
  } finally {
    await again.process.close();
  }
});

describe("a device that believes everything fails", () => {
  const advertised: LeafEvent[] = [{ type: "PeerAdvertised", peer: "" }];
  const gullible = {
    address: new Person().address,
    now: () => Math.floor(Date.now() / 1000),
    give: () => Promise.resolve({ error: undefined, frames: [], events: advertised }),
    do: () => Promise.resolve({ ok: true, frames: [], events: [], r: { peers: [], session: true } }),
    refused: () => Promise.reject(new Error("carried out")),
  } as unknown as Stage;
  for (const scenario of gate) {
    test(scenario.name, async () => {
      await expect(scenario.play(gullible)).rejects.toThrow();
    });
  }
});
