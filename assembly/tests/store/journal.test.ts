// The journal on a part that never fails: values, limits, geometries, capacity, wear.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ABSENT,
  FULL,
  FlashModel,
  Journal,
  LIMIT,
  OK,
  STORAGE,
  UNREADABLE,
  apply,
  boot,
  campaign,
  differences,
  expectState,
  value,
  workload,
  type Change,
  type State,
  type Transaction,
} from "./part.ts";

const GEOMETRY = { pages: 4, pageBytes: 2048 };
const PAGE_HEADER_BYTES = 40;

describe("values", () => {
  it("come back as they were put, in the session and after a power cycle", () => {
    const flash = FlashModel.inMemory();
    const entries: Transaction = [
      [0x101, value(36, 1)],
      [0x102, value(64, 2)],
      [0x203, value(0, 3)],
      [0x204, value(4096, 4)],
      [0xfe05, value(1, 5)],
    ];
    const journal = boot(flash);
    expect(journal.commit(entries)).toBe(OK);
    for (const mounted of [journal, boot(flash)]) {
      for (const [key, bytes] of entries) {
        expect(mounted.load(key)).toEqual(bytes);
        expect(mounted.find(key)).toBe(bytes!.length);
      }
    }
  });

  it("are absent before they are put and after they are deleted", () => {
    const flash = FlashModel.inMemory();
    const journal = boot(flash);
    expect([journal.find(7), journal.load(7)]).toEqual([ABSENT, ABSENT]);
    journal.commit([
      [7, value(9, 1)],
      [8, value(9, 2)],
    ]);
    expect(journal.commit([[7, undefined]])).toBe(OK);
    for (const mounted of [journal, boot(flash)]) {
      expect([mounted.find(7), mounted.load(7)]).toEqual([ABSENT, ABSENT]);
      expect(mounted.load(8)).toEqual(value(9, 2));
    }
  });

  it("of one key in one transaction: the last one counts", () => {
    const journal = boot(FlashModel.inMemory());
    journal.commit([
      [1, value(5, 1)],
      [2, value(5, 2)],
      [1, value(6, 3)],
      [2, undefined],
    ]);
    expect(journal.load(1)).toEqual(value(6, 3));
    expect(journal.load(2)).toBe(ABSENT);
    expect(journal.live).toBe(1);
  });

  it("longer than the reader's buffer are not what the reader wrote", () => {
    const journal = boot(FlashModel.inMemory());
    journal.commit([[1, value(40, 1)]]);
    expect(journal.load(1, 39)).toBe(UNREADABLE);
    expect(journal.load(1, 40)).toEqual(value(40, 1));
  });

  it("do not stand on flash in the clear, and do not open under another device key", () => {
    const flash = FlashModel.inMemory();
    const secret = value(64, 1);
    boot(flash).commit([[1, secret]]);
    expect(Buffer.from(flash.dump()).includes(Buffer.from(secret.subarray(0, 8)))).toBe(false);
    const stranger = new Journal(flash, () => new Uint8Array(32).fill(9));
    expect(stranger.mount()).toBe(OK);
    expect(stranger.load(1)).toBe(UNREADABLE);
  });

  it("put twice alike are stored under other bytes each time", () => {
    const flash = FlashModel.inMemory();
    const journal = boot(flash);
    journal.commit([[1, value(64, 1)]]);
    const first = journal.log.end;
    journal.commit([[1, value(64, 1)]]);
    const dump = Buffer.from(flash.dump());
    expect(
      dump.subarray(first + 8, first + 16).equals(dump.subarray(PAGE_HEADER_BYTES + 8, PAGE_HEADER_BYTES + 16)),
    ).toBe(false);
  });
});

describe("before mounting", () => {
  it("everything is Storage", () => {
    const journal = new Journal(FlashModel.inMemory());
    expect(journal.find(1)).toBe(UNREADABLE);
    expect(journal.load(1)).toBe(UNREADABLE);
    expect(journal.commit([[1, value(1, 1)]])).toBe(STORAGE);
    expect(journal.purge()).toBe(STORAGE);
  });

  it("a geometry out of range is refused", () => {
    for (const geometry of [
      { pages: 1, pageBytes: 8192 },
      { pages: 65, pageBytes: 8192 },
      { pages: 8, pageBytes: 1024 },
      { pages: 8, pageBytes: 131072 },
    ]) {
      const part = { geometry, read: () => true, program: () => true, erase: () => true };
      expect(new Journal(part).mount()).toBe(STORAGE);
    }
  });
});

describe("costs", () => {
  it("a record of three entries adds 36 bytes to its values, in one append without an erase", () => {
    const flash = FlashModel.inMemory();
    const journal = boot(flash);
    journal.commit([[1, value(1, 1)]]);
    flash.takeCounters();
    journal.commit([
      [1, value(36, 1)],
      [2, value(64, 2)],
      [3, value(8, 3)],
    ]);
    expect(flash.takeCounters()).toEqual({ programs: 36, erases: 0, bytes: 36 + 64 + 8 + 36 });
  });

  it("an empty transaction, and the deletion of what is absent, write nothing", () => {
    const flash = FlashModel.inMemory();
    const journal = boot(flash);
    expect(journal.commit([])).toBe(OK);
    expect(
      journal.commit([
        [3, undefined],
        [4, undefined],
      ]),
    ).toBe(OK);
    expect(flash.takeCounters()).toEqual({ programs: 0, erases: 0, bytes: 0 });
  });

  it("mounting a whole part writes nothing", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    const journal = boot(flash);
    for (const transaction of workload(1, 100, 8, 100).transactions) journal.commit(transaction);
    flash.takeCounters();
    boot(flash);
    expect(flash.takeCounters()).toEqual({ programs: 0, erases: 0, bytes: 0 });
  });
});

describe("limits", () => {
  const refused = (transaction: Transaction): void => {
    const flash = FlashModel.inMemory();
    const journal = boot(flash);
    journal.commit([[0x700, value(20, 1)]]);
    const before = flash.dump();
    expect(journal.commit([[0x700, value(3, 2)], ...transaction])).toBe(STORAGE);
    expect(journal.detail()).toBe(LIMIT);
    expect(flash.dump()).toEqual(before);
    expect(journal.load(0x700)).toEqual(value(20, 1));
    expect(journal.commit([[0x700, value(3, 2)]])).toBe(OK);
  };
  const puts = (count: number, bytes: number): Change[] =>
    Array.from({ length: count }, (_, i): Change => [i, value(bytes, i)]);

  it("31 entries fit, 32 do not", () => {
    expect(boot(FlashModel.inMemory()).commit(puts(31, 10))).toBe(OK);
    refused(puts(31, 10));
  });
  it("4,096 bytes fit, 4,097 do not", () => {
    expect(boot(FlashModel.inMemory()).commit(puts(1, 4096))).toBe(OK);
    refused(puts(1, 4097));
  });
  it("a record as long as a page fits, a longer one does not", () => {
    const most = 8192 - PAGE_HEADER_BYTES - (4 + 3 * 4 + 16 + 4) - 4096;
    const parts = (rest: number): Transaction => [
      [1, value(4096, 1)],
      [2, value(4000, 2)],
      [3, value(rest, 3)],
    ];
    expect(boot(FlashModel.inMemory()).commit(parts(most - 4000))).toBe(OK);
    refused([
      [1, value(4096, 1)],
      [2, value(4000, 2)],
      [3, value(most - 4000, 3)],
    ]);
  });
  it("keys end at 0xFFFE", () => refused([[0xffff, value(1, 1)]]));
  it("160 entries can be live, 161 cannot, and nothing changes", () => {
    const flash = FlashModel.inMemory();
    const journal = boot(flash);
    let state: State = new Map();
    for (let i = 0; i < 160; i += 20) {
      const transaction = puts(20, 8).map(([key, bytes]): Change => [key + i, bytes]);
      expect(journal.commit(transaction)).toBe(OK);
      state = apply(state, transaction);
    }
    expect(
      journal.commit([
        [0, value(9, 9)],
        [160, value(1, 1)],
      ]),
    ).toBe(STORAGE);
    expect(journal.detail()).toBe(FULL);
    expectState(boot(flash), state, state.keys(), "after the refusal");
    expect(journal.commit([[0, value(9, 9)]])).toBe(OK);
  });
});

describe("random transactions", () => {
  const change = fc.tuple(
    fc.integer({ min: 0, max: 11 }),
    fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined, freq: 5 }),
  );
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.array(change, { maxLength: 6 }) },
    { weight: 2, arbitrary: fc.constant("power" as const) },
    { weight: 1, arbitrary: fc.constant("purge" as const) },
  );
  const geometry = fc.record({ pages: fc.constantFrom(4, 5, 8, 64), pageBytes: fc.constantFrom(2048, 4096, 65536) });

  it("agree with a map", () => {
    fc.assert(
      fc.property(geometry, fc.array(step, { maxLength: 60 }), (shape, steps) => {
        const flash = FlashModel.inMemory(shape);
        const keys = Array.from({ length: 12 }, (_, i) => i);
        let journal = boot(flash);
        let state: State = new Map();
        for (const action of steps) {
          if (action === "power") journal = boot(flash);
          else if (action === "purge") expect(journal.purge()).toBe(OK);
          else {
            expect(journal.commit(action)).toBe(OK);
            state = apply(state, action);
          }
        }
        expect(differences(journal, state, keys)).toEqual([]);
        expect(differences(boot(flash), state, keys)).toEqual([]);
      }),
      { numRuns: campaign(60) },
    );
  });
});

describe("capacity (docs/journal.md)", () => {
  const RECORD_BYTES = 28;
  const shapes = [
    { pages: 2, pageBytes: 2048 },
    { pages: 3, pageBytes: 2048 },
    { pages: 4, pageBytes: 2048 },
    { pages: 8, pageBytes: 8192 },
  ];

  it.each(shapes)("$pages pages of $pageBytes hold what the formula promises, under load", ({ pages, pageBytes }) => {
    const flash = FlashModel.inMemory({ pages, pageBytes });
    const journal = boot(flash);
    const logPages = pages - (pages < 4 ? 1 : 2);
    const bytes = 200;
    const record = RECORD_BYTES + bytes;
    const promised = Math.min(160, Math.floor((logPages * (pageBytes - PAGE_HEADER_BYTES - record)) / record));
    let state: State = new Map();
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < promised; i++) {
        const transaction: Transaction = [[i, value(bytes, round * 1000 + i)]];
        expect(journal.commit(transaction), `round ${round}, entry ${i} of ${promised}`).toBe(OK);
        state = apply(state, transaction);
      }
    }
    expectState(boot(flash), state, state.keys(), "full");
  });

  it.each(shapes)(
    "$pages pages of $pageBytes, filled up: JournalFull without a write, and deletion makes room",
    ({ pages, pageBytes }) => {
      const flash = FlashModel.inMemory({ pages, pageBytes });
      const journal = boot(flash);
      const bytes = 600;
      let state: State = new Map();
      let key = 0;
      for (; ; key++) {
        const before = flash.dump();
        const transaction: Transaction = [[key, value(bytes, key)]];
        if (journal.commit(transaction) !== OK) {
          expect(journal.detail()).toBe(FULL);
          expect(flash.dump()).toEqual(before);
          break;
        }
        state = apply(state, transaction);
      }
      expectState(boot(flash), state, [...state.keys(), key], "full");
      expect(journal.commit([[0, undefined]])).toBe(OK);
      expect(journal.commit([[key, value(bytes, key)]])).toBe(OK);
    },
  );
});

describe("wear", () => {
  it("spreads over all pages: erases differ by one at most, static data or not", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    const erases = new Array<number>(GEOMETRY.pages).fill(0);
    const part = {
      geometry: GEOMETRY,
      read: (at: number, into: Uint8Array) => flash.read(at, into),
      program: (at: number, data: Uint8Array) => flash.program(at, data),
      erase: (page: number) => (erases[page]!++, flash.erase(page)),
    };
    const journal = boot(part);
    journal.commit([[0x900, value(400, 1)]]);
    for (let i = 0; i < 1000; i++)
      expect(
        journal.commit([
          [1, value(36, i)],
          [2, value(8, i)],
        ]),
      ).toBe(OK);
    expect(Math.max(...erases) - Math.min(...erases)).toBeLessThanOrEqual(1);
    expect(Math.min(...erases)).toBeGreaterThan(5);
    expect(boot(flash).load(0x900)).toEqual(value(400, 1));
  });
});

describe("purge", () => {
  it("leaves nothing of what was deleted or replaced on the part, and keeps the rest", () => {
    const flash = FlashModel.inMemory(GEOMETRY);
    const journal = boot(flash);
    const work = workload(4, 60, 8, 120);
    let state: State = new Map();
    for (const transaction of work.transactions) {
      expect(journal.commit(transaction)).toBe(OK);
      state = apply(state, transaction);
    }
    const records = (image: Uint8Array): Set<string> => {
      const words = Buffer.from(image);
      return new Set(
        Array.from({ length: words.length / 16 }, (_, i) => words.subarray(i * 16, i * 16 + 16).toString("hex")).filter(
          (text) => !/^(ff)+$/.test(text),
        ),
      );
    };
    const old = records(flash.dump());
    expect(journal.purge()).toBe(OK);
    expectState(boot(flash), state, work.keys, "after the purge");
    expect([...records(flash.dump())].filter((piece) => old.has(piece))).toEqual([]);
    const used = Array.from({ length: GEOMETRY.pages }, (_, page) =>
      flash.dump().subarray(page * 2048, page * 2048 + 2048),
    ).filter((page) => page.some((byte) => byte !== 0xff));
    expect(used.length).toBeLessThanOrEqual(2);
  });
});
