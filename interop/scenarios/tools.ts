// Where the programs of a run are, and a clear word when one has not been built.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const phone = join(root, "build/phone/offleaf-phone");
const clockShim = join(root, "build/phone/clock-shim.so");
const offleaf = join(root, "build/offleaf.mjs");

/** A program of the build is missing. */
export class ToolMissing extends Error {
  constructor(
    readonly tool: string,
    readonly next: string,
  ) {
    super(`${tool} has not been built`);
    this.name = "ToolMissing";
  }
}

/** The phone process. Throws ToolMissing. */
export function phoneCommand(): string[] {
  if (!existsSync(phone)) throw new ToolMissing("the phone (build/phone/offleaf-phone)", "interop/phone/build.sh");
  return [phone];
}

/** Environment in which the phone takes its time from `clock` requests. Throws ToolMissing. */
export function virtualTime(): NodeJS.ProcessEnv {
  if (!existsSync(clockShim))
    throw new ToolMissing("the clock shim (build/phone/clock-shim.so)", "interop/phone/build.sh");
  return { ...process.env, LD_PRELOAD: clockShim };
}

/** What runs the device: a board of `offleaf device`, or any other command that speaks the device harness. */
export interface DeviceChoice {
  board: string;
  /** Words of the other command; `--flash FILE` is appended. */
  command?: readonly string[];
}

/** The device harness, its flash in `flashFile`. Throws ToolMissing. */
export function deviceCommand({ board, command }: DeviceChoice, flashFile: string): string[] {
  if (command) return [...command, "--flash", flashFile];
  if (!existsSync(offleaf)) throw new ToolMissing("the device harness (build/offleaf.mjs)", "make build");
  return [process.execPath, offleaf, "device", "--stdio", "--board", board, "--flash", flashFile];
}
