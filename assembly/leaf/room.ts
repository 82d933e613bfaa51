// Memory is fixed and a full arena is a trap, so what a frame can size is measured before it is worked on.
import { available } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";

// Measured by tests/leaf/memory.test.ts on the board build, from where the check stands, rounded up.

/** A control frame: gate, then a package minted, or a group joined and the confirm marker sealed. */
export const CONTROL_WORK_BYTES: u32 = 8800;
/** A Welcome, beside twice its own length. */
export const JOIN_WORK_BYTES: u32 = 6600;
/** An application message beside its own length, with a full list of skipped keys. */
export const OPEN_WORK_BYTES: u32 = 5850;
/** A commit beside its own length. */
export const COMMIT_WORK_BYTES: u32 = 8700;

/** Whether the arena has this much left. OK or MalformedFrame: the frame is too long for this device. */
export function requireRoom(bytes: u32): i32 {
  return available() >= bytes ? OK : fail(Kind.MalformedFrame, Detail.TooLong);
}
