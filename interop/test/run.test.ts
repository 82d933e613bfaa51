// The scenario runner: its report, its exit codes, and that a device which lets everything pass does not pass.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Person } from "../scenarios/person.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const EXIT_USAGE = 2;
const EXIT_CHECK_FAILED = 9;

let folder: string;
/** A device that answers every request with success and nothing else. */
let yesDevice: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "offleaf-run-"));
  yesDevice = join(folder, "yes.mjs");
  const r = { address: new Person().address, publicKey: "00".repeat(32), peers: [], session: false, envVersions: [] };
  writeFileSync(
    yesDevice,
    `import { createInterface } from "node:readline";
for await (const _ of createInterface({ input: process.stdin }))
  console.log(JSON.stringify({ ok: true, frames: [], events: [], r: ${JSON.stringify(r)} }));`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const command = ["--import", "tsx", join(root, "interop/scenarios/run.ts"), ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
}

test("a device that says yes to everything fails, as text and as JSON", () => {
  const device = ["--device", `node ${yesDevice}`, "--only", "unsigned", "--only", "second-copy"];
  const text = run(...device);
  expect(text.status).toBe(EXIT_CHECK_FAILED);
  expect(text.stdout.trimEnd().split("\n").at(-1)).toBe("0 passed, 2 failed");
  const json = run(...device, "--json");
  expect(json.status).toBe(EXIT_CHECK_FAILED);
  const report = JSON.parse(json.stdout.trimEnd().split("\n").at(-1)!) as { cases: { name: string; ok: boolean }[] };
  expect(report).toMatchObject({ passed: 0, failed: 2, skipped: 0 });
  expect(report.cases).toMatchObject([
    { name: "second-copy", ok: false },
    { name: "unsigned", ok: false },
  ]);
});

test("wrong arguments are refused before anything is played", () => {
  expect(run("--sometimes")).toMatchObject({ status: EXIT_USAGE, stdout: "" });
  expect(run("--only", "no such scenario").stderr).toContain("--list");
});

test("every scenario has a name of its own and says what holds", () => {
  const { stdout, status } = run("--list");
  expect(status).toBe(0);
  const names = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/\s+/)[0]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(90);
});
