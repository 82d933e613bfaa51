// A child process that answers JSON lines with JSON lines, one request at a time.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

/** One line in either direction. */
export type Line = Record<string, unknown>;

export interface LineProcessOptions {
  /** Longest wait for the end of one answer. */
  timeoutMs?: number;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Gets what the process says on stderr. */
  onLog?: (text: string) => void;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** How long a process may take to end after its input has ended. */
const CLOSE_TIMEOUT_MS = 5_000;
/** How much of stderr is kept to explain a death. */
const LOG_TAIL_CHARACTERS = 2_000;

/** The process ended, never started, went silent, or wrote something that is not a JSON object. */
export class LineProcessError extends Error {
  constructor(
    readonly who: string,
    readonly reason: "missing" | "ended" | "silent" | "garbled",
    message: string,
    readonly log: string,
  ) {
    super(message);
    this.name = "LineProcessError";
  }
}

interface Waiting {
  lines: Line[];
  isLast: (line: Line) => boolean;
  resolve: (lines: Line[]) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

export class LineProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly timeoutMs: number;
  private waiting: Waiting | undefined;
  private failure: LineProcessError | undefined;
  private log = "";
  private last: Promise<unknown> = Promise.resolve();
  private readonly ended: Promise<void>;

  /** @param who what the process is, for messages: "phone", "device" */
  constructor(
    private readonly who: string,
    command: readonly string[],
    options: LineProcessOptions = {},
  ) {
    const [file, ...args] = command;
    if (file === undefined) throw new Error("a command has at least one word");
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.child = spawn(file, args, { stdio: "pipe", env: options.env, cwd: options.cwd });
    this.ended = new Promise((resolve) => this.child.once("close", () => resolve()));
    this.child.once("error", (error: NodeJS.ErrnoException) => {
      const missing = error.code === "ENOENT" || error.code === "EACCES";
      this.fail(missing ? "missing" : "ended", `the ${who} process could not be started: ${error.message}`);
    });
    this.child.once("close", (code, signal) => {
      this.fail("ended", `the ${who} process ended (${signal ?? `exit code ${code}`})`);
    });
    // A write after the end is reported by "close"; without a listener it would end this process too.
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.log = (this.log + text).slice(-LOG_TAIL_CHARACTERS);
      options.onLog?.(text);
    });
    createInterface({ input: this.child.stdout, crlfDelay: Infinity }).on("line", (line) => this.take(line));
  }

  /**
   * Sends a request and collects lines up to the one for which `isLast` is true. Requests queue up.
   * Throws LineProcessError; after that the process is of no more use.
   */
  exchange(request: Line, isLast: (line: Line) => boolean): Promise<Line[]> {
    const answer = this.last.then(() => this.send(request, isLast));
    this.last = answer.catch(() => {});
    return answer;
  }

  /** Ends the input and waits for the process to end; kills it when it does not. */
  async close(): Promise<void> {
    await this.last;
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), CLOSE_TIMEOUT_MS);
    if (this.child.pid !== undefined) await this.ended;
    clearTimeout(timer);
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    if (this.child.pid !== undefined) await this.ended;
  }

  private send(request: Line, isLast: (line: Line) => boolean): Promise<Line[]> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.fail("silent", `the ${this.who} process did not answer ${String(request.op)} in ${this.timeoutMs} ms`);
        this.child.kill("SIGKILL");
      }, this.timeoutMs);
      this.waiting = { lines: [], isLast, resolve, reject, timer };
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  private take(text: string): void {
    const waiting = this.waiting;
    const line = parseLine(text);
    if (!waiting || !line) {
      this.fail("garbled", `the ${this.who} process wrote a line that answers nothing: ${text.slice(0, 200)}`);
      return;
    }
    waiting.lines.push(line);
    if (!waiting.isLast(line)) return;
    clearTimeout(waiting.timer);
    this.waiting = undefined;
    waiting.resolve(waiting.lines);
  }

  /** The first failure is the cause; later ones follow from it. */
  private fail(reason: LineProcessError["reason"], message: string): void {
    this.failure ??= new LineProcessError(this.who, reason, message, this.log);
    const waiting = this.waiting;
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.waiting = undefined;
    waiting.reject(this.failure);
  }
}

function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}
