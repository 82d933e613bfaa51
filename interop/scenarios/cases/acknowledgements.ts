// What the device answers, and to what it keeps silent.
import assert from "node:assert/strict";
import { PREFIX, Person, acknowledges, makeFrame } from "../person.ts";
import type { Scenario } from "../scenario.ts";
import { messagesIn, reasonsIn, typesOf } from "../stage.ts";
import { readFrame, type Frame } from "../wire.ts";

/** The acknowledgements among frames, as the ids that they answer. */
const answered = (frames: Frame[]) => frames.flatMap((frame) => acknowledges(frame) ?? []);

export const acknowledgements: Scenario[] = [
  {
    name: "acknowledgement",
    holds:
      "an accepted frame is answered by one acknowledgement: right id, right ends, empty, unsigned, asking for none",
    async play(stage) {
      const anna = new Person();
      const hello = anna.sign(anna.keyPackage(stage.address, stage.now()));
      const { frames } = await stage.give(hello);
      assert.deepEqual(answered(frames), [hello.id]);
      const ack = frames.at(-1)!;
      assert.deepEqual(
        {
          sender: ack.sender,
          recipient: ack.recipient,
          content: ack.content,
          metadata: ack.metadata,
          requires_ack: ack.requires_ack,
          priority: ack.priority,
        },
        {
          sender: stage.address,
          recipient: anna.address,
          content: "",
          metadata: { ack_for: hello.id },
          requires_ack: false,
          priority: "low",
        },
      );
    },
  },
  {
    name: "acknowledgement-of-a-message",
    holds: "an opened message is acknowledged, and the phone reports its delivery",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const sent = await stage.ask(phone, { op: "send", to: stage.address, text: "x" });
      const [data] = stage.intercept();
      const reply = await stage.do({ op: "receive", frame: data!, now: stage.now() });
      assert.deepEqual(answered(reply.frames.map(readFrame)), [sent.r.messageId]);
      const delivered = [];
      for (const flight of stage.air.splice(0)) {
        const { events } = await stage.ask(phone, { op: "frame", from: stage.address, data: flight.data });
        delivered.push(
          ...(events as { type: string; message_id?: string }[]).filter(({ type }) => type === "message_delivered"),
        );
      }
      assert.deepEqual(
        delivered.map(({ message_id }) => message_id),
        [sent.r.messageId],
      );
    },
  },
  {
    name: "silence-for-a-signed-stranger",
    holds: "a signed frame that is not accepted from an unknown peer gets silence",
    async play(stage) {
      const anna = new Person();
      for (const prefix of [PREFIX.probe, PREFIX.confirmAck]) {
        const { frames } = await stage.give(anna.sign(anna.control(prefix, stage.address, stage.now())));
        assert.deepEqual(frames, [], prefix);
      }
      assert.deepEqual((await stage.do({ op: "peers" })).r!.peers, []);
    },
  },
  {
    name: "silence-for-plain-text",
    holds: "an unsigned frame without prefix that names a known phone gets silence",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const { error, frames, events } = await stage.give(
        makeFrame(phone.address, stage.address, "unlock", stage.now()),
      );
      assert.equal(error, undefined);
      assert.deepEqual(frames, []);
      assert.deepEqual(reasonsIn(events), ["unknown-prefix"]);
      assert.deepEqual(messagesIn(events), []);
    },
  },
  {
    name: "silence-for-a-confirm-ack",
    holds: "an unsolicited confirm ack gets silence, also from a known peer",
    async play(stage) {
      const anna = new Person();
      await stage.give(anna.sign(anna.keyPackage(stage.address, stage.now())));
      const { frames, events } = await stage.give(
        anna.sign(anna.control(PREFIX.confirmAck, stage.address, stage.now())),
      );
      assert.deepEqual(frames, []);
      assert.deepEqual(reasonsIn(events), ["unsolicited-confirm-ack"]);
    },
  },
  {
    name: "redelivery-after-reboot",
    holds: "a frame that comes again after a power cycle is acknowledged again and not acted on",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const sent = await stage.ask(phone, { op: "send", to: stage.address, text: "once" });
      const [data] = stage.intercept();
      assert.deepEqual(messagesIn((await stage.give(data!)).events), [{ peer: phone.address, text: "once" }]);
      await stage.powerCycle();
      const again = await stage.give(data!);
      assert.deepEqual(reasonsIn(again.events), ["already-answered"]);
      assert.deepEqual(messagesIn(again.events), []);
      assert.deepEqual(answered(again.frames), [sent.r.messageId]);
    },
  },
  {
    name: "second-copy",
    holds: "the second copy of a sealed frame gets the same acknowledgement and brings no second message",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.ask(phone, { op: "send", to: stage.address, text: "once" });
      const [data] = stage.intercept();
      const first = await stage.give(data!);
      const second = await stage.give(data!);
      assert.deepEqual(messagesIn(first.events).length, 1);
      assert.deepEqual(typesOf(second.events), ["Ignored"]);
      assert.deepEqual(answered(second.frames), answered(first.frames));
      assert.equal(second.frames.length, 1);
    },
  },
  {
    name: "no-acknowledgement-asked",
    holds: "a frame that asks for no acknowledgement gets none, and is acted on",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.ask(phone, { op: "send", to: stage.address, text: "quietly" });
      const [data] = stage.intercept();
      const { frames, events } = await stage.give({ ...readFrame(data!), requires_ack: false });
      assert.deepEqual(frames, []);
      assert.deepEqual(messagesIn(events), [{ peer: phone.address, text: "quietly" }]);

      const anna = new Person();
      const hello = anna.sign(anna.keyPackage(stage.address, stage.now(), {}, { requires_ack: false }));
      assert.deepEqual(answered((await stage.give(hello)).frames), []);
    },
  },
  {
    name: "not-addressed-here",
    holds: "frames of others are ignored without a write: a package for someone else, traffic between two neighbours",
    async play(stage) {
      const [anna, bert] = [new Person(), new Person()];
      await stage.do({ op: "stats" });
      const overheard = [
        anna.sign(anna.keyPackage(bert.address, stage.now())),
        anna.sign(anna.welcome(bert.address, stage.now(), Uint8Array.of(0, 1, 0, 3))),
        anna.sign(anna.control(PREFIX.probe, bert.address, stage.now())),
        makeFrame(anna.address, bert.address, `${PREFIX.encrypted}AAAA`, stage.now()),
        makeFrame(anna.address, bert.address, "hello", stage.now()),
      ];
      for (const frame of overheard) {
        const { error, frames, events } = await stage.give(frame);
        assert.deepEqual(
          [error, frames, reasonsIn(events)],
          [undefined, [], ["not-addressed-here"]],
          frame.content.slice(0, 20),
        );
      }
      const { r } = await stage.do({ op: "stats" });
      assert.equal(r!.flashPrograms, 0);
    },
  },
  {
    name: "rewritten-recipient",
    holds: "a sealed frame with a rewritten recipient is ignored; the right one opens",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.ask(phone, { op: "send", to: stage.address, text: "mine" });
      const [data] = stage.intercept();
      const elsewhere = await stage.give({ ...readFrame(data!), recipient: new Person().address });
      assert.deepEqual(reasonsIn(elsewhere.events), ["not-addressed-here"]);
      assert.deepEqual(messagesIn((await stage.give(data!)).events), [{ peer: phone.address, text: "mine" }]);
    },
  },
];
