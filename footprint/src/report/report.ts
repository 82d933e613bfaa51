// The footprint report: figures of every image, of the core, and of a run on the emulated board.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ImageSize, MEMORY_MAPS, imageSize } from "../elf/image-size.ts";

/** Version of the report's shape; members are added, never renamed. */
export const FOOTPRINT_SCHEMA = 1;

/** Images of a board in the order of the report. The first is what the others are measured against. */
export const IMAGES = ["baseline", "floor", "leaf", "leaf-interp"] as const;

/** One image. All figures in bytes. */
export interface ImageRow extends ImageSize {
  image: string;
  /** Flash above the baseline image. */
  overBaseline: number;
  /** Static RAM above the baseline image. */
  ramOverBaseline: number;
}

/** RAM seen while the board ran, in bytes. */
export interface RunFigures {
  linearMemory: number;
  arena: number;
  pool: number;
  stack: number;
}

/** The report as `offleaf footprint --json` prints it. */
export interface FootprintReport {
  schema: typeof FOOTPRINT_SCHEMA;
  board: string;
  images: ImageRow[];
  core: { wasm: number; aot: number };
  run?: RunFigures;
}

/** Measures the images that were built for `board` under `buildFolder`. Throws when the baseline is missing. */
export function measureImages(buildFolder: string, board: string): FootprintReport {
  const map = MEMORY_MAPS[board];
  if (!map) throw new Error(`no memory map for board ${board}; known: ${Object.keys(MEMORY_MAPS).join(", ")}`);
  const file = (image: string): string => join(buildFolder, "firmware", board, `${image}.elf`);
  const built = IMAGES.filter((image) => existsSync(file(image)));
  if (built[0] !== "baseline") throw new Error(`no baseline image at ${file("baseline")}`);
  const sizes = built.map((image) => ({ image, ...imageSize(readFileSync(file(image)), map) }));
  const baseline = sizes[0]!;
  return {
    schema: FOOTPRINT_SCHEMA,
    board,
    images: sizes.map((row) => ({
      ...row,
      overBaseline: row.flash - baseline.flash,
      ramOverBaseline: row.ram - baseline.ram,
    })),
    core: {
      wasm: readFileSync(join(buildFolder, "core/leaf.wasm")).length,
      aot: readFileSync(join(buildFolder, "firmware", board, "core/core.aot")).length,
    },
  };
}
