// Generated from assembly/abi.json by `npm run generate`. Do not edit.

/** Version of the core's ABI (docs/abi.md). */
export const ABI_VERSION = 1;

/** Error kinds. */
export const KINDS = {
  "Storage": 1,
  "NotProvisioned": 2,
  "AlreadyProvisioned": 3,
  "Crypto": 4,
  "Mls": 5,
  "MalformedFrame": 6,
  "ControlFrameRefused": 7,
  "StaleControlFrame": 8,
  "IdentityBinding": 9,
  "NoSession": 10,
  "UnsolicitedWelcome": 11,
  "StaleKeyPackage": 12,
  "TooManyPeers": 13,
  "Sealed": 14,
} as const;

/** Event types. */
export const EVENTS = {
  "PeerAdvertised": 1,
  "SessionEstablished": 2,
  "SessionReset": 3,
  "MessageReceived": 4,
  "CommitApplied": 5,
  "Ignored": 6,
} as const;

/** Why a frame was ignored. */
export const REASONS = {
  "not-addressed-here": 1,
  "already-answered": 2,
  "unknown-prefix": 3,
  "unsolicited-confirm-ack": 4,
  "probe-without-session": 5,
  "nothing-to-act-on": 6,
  "reset-undated": 7,
  "reset-spent": 8,
  "ack-not-stored": 9,
  "pairing-closed": 10,
  "welcome-spent": 11,
} as const;

/** Detail codes, for the log. */
export const DETAILS = {
  "NotOpen": 1,
  "TooLong": 2,
  "Entropy": 3,
} as const;
