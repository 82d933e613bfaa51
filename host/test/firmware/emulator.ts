// The emulated board for tests of the firmware, and the build of its test images.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BOARD_GEOMETRY } from "../../src/board/flash-model.ts";
import { OffleafError } from "../../src/errors.ts";
import { LinkClient, type LinkReply } from "../../src/link/link-client.ts";
import { root } from "../../src/paths.ts";
import { writeProbeCore } from "./probe-core.ts";

export const testImages = join(root, "build/test/firmware");
export const probeCore = join(testImages, "probe.wasm");
export const JOURNAL_BYTES = BOARD_GEOMETRY.pages * BOARD_GEOMETRY.pageBytes;

const make = (...args: string[]): void => {
  execFileSync("make", ["--no-print-directory", "-C", join(root, "firmware"), ...args], { stdio: "pipe" });
};

/** Builds the images with the probe core, and the drill. */
export async function buildTestImages(): Promise<void> {
  await writeProbeCore(probeCore);
  make(`CORE=${probeCore}`, "HOT=/dev/null", `OUT=${testImages}`, "tests");
}

/** A folder of the running test. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "offleaf-firmware-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An erased flash file with a random device key. */
export function flashFile(): string {
  const path = join(scratch(), "flash");
  writeFileSync(path, Buffer.concat([Buffer.alloc(JOURNAL_BYTES, 0xff), randomBytes(32)]));
  return path;
}

const BOOT_MS = 20_000;
const REPLY_MS = 40_000;

/** A running board. It ends with the test, and with this process. */
export class Emulator {
  readonly logs: string[] = [];
  readonly client: LinkClient;
  readonly exit: Promise<number | null>;

  private constructor(private readonly process: ChildProcess) {
    this.client = new LinkClient(process.stdout!, process.stdin!, (text) => this.logs.push(text));
    this.exit = new Promise((resolve) => {
      process.once("close", (code) => {
        this.client.fail(new OffleafError("E-LINK-02", { why: `the emulator ended with code ${code}` }));
        resolve(code);
      });
    });
  }

  static start(image: string, flash = ""): Emulator {
    if (!existsSync(image)) throw new Error(`${image} is not built`);
    const qemu = [
      ...["qemu-system-arm", "-M", "mps2-an505", "-display", "none", "-monitor", "none", "-icount", "shift=0"],
      ...["-kernel", image, "-serial", "stdio"],
      ...["-semihosting-config", `enable=on,target=native,arg=${flash.replaceAll(",", ",,")}`],
    ];
    const process = spawn("setpriv", ["--pdeathsig", "KILL", ...qemu], { stdio: ["pipe", "pipe", "ignore"] });
    const emulator = new Emulator(process);
    onTestFinished(async () => {
      emulator.kill();
      await emulator.exit;
    });
    return emulator;
  }

  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** Bytes on the wire as they are. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.process.stdin!.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  booted(): Promise<Uint8Array> {
    return this.client.booted(BOOT_MS);
  }

  request(type: number, payload: Uint8Array = new Uint8Array()): Promise<LinkReply> {
    return this.client.request(type, payload, REPLY_MS);
  }
}
