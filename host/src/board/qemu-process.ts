// QEMU as a child that dies with its parent, on one image and one flash file.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { OffleafError } from "../errors.ts";
import { findTool } from "../tools.ts";

const QEMU = "qemu-system-arm";
/** Seconds that a start waits for an earlier emulator to let go of the flash file: the time a killed one takes to die. */
const LOCK_WAIT_S = 2;
const LOCK_CONFLICT_EXIT = 84;
/** Longest wait for a killed emulator to be gone. */
const KILL_TIMEOUT_MS = 10_000;

/** Exit codes of the emulated board (docs/link.md). */
export const QemuExit = { PowerLost: 81, Fault: 82, FlashFile: 83, LockConflict: LOCK_CONFLICT_EXIT } as const;

export type QemuChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** In a QEMU option a comma separates; a doubled one stands for itself. */
const quoted = (text: string): string => text.replaceAll(",", ",,");

function qemuArguments(image: string, flash: string): string[] {
  return [
    "-M",
    "mps2-an505",
    "-display",
    "none",
    "-monitor",
    "none",
    "-icount",
    "shift=0",
    "-kernel",
    image,
    "-chardev",
    "stdio,id=link,signal=off",
    "-serial",
    "chardev:link",
    "-semihosting-config",
    `enable=on,target=native,arg=${quoted(flash)}`,
  ];
}

/**
 * The whole command line. On Linux the kernel kills the emulator when this process ends, however it ends
 * (`setpriv`), and a lock on the flash file, held until the emulator is gone, keeps a second one away (`flock`).
 */
export function qemuCommand(image: string, flash: string): string[] {
  const guard =
    process.platform === "linux"
      ? [
          "setpriv",
          "--pdeathsig",
          "KILL",
          "flock",
          "-w",
          `${LOCK_WAIT_S}`,
          "-E",
          `${LOCK_CONFLICT_EXIT}`,
          "--no-fork",
          flash,
        ]
      : [];
  return [...guard, QEMU, ...qemuArguments(image, flash)];
}

/** Starts the emulator; its stdin and stdout are the link. Throws E-TOOL-01, E-TOOL-03. */
export function startQemu(image: string, flash: string): QemuChild {
  if (!findTool(QEMU)) throw new OffleafError("E-TOOL-01", { why: `no ${QEMU} on PATH` });
  if (!existsSync(image)) throw new OffleafError("E-TOOL-03", { facts: { file: image }, why: "there is no such file" });
  const [file, ...args] = qemuCommand(image, flash);
  return spawn(file!, args, { stdio: ["pipe", "pipe", "pipe"] });
}

/** Kills the emulator and waits until it is gone. Throws E-LINK-02 when it will not go. */
export async function stopQemu(child: QemuChild): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), KILL_TIMEOUT_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  child.kill("SIGKILL");
  if (!(await gone))
    throw new OffleafError("E-LINK-02", { why: `the emulator (process ${child.pid}) cannot be killed` });
}
