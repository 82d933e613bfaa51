// npm run scenarios -- [--board sim|qemu|PORT | --device COMMAND] [--only TEXT] [--json] [--list]
// Plays every scenario on a fresh device and ends with `N passed, N failed`.
import { parseArgs } from "node:util";
import { LineProcessError } from "../src/index.ts";
import { all } from "./all.ts";
import { Skip, type Scenario } from "./scenario.ts";
import { Stage } from "./stage.ts";
import { ToolMissing, deviceCommand, phoneCommand, type DeviceChoice } from "./tools.ts";

const EXIT_USAGE = 2;
const EXIT_TOOL_MISSING = 3;
const EXIT_CHECK_FAILED = 9;

const HELP = `usage: npm run scenarios -- [--board sim|qemu|PORT | --device COMMAND] [--only TEXT] [--json] [--list]

Plays the scenarios of interop/scenarios: a device on a board, and the real phone.
  --board   where the device runs (sim)
  --device  instead of a board, a command of yours that speaks the device harness; gets --flash FILE
  --only    the scenarios whose name contains TEXT; may be given more than once
  --json    one JSON object a line; the last one is the report
  --list    names and what they show, without playing

example: npm run scenarios -- --board qemu --only pairing`;

/** How one scenario went. */
interface Case {
  name: string;
  ok: boolean;
  skipped?: true;
  reason?: string;
  ms: number;
}

async function play(scenario: Scenario, choice: DeviceChoice): Promise<Case> {
  const start = Date.now();
  const { name } = scenario;
  let stage: Stage | undefined;
  try {
    stage = await Stage.set(choice, scenario.set);
    await scenario.play(stage);
    return { name, ok: true, ms: Date.now() - start };
  } catch (error) {
    const ms = Date.now() - start;
    if (error instanceof Skip) return { name, ok: true, skipped: true, reason: error.message, ms };
    return { name, ok: false, reason: reasonOf(error), ms };
  } finally {
    await stage?.strike();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof LineProcessError) return `${error.message}${error.log === "" ? "" : `\n${error.log}`}`;
  return error instanceof Error ? error.message : String(error);
}

function usage(problem: string): never {
  console.error(`error[E-SCENARIOS-01]: ${problem}\n\n${HELP}`);
  process.exit(EXIT_USAGE);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        board: { type: "string", default: "sim" },
        device: { type: "string" },
        only: { type: "string", multiple: true },
        json: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return usage(reasonOf(error));
  }
}

const options = readArguments();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const chosen = all.filter(({ name }) => options.only?.some((text) => name.includes(text)) ?? true);
if (chosen.length === 0) usage(`no scenario has ${options.only?.join(" or ")} in its name; --list shows all`);
if (options.list) {
  for (const { name, holds } of chosen) console.log(`${name.padEnd(44)} ${holds}`);
  process.exit(0);
}

const choice: DeviceChoice = { board: options.board };
if (options.device !== undefined) Object.assign(choice, { board: "other", command: options.device.split(" ") });
try {
  phoneCommand();
  deviceCommand(choice, "");
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.error(`error[E-SCENARIOS-02]: ${error.message}\n  next  ${error.next}`);
  process.exit(EXIT_TOOL_MISSING);
}

const cases: Case[] = [];
for (const scenario of chosen) {
  if (options.json) console.log(JSON.stringify({ type: "task_begin", name: scenario.name, board: choice.board }));
  const result = await play(scenario, choice);
  cases.push(result);
  if (options.json) console.log(JSON.stringify({ type: "task_end", ...result }));
  else {
    const verdict = result.skipped ? "skip" : result.ok ? "ok  " : "FAIL";
    console.log(`${verdict} ${result.name.padEnd(44)} ${String(result.ms).padStart(6)} ms`);
    if (result.reason !== undefined) console.log(result.reason.replace(/^/gm, "       "));
  }
}
const skipped = cases.filter((result) => result.skipped).length;
const failed = cases.filter(({ ok }) => !ok).length;
const passed = cases.length - failed - skipped;
if (options.json) console.log(JSON.stringify({ schema: 1, board: choice.board, passed, failed, skipped, cases }));
else console.log(`${skipped} skipped\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? EXIT_CHECK_FAILED : 0;
