// How a refusal is reported: a kind as the result, a detail code beside it for the log.
import { Kind } from "./status";

/** No refusal. */
export const OK: i32 = 0;

/** Detail code of the last refusal of this call, 0 without one (`details` of abi.json). */
let detail: u32 = 0;

/** Records `code` and returns `kind`, for `return fail(...)`. */
export function fail(kind: Kind, code: u32): i32 {
  detail = code;
  return kind;
}

/** The recorded detail; the next call starts from 0. */
export function takeDetail(): u32 {
  const code = detail;
  detail = 0;
  return code;
}
