// Compiles the core. Usage: build-core.ts [leaf] [member] [test:ROOM ...]; without arguments leaf and member.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { type CoreSurface, coreFaults } from "../footprint/src/index.ts";
import { root } from "./root.ts";

/** Options of every build: fixed memory, own runtime, static data from address 16 (0 is never an object). */
const COMMON = [
  "--runtime",
  "assembly/runtime/index",
  "--memoryBase",
  "16",
  "--stackSize",
  "8", // no managed objects, so no shadow stack; 0 would mean the default of 32 KiB
  "--baseDir",
  root,
];

/** Options that fix memory at `pages` of 64 KiB. */
const pages = (count: number): string[] => ["--initialMemory", `${count}`, "--maximumMemory", `${count}`];

/** Extra options by build. `-O2` for branchy code: `-O3` inlines, which costs a third more AOT. */
const RELEASE = ["-O2", "--noAssert", "--converge"];

export interface CoreBuild {
  name: string;
  entry: string;
  outFile: string;
  options: string[];
}

/** The build that `name` stands for: `leaf`, `member` or `test:ROOM`. */
export function coreBuild(name: string): CoreBuild {
  if (name === "leaf" || name === "member") {
    return {
      name,
      entry: "assembly/abi.ts",
      outFile: `build/core/${name}.wasm`,
      options: [...RELEASE, ...pages(name === "leaf" ? 1 : 16), "--use", `LEAF=${name === "leaf" ? 1 : 0}`],
    };
  }
  const room = /^test:([a-z0-9]+)$/.exec(name)?.[1];
  if (!room) throw new Error(`no core build is named ${name}; known: leaf, member, test:ROOM`);
  return {
    name,
    entry: `assembly/${room}/internals.ts`,
    outFile: `build/test/${room}.wasm`,
    options: ["-O2", ...pages(16), "--use", "LEAF=0"],
  };
}

/** Compiles one build and returns the bytes of its module. Throws with the compiler's own words. */
export async function buildCore(build: CoreBuild): Promise<Uint8Array> {
  mkdirSync(dirname(join(root, build.outFile)), { recursive: true });
  const { error, stderr } = await asc.main([
    build.entry,
    ...COMMON,
    ...build.options,
    "--outFile",
    build.outFile,
    "--textFile",
    build.outFile.replace(/\.wasm$/, ".wat"),
  ]);
  if (error) throw new Error(`the core build ${build.name} failed\n${stderr.toString()}`);
  return readFileSync(join(root, build.outFile));
}

/** Most linear memory that the device's core may use. */
const LEAF_MEMORY_BYTES = 32 * 1024;

/** The surface of docs/abi.md, from the one table that holds it. */
export function abiSurface(memoryBytes: number): CoreSurface {
  const abi = JSON.parse(readFileSync(join(root, "assembly/abi.json"), "utf8")) as {
    imports: string[];
    exports: string[];
  };
  return { imports: abi.imports.map((name) => `board.${name}`), exports: abi.exports, memoryBytes };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  for (const name of names.length ? names : ["leaf", "member"]) {
    const build = coreBuild(name);
    const wasm = await buildCore(build);
    const faults = name === "leaf" ? await coreFaults(wasm, abiSurface(LEAF_MEMORY_BYTES)) : [];
    if (faults.length > 0) {
      console.error(
        `error: ${build.outFile} may not run on a board\n${faults.map((fault) => `  why   ${fault}`).join("\n")}`,
      );
      process.exit(9);
    }
    console.log(`${build.outFile}  ${wasm.length} B`);
  }
}
