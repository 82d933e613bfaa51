// The harness on a pair of streams: a line in, a line out.
import type { Readable, Writable } from "node:stream";
import type { Device } from "./device.ts";
import { refuse } from "./device.ts";
import { parseLine, stringifyLine } from "./json.ts";

/** Longest line, in bytes. A flash dump is far below; the limit only bounds memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** A line, or the fact that one was longer than the limit. */
type Read = Buffer | "too-long";

/** Splits bytes into lines. An end of input without a newline ends the last line. */
export async function* readLines(input: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Read> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const takeLine = (): Read => {
    const line: Read = bytes > maxBytes ? "too-long" : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      bytes += end - from;
      if (bytes <= maxBytes) parts.push(chunk.subarray(from, end));
      yield takeLine();
      from = end + 1;
    }
    bytes += chunk.length - from;
    if (bytes <= maxBytes) parts.push(chunk.subarray(from));
    else parts = [];
  }
  if (bytes > 0) yield takeLine();
}

/** Answers every line of `input` on `output`, in order, until the end of input. The device is not closed. */
export async function serve(device: Device, input: Readable, output: Writable): Promise<void> {
  for await (const line of readLines(input)) {
    const reply = await answer(device, line);
    await new Promise<void>((resolve, reject) =>
      output.write(`${stringifyLine(reply)}\n`, (error) => (error ? reject(error) : resolve())),
    );
  }
}

function answer(device: Device, line: Read): Promise<object> | object {
  const bad = (message: string): object => refuse(undefined, { kind: "BadRequest", message });
  if (line === "too-long") return bad(`a line is at most ${MAX_LINE_BYTES} bytes`);
  try {
    return device.handle(parseLine(line));
  } catch (error) {
    return bad(`not a JSON object: ${(error as Error).message}`);
  }
}
