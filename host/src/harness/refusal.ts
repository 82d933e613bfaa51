// Why a request was refused, in the words of docs/harness.md.
import { DETAILS, KINDS, type LeafErrorKind } from "@offleaf/interop";
import { PowerLost, TRAPPED, Unsupported, type CallOutcome } from "../board/board.ts";
import { BadRequest } from "./members.ts";

export interface Refusal {
  kind: LeafErrorKind;
  message: string;
}

const byCode = <T extends string>(table: Record<T, number>): Map<number, T> =>
  new Map((Object.entries(table) as [T, number][]).map(([name, code]) => [code, name]));

const KIND_NAMES = byCode(KINDS);
const DETAIL_NAMES = byCode(DETAILS);

/** The refusal that the outcome of a call stands for; its status is not 0. */
export function refusalOf(outcome: CallOutcome): Refusal {
  if (outcome.status === TRAPPED) {
    return { kind: "Trap", message: `the core trapped and was restarted: ${outcome.trap ?? "no reason given"}` };
  }
  if (outcome.detail === DETAILS.NotOpen) return { kind: "NotOpen", message: "open comes first" };
  const kind = KIND_NAMES.get(outcome.status);
  if (kind === undefined)
    throw new Error(`the board answered status ${outcome.status}, which docs/abi.md does not know`);
  const detail = DETAIL_NAMES.get(outcome.detail);
  return { kind, message: detail ?? (outcome.detail === 0 ? "no detail" : `detail ${outcome.detail}`) };
}

/** The refusal that an error stands for, or nothing when it is no refusal. */
export function refusalFrom(error: unknown): Refusal | undefined {
  if (error instanceof BadRequest) return { kind: "BadRequest", message: error.message };
  if (error instanceof Unsupported) return { kind: "Unsupported", message: error.message };
  if (error instanceof PowerLost) return { kind: "PowerLost", message: error.message };
  return undefined;
}
