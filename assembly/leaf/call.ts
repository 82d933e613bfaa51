// One exported call: it starts with an empty arena, collects what it changes and says, and ends with one transaction.
import { alloc, wipe } from "../runtime/arena";
import { OK, fail, takeDetail } from "../runtime/fail";
import { MAILBOX, MAILBOX_BYTES, REPORT } from "../runtime/memory";
import { Detail, Kind } from "../runtime/status";
import { ABSENT, PURGE_PENDING, journalLoad, journalPurge, txBegin, txCommit, txPut } from "../store/journal";
import { Key } from "./limits";
import { outboxBegin, outboxSend } from "./outbox";
import { pairingDone } from "./pairing";

const COUNTER_BYTES: u32 = 8;

/** Seconds since 1970, as firmware gave them. */
export let nowSeconds: u64 = 0;

/** Where the send counter lies, 0 while this call has not asked for it. */
let counterAt: usize = 0;
/** An error of this call leaves its changes in force: the message it refused must not open again. */
let kept: bool = false;
/** A peer had no session ever before this call. */
let firstSession: bool = false;
/** What this call deletes shall not stay on flash. */
let purges: bool = false;

/** Begins a call. */
export function callBegin(now: u64): void {
  takeDetail();
  nowSeconds = now;
  counterAt = 0;
  kept = false;
  firstSession = false;
  purges = false;
  outboxBegin();
  txBegin();
}

/** From here on an error of this call still stores what it changed; frames and events are dropped all the same. */
export function keepChanges(): void {
  kept = true;
}

/** The pairing window closes when this call is durable. */
export function noteFirstSession(): void {
  firstSession = true;
}

/** Secrets are deleted: the journal is rewritten without them once this call is durable. */
export function purgeAfterwards(): void {
  purges = true;
  txPut(PURGE_PENDING, 0, 0);
}

/** Milliseconds since 1970 of this call, clamped to 2^63 - 1. */
export function nowMs(): i64 {
  return nowSeconds > <u64>i64.MAX_VALUE / 1000 ? i64.MAX_VALUE : <i64>(nowSeconds * 1000);
}

/** The send counter as it stands, for ordering; 0 before `takeCounter`. */
export function counter(): u64 {
  return counterAt ? load<u64>(counterAt) : 0;
}

/** Takes the next value of the send counter, which is durable with this call. OK or Storage. */
export function takeCounter(): i32 {
  if (!counterAt) {
    const at = alloc(COUNTER_BYTES);
    const bytes = journalLoad(Key.Counter << 8, at, COUNTER_BYTES);
    if (bytes != ABSENT && bytes != COUNTER_BYTES) return fail(Kind.Storage, Detail.CounterUnreadable);
    counterAt = at;
    txPut(Key.Counter << 8, at, COUNTER_BYTES);
  }
  store<u64>(counterAt, load<u64>(counterAt) + 1);
  return OK;
}

/**
 * Ends a call: commits, and only then says what was collected; leaves the report and wipes the arena.
 *
 * @param status        OK or an error kind
 * @param answerBytes   bytes of answer in the mailbox
 * @returns what the export returns: `answerBytes`, or minus the error kind
 */
export function callEnd(status: i32, answerBytes: u32): i32 {
  if (status == OK || kept) {
    const stored = txCommit();
    if (stored != OK) status = stored;
  }
  if (status != OK) answerBytes = 0;
  if (status == OK) {
    if (firstSession) pairingDone();
    // What it cannot do now the next mount does: the deletion itself is durable.
    if (purges) journalPurge();
    outboxSend();
  }
  // Decrypted text does not outlive the call either.
  memory.fill(MAILBOX + answerBytes, 0, <u32>MAILBOX_BYTES - answerBytes);
  const detail = takeDetail();
  store<u32>(REPORT, <u32>wipe(), 4);
  store<u32>(REPORT, status == OK ? 0 : detail);
  return status == OK ? <i32>answerBytes : -status;
}
