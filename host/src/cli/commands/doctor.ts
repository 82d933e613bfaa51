// offleaf doctor: what is missing on this machine, and the line that mends it.
import type { Command } from "commander";
import { examine, type Check } from "../../doctor.ts";
import { OffleafError } from "../../errors.ts";
import { Output, verdict } from "../output.ts";

/** Version of the report's shape; members are added, never renamed. */
const DOCTOR_SCHEMA = 1;

const EXAMPLES = `
Examples:
  $ offleaf doctor
  $ offleaf doctor --json`;

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check tools, built files and ports; say what is missing and how to get it")
    .option("--json", "the report as one JSON object")
    .addHelpText("after", EXAMPLES)
    .action(doctor);
}

async function doctor(options: { json?: boolean }): Promise<void> {
  const output = new Output(options.json ?? false);
  const checks = await examine();
  const missing = checks.filter(({ ok, needed }) => needed && !ok);
  output.result({ schema: DOCTOR_SCHEMA, checks, ok: missing.length === 0 }, checks.map(line).join("\n"));
  if (missing.length > 0)
    throw new OffleafError("E-TOOL-06", { why: `missing: ${missing.map(({ name }) => name).join(", ")}` });
}

const line = ({ name, ok, found, next, needed }: Check): string =>
  [
    `${verdict(ok, "ok  ", needed ? "MISS" : "note")} ${name.padEnd(26)} ${found}`,
    ...(next ? [`     ${" ".repeat(26)} next: ${next}`] : []),
  ].join("\n");
