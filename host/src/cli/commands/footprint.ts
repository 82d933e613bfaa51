// offleaf footprint: sizes of the images, and RAM of a run on the emulated board.
import { footprintTable, measureImages, type FootprintReport, type RunFigures } from "@offleaf/footprint";
import type { Command } from "commander";
import { existsSync, readFileSync } from "node:fs";
import { sha256Hex } from "../../build-info.ts";
import { OffleafError } from "../../errors.ts";
import { buildFolder, corePath, imagePath } from "../../paths.ts";
import { stepCount } from "../../pairing/main-job.ts";
import { runPairing, type PairingRun } from "../../pairing/run-pairing.ts";
import { Output } from "../output.ts";

const BOARD = "an505";
/** The image that the run is made with. */
const RUN_IMAGE = "leaf";
/** One commit reaches every operation. */
const COMMITS = 1;

interface FootprintOptions {
  static?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  $ offleaf footprint
  $ offleaf footprint --json | tail -1`;

export function addFootprint(program: Command): void {
  program
    .command("footprint")
    .description("flash and RAM of every image, and RAM of a pairing on the emulated board")
    .option("--static", "only what the files say, without a run (needs neither QEMU nor the phone)")
    .option("--json", "progress as NDJSON, the report as the last line")
    .addHelpText("after", EXAMPLES)
    .action(footprint);
}

async function footprint(options: FootprintOptions): Promise<void> {
  const output = new Output(options.json ?? false);
  needBuilt(corePath, "E-TOOL-04");
  for (const image of ["baseline", RUN_IMAGE]) needBuilt(imagePath(image), "E-TOOL-03");
  const imageBefore = sha256Hex(readFileSync(imagePath(RUN_IMAGE)));
  const report: FootprintReport = measureImages(buildFolder, BOARD);
  if (!options.static) {
    const run = await runOnBoard(output);
    refuseHollow(run, imageBefore);
    report.run = runFigures(run);
  }
  output.result(report, footprintTable(report));
}

function needBuilt(file: string, code: "E-TOOL-03" | "E-TOOL-04"): void {
  if (!existsSync(file)) throw new OffleafError(code, { facts: { file }, why: "there is no such file" });
}

async function runOnBoard(output: Output): Promise<PairingRun> {
  const task = output.task("pairing on qemu", stepCount(COMMITS));
  let done = 0;
  const run = await runPairing({
    board: "qemu",
    image: RUN_IMAGE,
    order: "device-first",
    commits: COMMITS,
    onStep: () => task.progress(++done),
    onLog: () => {},
  });
  task.end({ ok: run.ok });
  if (run.ok) return run;
  const failed = run.steps.at(-1)!;
  throw new OffleafError("E-PAIR-01", {
    what: `the ${failed.step} on the emulated board failed, so there is no run to measure`,
    why: String(failed.reason),
  });
}

/** Only the image that paired may be measured, with the core that was measured in it. Throws E-FOOT-01. */
function refuseHollow(run: PairingRun, imageBefore: string): void {
  const facts = { image: imagePath(RUN_IMAGE) };
  if (run.image !== RUN_IMAGE)
    throw new OffleafError("E-FOOT-01", { facts, why: `the board says that it runs the image ${run.image}` });
  if (sha256Hex(readFileSync(imagePath(RUN_IMAGE))) !== imageBefore) {
    throw new OffleafError("E-FOOT-01", { facts, why: "the file changed during the run" });
  }
  const core = sha256Hex(readFileSync(corePath));
  if (run.coreSha256 !== core) {
    throw new OffleafError("E-FOOT-01", {
      facts,
      why: `the core that paired is ${run.coreSha256}, the one of the build is ${core}`,
    });
  }
}

function runFigures({ peaks }: PairingRun): RunFigures {
  if (peaks.pool === null || peaks.stack === null)
    throw new Error("the emulated board gave no peaks of pool and stack");
  return {
    linearMemory: linearMemoryBytes(readFileSync(corePath)),
    arena: peaks.arena,
    pool: peaks.pool,
    stack: peaks.stack,
  };
}

/** What the runtime cuts linear memory to: the core's own `__heap_base`. */
function linearMemoryBytes(wasm: Uint8Array): number {
  const module = new WebAssembly.Module(wasm as BufferSource);
  const board = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]));
  const exports = new WebAssembly.Instance(module, { board }).exports;
  return (exports.__heap_base as WebAssembly.Global).value as number;
}
