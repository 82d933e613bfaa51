// The command `offleaf`.
import { Command, CommanderError } from "commander";
import { VERSION } from "../build-info.ts";
import { OffleafError, toOffleafError } from "../errors.ts";
import { addDevice } from "./commands/device.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addFootprint } from "./commands/footprint.ts";
import { addPair } from "./commands/pair.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { resultPrinted } from "./output.ts";

const EXIT_HELP = `
Exit codes: ${Object.values(EXIT_CODES)
  .map(({ code, meaning }) => `${code} ${meaning}`)
  .join("; ")}.
Each command has --help with examples. Errors have codes of their own: docs/cli.md.`;

function buildProgram(): Command {
  const program = new Command("offleaf")
    .description("Toolchain for a leaf of the Offline Protocol")
    .version(VERSION)
    .showHelpAfterError(false)
    .addHelpText("after", EXIT_HELP);
  for (const add of [addDevice, addPair, addFootprint, addDoctor]) add(program);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ outputError: () => {} });
  }
  return program;
}

/** A commander error as ours; nothing for --help and --version, which are no errors. */
function usageError(error: CommanderError): OffleafError | undefined {
  if (error.exitCode === 0) return undefined;
  return new OffleafError("E-USE-01", { why: error.message.replace(/^error: /, "") });
}

function report(error: OffleafError, json: boolean): void {
  process.stderr.write(`${error.format()}\n`);
  if (json && !resultPrinted()) process.stdout.write(`${JSON.stringify({ schema: 1, ok: false, error })}\n`);
  process.exitCode = error.exitCode;
}

// A reader that has seen enough (`| head`) closes the pipe: nobody is left to write for.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const argv = process.argv.slice(2);
try {
  const program = buildProgram();
  if (argv.length === 0) program.help({ error: true });
  await program.parseAsync(argv, { from: "user" });
} catch (error) {
  const shown = error instanceof CommanderError ? usageError(error) : toOffleafError(error);
  if (shown) report(shown, argv.includes("--json"));
}
