// JSON lines of the harness. Whole numbers above 2^53 (times, ids) stay exact.
import { isInteger, isSafeNumber, parse, stringify } from "lossless-json";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** A whole number as `bigint` when a double cannot hold it, any other number as it is. */
const exactNumber = (text: string): number | bigint =>
  isInteger(text) && !isSafeNumber(text) ? BigInt(text) : Number(text);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object on a line. Throws SyntaxError for anything that is not one JSON object in UTF-8. */
export function parseLine(line: Uint8Array): Record<string, unknown> {
  const text = decodeUtf8(line);
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new SyntaxError("a line holds one JSON object");
  const inexact = Object.values(value).some((member) => typeof member === "number" && isInexact(member));
  return inexact ? (parse(text, undefined, exactNumber) as Record<string, unknown>) : value;
}

/** A reply as a line, without its end. `id` may be a bigint. */
export const stringifyLine = (reply: { id?: unknown }): string =>
  typeof reply.id === "bigint" ? stringify(reply)! : JSON.stringify(reply);

const isInexact = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new SyntaxError("a line is UTF-8");
  }
}
