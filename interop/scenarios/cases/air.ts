// A bad radio for a long time: frames lost, doubled, reordered and corrupted, by a seeded die.
import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";
import { messagesIn, type PhoneEnd, type Stage } from "../stage.ts";
import { die, weathered, type Weather } from "../weather.ts";

const MESSAGES = 12;
/** Virtual seconds between two ticks of the phone, and how many of them a run may take. */
const TICK_SECONDS = 5;
const MAX_TICKS = 400;
/**
 * Now and then the person at the phone says something more. A phone whose confirmation was lost asks for it only when it
 * gets a new message to send; queued ones do not make it ask.
 */
const NUDGE_TICKS = 4;
const NUDGE = "are you there?";

/** Lets the phone's timers run under the weather until `done`. */
async function endure(
  stage: Stage,
  phone: PhoneEnd,
  weather: Weather,
  roll: () => number,
  done: () => boolean,
): Promise<void> {
  for (let tick = 0; tick < MAX_TICKS; tick++) {
    for (let hop = 0; hop < 20 && stage.air.length > 0; hop++) {
      const flights = weathered(stage.air.splice(0), weather, roll);
      for (const flight of flights) await stage.fly(flight);
    }
    if (done()) return;
    await stage.passTime(TICK_SECONDS);
    await stage.ask(phone, { op: "tick" });
    if (tick % NUDGE_TICKS === NUDGE_TICKS - 1) await stage.ask(phone, { op: "send", to: stage.address, text: NUDGE });
  }
  assert.fail(`not done after ${MAX_TICKS * TICK_SECONDS} virtual seconds`);
}

const weathers: { name: string; weather: Weather }[] = [
  { name: "lossy", weather: { lost: 0.25, doubled: 0, delayed: 0, corrupted: 0 } },
  { name: "stormy", weather: { lost: 0.15, doubled: 0.15, delayed: 0.3, corrupted: 0.1 } },
];

export const air: Scenario[] = weathers.flatMap(({ name, weather }) =>
  [1, 2].map((seed): Scenario => ({
    name: `air-${name}-${seed}`,
    holds: `a pairing and ${MESSAGES} messages of the phone get through ${name} air, each exactly, and nothing false arrives`,
    set: { virtual: true },
    async play(stage) {
      const phone = await stage.addPhone();
      const roll = die(seed);
      await stage.beginPairing(phone, "phone");
      const expected = Array.from({ length: MESSAGES }, (_, i) => `message ${i}`);
      for (const text of expected) await stage.ask(phone, { op: "send", to: stage.address, text });
      const arrived = new Set<string>();
      await endure(stage, phone, weather, roll, () => {
        for (const { text } of messagesIn(stage.takeEvents())) if (text !== NUDGE) arrived.add(text);
        return expected.every((text) => arrived.has(text));
      });
      assert.deepEqual([...arrived].sort(), [...expected].sort());
      stage.air.length = 0;
      await stage.talk(phone, "calm again");
    },
  })),
);
