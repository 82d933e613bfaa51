// Every export of the core (docs/abi.md). Numbers and pointers only; each call is one transaction.
import { cryptoSelftest } from "./crypto/selftest";
import { callBegin, callEnd } from "./leaf/call";
import {
  advertise as deviceAdvertise,
  invite as deviceInvite,
  seal as deviceSeal,
  session as deviceSession,
  unpair as deviceUnpair,
} from "./leaf/commands";
import { Mode, OWN_ADDRESS, OWN_PUBLIC, deviceOpen, requireOpen } from "./leaf/device";
import { handle } from "./leaf/dispatch";
import { pairingSet } from "./leaf/pairing";
import { peerList } from "./leaf/peers";
import { OK, fail } from "./runtime/fail";
import { MAILBOX, MAILBOX_BYTES, MEMORY_BYTES } from "./runtime/memory";
import { ABI_VERSION, Detail, Kind } from "./runtime/status";

/** What the runtime cuts linear memory to. */
export const __heap_base: i32 = <i32>MEMORY_BYTES;
export const __data_end: i32 = <i32>MEMORY_BYTES;

/** Address text and public key, the answer of `open`. */
const ADDRESS_ANSWER_BYTES: u32 = 44;
const PUBLIC_ANSWER_BYTES: u32 = 32;

/** Whether the mailbox can hold this many bytes, and the device is open. OK, MalformedFrame or Storage. */
function admit(bytes: u32): i32 {
  return bytes > <u32>MAILBOX_BYTES ? fail(Kind.MalformedFrame, Detail.TooLong) : requireOpen();
}

/** Ends a call whose result is bytes of answer or minus a kind. */
function answered(result: i32): i32 {
  return callEnd(result < 0 ? -result : OK, result < 0 ? 0 : result);
}

export function abi_version(): i32 {
  return ABI_VERSION;
}

export function mailbox(): i32 {
  return <i32>MAILBOX;
}

export function mailbox_bytes(): i32 {
  return <i32>MAILBOX_BYTES;
}

export function open(mode: i32, appIdBytes: i32): i32 {
  callBegin(0);
  let status = <u32>appIdBytes > <u32>MAILBOX_BYTES ? fail(Kind.MalformedFrame, Detail.TooLong) : OK;
  if (status == OK) status = deviceOpen(<Mode>mode, MAILBOX, appIdBytes);
  if (status == OK) {
    memory.copy(MAILBOX, OWN_ADDRESS, ADDRESS_ANSWER_BYTES);
    memory.copy(MAILBOX + ADDRESS_ANSWER_BYTES, OWN_PUBLIC, PUBLIC_ANSWER_BYTES);
  }
  return callEnd(status, ADDRESS_ANSWER_BYTES + PUBLIC_ANSWER_BYTES);
}

export function receive(frameBytes: i32, now: i64): i32 {
  callBegin(now);
  const status = admit(frameBytes);
  return callEnd(status == OK ? handle(MAILBOX, frameBytes) : status, 0);
}

export function advertise(peerBytes: i32, now: i64): i32 {
  callBegin(now);
  const status = admit(peerBytes);
  return callEnd(status == OK ? deviceAdvertise(MAILBOX, peerBytes) : status, 0);
}

export function seal(peerBytes: i32, textBytes: i32, now: i64): i32 {
  callBegin(now);
  let status = admit(peerBytes);
  if (status == OK) status = admit(textBytes);
  if (status == OK) status = admit(peerBytes + textBytes);
  return callEnd(status == OK ? deviceSeal(MAILBOX, peerBytes, MAILBOX + peerBytes, textBytes) : status, 0);
}

export function peers(): i32 {
  callBegin(0);
  const status = requireOpen();
  return callEnd(status, status == OK ? peerList(MAILBOX) : 0);
}

export function session(peerBytes: i32): i32 {
  callBegin(0);
  const status = admit(peerBytes);
  return answered(status == OK ? deviceSession(MAILBOX, peerBytes, MAILBOX) : -status);
}

export function unpair(peerBytes: i32): i32 {
  callBegin(0);
  const status = admit(peerBytes);
  return callEnd(status == OK ? deviceUnpair(MAILBOX, peerBytes) : status, 0);
}

export function invite(petnameBytes: i32): i32 {
  callBegin(0);
  const status = admit(petnameBytes);
  return answered(status == OK ? deviceInvite(MAILBOX, petnameBytes, MAILBOX) : -status);
}

export function pairing(open: i32, seconds: i32, now: i64): i32 {
  callBegin(now);
  const status = requireOpen();
  if (status == OK) pairingSet(open != 0, seconds, now);
  return callEnd(status, 0);
}

export function selftest(): i32 {
  callBegin(0);
  return callEnd(cryptoSelftest() ? OK : fail(Kind.Crypto, Detail.Selftest), 0);
}
