#!/usr/bin/env node
// `npx offleaf`: the bundle of the build.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TOOL_MISSING_EXIT = 3;
const bundle = new URL("../../build/offleaf.mjs", import.meta.url);
if (existsSync(fileURLToPath(bundle))) {
  await import(bundle.href);
} else {
  console.error(
    "error[E-TOOL-07]: offleaf is not built\n  why    there is no build/offleaf.mjs\n  next   npx tsx scripts/build-host.ts",
  );
  process.exitCode = TOOL_MISSING_EXIT;
}
