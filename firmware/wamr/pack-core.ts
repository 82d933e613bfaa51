// Writes what lies in the core's flash region: a header (firmware/app/core_image.h), then the file that the runtime loads.
// Usage: pack-core.ts CORE.wasm CORE.aot OUT, or without the second for the module itself: pack-core.ts CORE.wasm OUT
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { instantiateBlind, withoutCustomSections } from "./core-module.ts";

const MAGIC = 0x4c4c464f; // "OFLL"
const ALIGNMENT = 8;

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** The image of `file`, which is a form of the module `wasm`. */
export function packCore(wasm: Uint8Array, file: Uint8Array): Buffer {
  const exports = instantiateBlind(wasm);
  const heapBase = (exports["__heap_base"] as WebAssembly.Global).value as number;
  const memoryBytes = Math.ceil(heapBase / ALIGNMENT) * ALIGNMENT;
  const abi = (exports["abi_version"] as () => number)();
  const sha256 = createHash("sha256").update(wasm).digest();
  return Buffer.concat([u32(MAGIC), u32(file.length), u32(memoryBytes), u32(abi), sha256, file]);
}

if (process.argv[1] === import.meta.filename) {
  const paths = process.argv.slice(2);
  const wasm = readFileSync(paths[0]!);
  const file = paths.length === 3 ? readFileSync(paths[1]!) : withoutCustomSections(wasm);
  writeFileSync(paths.at(-1)!, packCore(wasm, file));
}
