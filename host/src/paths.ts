// Where the checkout and its built files are. Works from the sources and from the bundle in build/.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const WORKSPACE = "offleaf-workspace";

function isWorkspace(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name === WORKSPACE;
}

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isWorkspace(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`offleaf runs from its checkout; no folder above ${import.meta.url} is one`);
    folder = parent;
  }
  return folder;
}

/** The folder of the checkout. */
export const root = findRoot();

/** The folder of built files; OFFLEAF_BUILD names another one. */
export const buildFolder = resolve(root, process.env.OFFLEAF_BUILD ?? "build");

/** The core's module. */
export const corePath = join(buildFolder, "core/leaf.wasm");

/** Folder of the images of the emulated board. */
export const an505Folder = join(buildFolder, "firmware/an505");

/** An image of the emulated board: `leaf`, `leaf-interp`, `baseline` of the build, or the path of any other. */
export const imagePath = (image: string): string =>
  /^[a-z-]+$/.test(image) ? join(an505Folder, `${image}.elf`) : resolve(image);

/** The phone process. */
export const phonePath = join(buildFolder, "phone/offleaf-phone");
