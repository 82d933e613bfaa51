// Turns names of hot functions into function indices, which is what the AOT compiler knows.
// Usage: hot-functions.ts CORE.wasm HOT.txt OUT. The text form of the core lies beside it (CORE.wat) and has the names.
import { readFileSync, writeFileSync } from "node:fs";
import { instantiateBlind } from "./core-module.ts";

/** Function names in the order of their indices: imports, then definitions. */
export function functionNames(wat: string): string[] {
  const imports = [...wat.matchAll(/^ \(import "[^"]*" "[^"]*" \(func \$(\S+)/gm)];
  const definitions = [...wat.matchAll(/^ \(func \$(\S+)/gm)];
  return [...imports, ...definitions].map((match) => match[1]!);
}

/** Patterns of a list: one a line, `*` at the end stands for any rest, `#` starts a comment. */
export function hotPatterns(list: string): string[] {
  return list
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}

/** Indices that `patterns` name. Throws when one names nothing: then the list is out of date. */
export function hotIndices(names: string[], patterns: string[]): number[] {
  const indices = new Set<number>();
  for (const pattern of patterns) {
    const matches = (name: string): boolean =>
      pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    const found = names.flatMap((name, index) => (matches(name) ? [index] : []));
    if (found.length === 0) throw new Error(`${pattern} names no function of the core`);
    for (const index of found) indices.add(index);
  }
  return [...indices].sort((a, b) => a - b);
}

/** Throws unless the names fit the module: the engine gives an exported function its index as its name. */
function checkNames(wasm: Uint8Array, wat: string, names: string[]): void {
  const exports = instantiateBlind(wasm);
  for (const [, exported, name] of wat.matchAll(/^ \(export "([^"]*)" \(func \$(\S+)\)\)/gm)) {
    const index = Number((exports[exported!] as { name?: string } | undefined)?.name);
    if (names[index] !== name) throw new Error(`the text form is not of this module: ${exported} is function ${index}`);
  }
}

if (process.argv[1] === import.meta.filename) {
  const [wasmPath, listPath, outPath] = process.argv.slice(2) as [string, string, string];
  try {
    const wasm = readFileSync(wasmPath);
    const wat = readFileSync(wasmPath.replace(/\.wasm$/, ".wat"), "utf8");
    const names = functionNames(wat);
    checkNames(wasm, wat, names);
    const indices = hotIndices(names, hotPatterns(readFileSync(listPath, "utf8")));
    writeFileSync(outPath, indices.map((index) => `${index}\n`).join(""));
  } catch (error) {
    console.error(
      `error: the hot functions cannot be found\n  why   ${(error as Error).message}\n  next  correct ${listPath}`,
    );
    process.exit(1);
  }
}
