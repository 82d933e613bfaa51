// Which version of what is running.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { corePath, root } from "./paths.ts";

/** Version of offleaf. */
export const VERSION = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

export const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Version of the core with this SHA-256: that of offleaf when this checkout built it, else `unknown`. */
export function coreVersion(sha256: string): string {
  return existsSync(corePath) && sha256Hex(readFileSync(corePath)) === sha256 ? VERSION : "unknown";
}
