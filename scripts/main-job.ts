// The last part of `make`: the footprint of the images, a pairing of the emulated board with the real phone, and a summary.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { FootprintReport } from "../footprint/src/index.ts";
import { footprintTable } from "../footprint/src/index.ts";
import { root } from "./root.ts";

/** What the reference leaf (offline-protocol-leaf 0.31.0, opt-level z, same machine) takes: instructions, flash bytes written. */
const REFERENCE: Record<string, { instructions: number; flashBytes: number }> = {
  provision: { instructions: 1_780_000, flashBytes: 96 },
  mint: { instructions: 15_250_000, flashBytes: 695 },
  "peer-key-package": { instructions: 2_280_000, flashBytes: 416 },
  join: { instructions: 18_000_000, flashBytes: 2_569 },
  open: { instructions: 2_600_000, flashBytes: 1_596 },
  seal: { instructions: 4_400_000, flashBytes: 1_257 },
  commit: { instructions: 9_500_000, flashBytes: 1_890 },
};
/** Flash of the reference leaf over its baseline, bytes. */
const REFERENCE_FLASH = 448_792;

interface Step {
  step: string;
  order: string;
  ok: boolean;
  ms: number;
}

interface PairReport {
  phone: string;
  address: string;
  steps: Step[];
  operations: { operation: string; calls: number; instructions: number; arena: number; flashBytes: number }[];
  ok: boolean;
}

/** Runs `offleaf` and returns the last line of its output as JSON; other lines go to `onLine`. Ends the process on failure. */
function offleaf<T>(args: string[], onLine: (line: string) => void = () => {}): Promise<T> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, "build/offleaf.mjs"), ...args, "--json"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let last = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (last) onLine(last);
      last = line;
    });
    child.on("close", (code) => {
      if (code !== 0) {
        console.error(
          `\nerror[E-MAKE-01]: the step "offleaf ${args.join(" ")}" failed\n  why   above\n  next  run it alone with --verbose; build/log holds what the build said`,
        );
        process.exit(code ?? 1);
      }
      resolve(JSON.parse(last) as T);
    });
  });
}

const count = (value: number): string => value.toLocaleString("en-US");
const percent = (value: number, of: number): string => `${Math.round((100 * value) / of)} %`;

function operationLines(report: PairReport): string[] {
  const rows = report.operations.map(({ operation, instructions, arena, flashBytes }) => {
    const reference = REFERENCE[operation];
    return [
      operation,
      count(instructions),
      reference ? percent(instructions, reference.instructions) : "",
      count(flashBytes),
      reference ? percent(flashBytes, reference.flashBytes) : "",
      count(arena),
    ];
  });
  const head = ["operation (dearest call)", "instructions", "of reference", "flash B", "of reference", "arena B"];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  return [head, ...rows].map((row) =>
    row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join("  "),
  );
}

console.log("footprint of the images");
const footprint = await offleaf<FootprintReport>(["footprint"]);
console.log(`\n${footprintTable(footprint)}\n`);

console.log("pairing the emulated board with the real phone, device first and phone first");
const pairing = await offleaf<PairReport>(["pair", "--board", "qemu"]);
for (const { step, order, ms } of pairing.steps)
  console.log(`  ok  ${order.padEnd(12)} ${step.padEnd(10)} ${String(ms).padStart(6)} ms`);

const leaf = footprint.images.find(({ image }) => image === "leaf")!;
console.log(`
device  ${pairing.address} on an emulated Cortex-M33, phone ${pairing.phone}
flash   ${count(leaf.flash)} B, ${count(leaf.overBaseline)} B over the baseline (${percent(leaf.overBaseline, REFERENCE_FLASH)} of the reference)
RAM     ${count(leaf.ram)} B static, of which runtime pool in use ${count(footprint.run!.pool)} B (linear memory ${count(footprint.run!.linearMemory)} B), stack in use ${count(footprint.run!.stack)} B

${operationLines(pairing).join("\n")}

PASS`);
