// Sessions that change: resets, commits, late messages, pairing again.
import assert from "node:assert/strict";
import { PREFIX, Person } from "../person.ts";
import type { Scenario } from "../scenario.ts";
import { messagesIn, reasonsIn, typesOf } from "../stage.ts";
import { readFrame, uuidText } from "../wire.ts";

const COMMITS = 12;
/** Past epochs of which a late message still opens. */
const PRIOR_EPOCHS = 3;

export const renewal: Scenario[] = [
  {
    name: "reset-by-the-phone",
    holds: "the phone drops its session: the device resets, answers with one fresh package, a second pairing completes",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.talk(phone, "before");
      stage.takeEvents();
      stage.sent.length = 0;
      await stage.ask(phone, { op: "rekey", peer: stage.address });
      const [reset] = stage.intercept();
      const { error, frames, events } = await stage.give(reset!);
      assert.equal(error, undefined);
      assert.deepEqual(typesOf(events), ["SessionReset", "PeerAdvertised"]);
      assert.deepEqual(
        frames.map(({ content }) => content.slice(0, PREFIX.keyPackage.length)),
        [PREFIX.keyPackage, ""],
      );
    },
  },
  {
    name: "second-pairing",
    holds: "after a reset the pair has a new session in the same two addresses, and talks",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.ask(phone, { op: "rekey", peer: stage.address });
      await stage.settle();
      await stage.expectSession(phone);
      await stage.talk(phone, "again");
    },
  },
  {
    name: "commit-after-second-pairing",
    holds: "a session that had commits is replaced, and the first commit of the new one is applied",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      for (let i = 0; i < 3; i++) {
        await stage.ask(phone, { op: "commit", peer: stage.address });
        await stage.settle();
      }
      await stage.ask(phone, { op: "rekey", peer: stage.address });
      await stage.settle();
      stage.takeEvents();
      await stage.ask(phone, { op: "commit", peer: stage.address });
      await stage.settle();
      assert.deepEqual(stage.takeEvents(), [{ type: "CommitApplied", peer: phone.address, epoch: 2 }]);
      await stage.talk(phone, "after the commit");
    },
  },
  {
    name: "twelve-commits",
    holds: "after twelve commits both directions work; late messages of three past epochs open, older ones are refused",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const late: string[] = [];
      for (let i = 0; i < COMMITS; i++) {
        await stage.ask(phone, { op: "send", to: stage.address, text: `late ${i}` });
        late.push(...stage.intercept());
        await stage.ask(phone, { op: "commit", peer: stage.address });
        await stage.settle();
      }
      await stage.talk(phone, "twelve commits on");
      for (const [i, data] of late.entries()) {
        const { error, events } = await stage.give(data);
        if (COMMITS - i <= PRIOR_EPOCHS)
          assert.deepEqual(messagesIn(events), [{ peer: phone.address, text: `late ${i}` }]);
        else assert.equal(error, "Mls", `a message ${COMMITS - i} epochs old`);
      }
      await stage.talk(phone, "after the late ones");
    },
  },
  {
    name: "old-commit",
    holds: "a commit of an epoch that is over is refused with Mls and changes nothing",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.ask(phone, { op: "commit", peer: stage.address });
      const [commit] = stage.intercept();
      assert.equal((await stage.give(commit!)).error, undefined);
      await stage.ask(phone, { op: "commit", peer: stage.address });
      await stage.settle();
      // An acknowledged frame is answered from memory, so the old commit comes under another id.
      const again = { ...readFrame(commit!), id: uuidText(new Uint8Array(16).fill(7)) };
      assert.equal((await stage.give(again)).error, "Mls");
      await stage.talk(phone, "unharmed");
    },
  },
  {
    name: "spent-reset",
    holds: "a reset is worth one teardown, before and after a power cycle",
    async play(stage) {
      const anna = new Person();
      const now = stage.now();
      const hello = anna.sign(anna.keyPackage(stage.address, now));
      assert.equal((await stage.give(hello)).error, undefined);
      const reset = () => anna.sign(anna.keyPackage(stage.address, now, { session_reset: true }));
      assert.deepEqual(typesOf((await stage.give(reset())).events), ["SessionReset", "PeerAdvertised"]);
      const spent = await stage.give(reset());
      assert.deepEqual(reasonsIn(spent.events), ["reset-spent"]);
      assert(!typesOf(spent.events).includes("SessionReset"));
      await stage.powerCycle();
      assert.deepEqual(reasonsIn((await stage.give(reset())).events), ["reset-spent"]);
      const newer = anna.sign(anna.keyPackage(stage.address, now + 1, { session_reset: true }));
      assert(typesOf((await stage.give(newer)).events).includes("SessionReset"));
    },
  },
  {
    name: "undated-reset",
    holds: "a reset without a date refreshes capabilities and resets nothing",
    async play(stage) {
      const anna = new Person();
      const { error, events } = await stage.give(
        anna.sign(anna.keyPackage(stage.address, stage.now(), { session_reset: true }), 1),
      );
      assert.equal(error, undefined);
      assert.deepEqual(reasonsIn(events), ["reset-undated"]);
      assert(!typesOf(events).includes("SessionReset"));
    },
  },
];
