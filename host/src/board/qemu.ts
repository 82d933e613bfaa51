// The board `qemu`: a whole image on an emulated Cortex-M33 (mps2-an505).
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OffleafError } from "../errors.ts";
import { LinkClient } from "../link/link-client.ts";
import { imagePath } from "../paths.ts";
import {
  PowerLost,
  Unsupported,
  type Board,
  type BoardHello,
  type BoardStats,
  type CallOutcome,
  type CoreCall,
  type Fault,
} from "./board.ts";
import { JOURNAL_BYTES, openPart } from "./flash-file.ts";
import { LinkBoard, readHello } from "./link-board.ts";
import { QemuExit, startQemu, stopQemu, type QemuChild } from "./qemu-process.ts";

/** Longest wait for the hello of a board that starts; beside the emulator's own start it may wait for the flash file. */
const BOOT_TIMEOUT_MS = 30_000;
/** Longest wait for the exit code of an emulator whose link has broken. */
const EXIT_CODE_TIMEOUT_MS = 2_000;

export interface QemuOptions {
  /** The flash file; without one the part is in a file of its own that ends with the board. */
  flash?: string;
  /** An image of the build by its name, or the path of any other; `leaf` when left out. */
  image?: string;
  /** Gets what the board logs and what the emulator complains about. */
  onLog?: (text: string) => void;
}

/** A board with power. */
interface Running {
  child: QemuChild;
  board: LinkBoard;
  /** Resolves when the emulator is gone and all that it said has been read. */
  ended: Promise<OffleafError>;
}

export class QemuBoard implements Board {
  readonly name = "qemu";
  private running: Running | undefined;
  private lost = "it was never started";
  private lastHello: BoardHello | undefined;

  private constructor(
    private readonly flash: string,
    private readonly image: string,
    private readonly onLog: (text: string) => void,
    private readonly ownFolder: string | undefined,
  ) {}

  /** A board that has said hello. Throws E-TOOL-01, E-TOOL-03, E-FLASH-01 to 03, E-LINK-01 to 04. */
  static async start(options: QemuOptions = {}): Promise<QemuBoard> {
    const ownFolder = options.flash === undefined ? mkdtempSync(join(tmpdir(), "offleaf-")) : undefined;
    const flash = resolve(options.flash ?? join(ownFolder!, "flash"));
    const board = new QemuBoard(flash, imagePath(options.image ?? "leaf"), options.onLog ?? (() => {}), ownFolder);
    try {
      openPart(flash).flash.close(); // makes the file when it is missing; the emulated board only opens one
      await board.powerOn();
    } catch (error) {
      await board.close();
      throw error;
    }
    return board;
  }

  async hello(): Promise<BoardHello> {
    if (!this.lastHello) throw new PowerLost(this.lost);
    return this.lastHello;
  }

  call(call: CoreCall): Promise<CallOutcome> {
    return this.withPower(({ board }) => board.call(call));
  }

  async power(): Promise<void> {
    await this.powerOff("power was cut");
    await this.powerOn();
  }

  fault(fault: Fault): Promise<void> {
    return this.withPower(({ board }) => board.fault(fault));
  }

  stats(): Promise<BoardStats> {
    return this.withPower(({ board }) => board.stats());
  }

  /** The emulated board reads its flash from the file whenever the core does, so the file is the part. */
  readFlash(): Promise<Uint8Array> {
    return this.withPower(async () => {
      const bytes = Buffer.alloc(JOURNAL_BYTES);
      this.withFile("r", (file) => readSync(file, bytes, 0, bytes.length, 0));
      return bytes;
    });
  }

  writeFlash(at: number, bytes: Uint8Array): Promise<void> {
    return this.withPower(async () => {
      if (at + bytes.length > JOURNAL_BYTES)
        throw new RangeError(`bytes ${at} to ${at + bytes.length} are not in a part of ${JOURNAL_BYTES}`);
      this.withFile("r+", (file) => writeSync(file, bytes, 0, bytes.length, at));
    });
  }

  async seedEntropy(): Promise<void> {
    throw new Unsupported("the image takes its entropy from the hardware source only");
  }

  async close(): Promise<void> {
    await this.powerOff("the board was closed");
    if (this.ownFolder !== undefined) rmSync(this.ownFolder, { recursive: true, force: true });
  }

  private withFile(flags: string, use: (file: number) => void): void {
    const file = openSync(this.flash, flags);
    try {
      use(file);
    } finally {
      closeSync(file);
    }
  }

  private async powerOn(): Promise<void> {
    const child = startQemu(this.image, this.flash);
    const link = new LinkClient(child.stdout, child.stdin, this.onLog);
    child.stderr.setEncoding("utf8").on("data", this.onLog);
    const ended = new Promise<OffleafError>((resolve) => {
      child.once("error", (error) => resolve(new OffleafError("E-LINK-02", { why: error.message })));
      child.once("close", (code, signal) => resolve(this.exitError(code, signal)));
    });
    void ended.then((error) => link.fail(error));
    try {
      this.lastHello = readHello(await link.booted(BOOT_TIMEOUT_MS));
      this.running = { child, board: new LinkBoard(link, this.lastHello.frameBytes), ended };
    } catch (error) {
      const cause = await causeOf(error as OffleafError, ended);
      await stopQemu(child);
      this.lost = cause.message;
      throw cause;
    }
  }

  private async powerOff(why: string): Promise<void> {
    const running = this.running;
    this.running = undefined;
    this.lost = why;
    if (running) await stopQemu(running.child);
  }

  /** Does something that needs power. A link that fails means that the board has none any more. */
  private async withPower<T>(use: (running: Running) => Promise<T>): Promise<T> {
    if (!this.running) throw new PowerLost(`${this.lost}; send power`);
    try {
      return await use(this.running);
    } catch (error) {
      if (!(error instanceof OffleafError)) throw error;
      await this.powerOff((await causeOf(error, this.running.ended)).message);
      throw new PowerLost(`${this.lost}; send power`);
    }
  }

  private exitError(code: number | null, signal: string | null): OffleafError {
    const facts = { image: this.image, flash: this.flash };
    switch (code) {
      case QemuExit.PowerLost:
        return new OffleafError("E-LINK-02", { facts, what: "the board has no power", why: "a fault cut it" });
      case QemuExit.Fault:
        return new OffleafError("E-LINK-02", { facts, why: "the firmware met a fault; its log says which" });
      case QemuExit.FlashFile:
        return new OffleafError("E-FLASH-01", {
          facts,
          what: "the flash file cannot be used",
          why: "the emulated board could not open, read or write it",
        });
      case QemuExit.LockConflict:
        return new OffleafError("E-FLASH-03", { facts, why: "it is locked" });
      default:
        return new OffleafError("E-LINK-02", { facts, why: `the emulator ended (${signal ?? `exit code ${code}`})` });
    }
  }
}

/** A broken pipe is seen before the emulator's exit code, which says why: that is waited for a moment. */
async function causeOf(error: OffleafError, ended: Promise<OffleafError>): Promise<OffleafError> {
  if (error.code === "E-LINK-01") return error;
  return Promise.race([ended, sleep(EXIT_CODE_TIMEOUT_MS, error, { ref: false })]);
}
