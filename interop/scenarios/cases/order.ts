// Sealed messages that come late, early, twice or not at all.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Scenario } from "../scenario.ts";
import { messagesIn, typesOf, type PhoneEnd, type Stage } from "../stage.ts";
import { sessionId } from "../address.ts";
import { PREFIX, Person, makeFrame } from "../person.ts";
import { corrupt, die } from "../weather.ts";
import { readFrame, uuidText, writeFrame, type Frame } from "../wire.ts";

/** How far ahead of the next expected generation a message may be. */
const FORWARD_WINDOW = 1024;
/** Longest text that a device seals, and characters that it opens whatever the encoding, in bytes. */
const MAX_SEALED_TEXT_BYTES = 1024;
const SURE_TEXT_BYTES = 1000;
/** Beyond the longest frame of any board. */
const MAX_BIG_BYTES = 9 * 1024;
/** Frames with a changed byte that a run sends. */
const MUTATIONS = 200;
const MUTATIONS_ON_SLOW_BOARDS = 40;

/**
 * The phone seals `count` messages, `0` to `count - 1`; the frames, none of them delivered. It keeps no more than 16
 * unanswered, so it is made to believe that each has arrived: an acknowledgement carries no signature.
 */
async function sealed(stage: Stage, phone: PhoneEnd, count: number): Promise<string[]> {
  const frames: string[] = [];
  for (let i = 0; i < count; i++) {
    const { r } = await stage.ask(phone, { op: "send", to: stage.address, text: String(i) });
    frames.push(...stage.intercept().filter((data) => readFrame(data).content.startsWith(PREFIX.encrypted)));
    const metadata = { ack_for: String(r.messageId) };
    const changes = { metadata, requires_ack: false, priority: "low" } as const;
    const answer = makeFrame(stage.address, phone.address, "", stage.now(), changes);
    await stage.ask(phone, { op: "frame", from: stage.address, data: writeFrame(answer) });
  }
  assert.equal(frames.length, count, "the phone held messages back");
  return frames;
}

/** A frame of each kind that holds about `size` bytes of what its sender may choose. */
function bigFrames(anna: Person, paired: string, stage: Stage, size: number): [string, Frame][] {
  const now = stage.now();
  const to = stage.address;
  const numbers = Array.from(randomBytes(Math.ceil(size / 4)));
  const group_id = sessionId(anna.address, to);
  const envelope = {
    group_id,
    message_type: "Application",
    epoch: 1,
    ciphertext: numbers,
    sender_id: anna.address,
    timestamp_ms: 0,
  };
  const welcome = Uint8Array.of(0, 1, 0, 3, 0, 1, ...numbers);
  const sealedBy = (sender: string, body: string) => makeFrame(sender, to, PREFIX.encrypted + body, now);
  const base64 = randomBytes(Math.ceil((size * 3) / 4)).toString("base64");
  const metadata = Object.fromEntries(Array.from({ length: Math.ceil(size / 16) }, (_, i) => [`key ${i}`, "value"]));
  return [
    ["key package", anna.sign(anna.keyPackage(to, now, { key_package_data: numbers }))],
    [
      "key package of many versions",
      anna.sign(anna.keyPackage(to, now, { env_versions: numbers, wire_versions: numbers })),
    ],
    ["welcome", anna.sign(anna.welcome(to, now, welcome))],
    ["probe", anna.sign(anna.control(PREFIX.probe + "x".repeat(size), to, now))],
    ["JSON envelope", sealedBy(anna.address, JSON.stringify(envelope))],
    ["JSON envelope in base64", sealedBy(anna.address, Buffer.from(JSON.stringify(envelope)).toString("base64"))],
    ["compact envelope", sealedBy(anna.address, base64)],
    [
      "envelope of a paired peer",
      sealedBy(paired, JSON.stringify({ ...envelope, group_id: sessionId(paired, to), sender_id: paired })),
    ],
    ["long text", makeFrame(anna.address, to, "x".repeat(size), now)],
    ["metadata", makeFrame(anna.address, to, "x", now, { metadata })],
    ["long metadata", makeFrame(anna.address, to, "x", now, { metadata: { __ctrl_sig: base64, __ctrl_pk: base64 } })],
  ];
}

export const order: Scenario[] = [
  {
    name: "reversed",
    holds: "messages that arrive in reverse order all open, each once",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const frames = await sealed(stage, phone, 20);
      for (const [i, data] of [...frames.entries()].reverse()) {
        assert.deepEqual(messagesIn((await stage.give(data)).events), [{ peer: phone.address, text: String(i) }]);
      }
      await stage.talk(phone, "in order again");
    },
  },
  {
    name: "skipped",
    holds: "messages that never arrive cost nothing; one of them that comes after a power cycle still opens",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const frames = await sealed(stage, phone, 40);
      assert.deepEqual(messagesIn((await stage.give(frames[39]!)).events), [{ peer: phone.address, text: "39" }]);
      await stage.powerCycle();
      assert.deepEqual(messagesIn((await stage.give(frames[20]!)).events), [{ peer: phone.address, text: "20" }]);
      await stage.talk(phone, "onwards");
    },
  },
  {
    name: "replayed",
    holds: "a message under a new frame id is refused the second time: its key is gone",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const [data] = await sealed(stage, phone, 1);
      assert.equal((await stage.give(data!)).error, undefined);
      const replay = { ...readFrame(data!), id: uuidText(randomBytes(16)) };
      assert.equal((await stage.give(replay)).error, "Mls");
      await stage.powerCycle();
      assert.equal((await stage.give(replay)).error, "Mls");
      await stage.talk(phone, "fresh");
    },
  },
  {
    name: "forward-window",
    holds: `a message ${FORWARD_WINDOW} ahead of the next one opens, one further ahead is refused and harms nothing`,
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const frames = await sealed(stage, phone, FORWARD_WINDOW + 2);
      assert.equal((await stage.give(frames[FORWARD_WINDOW + 1]!)).error, "Mls");
      const opened = await stage.give(frames[FORWARD_WINDOW]!);
      assert.deepEqual(messagesIn(opened.events), [{ peer: phone.address, text: String(FORWARD_WINDOW) }]);
      assert.deepEqual(typesOf((await stage.give(frames[FORWARD_WINDOW + 1]!)).events), ["MessageReceived"]);
      await stage.talk(phone, "within the window");
    },
  },
  {
    name: "damaged-ciphertext",
    holds: "a sealed frame with one changed byte is refused, and the true one opens afterwards",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const [data] = await sealed(stage, phone, 1);
      const frame = readFrame(data!);
      const envelope = Buffer.from(frame.content.slice(PREFIX.encrypted.length), "base64");
      for (const fromEnd of [1, 20, 60, 100]) {
        const changed = Buffer.from(envelope);
        changed[changed.length - fromEnd]! ^= 1;
        const answer = await stage.give({ ...frame, content: PREFIX.encrypted + changed.toString("base64") });
        assert.equal(answer.error, "Mls", `byte ${fromEnd} from the end`);
      }
      assert.deepEqual(messagesIn((await stage.give(data!)).events), [{ peer: phone.address, text: "0" }]);
    },
  },
  {
    name: "garbage",
    holds: "bytes that are no frame are MalformedFrame and change nothing",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.do({ op: "stats" });
      const sealedFrame = (await sealed(stage, phone, 1))[0]!;
      const garbage = [
        "",
        "f5",
        "f6",
        "7b7d",
        "5b5d",
        "00".repeat(64),
        "f5".repeat(2000),
        sealedFrame.slice(0, 200),
        "7b".repeat(4000),
      ];
      for (const data of garbage) assert.equal((await stage.give(data)).error, "MalformedFrame", data.slice(0, 16));
      assert.equal((await stage.do({ op: "stats" })).r!.flashPrograms, 0);
      assert.equal((await stage.give(sealedFrame)).error, undefined);
      await stage.talk(phone, "unharmed");
    },
  },
  {
    name: "long-texts",
    holds:
      "texts of the phone open unchanged up to the longest frame, longer ones are MalformedFrame; 1024 bytes are sealed, 1025 refused",
    async play(stage) {
      const [compact, silent] = [await stage.addPhone("compact"), await stage.addPhone("silent")];
      await stage.pair(compact, "phone");
      await stage.pair(silent, "device", {
        lose: (frame, to) => to === "device" && frame.content.startsWith(PREFIX.keyPackage),
      });
      for (const phone of [compact, silent]) {
        for (const bytes of [0, 1, 255, 256, 1000, 3000, 6000, 9000, 40_000]) {
          const text = '"\\\u00e9'.repeat(bytes).slice(0, bytes);
          await stage.ask(phone, { op: "send", to: stage.address, text });
          const { error, events } = await stage.give(stage.intercept().at(-1)!);
          if (bytes > SURE_TEXT_BYTES && error !== undefined) assert.equal(error, "MalformedFrame", `${bytes} bytes`);
          else assert.deepEqual(messagesIn(events), [{ peer: phone.address, text }], `${bytes} bytes: ${error}`);
        }
        phone.heard = [];
        const longest = '"'.repeat(MAX_SEALED_TEXT_BYTES);
        await stage.do({ op: "seal", peer: phone.address, text: longest, now: stage.now() });
        await stage.settle();
        assert.deepEqual(phone.heard, [longest]);
        const over = `${longest}x`;
        assert.equal(await stage.refused({ op: "seal", peer: phone.address, text: over, now: stage.now() }), "Sealed");
        await stage.talk(phone, "short again");
      }
    },
  },
  {
    name: "big-frames",
    holds:
      "frames of every kind, of a known peer and of a stranger, grown to the longest frame: an error or no effect, never a trap",
    async play(stage) {
      const anna = new Person();
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const traps: string[] = [];
      for (const known of [false, true]) {
        const step = stage.quick ? 256 : 2048;
        for (let size = 512; size <= MAX_BIG_BYTES; size += step) {
          for (const [name, frame] of bigFrames(anna, phone.address, stage, size)) {
            if ((await stage.give(frame)).error === "Trap")
              traps.push(`${name} of ${size}${known ? "" : " from a stranger"}`);
          }
        }
        if (!known) await stage.give(anna.sign(anna.keyPackage(stage.address, stage.now())));
      }
      assert.deepEqual(traps, []);
      await stage.talk(phone, "unharmed");
    },
  },
  {
    name: "mutated",
    holds: "true frames with one changed byte are refused or harmless, and the session survives",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.beginPairing(phone, "phone");
      const seen: string[] = [];
      const watch = (frame: Frame, to: "device" | "phone") => {
        if (to === "device") seen.push(writeFrame(frame));
        return false;
      };
      await stage.settle({ lose: watch });
      const [message] = await sealed(stage, phone, 1);
      seen.push(message!);
      const roll = die(3);
      const opened: string[] = [];
      for (let i = 0; i < (stage.quick ? MUTATIONS : MUTATIONS_ON_SLOW_BOARDS); i++) {
        const { error, events } = await stage.give(corrupt(seen[i % seen.length]!, roll));
        assert.notEqual(error, "Trap");
        opened.push(...messagesIn(events).map(({ text }) => text));
      }
      // Nothing outside of the sealed text is authenticated, so the message may have opened; changed it has not.
      assert(opened.length <= 1 && opened.every((text) => text === "0"), opened.join(" "));
      await stage.expectSession(phone);
      await stage.talk(phone, "unharmed");
    },
  },
];
