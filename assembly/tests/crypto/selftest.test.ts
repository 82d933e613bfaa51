// The self-test of the firmware: its answers come from independent implementations, and it can fail.
import { expect, test } from "vitest";
import { hex } from "../room.ts";
import { combEntries } from "./comb.ts";
import { locate, withDamage } from "./damage.ts";
import { Primitives } from "./primitives.ts";
import { selftestAnswers } from "./reference.ts";

const { room } = new Primitives();
const selftest = (): number => room.call("cryptoSelftest");

test("passes, with the answers that node:crypto and @noble give", () => {
  expect(selftest()).toBe(1);
  expect(locate(room, selftestAnswers())).toBeGreaterThan(0);
});

test("fails when a constant of any primitive is damaged", () => {
  const constants = {
    "SHA-512 round constant": hex("22ae28d7982f8a42"),
    "SHA-256 round constant": hex("982f8a42"),
    "AES round constants": hex("0102040810204080"),
    "order L": hex("edd3f55c1a631258d69cf7a2def9de14"),
    "2 d": hex("59f1b226949bd6eb"),
    "HPKE label": hex("6561655f70726b"),
    "expected digest": selftestAnswers().subarray(0, 32),
    "expected HPKE tag": selftestAnswers().subarray(32),
  };
  for (const [name, pattern] of Object.entries(constants))
    expect(
      withDamage(room, pattern, () => selftest()),
      name,
    ).toBe(0);
  // A single comb entry may not be met; one of the whole table is.
  const damaged = combEntries().map((entry) => withDamage(room, entry, () => selftest()));
  expect(damaged.filter((result) => result === 0).length).toBeGreaterThan(damaged.length / 2);
  expect(selftest()).toBe(1);
});
