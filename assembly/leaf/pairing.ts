// Firmware's pairing window: RAM only, so that a restart leaves it as it was configured to start (pairing.md section 9).

/** `pairing` was called since `open`: from then on the window counts. */
let enforced: bool = false;
/** The window is open up to and including this second. */
let opened: bool = false;
let untilSeconds: u64 = 0;

/** After `open`: everybody may pair until firmware says otherwise. */
export function pairingBegin(): void {
  enforced = false;
  opened = false;
}

/** Opens the window for `seconds` from `now`, or closes it. */
export function pairingSet(open: bool, seconds: u32, now: u64): void {
  enforced = true;
  opened = open;
  untilSeconds = now + seconds < now ? u64.MAX_VALUE : now + seconds;
}

/** Whether a stranger may begin to pair. */
export function pairingAllows(now: u64): bool {
  return !enforced || (opened && now <= untilSeconds);
}

/** A new peer has its session: the window was for one. */
export function pairingDone(): void {
  opened = false;
}
