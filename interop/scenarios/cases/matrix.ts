// The whole life of a pair, in either order, with the power going off and on between any two of its steps.
import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";
import { typesOf, type First, type PhoneEnd, type Stage } from "../stage.ts";

type Step = { name: string; take(stage: Stage, phone: PhoneEnd, first: First): Promise<void> };

const pair: Step = { name: "pair", take: (stage, phone, first) => stage.pair(phone, first) };
const talk = (text: string): Step => ({ name: "talk", take: (stage, phone) => stage.talk(phone, text) });

/** The phone commits; the device follows it to `epoch`. */
const commit = (epoch: number): Step => ({
  name: `commit-${epoch - 1}`,
  async take(stage, phone) {
    stage.takeEvents();
    const { r } = await stage.ask(phone, { op: "commit", peer: stage.address });
    assert.equal(r.epoch, epoch);
    await stage.settle();
    assert.deepEqual(stage.takeEvents(), [{ type: "CommitApplied", peer: phone.address, epoch }]);
  },
});

const rekey: Step = {
  name: "rekey",
  async take(stage, phone) {
    stage.takeEvents();
    await stage.ask(phone, { op: "rekey", peer: stage.address });
    await stage.settle();
    const events = typesOf(stage.takeEvents());
    assert(events.includes("SessionReset") && events.includes("SessionEstablished"), events.join(" "));
    await stage.expectSession(phone);
  },
};

const life: Step[] = [
  pair,
  talk("paired"),
  commit(2),
  talk("first commit"),
  commit(3),
  commit(4),
  talk("three commits"),
  rekey,
  talk("rekeyed"),
  commit(2),
  talk("commit after rekey"),
];

/** After which steps power goes off and on. */
const cuts: { name: string; after: (position: number) => boolean }[] = [
  { name: "no-cut", after: () => false },
  { name: "cut-after-every-step", after: () => true },
  ...life.slice(0, -1).map((step, position) => ({
    name: `cut-after-${position + 1}-${step.name}`,
    after: (at: number) => at === position,
  })),
];

export const matrix: Scenario[] = (["device", "phone"] as const).flatMap((first) =>
  cuts.map(({ name, after }): Scenario => ({
    name: `life-${first}-first-${name}`,
    holds: `pair, talk, three commits, rekey, commit: ${first} first, ${name.replaceAll("-", " ")}`,
    async play(stage) {
      const phone = await stage.addPhone();
      for (const [position, step] of life.entries()) {
        await step.take(stage, phone, first);
        if (after(position)) await stage.powerCycle();
      }
      assert.deepEqual(stage.refusals, []);
    },
  })),
);
