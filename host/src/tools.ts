// Programs on PATH.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The file that runs as `name`, or nothing. */
export function findTool(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
