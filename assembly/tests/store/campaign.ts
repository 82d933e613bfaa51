// Power cuts and failures at every flash operation, and the judgement of what the journal made of them.
import { ALL_BITS, PowerLost, type Fault, type FlashGeometry } from "../../../host/src/board/flash-model.ts";
import {
  FlashModel,
  Journal,
  OK,
  STORAGE,
  apply,
  boot,
  differences,
  expectState,
  random,
  type Part,
  type State,
  type Transaction,
  type Workload,
} from "./part.ts";

/** Wraps a part, so that a control can break it. */
export type Breakage = (flash: FlashModel) => Part;
const intact: Breakage = (flash) => flash;

export interface Point {
  flash: FlashModel;
  before: State;
  transaction: Transaction;
}

export interface Findings {
  faults: number;
  seconds: number;
  violations: string[];
}

/** What a transaction under a fault came to. */
type Outcome = "lost" | "failed" | "done";

function attempt(part: Part, run: (journal: Journal) => number): Outcome {
  try {
    const journal = new Journal(part);
    if (journal.mount() !== OK) return "failed";
    return run(journal) === OK ? "done" : "failed";
  } catch (error) {
    if (error instanceof PowerLost) return "lost";
    throw error;
  }
}

/** Replays `work` on a fresh part and stops before each transaction; `visit` gets a copy of the part. */
export function eachPoint(geometry: FlashGeometry, work: Workload, visit: (point: Point, index: number) => void): void {
  const flash = FlashModel.inMemory(geometry);
  let state: State = new Map();
  work.transactions.forEach((transaction, index) => {
    visit({ flash: FlashModel.inMemory(geometry, flash.dump()), before: state, transaction }, index);
    const journal = boot(flash);
    if (journal.commit(transaction) !== OK)
      throw new Error(`transaction ${index} of the workload failed with ${journal.detail()}`);
    state = apply(state, transaction);
  });
}

/** Seeds of the bits that change: none, all, and some chosen at random. */
const bitChoices = (next: () => number): number[] => [0, ALL_BITS, 1 + (next() % 0xfffffffd)];

/** The state that a booted journal holds: before, after, or a violation. */
function settle(
  journal: Journal,
  before: State,
  after: State,
  keys: number[],
  done: boolean,
  what: string,
  violations: string[],
): State {
  const newer = differences(journal, after, keys);
  if (newer.length === 0) return after;
  const older = differences(journal, before, keys);
  if (!done && older.length === 0) return before;
  violations.push(`${what}: neither before (${older.join("; ")}) nor after (${newer.join("; ")})`);
  return after;
}

/** Power goes at operation `k` of the transaction; then the part must hold exactly before or after, and work on. */
function cutOnce(
  point: Point,
  keys: number[],
  fault: Fault,
  breakage: Breakage,
  findings: Findings,
): { outcome: Outcome; flash: FlashModel; state: State } {
  const { before, transaction } = point;
  const flash = FlashModel.inMemory(point.flash.geometry, point.flash.dump());
  const part = breakage(flash);
  flash.plan(fault);
  const outcome = attempt(part, (journal) => journal.commit(transaction));
  flash.plan();
  flash.powerOn();
  const what = `${fault.kind} after ${fault.after} (bits ${fault.bits})`;
  let state = before;
  try {
    state = settle(boot(part), before, apply(before, transaction), keys, outcome === "done", what, findings.violations);
  } catch (error) {
    findings.violations.push(`${what}: ${String(error)}`);
  }
  return { outcome, flash, state };
}

/** After a first loss: a second one at operation `j` of the recovery and the next transaction. */
function cutAgain(
  flash: FlashModel,
  state: State,
  keys: number[],
  fault: Fault,
  transaction: Transaction,
  breakage: Breakage,
  findings: Findings,
): Outcome {
  const again = FlashModel.inMemory(flash.geometry, flash.dump());
  return cutOnce({ flash: again, before: state, transaction }, keys, fault, breakage, findings).outcome;
}

/** How far the operations of a first or second loss are apart in an abridged run; 1 is every one. */
export interface Strides {
  first: number;
  second: number;
}

/** Cuts and tears at every `first`-th operation of every transaction, and again at every `second`-th of what follows. */
export function powerCampaign(
  geometry: FlashGeometry,
  work: Workload,
  strides: Strides,
  breakage: Breakage = intact,
): Findings {
  const findings: Findings = { faults: 0, seconds: 0, violations: [] };
  const next = random(work.transactions.length);
  eachPoint(geometry, work, (point, index) => {
    const follow = work.transactions[index + 1] ?? point.transaction;
    for (let after = next() % strides.first; ; after += strides.first) {
      const faults: Fault[] = [
        { kind: "cut", after, bits: 0 },
        ...bitChoices(next).map((bits): Fault => ({ kind: "tear", after, bits })),
      ];
      let lost = false;
      for (const fault of faults) {
        const first = cutOnce(point, work.keys, fault, breakage, findings);
        findings.faults += 1;
        if (first.outcome !== "lost") continue;
        lost = true;
        for (let j = next() % strides.second; ; j += strides.second) {
          const second: Fault = { kind: j % 2 === 0 ? "tear" : "cut", after: j, bits: 1 + (next() % 0xfffffffd) };
          findings.seconds += 1;
          if (cutAgain(first.flash, first.state, work.keys, second, follow, breakage, findings) !== "lost") break;
        }
      }
      if (!lost) break;
    }
  });
  return findings;
}

/** A reported failure at every `stride`-th operation of every transaction: Storage and nothing changed, or done. */
export function errorCampaign(
  geometry: FlashGeometry,
  work: Workload,
  stride: number,
  breakage: Breakage = intact,
): Findings {
  const findings: Findings = { faults: 0, seconds: 0, violations: [] };
  const next = random(work.transactions.length);
  eachPoint(geometry, work, (point, index) => {
    const follow = work.transactions[index + 1] ?? point.transaction;
    for (let after = next() % stride; ; after += stride) {
      const before = findings.faults;
      for (const bits of bitChoices(next)) {
        if (failOnce(point, work.keys, { kind: "error", after, bits }, follow, breakage, findings))
          findings.faults += 1;
      }
      if (findings.faults === before) break;
    }
  });
  return findings;
}

/** Returns whether the fault struck. */
function failOnce(
  point: Point,
  keys: number[],
  fault: Fault,
  follow: Transaction,
  breakage: Breakage,
  findings: Findings,
): boolean {
  const { before, transaction } = point;
  const flash = FlashModel.inMemory(point.flash.geometry, point.flash.dump());
  const part = breakage(flash);
  const journal = boot(part);
  flash.plan(fault);
  const status = journal.commit(transaction);
  const struck = !flash.planned;
  flash.plan();
  const what = `error after ${fault.after} (bits ${fault.bits})`;
  try {
    if (struck !== (status === STORAGE))
      throw new Error(`the fault ${struck ? "struck" : "did not strike"} and the status is ${status}`);
    const state = status === OK ? apply(before, transaction) : before;
    expectState(journal, state, keys, "in the same session");
    expectState(boot(part), state, keys, "after a power cycle");
    if (journal.commit(follow) !== OK) throw new Error(`the next transaction failed with ${journal.detail()}`);
    expectState(boot(part), apply(state, follow), keys, "after the next transaction");
  } catch (error) {
    findings.violations.push(`${what}: ${String(error)}`);
  }
  return struck;
}
