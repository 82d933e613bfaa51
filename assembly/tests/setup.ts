// Before the tests: compiles the test build of every room whose sources are newer than its module.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildCore, coreBuild } from "../../scripts/build-core.ts";
import { root } from "../../scripts/root.ts";

function newest(folder: string): number {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "tests") latest = Math.max(latest, newest(path));
    } else if (entry.name.endsWith(".ts")) latest = Math.max(latest, statSync(path).mtimeMs);
  }
  return latest;
}

/** Compiles what is stale. */
export default async function setup(): Promise<void> {
  const sources = newest(join(root, "assembly"));
  for (const room of readdirSync(join(root, "assembly"))) {
    if (!existsSync(join(root, "assembly", room, "internals.ts"))) continue;
    const build = coreBuild(`test:${room}`);
    const out = join(root, build.outFile);
    if (!existsSync(out) || statSync(out).mtimeMs < sources) await buildCore(build);
  }
}
