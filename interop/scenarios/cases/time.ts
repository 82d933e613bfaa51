// Clocks that are wrong, and time that passes.
import assert from "node:assert/strict";
import { PREFIX } from "../person.ts";
import type { Scenario } from "../scenario.ts";
import type { PhoneEnd, Stage } from "../stage.ts";
import { readFrame } from "../wire.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** A package of the device: minted as if an hour ago, for 28 days. */
const PACKAGE_LIFE = 28 * DAY - HOUR;

/** Whether the phone answers what is on the air for it with a Welcome. */
async function welcomes(stage: Stage, phone: PhoneEnd): Promise<boolean> {
  await stage.settle({ lose: (_frame, to) => to === "device" });
  await stage.ask(phone, { op: "tick" });
  const answers = stage.intercept();
  const { r } = await stage.ask(phone, { op: "status", peer: stage.address });
  return r.session === true || answers.some((data) => readFrame(data).content.startsWith(PREFIX.welcome));
}

export const time: Scenario[] = [
  {
    name: "package-expires",
    holds: "a phone takes a package of the device until its last hour, and refuses it afterwards",
    set: { virtual: true },
    async play(stage) {
      const [early, late] = [await stage.addPhone("early"), await stage.addPhone("late")];
      for (const phone of [early, late]) await stage.beginPairing(phone);
      await stage.passTime(PACKAGE_LIFE - HOUR);
      const forLate = stage.air.splice(1);
      assert.equal(await welcomes(stage, early), true);
      stage.air.push(...forLate);
      await stage.passTime(2 * HOUR);
      assert.equal(await welcomes(stage, late), false);
    },
  },
  {
    name: "device-without-a-clock",
    holds: "a package that a device minted in 1970 is refused by the phone, and the device can try again with the time",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.do({ op: "advertise", peer: phone.address, now: 0 });
      assert.equal(await welcomes(stage, phone), false);
      await stage.pair(phone);
      await stage.talk(phone, "in time");
    },
  },
  {
    name: "now-goes-back",
    holds: "the time that the device is told may go backwards within a session",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.do({ op: "seal", peer: phone.address, text: "later", now: stage.now() + DAY });
      await stage.do({ op: "seal", peer: phone.address, text: "earlier", now: stage.now() - DAY });
      await stage.settle();
      assert.deepEqual(phone.heard, ["later", "earlier"]);
    },
  },
  {
    name: "resent-in-time",
    holds:
      "an unanswered message is sealed again by the phone and opens; the first copy, coming late, opens or is refused, never twice",
    set: { virtual: true },
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.ask(phone, { op: "send", to: stage.address, text: "unlock" });
      const [lost] = stage.intercept();
      stage.takeEvents();
      for (let i = 0; i < 6 && stage.air.length === 0; i++) {
        await stage.passTime(5);
        await stage.ask(phone, { op: "tick" });
      }
      await stage.settle();
      const texts = stage.takeEvents().flatMap((event) => (event.type === "MessageReceived" ? [event.text] : []));
      assert.deepEqual(texts, ["unlock"]);
      const { events } = await stage.give(lost!);
      assert.deepEqual(
        events.filter(({ type }) => type === "MessageReceived"),
        [],
      );
    },
  },
];
