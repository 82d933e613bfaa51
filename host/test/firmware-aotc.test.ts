// The AOT compiler of the core refuses what could not run in place, and the list of hot functions names real ones.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../src/paths.ts";
import { functionNames, hotIndices, hotPatterns } from "../../firmware/wamr/hot-functions.ts";
import { buildTestImages, probeCore, scratch } from "./firmware/emulator.ts";
import { compileWat } from "./firmware/probe-core.ts";

let aotc = "";

beforeAll(async () => {
  await buildTestImages();
  const folder = join(root, "build/firmware/aotc");
  const built = readdirSync(folder).map((name) => join(folder, name, "aotc"));
  aotc = built.filter((path) => existsSync(path)).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]!;
}, 300_000);

/** A module with memory of 8 KiB whose function `f` has this text. */
const module = (f: string, memory = "(memory 1 1)"): string => `(module
  (import "board" "flash_geometry" (func $geometry (result i32)))
  ${memory}
  (global $heap i32 (i32.const 8192)) (global $end i32 (i32.const 0))
  (export "__heap_base" (global $heap)) (export "__data_end" (global $end))
  ${f})`;

interface Run {
  code: number | null;
  errors: string;
  aot: Buffer | undefined;
}

async function compile(wat: string, hot = ""): Promise<Run> {
  const folder = scratch();
  const [wasm, aot, list] = ["in.wasm", "out.aot", "hot"].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(wasm, await compileWat(wat));
  writeFileSync(list, hot);
  const { status, stderr } = spawnSync(aotc, [wasm, aot, list], { encoding: "utf8" });
  return { code: status, errors: stderr, aot: existsSync(aot) ? readFileSync(aot) : undefined };
}

const SHIFT = `(func $f (export "f") (param i64 i64) (result i64) (i64.shl (local.get 0) (local.get 1)))`;

describe("aotc", () => {
  it("compiles a module of fixed memory", async () => {
    const run = await compile(module(`(func $f (export "f") (param i32) (result i32) (i32.load (local.get 0)))`));
    expect([run.code, run.errors]).toEqual([0, ""]);
    expect(run.aot!.subarray(0, 4).toString("latin1")).toBe("\0aot");
  });

  it.each([
    ["memory that may grow", module(`(func (export "f") (drop (memory.grow (i32.const 1))))`), /may grow/],
    ["no memory", module("", ""), /exactly one/],
    [
      "floats",
      module(`(func (export "f") (param f64) (result f64) (f64.add (local.get 0) (local.get 0)))`),
      /aot_intrinsic_fadd_f64/,
    ],
    [
      "signed 64-bit division",
      module(`(func (export "f") (param i64) (result i64) (i64.div_s (local.get 0) (local.get 0)))`),
      /div_s/,
    ],
    ["a relocation (a 64-bit shift by a variable, for size)", module(SHIFT), /text relocations/],
  ])("refuses %s", async (_, wat, words) => {
    const run = await compile(wat);
    expect(run.code).not.toBe(0);
    expect(run.errors).toMatch(words);
    expect(run.aot).toBeUndefined();
  });

  it("compiles a hot function for speed: the shift that size forbids", async () => {
    expect((await compile(module(SHIFT), "1\n")).code).toBe(0);
  });

  it("refuses a hot function that is none", async () => {
    for (const index of [0, 2]) {
      const run = await compile(module(SHIFT), `${index}\n`);
      expect([run.code, run.errors]).toEqual([2, `error: hot function ${index} is none of this module\n`]);
    }
  });
});

describe("hot functions", () => {
  const wat = [
    ` (import "board" "a" (func $imported (param i32)))`,
    ...["one (param i32)", "two/x", "two/y"].map((head) => ` (func $${head}\n )`),
  ].join("\n");

  it("are named in the order of the module", () => {
    expect(functionNames(wat)).toEqual(["imported", "one", "two/x", "two/y"]);
  });

  it("are found by name and by beginning, and every pattern finds one", () => {
    const names = functionNames(wat);
    expect(hotIndices(names, hotPatterns("two/* # both\n\none\n"))).toEqual([1, 2, 3]);
    expect(() => hotIndices(names, ["three"])).toThrow(/three/);
  });

  it("are not taken from the text of another module", () => {
    const folder = scratch();
    const wasm = join(folder, "core.wasm");
    writeFileSync(wasm, readFileSync(probeCore));
    writeFileSync(join(folder, "hot.txt"), "");
    const run = (text: string): string => {
      writeFileSync(join(folder, "core.wat"), text);
      const script = join(root, "firmware/wamr/hot-functions.ts");
      const command = [script, wasm, join(folder, "hot.txt"), join(folder, "out")];
      return execFileSync(join(root, "node_modules/.bin/tsx"), command, { encoding: "utf8", stdio: "pipe" });
    };
    const text = `${[0, 1].map((i) => ` (func $f${i})`).join("\n")}\n (export "open" (func $f1))\n`;
    expect(() => run(text)).toThrow(/not of this module/);
  });
});
