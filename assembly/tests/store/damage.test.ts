// Damaged bits: a record that was complete never gives way to an older value in silence.
import { describe, expect, it } from "vitest";
import {
  ABSENT,
  FlashModel,
  JOURNAL_DAMAGED,
  Journal,
  OK,
  UNREADABLE,
  apply,
  boot,
  campaign,
  random,
  value,
  workload,
  type State,
  type Transaction,
} from "./part.ts";

const GEOMETRY = { pages: 3, pageBytes: 2048 };

interface Specimen {
  image: Uint8Array;
  state: State;
  keys: number[];
}

/** A part in the middle of its life. */
function specimen(seed: number): Specimen {
  const flash = FlashModel.inMemory(GEOMETRY);
  const journal = boot(flash);
  const work = workload(seed, 60, 8, 90);
  let state: State = new Map();
  for (const transaction of work.transactions) {
    journal.commit(transaction);
    state = apply(state, transaction);
  }
  return { image: flash.dump(), state, keys: work.keys };
}

type Verdict = "intact" | "unreadable" | "refused";

/** What a damaged part answers; throws when any answer is an older value or an absent one in place of a value. */
function judge({ state, keys }: Specimen, image: Uint8Array, what: string): Verdict {
  const journal = new Journal(FlashModel.inMemory(GEOMETRY, image));
  if (journal.mount() !== OK) {
    if (journal.detail() !== JOURNAL_DAMAGED) throw new Error(`${what}: refused for another reason`);
    return "refused";
  }
  let verdict: Verdict = "intact";
  for (const key of keys) {
    const got = journal.load(key);
    const wanted = state.get(key);
    if (got === UNREADABLE && wanted) verdict = "unreadable";
    else if (typeof got === "number" ? got !== ABSENT || wanted : !wanted || Buffer.compare(got, wanted) !== 0)
      throw new Error(`${what}: key ${key} answers another value`);
  }
  return verdict;
}

function tally(
  specimenOf: Specimen,
  damages: Iterable<[what: string, damage: (image: Uint8Array) => void]>,
): Record<Verdict, number> {
  const count = { intact: 0, unreadable: 0, refused: 0 };
  for (const [what, damage] of damages) {
    const image = specimenOf.image.slice();
    damage(image);
    count[judge(specimenOf, image, what)] += 1;
  }
  return count;
}

const written = (image: Uint8Array): number[] =>
  Array.from(image.keys()).filter((at) => image.subarray(at & ~3, (at & ~3) + 4).some((byte) => byte !== 0xff));

describe("damage", () => {
  it("of one bit in a written word never brings back an older value, and never refuses the whole journal", () => {
    const one = specimen(3);
    const step = Math.max(1, Math.floor(13 / campaign(1)));
    const bits = written(one.image)
      .flatMap((at) => [0, 1, 2, 3, 4, 5, 6, 7].map((bit): [number, number] => [at, bit]))
      .filter((_, i) => i % step === 0);
    const count = tally(
      one,
      bits.map(([at, bit]) => [`bit ${bit} of byte ${at}`, (image) => (image[at]! ^= 1 << bit)]),
    );
    expect(count.refused).toBe(0);
    expect(count.unreadable).toBeGreaterThan(0);
    expect(count.intact).toBeGreaterThan(0);
  });

  it("of one bit in an erased word changes nothing", () => {
    const one = specimen(4);
    const erased = Array.from(one.image.keys()).filter(
      (at) => one.image[at] === 0xff && !written(one.image.subarray(at & ~3, (at & ~3) + 4)).length,
    );
    const count = tally(
      one,
      erased.filter((_, i) => i % 37 === 0).map((at) => [`byte ${at}`, (image) => (image[at]! ^= 0x10)]),
    );
    expect(count.unreadable).toBe(0);
    expect(count.refused).toBe(0);
  });

  it("of whole words and longer runs never brings back an older value", () => {
    const next = random(77);
    const runs: [string, (image: Uint8Array) => void][] = [];
    const one = specimen(5);
    const places = written(one.image).filter((at) => at % 4 === 0);
    for (let i = 0; i < campaign(1500); i++) {
      const at = places[next() % places.length]!;
      const bytes = [4, 4, 4, 8, 16, 64][next() % 6]!;
      const noise = value(bytes, next());
      runs.push([
        `${bytes} bytes at ${at}`,
        (image) => image.set(noise.subarray(0, Math.min(bytes, 2048 - (at % 2048))), at),
      ]);
    }
    // A run over both copies of a page header is the loss of a page, which docs/journal.md excludes.
    const count = tally(
      one,
      runs.filter((_, i) => !hitsBothCopies(one.image, runs[i]![1])),
    );
    expect(count.unreadable + count.refused).toBeGreaterThan(runs.length / 10);
  });

  it("of the first word of the last record, in any pattern, never hides the record", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    const journal = boot(flash);
    journal.commit([[1, value(4, 1)]]);
    const at = journal.log.end;
    journal.commit([[1, value(4, 2)]]);
    const one: Specimen = { image: flash.dump(), state: new Map([[1, value(4, 2)]]), keys: [1] };
    const count = tally(
      one,
      Array.from({ length: campaign(2000) }, (_, i) => [`pattern ${i}`, (image) => image.set(value(4, i + 1), at)]),
    );
    expect(count.refused).toBeGreaterThan(count.intact);
  });

  it("of a value is passed on by garbage collection, and ends when the key is written or deleted", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    const setUp: Transaction = [
      [1, value(30, 1)],
      [2, value(30, 2)],
    ];
    boot(flash).commit([
      [1, value(30, 9)],
      [2, value(30, 9)],
    ]);
    const at = boot(flash).log.end;
    boot(flash).commit(setUp);
    flash.write(at + 16, Uint8Array.of(flash.dump()[at + 16]! ^ 4));
    const journal = boot(flash);
    expect([journal.load(1), journal.load(2)]).toEqual([UNREADABLE, UNREADABLE]);
    for (let i = 0; i < 200; i++) expect(journal.commit([[3, value(60, i)]])).toBe(OK);
    expect([journal.find(1), journal.load(2)]).toEqual([UNREADABLE, UNREADABLE]);
    const again = boot(flash);
    expect([again.find(1), again.load(2)]).toEqual([UNREADABLE, UNREADABLE]);
    expect(
      again.commit([
        [1, value(5, 5)],
        [2, undefined],
      ]),
    ).toBe(OK);
    expect([boot(flash).load(1), boot(flash).load(2)]).toEqual([value(5, 5), ABSENT]);
  });

  it("by moving a whole record to where another one stood is noticed", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    const journal = boot(flash);
    const first = journal.log;
    journal.commit([[1, value(40, 1)]]);
    const middle = journal.log.end;
    journal.commit([[1, value(40, 2)]]);
    expect(first.tail).toBe(0);
    const image = flash.dump();
    image.copyWithin(middle, 40, middle);
    const replayed = new Journal(FlashModel.inMemory(GEOMETRY, image));
    expect(replayed.mount()).not.toBe(OK);
  });
});

/** Whether a damage touches both copies of the header of a page. */
function hitsBothCopies(image: Uint8Array, damage: (image: Uint8Array) => void): boolean {
  const damaged = image.slice();
  damage(damaged);
  const differs = (from: number, to: number): boolean =>
    damaged.subarray(from, to).some((byte, i) => byte !== image[from + i]);
  return [0, 2048, 4096].some((page) => differs(page, page + 20) && differs(page + 20, page + 40));
}
