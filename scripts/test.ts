// Everything that `make test` runs, as one count. Ends with the line `N passed, N failed`.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";

/** What one suite counted. */
interface Count {
  passed: number;
  failed: number;
}

interface Suite {
  name: string;
  command: string[];
  /** Longest time the suite may take, in milliseconds. */
  limit_ms: number;
  /** Reads the count from the output; a suite without one counts as a single test by its exit code. */
  count?: (output: string) => Count;
}

/** The last `N passed, N failed` of an output. */
function lastLine(output: string): Count {
  const match = [...output.matchAll(/(\d+) passed, (\d+) failed/g)].at(-1);
  if (!match) return { passed: 0, failed: 1 };
  return { passed: Number(match[1]), failed: Number(match[2]) };
}

const VITEST_REPORT = "build/log/vitest.json";

/** The count of vitest's JSON report. A run that wrote none has failed; so has one with a file that could not load. */
function vitestCount(): Count {
  const path = join(root, VITEST_REPORT);
  if (!existsSync(path)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(path, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
    testResults: { status: string; assertionResults: unknown[] }[];
  };
  const unloaded = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded };
}

const MINUTE = 60_000;
const shared = join(root, "../shared");

const scenarios = (...args: string[]): string[] => ["tsx", "interop/scenarios/run.ts", ...args];

/** On the emulated board: the pairing matrix of orders and power cuts; every other scenario runs the same core on `sim`. */
const ON_QEMU = ["--only", "life-", "--only", "pairing"];

const suites: Suite[] = [
  { name: "generated files", command: ["tsx", "scripts/generate.ts", "--check"], limit_ms: MINUTE },
  { name: "types", command: ["tsc", "-p", "."], limit_ms: 2 * MINUTE },
  { name: "format", command: ["prettier", "--check", "--log-level=warn", "."], limit_ms: 2 * MINUTE },
  { name: "lint", command: ["eslint", "."], limit_ms: 2 * MINUTE },
  {
    name: "rooms",
    command: ["depcruise", "assembly", "footprint", "host", "interop", "scripts"],
    limit_ms: 2 * MINUTE,
  },
  {
    name: "unit and property tests",
    command: ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${VITEST_REPORT}`],
    limit_ms: 12 * MINUTE,
    count: vitestCount,
  },
  ...[
    "vectors/wycheproof",
    "vectors/rfc",
    "vectors/nist",
    "vectors/ed25519",
    "vectors/bech32",
    "spec/vectors/sealed.json",
  ]
    .map((path) => join(shared, path))
    .filter((path) => existsSync(path))
    .map((path): Suite => ({
      name: `vectors ${path.slice(shared.length + 1)}`,
      command: ["tsx", "assembly/tests/vectors/run.ts", path],
      limit_ms: 5 * MINUTE,
      count: lastLine,
    })),
  { name: "scenarios on sim", command: scenarios("--board", "sim"), limit_ms: 5 * MINUTE, count: lastLine },
  {
    name: "interpreter image on qemu",
    command: [
      ...["node", "build/offleaf.mjs", "pair", "--board", "qemu"],
      ...["--image", "leaf-interp", "--device-first", "--commits", "1"],
    ],
    limit_ms: 8 * MINUTE,
  },
  {
    name: "scenarios on qemu",
    command: scenarios("--board", "qemu", ...ON_QEMU),
    limit_ms: 10 * MINUTE,
    count: lastLine,
  },
];

/** Runs a suite in the folder of the checkout; its output goes through and is kept. */
function run(suite: Suite): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const [command, ...rest] = suite.command;
    const child = spawn(command!, rest, { cwd: root, env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" } });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const timer = setTimeout(() => {
      output += `\nthe suite did not end within ${suite.limit_ms / 1000} s`;
      child.kill("SIGKILL");
    }, suite.limit_ms);
    child.on("error", (error) => {
      output += String(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, output });
    });
  });
}

mkdirSync(join(root, "build/log"), { recursive: true });
rmSync(join(root, VITEST_REPORT), { force: true });
const total: Count = { passed: 0, failed: 0 };
for (const suite of suites) {
  const start = Date.now();
  const { code, output } = await run(suite);
  const count = suite.count?.(output) ?? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  // A suite that failed as a process has failed, whatever its counts say; one that ran nothing proves nothing.
  if (count.failed === 0 && (code !== 0 || count.passed === 0)) count.failed = 1;
  total.passed += count.passed;
  total.failed += count.failed;
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(
    `${suite.name.padEnd(36)} ${String(count.passed).padStart(6)} passed ${String(count.failed).padStart(4)} failed  ${seconds.padStart(6)} s`,
  );
  if (count.failed > 0)
    console.log(
      output
        .split("\n")
        .slice(-60)
        .map((line) => `    ${line}`)
        .join("\n"),
    );
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 9 : 0;
