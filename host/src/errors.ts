// Every error that a user can see: a stable code, its exit code, what happened and what to do next.
import { EXIT_CODES, type ExitName } from "./cli/exit-codes.ts";

interface ErrorKind {
  exit: ExitName;
  /** What happened, as a clause. A throw may say it more exactly. */
  what: string;
  /** What to do next. A throw may say it more exactly. */
  next: string;
}

/** The table. Codes are never reused or renamed. */
export const ERRORS = {
  "E-BUG-01": {
    exit: "bug",
    what: "offleaf met a state that it does not allow",
    next: "report it with the lines above and the command that you ran",
  },
  "E-USE-01": { exit: "usage", what: "the command line is wrong", next: "run the command with --help" },
  "E-TOOL-01": {
    exit: "toolMissing",
    what: "qemu-system-arm is not installed",
    next: "sudo apt-get install qemu-system-arm",
  },
  "E-TOOL-02": {
    exit: "toolMissing",
    what: "the phone is not built",
    next: "run interop/phone/build.sh; it needs cargo and a C compiler",
  },
  "E-TOOL-03": {
    exit: "toolMissing",
    what: "the image for the emulated board is not built",
    next: "run make firmware; it needs gcc-arm-none-eabi, libnewlib-arm-none-eabi, llvm-14-dev and cargo (offleaf doctor names what is missing)",
  },
  "E-TOOL-04": { exit: "toolMissing", what: "the core is not built", next: "run npm run core" },
  "E-TOOL-05": {
    exit: "toolMissing",
    what: "the package serialport cannot be loaded",
    next: "run npm install in the checkout, and start offleaf from there",
  },
  "E-TOOL-06": { exit: "toolMissing", what: "something that offleaf needs is missing", next: "run the lines above" },
  "E-TOOL-07": { exit: "toolMissing", what: "offleaf is not built", next: "npx tsx scripts/build-host.ts" },
  "E-PORT-01": { exit: "notFound", what: "there is no such port", next: "run offleaf doctor to see the ports" },
  "E-PORT-02": {
    exit: "notFound",
    what: "the port is in use",
    next: "close the other program that holds it (a terminal, a second offleaf) and run the command again",
  },
  "E-PORT-03": {
    exit: "notFound",
    what: "this user may not open the port",
    next: "sudo usermod -aG dialout $USER, then log in again",
  },
  "E-FLASH-01": {
    exit: "notFound",
    what: "the flash file cannot be written",
    next: "free some space or choose another place with --flash",
  },
  "E-FLASH-02": {
    exit: "notFound",
    what: "the flash file has the wrong size",
    next: "choose another file with --flash; a missing one is made as an erased part",
  },
  "E-FLASH-03": {
    exit: "notFound",
    what: "another emulated board holds the flash file",
    next: "end the other offleaf, or choose another file with --flash",
  },
  "E-LINK-01": {
    exit: "linkFailed",
    what: "the board did not answer in time",
    next: "power-cycle the board and run the command again",
  },
  "E-LINK-02": {
    exit: "linkFailed",
    what: "the board went away in the middle of a conversation",
    next: "check power and cable (for qemu: the lines above), and run the command again",
  },
  "E-LINK-03": {
    exit: "linkFailed",
    what: "the board gave an answer that does not fit the question",
    next: "check that board and offleaf are of one version; build and flash both again",
  },
  "E-LINK-04": {
    exit: "linkFailed",
    what: "the board speaks another version of the link",
    next: "build and flash the image of this offleaf",
  },
  "E-PHONE-01": {
    exit: "linkFailed",
    what: "the phone process failed",
    next: "build it again with interop/phone/build.sh and run the command again",
  },
  "E-PAIR-01": {
    exit: "checkFailed",
    what: "a step of the conversation did not come out as it must",
    next: "run it again with --verbose to see every frame",
  },
  "E-FOOT-01": {
    exit: "mismatch",
    what: "the image that was measured is not the one that paired",
    next: "run make firmware, then the command again",
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** What happened, more exactly than the table says it. */
  what?: string;
  /** Facts to print between what and why: port, file, image. */
  facts?: Record<string, string>;
  why: string;
  next?: string;
  cause?: unknown;
}

/** An error for people. Everything else that is thrown is a defect of ours (E-BUG-01). */
export class OffleafError extends Error {
  readonly what: string;
  readonly why: string;
  readonly next: string;
  readonly facts: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    details: ErrorDetails,
  ) {
    const what = details.what ?? ERRORS[code].what;
    super(`${code}: ${what}: ${details.why}`, { cause: details.cause });
    this.name = "OffleafError";
    this.what = what;
    this.why = details.why;
    this.next = details.next ?? ERRORS[code].next;
    this.facts = details.facts ?? {};
  }

  get exitCode(): number {
    return EXIT_CODES[ERRORS[this.code].exit].code;
  }

  /** The form that a terminal shows. */
  format(): string {
    const rows = [...Object.entries(this.facts), ["why", this.why] as const, ["next", this.next] as const];
    const lines = rows.map(([name, value]) => `  ${name.padEnd(6)} ${value.replaceAll("\n", `\n${" ".repeat(9)}`)}`);
    return [`error[${this.code}]: ${this.what}`, ...lines].join("\n");
  }

  /** The form that `--json` prints. */
  toJSON(): object {
    return { code: this.code, what: this.what, why: this.why, next: this.next, ...this.facts };
  }
}

/** Anything thrown, as an error for people. */
export function toOffleafError(error: unknown): OffleafError {
  if (error instanceof OffleafError) return error;
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new OffleafError("E-BUG-01", { why, cause: error });
}
