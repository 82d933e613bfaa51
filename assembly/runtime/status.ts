// Generated from assembly/abi.json by `npm run generate`. Do not edit.

/** Version of the ABI (docs/abi.md). */
export const ABI_VERSION: i32 = 1;

/** Error kinds; 0 is success. */
export const enum Kind {
  None = 0,
  Storage = 1,
  NotProvisioned = 2,
  AlreadyProvisioned = 3,
  Crypto = 4,
  Mls = 5,
  MalformedFrame = 6,
  ControlFrameRefused = 7,
  StaleControlFrame = 8,
  IdentityBinding = 9,
  NoSession = 10,
  UnsolicitedWelcome = 11,
  StaleKeyPackage = 12,
  TooManyPeers = 13,
  Sealed = 14,
}

/** Event types. */
export const enum EventType {
  PeerAdvertised = 1,
  SessionEstablished = 2,
  SessionReset = 3,
  MessageReceived = 4,
  CommitApplied = 5,
  Ignored = 6,
}

/** Why a frame was ignored. */
export const enum Reason {
  NotAddressedHere = 1,
  AlreadyAnswered = 2,
  UnknownPrefix = 3,
  UnsolicitedConfirmAck = 4,
  ProbeWithoutSession = 5,
  NothingToActOn = 6,
  ResetUndated = 7,
  ResetSpent = 8,
  AckNotStored = 9,
  PairingClosed = 10,
  WelcomeSpent = 11,
}

/** What exactly was wrong, for the log. */
export const enum Detail {
  None = 0,
  NotOpen = 1,
  TooLong = 2,
  Entropy = 3,
}
