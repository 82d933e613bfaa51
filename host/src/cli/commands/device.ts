// offleaf device: the harness of docs/harness.md on a board.
import type { Command } from "commander";
import { createInterface } from "node:readline";
import type { Board } from "../../board/board.ts";
import { openBoard } from "../../board/open-board.ts";
import { toOffleafError } from "../../errors.ts";
import { Device, refuse } from "../../harness/device.ts";
import { parseLine, stringifyLine } from "../../harness/json.ts";
import { serve } from "../../harness/serve.ts";

interface DeviceOptions {
  board: string;
  flash?: string;
  image?: string;
  stdio?: boolean;
  testEntropy?: boolean;
}

const EXAMPLES = `
Examples:
  $ offleaf device --board sim
  $ printf '{"op":"hello"}\\n' | offleaf device --board qemu --flash lock.flash --stdio`;

export function addDevice(program: Command): void {
  program
    .command("device")
    .description("put a device behind JSON lines: requests in, replies out")
    .requiredOption("--board <sim|qemu|port>", "what runs the device")
    .option(
      "--flash <file>",
      "the flash of sim and qemu; made when missing, and kept; without it the part ends with the command",
    )
    .option("--image <name|file>", "image of the emulated board (qemu): leaf, leaf-interp, or an ELF file")
    .option("--stdio", "requests on stdin and replies on stdout, without a prompt")
    .option("--test-entropy", "sim: let the request entropy replace the random source; for tests only")
    .addHelpText("after", EXAMPLES)
    .action(device);
}

const log = (text: string): void => void process.stderr.write(text.endsWith("\n") ? text : `${text}\n`);

async function device({ stdio, ...choice }: DeviceOptions): Promise<void> {
  const board = await openBoard({ ...choice, onLog: log });
  const device = new Device(board, (error) => log(toOffleafError(error).format()));
  endOnSignals(board);
  try {
    if (stdio) await serve(device, process.stdin, process.stdout);
    else await prompt(device);
  } catch (error) {
    // Whoever read the replies has gone: that is an end like the end of input.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  } finally {
    await device.close();
  }
}

/** A polite end by signal takes the emulator along at once; SIGKILL needs no help. */
function endOnSignals(board: Board): void {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const signal of Object.keys(codes) as (keyof typeof codes)[]) {
    process.once(signal, () => {
      process.exitCode = codes[signal];
      void board.close().finally(() => process.exit());
    });
  }
}

/** The same requests by hand: JSON, or just the name of an op. */
async function prompt(device: Device): Promise<void> {
  const terminal = process.stdin.isTTY && process.stderr.isTTY;
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal,
    prompt: terminal ? "leaf> " : "",
  });
  if (terminal) log('One request a line, {"op":"hello"} or just hello; the end of input ends the device.');
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== "") process.stdout.write(`${stringifyLine(await answer(device, line.trim()))}\n`);
    lines.prompt();
  }
}

function answer(device: Device, line: string): Promise<object> | object {
  const json = /^[a-z]+$/.test(line) ? JSON.stringify({ op: line }) : line;
  try {
    return device.handle(parseLine(Buffer.from(json)));
  } catch (error) {
    return refuse(undefined, { kind: "BadRequest", message: (error as Error).message });
  }
}
