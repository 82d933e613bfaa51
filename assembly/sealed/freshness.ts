// How old or early a dated control frame may be.

/** Milliseconds that a frame may be behind the device's clock, and ahead of it: two days each. */
export const PAST_WINDOW_MS: i64 = 172_800_000;
export const FUTURE_WINDOW_MS: i64 = 172_800_000;

/** `stamp` lies in the window around `now`, edges included. The difference saturates, so no stamp wraps into the window. */
export function isFresh(nowMs: i64, stampMs: i64): bool {
  const delta = nowMs - stampMs;
  const overflowed = ((nowMs ^ stampMs) & (nowMs ^ delta)) < 0;
  return !overflowed && delta <= PAST_WINDOW_MS && delta >= -FUTURE_WINDOW_MS;
}
