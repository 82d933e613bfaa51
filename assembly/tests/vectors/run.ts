// npm run vectors -- DIR [--json]: every vector family found under DIR, a line a family, then `N passed, N failed`.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import setup from "../setup.ts";
import type { CaseResult, Family } from "./family.ts";

const here = new URL(".", import.meta.url).pathname;

/** The families of every `*.family.ts` beside this file. */
async function loadFamilies(): Promise<Family[]> {
  const files = readdirSync(here)
    .filter((name) => name.endsWith(".family.ts"))
    .sort();
  const modules = await Promise.all(files.map((name) => import(join(here, name)) as Promise<{ families: Family[] }>));
  return modules.flatMap((module) => module.families);
}

/** JSON files under `path`, or `path` itself when it is a file. */
function jsonFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? jsonFiles(join(path, entry.name))
        : entry.name.endsWith(".json")
          ? [join(path, entry.name)]
          : [],
    )
    .sort();
}

/** `nist/sha256-long.json`, whichever folder of the tree was named on the command line. */
function familyPath(file: string): string {
  const parts = file.split(sep);
  return parts.slice(-2).join("/");
}

async function main(): Promise<number> {
  const json = process.argv.includes("--json");
  const dirs = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  if (dirs.length === 0 || process.argv.includes("--help")) {
    console.error(
      "usage: npm run vectors -- DIR|FILE ... [--json]\n  example  npm run -s vectors -- ../shared/vectors",
    );
    return 2;
  }
  for (const dir of dirs) {
    if (!existsSync(dir)) {
      console.error(
        `error: no vectors at ${dir}\n  why   the folder or file does not exist\n  next  name a folder that holds vector families`,
      );
      return 2;
    }
  }
  await setup();
  const families = await loadFamilies();
  const cases: CaseResult[] = [];
  const unknown: string[] = [];
  for (const dir of dirs) {
    for (const file of jsonFiles(dir)) {
      const family = families.find((candidate) => candidate.matches(familyPath(file)));
      if (!family) {
        unknown.push(relative(process.cwd(), file));
        continue;
      }
      const results = await family.run(JSON.parse(readFileSync(file, "utf8")), familyPath(file));
      const skipped = results.filter((result) => result.skipped);
      const failed = results.filter((result) => !result.ok);
      if (!json) {
        const reasons = [...new Set(skipped.map((result) => result.reason))].join("; ");
        console.log(
          `${familyPath(file).padEnd(44)} ${String(results.length - failed.length - skipped.length).padStart(5)} passed ` +
            `${String(failed.length).padStart(3)} failed ${String(skipped.length).padStart(4)} skipped${reasons ? `  (${reasons})` : ""}`,
        );
        for (const { name, reason } of failed.slice(0, 10)) console.log(`    failed  ${name}: ${reason}`);
      }
      cases.push(...results.map((result) => ({ ...result, name: `${familyPath(file)} ${result.name}` })));
    }
  }
  for (const file of unknown) console.error(`no family reads ${file}`);
  const failed = cases.filter((result) => !result.ok).length;
  const skipped = cases.filter((result) => result.skipped).length;
  const passed = cases.length - failed - skipped;
  if (json) console.log(JSON.stringify({ passed, failed, skipped, cases }));
  else console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 9 : 0;
}

process.exitCode = await main();
