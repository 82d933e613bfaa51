// The flash file of the emulated boards (docs/harness.md): journal, then the device key of the part.
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { OffleafError } from "../errors.ts";
import { BOARD_GEOMETRY, FlashMisuse, FlashModel } from "./flash-model.ts";

export const DEVICE_KEY_BYTES = 32;
export const JOURNAL_BYTES = BOARD_GEOMETRY.pages * BOARD_GEOMETRY.pageBytes;

export interface Part {
  flash: FlashModel;
  deviceKey: Uint8Array;
}

const newKey = (): Uint8Array => randomBytes(DEVICE_KEY_BYTES);

/** What the system says about a file, in words. */
const WHY: Record<string, string> = {
  ENOSPC: "the disk is full",
  EFBIG: "the file would be larger than the system allows",
  EDQUOT: "the disk quota is used up",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  ENOENT: "the folder does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
};

/** A failure of the file behind a part, as an error for people. */
export function flashFileError(path: string, error: unknown): OffleafError {
  const facts = { file: path };
  if (error instanceof FlashMisuse) {
    const next = `choose another file with --flash; a missing one is made as an erased part of ${JOURNAL_BYTES + DEVICE_KEY_BYTES} bytes`;
    return new OffleafError("E-FLASH-02", { facts, why: error.message, next, cause: error });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return new OffleafError("E-FLASH-01", { facts, why: WHY[code ?? ""] ?? message, cause: error });
}

/** A device or a folder is no flash file. Throws E-FLASH-01. */
function refuseOther(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile())
    throw new OffleafError("E-FLASH-01", { facts: { file: path }, why: "it is not a regular file" });
}

/** The part behind a file; a missing or empty file becomes an erased part. Throws E-FLASH-01, E-FLASH-02. */
export function openPart(path: string): Part {
  try {
    refuseOther(path);
    const { flash, trailer } = FlashModel.inFile(path, BOARD_GEOMETRY, DEVICE_KEY_BYTES, newKey);
    return { flash, deviceKey: trailer };
  } catch (error) {
    if (error instanceof OffleafError) throw error;
    throw flashFileError(path, error);
  }
}

/** An erased part in memory. */
export const newPart = (): Part => ({ flash: FlashModel.inMemory(BOARD_GEOMETRY), deviceKey: newKey() });
