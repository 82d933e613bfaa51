// What a core module may contain: exact imports and exports, fixed memory, no float, no memory.grow, no memory.size.
import wabtInit from "wabt";

/** The surface that a core must have, names only. */
export interface CoreSurface {
  /** Every import, as `module.name`. */
  imports: string[];
  /** Every export. */
  exports: string[];
  /** Most bytes of linear memory in use, as the module's own `__heap_base` says. */
  memoryBytes: number;
}

const FORBIDDEN = /\b(?:f32|f64)\.[a-z_0-9]+|\bmemory\.(?:grow|size)\b/;

function difference(kind: string, found: string[], wanted: string[]): string[] {
  return [
    ...found.filter((name) => !wanted.includes(name)).map((name) => `${kind} ${name} is not in the ABI`),
    ...wanted.filter((name) => !found.includes(name)).map((name) => `${kind} ${name} is missing`),
  ];
}

/** First instruction of a disassembly that a core may not contain. */
function forbiddenInstruction(text: string): string | undefined {
  // Inside a data string anything may stand; a disassembly writes those on lines of their own.
  return text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("(data"))
    .map((line) => FORBIDDEN.exec(line)?.[0])
    .find(Boolean);
}

/**
 * The interpreter takes the first mutable i32 global with a non-zero start value at or below `__heap_base` for the C
 * stack pointer and then traps on writes to it.
 */
function strayStackPointer(text: string): boolean {
  const start = /\(global \S+(?: \(;\d+;\))? \(mut i32\) \(i32\.const (-?\d+)\)\)/.exec(text)?.[1];
  return start !== undefined && Number(start) !== 0;
}

/** Everything that is wrong with the module, one sentence each; empty when it may run on a board. */
export async function coreFaults(wasm: Uint8Array, surface: CoreSurface): Promise<string[]> {
  const module = new WebAssembly.Module(wasm as BufferSource);
  const faults = [
    ...difference(
      "import",
      WebAssembly.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`),
      surface.imports,
    ),
    ...difference(
      "export",
      WebAssembly.Module.exports(module).map(({ name }) => name),
      surface.exports,
    ),
  ];
  const wabt = await wabtInit();
  const disassembly = wabt.readWasm(wasm, { readDebugNames: false });
  try {
    const text = disassembly.toText({});
    const instruction = forbiddenInstruction(text);
    if (instruction) faults.push(`instruction ${instruction} stands in the code`);
    if (strayStackPointer(text)) faults.push("the first mutable global does not start at zero");
    const heapBase = exportedConstant(text, "__heap_base");
    const dataEnd = exportedConstant(text, "__data_end");
    if (heapBase === undefined || dataEnd === undefined) faults.push("__heap_base or __data_end is no constant");
    else {
      if (heapBase > surface.memoryBytes)
        faults.push(`linear memory of ${heapBase} bytes is over ${surface.memoryBytes}`);
      if (((dataEnd + 15) & ~15) > heapBase) faults.push("__data_end lies beyond __heap_base");
    }
  } finally {
    disassembly.destroy();
  }
  return faults;
}

/** Value of an exported immutable i32 global in a disassembly. */
export function exportedConstant(text: string, name: string): number | undefined {
  const index = new RegExp(`\\(export "${name}" \\(global (\\d+)\\)\\)`).exec(text)?.[1];
  if (index === undefined) return undefined;
  const value = new RegExp(`\\(global \\(;${index};\\) i32 \\(i32\\.const (-?\\d+)\\)\\)`).exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
