// Power cuts, torn operations and failures at every flash operation.
// STORE_CAMPAIGN=20 runs every operation of longer workloads.
import { describe, expect, it } from "vitest";
import { ALL_BITS, PowerLost } from "../../../host/src/board/flash-model.ts";
import { errorCampaign, powerCampaign } from "./campaign.ts";
import {
  DEVICE_KEY,
  FLASH,
  FlashModel,
  Journal,
  OK,
  STORAGE,
  apply,
  boot,
  campaign,
  expectState,
  value,
  workload,
  type State,
  type Transaction,
} from "./part.ts";

const whole = campaign(1) > 1;
const strides = whole ? { first: 1, second: 5 } : { first: 13, second: 47 };
const PURGE_PENDING = 0xfffe;

describe("loss of power", () => {
  const shapes = [
    { geometry: { pages: 2, pageBytes: 2048 }, keys: 6 },
    { geometry: { pages: 3, pageBytes: 2048 }, keys: 8 },
    { geometry: { pages: 5, pageBytes: 2048 }, keys: 16 },
  ];
  it.each(shapes)(
    "at any operation of a transaction, then of the recovery: before or after, $geometry.pages pages",
    ({ geometry, keys }) => {
      const found = powerCampaign(geometry, workload(geometry.pages, campaign(18), keys, 150), strides);
      expect(found.violations).toEqual([]);
      expect(found.faults).toBeGreaterThan(150);
      expect(found.seconds).toBeGreaterThan(200);
    },
  );

  it("at every operation of the very first transaction", () => {
    const found = powerCampaign({ pages: 4, pageBytes: 2048 }, workload(1, 2, 4, 60), {
      first: 1,
      second: whole ? 1 : 11,
    });
    expect(found.violations).toEqual([]);
  });

  it("again and again during the same page opening: the journal always gets on", () => {
    const flash = FlashModel.inMemory({ pages: 3, pageBytes: 2048 });
    const keep: Transaction = Array.from({ length: 8 }, (_, i) => [i, value(100, i)]);
    const next: Transaction = [[20, value(300, 20)]];
    boot(flash).commit(keep);
    let state = apply(new Map(), keep);
    for (let cuts = 0; cuts < campaign(300); cuts++) {
      flash.plan({ kind: "tear", after: (cuts * 13) % 211, bits: cuts + 1 });
      try {
        if (boot(flash).commit(next) === OK) state = apply(state, next);
      } catch (error) {
        if (!(error instanceof PowerLost)) throw error;
      }
      flash.plan();
      flash.powerOn();
      const journal = boot(flash);
      if (journal.find(20) >= 0) state = apply(state, next);
      expectState(journal, state, [...keep.map(([key]) => key), 20], `cut ${cuts}`);
    }
    expect(boot(flash).commit(next)).toBe(OK);
  });

  it("between the two commit words of a page: the mount programs the second, so that the first never stands alone", () => {
    const flash = FlashModel.inMemory({ pages: 4, pageBytes: 2048 });
    boot(flash).commit([[1, value(8, 1)]]);
    const [firstCommitWord, secondCommitWord] = [16, 36];
    flash.write(secondCommitWord, new Uint8Array(4).fill(0xff));
    boot(flash);
    expect(flash.dump().subarray(secondCommitWord, secondCommitWord + 4)).toEqual(new Uint8Array(4));
    flash.write(firstCommitWord, Uint8Array.of(0, 0x40, 0, 0));
    expectState(boot(flash), new Map([[1, value(8, 1)]]), [1], "with a first commit word that was cut short");
  });

  it("during a purge: the values stay, and with PURGE_PENDING the next mount finishes it", () => {
    const geometry = { pages: 4, pageBytes: 2048 };
    const work = workload(9, 40, 8, 120);
    const prepared = FlashModel.inMemory(geometry);
    let state: State = new Map();
    for (const transaction of [...work.transactions, [[0x1ff, value(8, 1)]] as Transaction]) {
      boot(prepared).commit(transaction);
      state = apply(state, transaction);
    }
    const unpair: Transaction = [
      [0x1ff, undefined],
      [PURGE_PENDING, new Uint8Array(0)],
    ];
    expect(boot(prepared).commit(unpair)).toBe(OK);
    state = apply(state, [[0x1ff, undefined]]);
    for (let after = 0; ; after += whole ? 1 : 7) {
      const flash = FlashModel.inMemory(geometry, prepared.dump());
      flash.plan({ kind: "tear", after, bits: after + 1 });
      try {
        // The mount itself finishes the purge.
        boot(flash);
      } catch (error) {
        if (!(error instanceof PowerLost)) throw error;
      }
      const struck = !flash.planned;
      flash.plan();
      flash.powerOn();
      const journal = boot(flash);
      expectState(journal, state, [...work.keys, 0x1ff, PURGE_PENDING], `cut after ${after}`);
      const pages = Array.from({ length: geometry.pages }, (_, page) =>
        flash.dump().subarray(page * 2048, page * 2048 + 2048),
      );
      expect(pages.filter((page) => page.some((byte) => byte !== 0xff)).length).toBeLessThanOrEqual(2);
      if (!struck) break;
    }
  });
});

describe("a part that reports failure", () => {
  it.each([
    { pages: 2, pageBytes: 2048 },
    { pages: 5, pageBytes: 2048 },
  ])("at any operation: Storage, nothing changed, and the next transaction works, $pages pages", (geometry) => {
    const found = errorCampaign(geometry, workload(geometry.pages + 7, campaign(30), 6, 150), whole ? 1 : 5);
    expect(found.violations).toEqual([]);
    expect(found.faults).toBeGreaterThan(200);
  });

  it("at every write: Storage every time, and the old state stays", () => {
    const flash = FlashModel.inMemory({ pages: 4, pageBytes: 2048 });
    const journal = boot(flash);
    const first: Transaction = [[1, value(50, 1)]];
    expect(journal.commit(first)).toBe(OK);
    const state = apply(new Map(), first);
    for (let page = 0; page < 4; page++) flash.wearOut(page);
    for (let i = 0; i < 12; i++) {
      expect(
        journal.commit([
          [1, value(50, 2)],
          [2, value(5, 2)],
        ]),
      ).toBe(STORAGE);
      expect(journal.detail()).toBe(FLASH);
      expectState(journal, state, [1, 2], `failure ${i}`);
    }
    expectState(boot(flash), state, [1, 2], "after a power cycle");
  });

  it("on one page for good: one transaction fails at most each time the page is tried, and the others work", () => {
    for (let worn = 0; worn < 5; worn++) {
      const flash = FlashModel.inMemory({ pages: 5, pageBytes: 2048 });
      const journal = boot(flash);
      const work = workload(worn + 20, 200, 8, 100);
      let state: State = new Map();
      let failures = 0;
      work.transactions.forEach((transaction, index) => {
        if (index === 30) flash.wearOut(worn);
        if (journal.commit(transaction) === OK) state = apply(state, transaction);
        else failures += 1;
      });
      expectState(journal, state, work.keys, `page ${worn}`);
      expectState(boot(flash), state, work.keys, `page ${worn}, after a power cycle`);
      expect(failures).toBeGreaterThan(0);
      expect(failures).toBeLessThanOrEqual(2);
    }
  });

  it("at the commit word, with all its bits changed: still nothing has happened", () => {
    const flash = FlashModel.inMemory({ pages: 4, pageBytes: 2048 });
    const journal = boot(flash);
    journal.commit([[1, value(8, 1)]]);
    flash.plan({ kind: "error", after: 8, bits: ALL_BITS });
    expect(journal.commit([[1, value(8, 2)]])).toBe(STORAGE);
    expect(flash.planned).toBe(false);
    expectState(boot(flash), new Map([[1, value(8, 1)]]), [1], "after a power cycle");
  });

  it("by giving no device key once: Storage or unreadable, and nothing is lost by it", () => {
    const work = workload(12, 50, 6, 150);
    const flash = FlashModel.inMemory({ pages: 4, pageBytes: 2048 });
    let calls = 0;
    const journal = new Journal(flash, () => (++calls % 5 === 0 ? undefined : DEVICE_KEY));
    expect(journal.mount()).toBe(OK);
    let state: State = new Map();
    let failures = 0;
    for (const transaction of work.transactions) {
      if (journal.commit(transaction) === OK) state = apply(state, transaction);
      else failures += 1;
      expectState(boot(flash), state, work.keys, `call ${calls}`);
    }
    expect(failures).toBeGreaterThan(5);
    expect(journal.log.head).toBeGreaterThan(1);
  });

  it("when it is read: Storage, and nothing is concluded from it", () => {
    const flash = FlashModel.inMemory({ pages: 4, pageBytes: 2048 });
    const work = workload(2, 40, 8, 120);
    let state: State = new Map();
    for (const transaction of work.transactions) {
      boot(flash).commit(transaction);
      state = apply(state, transaction);
    }
    for (let k = 0; ; k++) {
      let reads = 0;
      const copy = FlashModel.inMemory(flash.geometry, flash.dump());
      const part = {
        geometry: copy.geometry,
        read: (at: number, into: Uint8Array) => reads++ !== k && copy.read(at, into),
        program: () => true,
        erase: () => true,
      };
      const status = new Journal(part).mount();
      if (reads <= k) {
        expect(status).toBe(OK);
        break;
      }
      expect(status, `read ${k}`).toBe(STORAGE);
      expectState(boot(copy), state, work.keys, `read ${k}`);
    }
  });
});
