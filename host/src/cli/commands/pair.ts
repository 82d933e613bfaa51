// offleaf pair: the main job, a device and the real phone.
import { InvalidArgumentError, type Command } from "commander";
import { phoneEngine } from "../../phone.ts";
import { ORDERS, stepCount, type Order, type Step } from "../../pairing/main-job.ts";
import type { OperationCost } from "../../pairing/measured-leaf.ts";
import { runPairing, type PairingRun } from "../../pairing/run-pairing.ts";
import { OffleafError } from "../../errors.ts";
import { Output, verdict } from "../output.ts";
import { table } from "../table.ts";

/** Version of the report's shape; members are added, never renamed. */
const PAIR_SCHEMA = 1;
const DEFAULT_COMMITS = 3;
const MAX_COMMITS = 100;

interface PairOptions {
  board: string;
  image?: string;
  commits: number;
  deviceFirst?: boolean;
  phoneFirst?: boolean;
  verbose?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  $ offleaf pair --board sim
  $ offleaf pair --board qemu --phone-first --commits 12 --json`;

export function addPair(program: Command): void {
  program
    .command("pair")
    .description("pair a device with the real phone, talk, commit, rekey, with power cycles between")
    .requiredOption("--board <sim|qemu>", "what runs the device")
    .option("--image <name|file>", "image of the emulated board (qemu): leaf, leaf-interp, or an ELF file")
    .option("--device-first", "only the order in which the device speaks first")
    .option("--phone-first", "only the order in which the phone speaks first")
    .option("--commits <n>", "commits of the phone to follow", commitCount, DEFAULT_COMMITS)
    .option("--verbose", "every frame, and what the board logs, on stderr")
    .option("--json", "progress as NDJSON, the report as the last line")
    .addHelpText("after", EXAMPLES)
    .action(pair);
}

function commitCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > MAX_COMMITS)
    throw new InvalidArgumentError(`a whole number from 0 to ${MAX_COMMITS}`);
  return count;
}

const chosenOrders = ({ deviceFirst, phoneFirst }: PairOptions): readonly Order[] =>
  deviceFirst === phoneFirst ? ORDERS : [deviceFirst ? "device-first" : "phone-first"];

async function pair(options: PairOptions): Promise<void> {
  if (options.board !== "sim" && options.board !== "qemu") {
    throw new OffleafError("E-USE-01", { why: `--board is sim or qemu, not ${options.board}` });
  }
  const output = new Output(options.json ?? false);
  const runs: PairingRun[] = [];
  for (const order of chosenOrders(options)) runs.push(await runOne(options, order, output));
  const ok = runs.every((run) => run.ok);
  const report = {
    schema: PAIR_SCHEMA,
    board: options.board,
    image: runs[0]!.image,
    phone: phoneEngine(),
    address: runs[0]!.address,
    core: { sha256: runs[0]!.coreSha256 },
    steps: runs.flatMap(({ steps }) => steps),
    operations: dearestOf(runs),
    ok,
  };
  output.result(report, summary(report));
  if (ok) return;
  const failed = report.steps.find((step) => !step.ok)!;
  throw new OffleafError("E-PAIR-01", {
    what: `the step ${failed.step} (${failed.order}) did not come out as it must`,
    why: [
      String(failed.reason),
      ...(failed.refused as string[]).map((refusal) => `the device refused a frame: ${refusal}`),
    ].join("\n"),
  });
}

async function runOne(options: PairOptions, order: Order, output: Output): Promise<PairingRun> {
  const task = output.task(`pair ${options.board} ${order}`, stepCount(options.commits));
  let done = 0;
  const onStep = (step: Step): void => {
    task.progress(++done);
    if (options.verbose) output.note(`${step.ok ? "ok  " : "FAIL"} ${order} ${step.step} ${JSON.stringify(step)}`);
  };
  const onLog = options.verbose ? (text: string) => output.note(text.trimEnd()) : () => {};
  const { board, image, commits } = options;
  const run = await runPairing({ board, ...(image !== undefined && { image }), order, commits, onStep, onLog });
  task.end({ ok: run.ok });
  if (options.verbose) {
    for (const { to, data, refused } of run.crossings)
      output.note(`to ${to}: ${data}${refused ? `  refused: ${refused}` : ""}`);
  }
  return run;
}

/** The dearest of each operation over all runs. */
function dearestOf(runs: PairingRun[]): OperationCost[] {
  const costs = new Map<string, OperationCost>();
  for (const cost of runs.flatMap(({ operations }) => operations)) {
    const known = costs.get(cost.operation);
    costs.set(cost.operation, known ? dearer(known, cost) : cost);
  }
  return [...costs.values()];
}

function dearer(a: OperationCost, b: OperationCost): OperationCost {
  return {
    operation: a.operation,
    calls: a.calls + b.calls,
    instructions: a.instructions === null ? null : Math.max(a.instructions, b.instructions ?? 0),
    arena: Math.max(a.arena, b.arena),
    flashPrograms: Math.max(a.flashPrograms, b.flashPrograms),
    flashBytes: Math.max(a.flashBytes, b.flashBytes),
    flashErases: Math.max(a.flashErases, b.flashErases),
  };
}

interface PairReport {
  board: string;
  image: string;
  phone: string;
  steps: Step[];
  operations: OperationCost[];
  ok: boolean;
}

const number = (value: number | null): string => (value === null ? "-" : value.toLocaleString("en-US"));

function summary({ board, image, phone, steps, operations, ok }: PairReport): string {
  return [
    `device on ${board}${image === board ? "" : ` (${image})`} with ${phone}`,
    "",
    ...steps.map(
      (step) =>
        `  ${verdict(step.ok).padEnd(4)} ${step.order.padEnd(13)} ${step.step.padEnd(8)} ${String(step.ms).padStart(6)} ms`,
    ),
    "",
    ...table(
      ["operation", "calls", "instructions", "arena B", "flash words", "flash B"],
      operations.map((cost) => [
        cost.operation,
        ...[cost.calls, cost.instructions, cost.arena, cost.flashPrograms, cost.flashBytes].map(number),
      ]),
    ),
    "",
    `${verdict(ok, "PASS")} ${steps.filter((step) => step.ok).length} of ${steps.length} steps`,
  ].join("\n");
}
