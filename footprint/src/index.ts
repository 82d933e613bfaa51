export { type Segment, ElfError, loadableSegments } from "./elf/program-headers.ts";
export { type ImageSize, type MemoryMap, type Region, MEMORY_MAPS, imageSize } from "./elf/image-size.ts";
export { type CoreSurface, coreFaults } from "./wasm/core-check.ts";
export {
  type FootprintReport,
  type ImageRow,
  type RunFigures,
  FOOTPRINT_SCHEMA,
  IMAGES,
  measureImages,
} from "./report/report.ts";
export { footprintTable } from "./report/table.ts";
