// Linear memory of the core: fixed, below 32 KiB, cut by the runtime to MEMORY_BYTES.

// `LEAF` is a constant of the build (scripts/build-core.ts): 1 for the device, 0 for the member and test builds.

/** All of linear memory. The AOT runtime shrinks the 64 KiB wasm page to this (`__heap_base`). */
// @ts-ignore: constant of the build
export const MEMORY_BYTES: usize = LEAF ? 28 * 1024 : 1024 * 1024;

/** Longest frame, and longest argument, of one call. A phone's Welcome in JSON is about 4.1 KiB. */
// @ts-ignore: constant of the build
export const MAILBOX_BYTES: usize = LEAF ? 8 * 1024 : 64 * 1024;

/** Report of the last call, just before the mailbox: u32 detail, u32 arena peak. */
export const REPORT_BYTES: usize = 8;

// `memory.data` wants literals: REPORT_BYTES + MAILBOX_BYTES.
// @ts-ignore: constant of the build
const region: usize = LEAF ? memory.data(8 + 8 * 1024, 16) : memory.data(8 + 64 * 1024, 16);

/** Where the report lies. */
@inline export const REPORT: usize = region;

/** Where the mailbox starts; 8-aligned. */
@inline export const MAILBOX: usize = region + REPORT_BYTES;
