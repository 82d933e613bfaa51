// The module that goes on a board, compiled for these tests when it is older than its sources.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildCore, coreBuild } from "../../../scripts/build-core.ts";
import { root } from "../../../scripts/root.ts";

/** Where it is put: apart from build/core, which belongs to the build. */
export const BOARD_MODULE = "build/test/board/leaf.wasm";

function newest(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.name !== "tests")
      .map((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
      }),
  );
}

/** Compiles the leaf profile, if it is stale. */
export async function boardModule(): Promise<string> {
  const out = join(root, BOARD_MODULE);
  if (!existsSync(out) || statSync(out).mtimeMs < newest(join(root, "assembly"))) {
    await buildCore({ ...coreBuild("leaf"), outFile: BOARD_MODULE });
  }
  return BOARD_MODULE;
}
