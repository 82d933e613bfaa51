// Bundles the command `offleaf` into build/offleaf.mjs. `serialport` stays outside: it is native code, loaded on use.
import { build } from "esbuild";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./root.ts";

/** Packages in CommonJS call `require`, which a module has to make for itself. */
const BANNER = [
  "#!/usr/bin/env node",
  'import { createRequire as offleafCreateRequire } from "node:module";',
  "const require = offleafCreateRequire(import.meta.url);",
].join("\n");

/** Writes the bundle to `outFile`, a path below the checkout. */
export async function buildHost(outFile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ["host/src/cli/main.ts"],
    outfile: outFile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["serialport"],
    banner: { js: BANNER },
    legalComments: "inline",
    logLevel: "warning",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildHost(join("build", "offleaf.mjs"));
