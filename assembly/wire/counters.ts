// Counters of a message (wire.md 11.4).
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { LAMPORT_MOST } from "./limits";

const HOP_COUNT_MOST: u32 = 255;

/** Checks the ttl of a new message; a received one may be 0. */
export function ttlValid(ttl: u32): i32 {
  return ttl ? OK : fail(Kind.MalformedFrame, Detail.InvalidTtl);
}

/** Whether a message may not be forwarded any more. */
export function ttlExhausted(ttl: u32): bool {
  return ttl <= 1;
}

/** The ttl after a hop, or -1 when it is exhausted. */
export function ttlDecrement(ttl: u32): i32 {
  return ttl > 1 ? <i32>ttl - 1 : -1;
}

/** The hop count after a hop, or -1 when it is full. */
export function hopCountIncrement(hops: u32): i32 {
  return hops < HOP_COUNT_MOST ? <i32>hops + 1 : -1;
}

/** The Lamport clock after a local event. */
export function lamportTick(local: u64): u64 {
  return local == u64.MAX_VALUE ? local : local + 1;
}

/** The Lamport clock after a message with clock `received`. */
export function lamportMerge(local: u64, received: u64): u64 {
  return lamportTick(max(local, min(received, LAMPORT_MOST)));
}
