// Negative controls: the campaigns find what they are there to find.
import { describe, expect, it } from "vitest";
import { FlashMisuse } from "../../../host/src/board/flash-model.ts";
import { errorCampaign, powerCampaign, type Breakage } from "./campaign.ts";
import { FlashModel, OK, boot, differences, value, workload, type Part } from "./part.ts";

const GEOMETRY = { pages: 3, pageBytes: 2048 };
const work = workload(6, 12, 6, 100);
const strides = { first: 5, second: 80 };

const isCommitWord = (data: Uint8Array): boolean => data.length === 4 && data.every((byte) => byte === 0);

/** Acknowledges commit words without programming them. */
const losesCommitWords: Breakage = (flash) => ({
  geometry: flash.geometry,
  read: (at, into) => flash.read(at, into),
  program: (at, data) => isCommitWord(data) || flash.program(at, data),
  erase: (page) => flash.erase(page),
});

/** Programs a commit word before the words that it commits: what a write cache would do. */
const reorders: Breakage = (flash) => {
  let held: [number, Uint8Array][] = [];
  const part: Part = {
    geometry: flash.geometry,
    read(at, into) {
      const done = flash.read(at, into);
      for (const [from, data] of held) {
        const start = Math.max(at, from);
        const end = Math.min(at + into.length, from + data.length);
        if (start < end) into.set(data.subarray(start - from, end - from), start - at);
      }
      return done;
    },
    program(at, data) {
      if (!isCommitWord(data)) {
        held.push([at, data.slice()]);
        return true;
      }
      const late = held;
      held = [];
      return flash.program(at, data) && late.every(([from, body]) => flash.program(from, body));
    },
    erase: (page) => flash.erase(page),
  };
  return part;
};

/** Reports success of operations that failed. */
const hidesFailures: Breakage = (flash) => ({
  geometry: flash.geometry,
  read: (at, into) => flash.read(at, into),
  program: (at, data) => (flash.program(at, data), true),
  erase: (page) => (flash.erase(page), true),
});

/** Does not erase. */
const neverErases: Breakage = (flash) => ({ ...hidesFailures(flash), erase: () => true });

describe("the power campaign", () => {
  it("passes on an intact part", () => {
    expect(powerCampaign(GEOMETRY, work, strides).violations).toEqual([]);
  });
  it("catches a part that loses commit words", () => {
    expect(powerCampaign(GEOMETRY, work, strides, losesCommitWords).violations.length).toBeGreaterThan(0);
  });
  it("catches a part that programs the commit word first", () => {
    expect(powerCampaign(GEOMETRY, work, strides, reorders).violations.length).toBeGreaterThan(0);
  });
});

describe("the error campaign", () => {
  it("catches a part that hides its failures", () => {
    expect(errorCampaign(GEOMETRY, work, 3, hidesFailures).violations.length).toBeGreaterThan(0);
  });
});

describe("the checks", () => {
  it("notice an old value, a missing one and one too many", () => {
    const journal = boot(FlashModel.inMemory(GEOMETRY));
    journal.commit([
      [1, value(8, 1)],
      [2, value(8, 2)],
    ]);
    expect(
      differences(
        journal,
        new Map([
          [1, value(8, 1)],
          [2, value(8, 2)],
        ]),
        [1, 2],
      ),
    ).toEqual([]);
    expect(
      differences(
        journal,
        new Map([
          [1, value(8, 3)],
          [2, value(8, 2)],
        ]),
        [1, 2],
      ),
    ).toHaveLength(1);
    expect(
      differences(
        journal,
        new Map([
          [1, value(8, 1)],
          [2, value(8, 2)],
          [3, value(8, 3)],
        ]),
        [1, 2, 3],
      ),
    ).toHaveLength(1);
    expect(differences(journal, new Map([[1, value(8, 1)]]), [1])).toHaveLength(1);
  });

  it("a missed erase is misuse of the part", () => {
    const flash = FlashModel.inMemory({ pages: 2, pageBytes: 2048 });
    const journal = boot(neverErases(flash));
    expect(() => {
      for (let i = 0; i < 100; i++) expect(journal.commit([[1, value(100, i)]])).toBe(OK);
    }).toThrow(FlashMisuse);
  });
});
