// Runs the command `offleaf` as a process, from a bundle that the test run makes.
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildHost } from "../../scripts/build-host.ts";
import { root } from "../../scripts/root.ts";

const TIMEOUT_MS = 60_000;

/** Builds the bundle of one test file and returns its path. */
export async function bundle(name: string): Promise<string> {
  const file = join("build/test/host", `${name}.mjs`);
  mkdirSync(join(root, "build/test/host"), { recursive: true });
  await buildHost(file);
  return join(root, file);
}

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** Runs to the end. */
export function run(file: string, args: string[], options: { input?: string; env?: NodeJS.ProcessEnv } = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    encoding: "utf8",
    input: options.input ?? "",
    env: { ...process.env, ...options.env },
    timeout: TIMEOUT_MS,
  });
  return { code: status, out: stdout, err: stderr };
}

export const start = (file: string, args: string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [file, ...args], { stdio: "pipe" });

export const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
