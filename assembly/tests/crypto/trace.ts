// Records what a timing observer of the core could see: the way each branch goes, the condition of each `select` (a compiler
// may make a branch of it), every address and every length of a copy. Works on the module itself: the wasm is
// disassembled, a call is put before each such instruction, and it is assembled again.
import wabtInit from "wabt";
import { Room } from "../room.ts";

/** Where an event comes from. */
interface Site {
  functionName: string;
  instruction: string;
}

/** The events of one run: pairs of site and value. */
export type Trace = Int32Array;

/** Most events of one run, of 2 numbers each. */
const MOST_EVENTS = 1 << 22;

/** Instructions that take a time of their own on some core or runtime, or hide where they go: the tracer knows none of them. */
const OPAQUE = /^(call_indirect|return_call|i(32|64)\.(div|rem)_[su]|memory\.grow|table\.|f32\.|f64\.|v128\.)/;

/** Puts the calls into a module in unfolded text form. */
function instrument(wat: string): { wat: string; sites: Site[] } {
  const sites: Site[] = [];
  const helpers = new Map<string, string>();
  let functionName = "";
  const site = (instruction: string): string => `i32.const ${sites.push({ functionName, instruction }) - 1}`;

  /** A helper that records its first parameter as an address, then does what `instruction` does. */
  const helper = (instruction: string, parameters: string[], recorded: number[]): string => {
    const name = `$traced_${instruction.replace(/[^a-z0-9]+/g, "_")}`;
    const record = recorded.map((i) => `local.get ${i} local.get ${parameters.length} call $see drop`).join(" ");
    const values = parameters.map((_, i) => `local.get ${i}`).join(" ");
    helpers.set(name, `(func ${name} (param ${parameters.join(" ")} i32) ${record} ${values} ${instruction})`);
    return `call ${name}`;
  };

  const lines = wat.split("\n").flatMap((line) => {
    const opened = /^\s*\(func (\$\S+)/.exec(line);
    if (opened) functionName = opened[1]!;
    if (/^\s*\(/.test(line)) return [line];
    // The last instruction of a function has the parentheses behind it that close what is open.
    const [, instruction, closing] = /^\s*(.*?)(?:\s*;;.*?)?(\)*)$/.exec(line) as unknown as [string, string, string];
    if (OPAQUE.test(instruction)) throw new Error(`${functionName}: the tracer does not know ${instruction}`);
    if (/^(if|br_if)\b/.test(instruction)) return [`i32.const 0 i32.ne ${site(instruction)} call $see`, line];
    if (/^(select|br_table|i(32|64)\.load)/.test(instruction)) return [`${site(instruction)} call $see`, line];
    const stored = /^(i32|i64)\.store/.exec(instruction);
    if (stored) return [site(instruction), helper(instruction, ["i32", stored[1]!], [0]) + closing];
    const pointers = ["i32", "i32", "i32"];
    if (instruction === "memory.copy") return [site(instruction), helper(instruction, pointers, [0, 1, 2]) + closing];
    if (instruction === "memory.fill") return [site(instruction), helper(instruction, pointers, [0, 2]) + closing];
    return [line];
  });
  const first = lines.findIndex((line) => /^\s*\((func|memory|table|global) /.test(line));
  lines.splice(first, 0, '(import "trace" "see" (func $see (param i32 i32) (result i32)))');
  const body = lines.join("\n");
  const end = body.lastIndexOf(")"); // closes the module
  return { wat: `${body.slice(0, end)}\n${[...helpers.values()].join("\n")}\n)`, sites };
}

/** A module that records, as a room. */
export class TracedRoom {
  private constructor(
    readonly room: Room,
    private readonly sites: Site[],
    private readonly recorder: { events: Int32Array; count: number; on: boolean },
  ) {}

  /** From the bytes of a module, or from its text. */
  static async load(source: Uint8Array | string): Promise<TracedRoom> {
    const wabt = await wabtInit();
    const features = { bulk_memory: true };
    const original =
      typeof source === "string"
        ? wabt.parseWat("module.wat", source, features)
        : wabt.readWasm(source, { ...features, readDebugNames: true });
    original.generateNames();
    original.applyNames();
    const { wat, sites } = instrument(original.toText({ foldExprs: false, inlineExport: false }));
    original.destroy();
    const traced = wabt.parseWat("traced.wat", wat, features);
    const { buffer } = traced.toBinary({});
    traced.destroy();

    const recorder = { events: new Int32Array(2 * MOST_EVENTS), count: 0, on: false };
    const see = (value: number, site: number): number => {
      if (recorder.on) {
        if (recorder.count === recorder.events.length) throw new Error("more events than the tracer keeps");
        recorder.events[recorder.count++] = site;
        recorder.events[recorder.count++] = value;
      }
      return value;
    };
    const abort = (): never => {
      throw new Error("assertion of the core failed");
    };
    const module = new WebAssembly.Module(new Uint8Array(buffer));
    const instance = new WebAssembly.Instance(module, { trace: { see }, env: { abort } });
    return new TracedRoom(new Room(instance.exports as Record<string, CallableFunction>), sites, recorder);
  }

  /** Calls an export and returns its result and what was seen. */
  trace(name: string, ...args: number[]): { result: number; events: Trace } {
    this.recorder.count = 0;
    this.recorder.on = true;
    try {
      const result = this.room.call(name, ...args);
      return { result, events: this.recorder.events.slice(0, this.recorder.count) };
    } finally {
      this.recorder.on = false;
    }
  }

  /** Where two runs part, in words; undefined when they do not. */
  difference(a: Trace, b: Trace): string | undefined {
    const at = a.findIndex((value, i) => value !== b[i]);
    if (at < 0 && a.length === b.length) return undefined;
    const index = at < 0 ? Math.min(a.length, b.length) - 2 : at & ~1;
    const { functionName, instruction } = this.sites[a[index]!]!;
    return `${functionName}: ${instruction} saw ${a[index + 1]} and ${b[index + 1]} (event ${index / 2})`;
  }
}
