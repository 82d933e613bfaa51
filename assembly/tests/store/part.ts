// A journal on a flash model: boots, transactions, and the plain map that says what must be true.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FlashModel, type FlashGeometry } from "../../../host/src/board/flash-model.ts";
import { root } from "../../../scripts/root.ts";
import { Room } from "../room.ts";

/** Results of txCommit and journalMount. */
export const OK = 0;
export const STORAGE = 1;
/** Results of journalFind and journalLoad. */
export const ABSENT = -1;
export const UNREADABLE = -2;
/** Detail codes of the store. */
export const FULL = 401;
export const LIMIT = 402;
export const JOURNAL_DAMAGED = 403;
export const FLASH = 404;

/** A put with its value, or a deletion. */
export type Change = [key: number, value: Uint8Array | undefined];
export type Transaction = Change[];
/** What must be true: each key with its value. */
export type State = ReadonlyMap<number, Uint8Array>;

/** What the core asks of flash; a control replaces one of them. */
export interface Part {
  readonly geometry: FlashGeometry;
  read(at: number, into: Uint8Array): boolean;
  program(at: number, data: Uint8Array): boolean;
  erase(page: number): boolean;
}

let compiled: WebAssembly.Module | undefined;
const module = (): WebAssembly.Module =>
  (compiled ??= new WebAssembly.Module(readFileSync(join(root, "build/test/store.wasm"))));

export const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) & 0xff);

/** One power-on of the core's store over a part. Not mounted yet. */
export class Journal {
  private readonly room: Room;
  /** Most of the arena that a call used, in bytes. */
  arenaPeak = 0;

  /** @param deviceKey  gives the key, or undefined when the board fails to */
  constructor(part: Part, deviceKey: () => Uint8Array | undefined = () => DEVICE_KEY) {
    const at = (ptr: number, bytes: number): Uint8Array => this.room.bytes(ptr, bytes);
    const status = (done: boolean): number => (done ? 0 : 1);
    const board = {
      flash_read: (from: number, ptr: number, bytes: number) => status(part.read(from, at(ptr, bytes))),
      flash_program: (to: number, ptr: number, bytes: number) => status(part.program(to, at(ptr, bytes))),
      flash_erase: (page: number) => status(part.erase(page)),
      flash_geometry: () => (Math.log2(part.geometry.pageBytes) << 16) | part.geometry.pages,
      device_key: (ptr: number) => {
        const key = deviceKey();
        if (key) at(ptr, 32).set(key);
        return status(key !== undefined);
      },
    };
    const abort = (_message: number, _file: number, line: number, column: number): never => {
      throw new Error(`assertion of the core failed at ${line}:${column}`);
    };
    this.room = new Room(
      new WebAssembly.Instance(module(), { board, env: { abort } }).exports as Record<string, CallableFunction>,
    );
  }

  /** As an exported call of the core: the arena is wiped when it ends. */
  private call<T>(body: () => T): T {
    const result = body();
    this.arenaPeak = Math.max(this.arenaPeak, this.room.call("wipe"));
    return result;
  }

  mount(): number {
    return this.call(() => this.room.call("journalMount"));
  }

  find(key: number): number {
    return this.room.call("journalFind", key);
  }

  /** The value, or what journalLoad answered instead. */
  load(key: number, capacity = 4096): Uint8Array | number {
    return this.call(() => {
      const out = this.room.alloc(4096);
      const bytes = this.room.call("journalLoad", key, out, capacity);
      return bytes < 0 ? bytes : this.room.read(out, bytes);
    });
  }

  commit(transaction: Transaction): number {
    return this.call(() => {
      const staged = transaction.map(([key, value]): [number, number, number] => [
        key,
        value ? this.room.put(value) : 0,
        value ? value.length : -1,
      ]);
      this.room.call("txBegin");
      for (const [key, ptr, bytes] of staged) {
        if (bytes < 0) this.room.call("txDelete", key);
        else this.room.call("txPut", key, ptr, bytes);
      }
      return this.room.call("txCommit");
    });
  }

  purge(): number {
    return this.call(() => this.room.call("journalPurge"));
  }

  /** Reason of the last refusal. */
  detail(): number {
    return this.room.call("takeDetail");
  }

  /** Live entries in the index. */
  get live(): number {
    return (this.room.exports as unknown as { live: WebAssembly.Global }).live.value as number;
  }

  /** Sequences of the oldest and of the newest page of the log, the newest page, and where its records end. */
  get log(): { head: number; tail: number; page: number; end: number } {
    const { headSequence, tailSequence, tailPage, tailEnd } = this.room.exports as unknown as Record<
      string,
      WebAssembly.Global
    >;
    return {
      head: headSequence!.value as number,
      tail: tailSequence!.value as number,
      page: tailPage!.value as number,
      end: tailEnd!.value as number,
    };
  }
}

/** A mounted journal. Throws when it does not mount. */
export function boot(part: Part): Journal {
  const journal = new Journal(part);
  const status = journal.mount();
  if (status !== OK) throw new Error(`the journal did not mount: status ${status}, detail ${journal.detail()}`);
  return journal;
}

/** The state after a transaction. */
export function apply(state: State, transaction: Transaction): State {
  const next = new Map(state);
  for (const [key, value] of transaction) {
    if (value) next.set(key, value);
    else next.delete(key);
  }
  return next;
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** How the journal differs from `state` over `keys`; empty when it does not. */
export function differences(journal: Journal, state: State, keys: Iterable<number>): string[] {
  const found: string[] = [];
  for (const key of keys) {
    const value = journal.load(key);
    const wanted = state.get(key);
    if (typeof value === "number") {
      if (value !== ABSENT || wanted)
        found.push(
          `key ${key}: ${value === ABSENT ? "absent" : "unreadable"}, wanted ${wanted ? `${wanted.length} bytes` : "absent"}`,
        );
    } else if (!wanted) found.push(`key ${key}: ${value.length} bytes, wanted absent`);
    else if (!sameBytes(value, wanted)) found.push(`key ${key}: other bytes`);
  }
  const size = journal.live;
  if (found.length === 0 && size !== state.size) found.push(`${size} live entries, wanted ${state.size}`);
  return found;
}

/** Throws unless the journal holds exactly `state`. */
export function expectState(journal: Journal, state: State, keys: Iterable<number>, when: string): void {
  const found = differences(journal, state, keys);
  if (found.length > 0) throw new Error(`${when}: ${found.join("; ")}`);
}

/** Numbers from 0 to 2^32 - 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  };
}

/** `bytes` bytes that differ with `tag`. */
export function value(bytes: number, tag: number): Uint8Array {
  const next = random(Math.imul(tag, 0x9e3779b1) ^ bytes);
  return Uint8Array.from({ length: bytes }, () => next() & 0xff);
}

export interface Workload {
  keys: number[];
  transactions: Transaction[];
}

/** Random transactions over `keyCount` keys with values up to `maxBytes`, about one deletion in six. */
export function workload(seed: number, count: number, keyCount: number, maxBytes: number): Workload {
  const next = random(seed);
  const keys = Array.from({ length: keyCount }, (_, i) => ((i % 7) + 1) * 256 + i);
  const transactions = Array.from({ length: count }, (_, t) =>
    Array.from({ length: 1 + (next() % 4) }, (_, e): Change => {
      const key = keys[next() % keyCount]!;
      return [key, next() % 6 === 0 ? undefined : value(next() % (maxBytes + 1), t * 8 + e + 1)];
    }),
  );
  return { keys, transactions };
}

/** How much of a campaign to run: STORE_CAMPAIGN (1 in the ordinary test run) times `base`. */
export const campaign = (base: number): number => base * Number(process.env["STORE_CAMPAIGN"] ?? 1);

export { FlashModel };
