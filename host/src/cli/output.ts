// What a command prints: results on stdout, the rest on stderr, NDJSON when a program reads.
import { SingleBar } from "cli-progress";
import { styleText } from "node:util";

/** A task whose progress is shown. */
export interface Task {
  progress(done: number): void;
  end(facts?: object): void;
}

let printed = false;

/** Whether this command has printed its result; an error that follows it must not print another. */
export const resultPrinted = (): boolean => printed;

export class Output {
  /** @param json one JSON object a line on stdout: progress first, the result last */
  constructor(readonly json: boolean) {}

  /** Begins a task of `total` parts: a bar on a terminal, NDJSON lines for a program, else nothing. */
  task(name: string, total: number): Task {
    if (this.json) return this.ndjsonTask(name, total);
    if (process.stderr.isTTY) return barTask(name, total);
    return { progress: () => {}, end: () => {} };
  }

  /** A line for people while a command works. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** The result: text for people, or the object as the last line. */
  result(object: object, text: string): void {
    printed = true;
    process.stdout.write(`${this.json ? JSON.stringify(object) : text}\n`);
  }

  private ndjsonTask(task: string, total: number): Task {
    const line = (type: string, facts: object): void =>
      void process.stdout.write(`${JSON.stringify({ type, task, ...facts })}\n`);
    line("task_begin", { total });
    return {
      progress: (done) => line("task_progress", { done, total }),
      end: (facts = {}) => line("task_end", facts),
    };
  }
}

function barTask(name: string, total: number): Task {
  const bar = new SingleBar({
    format: `${name} [{bar}] {value}/{total}`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(total, 0);
  return { progress: (done) => bar.update(done), end: () => bar.stop() };
}

/** A word that stands out on a terminal. */
export const verdict = (ok: boolean, good = "ok", bad = "FAIL"): string =>
  process.stdout.isTTY ? styleText(ok ? "green" : "red", ok ? good : bad) : ok ? good : bad;
