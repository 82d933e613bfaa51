// The phone process of the build.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PhoneProcess } from "@offleaf/interop";
import { OffleafError } from "./errors.ts";
import { phonePath, root } from "./paths.ts";

/** Longest wait for an answer of the phone. */
const PHONE_TIMEOUT_MS = 60_000;

/** Starts a fresh phone. Throws E-TOOL-02. */
export function startPhone(onLog?: (text: string) => void): PhoneProcess {
  if (!existsSync(phonePath))
    throw new OffleafError("E-TOOL-02", { facts: { file: phonePath }, why: "there is no such file" });
  return new PhoneProcess([phonePath], { timeoutMs: PHONE_TIMEOUT_MS, ...(onLog && { onLog }) });
}

/** The engine behind the phone, as its lock file pins it: `offline-protocol 0.31.0`. */
export function phoneEngine(): string {
  const name = "offline-protocol";
  const lock = readFileSync(join(root, "interop/phone/Cargo.lock"), "utf8");
  const version = new RegExp(`name = "${name}"\\nversion = "([^"]+)"`).exec(lock)?.[1];
  return `${name} ${version ?? "unknown"}`;
}
