// Detail codes of this room, from the one table that has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/root.ts";

const abi = JSON.parse(readFileSync(join(root, "assembly/abi.json"), "utf8")) as {
  details: { mls: { base: number; codes: Record<string, number> } };
};

/** Code by name. */
export const DETAIL = Object.fromEntries(
  Object.entries(abi.details.mls.codes).map(([name, code]) => [name, abi.details.mls.base + code]),
) as Record<string, number>;
