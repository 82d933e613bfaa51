// Writes what is generated from assembly/abi.json: the numbers that core, firmware, host and docs share.
// `--check` compares instead of writing and exits 9 on a difference.
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

interface Abi {
  abi: number;
  kinds: Record<string, number>;
  events: Record<string, number>;
  reasons: Record<string, number>;
  details: Record<string, { base: number; codes: Record<string, number> }>;
}

const abi = JSON.parse(readFileSync(join(root, "assembly/abi.json"), "utf8")) as Abi;

/** `not-addressed-here` as a name for code: `NotAddressedHere`. */
const pascal = (name: string): string => name.replace(/(^|-)(.)/g, (_, __, letter: string) => letter.toUpperCase());
/** `NotAddressedHere` as a name for C: `NOT_ADDRESSED_HERE`. */
const upper = (name: string): string =>
  pascal(name)
    .replace(/(?<!^)([A-Z])/g, "_$1")
    .toUpperCase();

const details = (): [string, number][] => {
  const rows = Object.entries(abi.details).flatMap(([layer, { base, codes }]) =>
    Object.entries(codes).map(([name, code]): [string, number] => {
      if (code < 1 || code > 99) throw new Error(`${layer}.${name}: a detail is 1 to 99 within its layer`);
      return [name, base + code];
    }),
  );
  const seen = new Set<string>();
  for (const [name] of rows) {
    if (seen.has(name)) throw new Error(`detail ${name} stands in two layers`);
    seen.add(name);
  }
  return rows;
};

const note = "Generated from assembly/abi.json by `npm run generate`. Do not edit.";
const rows = (table: [string, number][], line: (name: string, value: number) => string): string =>
  table.map(([name, value]) => line(name, value)).join("\n");

function assemblyScript(): string {
  const block = (title: string, name: string, table: [string, number][]): string =>
    `/** ${title} */\nexport const enum ${name} {\n${rows(table, (n, v) => `  ${pascal(n)} = ${v},`)}\n}\n`;
  return [
    `// ${note}\n`,
    `/** Version of the ABI (docs/abi.md). */\nexport const ABI_VERSION: i32 = ${abi.abi};\n`,
    block("Error kinds; 0 is success.", "Kind", [["None", 0], ...Object.entries(abi.kinds)]),
    block("Event types.", "EventType", Object.entries(abi.events)),
    block("Why a frame was ignored.", "Reason", Object.entries(abi.reasons)),
    block("What exactly was wrong, for the log.", "Detail", [["None", 0], ...details()]),
  ].join("\n");
}

function cHeader(): string {
  const block = (prefix: string, table: [string, number][]): string =>
    rows(table, (n, v) => `#define ${prefix}_${upper(n)} ${v}`);
  return [
    `/* ${note} */`,
    "#ifndef OFFLEAF_ABI_H\n#define OFFLEAF_ABI_H\n",
    `#define ABI_VERSION ${abi.abi}\n`,
    `/* Error kinds. */\n${block("KIND", Object.entries(abi.kinds))}\n`,
    `/* Event types. */\n${block("EVENT", Object.entries(abi.events))}\n`,
    `/* Details. */\n${block("DETAIL", details())}\n`,
    "#endif\n",
  ].join("\n");
}

function typeScript(): string {
  const block = (title: string, name: string, table: [string, number][]): string =>
    `/** ${title} */\nexport const ${name} = {\n${rows(table, (n, v) => `  ${JSON.stringify(n)}: ${v},`)}\n} as const;\n`;
  return [
    `// ${note}\n`,
    `/** Version of the core's ABI (docs/abi.md). */\nexport const ABI_VERSION = ${abi.abi};\n`,
    block("Error kinds.", "KINDS", Object.entries(abi.kinds)),
    block("Event types.", "EVENTS", Object.entries(abi.events)),
    block("Why a frame was ignored.", "REASONS", Object.entries(abi.reasons)),
    block("Detail codes, for the log.", "DETAILS", details()),
  ].join("\n");
}

const outputs: [string, string][] = [
  ["assembly/runtime/status.ts", assemblyScript()],
  ["firmware/app/abi.h", cHeader()],
  ["interop/src/abi.ts", typeScript()],
];

const check = process.argv.includes("--check");
for (const [path, text] of outputs) {
  const file = join(root, path);
  let old = "";
  try {
    old = readFileSync(file, "utf8");
  } catch {
    // a missing file is a difference
  }
  if (old === text) continue;
  if (check) {
    console.error(`error: ${path} is not what assembly/abi.json gives\n  next  npm run generate`);
    process.exitCode = 9;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.error(`wrote ${path}`);
  }
}
