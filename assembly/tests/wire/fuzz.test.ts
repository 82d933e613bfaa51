// Any input: no trap, nothing read or written outside it, and what is accepted is stable through both encodings.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hex } from "../room.ts";
import { FULL, type Outcome, bytes, decode, jsonFrame } from "./frames.ts";

const full = decode(bytes(FULL)) as Extract<Outcome, { detail: undefined }>;
const SEEDS = [
  bytes(FULL),
  bytes(full.json),
  hex(full.binary),
  bytes(jsonFrame(',"metadata":{"a":"b"}')),
  bytes(`[${"[".repeat(40)}`),
];

/** A seed with a few bytes replaced, removed, inserted or doubled. */
const mutant = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat(4),
        fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...'"\\{}[]:,0-').map(bytes)),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([seed, changes]) => {
    const data = [...seed];
    for (const [at, drop, insert] of changes) data.splice(at % (data.length + 1), drop, ...insert);
    return Uint8Array.from(data);
  });

function checkStable(input: Uint8Array): void {
  const outcome = decode(input, 0x00);
  // What lies beside the input plays no part: bytes that would close strings and objects change nothing.
  for (const fill of [0x22, 0x7d, 0x31, 0x80]) expect(decode(input, fill)).toEqual(outcome);
  if (outcome.detail !== undefined) return;
  expect(decode(bytes(outcome.json))).toEqual(outcome);
  expect(decode(hex(outcome.binary))).toEqual(outcome);
}

describe("any input", () => {
  it("is a control: a longer view of the same bytes does change the outcome", () => {
    expect(decode(bytes(`${jsonFrame()}"`))).not.toEqual(decode(bytes(jsonFrame())));
  });

  it("gives one outcome, stable through both encodings, when frames are mutated", () => {
    fc.assert(fc.property(mutant, checkStable), { numRuns: 2500 });
  });

  it("gives one outcome when it is noise behind a plausible start", () => {
    const noise = fc.tuple(
      fc.constantFrom("f5", full.binary.slice(0, 80), "7b22", "5b"),
      fc.uint8Array({ maxLength: 120 }),
    );
    fc.assert(
      fc.property(noise, ([start, rest]) => checkStable(Uint8Array.from([...hex(start), ...rest]))),
      { numRuns: 1500 },
    );
  });

  it("ends soon at any length: 64 KiB of what costs most", () => {
    const length = 64 * 1024;
    const keys = Array.from({ length: 6000 }, (_, i) => `"${(99_999 - i).toString()}":""`).join();
    const inputs = [
      bytes("[".repeat(length)),
      bytes(`{"a":"${"\\u0041".repeat(length / 6)}`),
      bytes(jsonFrame(`,"metadata":{${keys}}`)),
      bytes(jsonFrame(`,"binary_content":[${"255 ,".repeat(length / 5)}0]`)),
      bytes("{" + '"z":0,'.repeat(length / 6)),
      bytes(" ".repeat(length)),
      new Uint8Array(length).fill(0xf5),
      Uint8Array.from([...hex(full.binary.slice(0, 80)), ...new Uint8Array(length).fill(0xff)]),
    ];
    const start = performance.now();
    for (const input of inputs) decode(input);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
