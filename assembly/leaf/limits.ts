// Limits of the device and its journal keys, in one place (leaf.md sections 6, 7, 9).

/** Peers that inbound frames may add. */
export const INBOUND_PEERS: u32 = 16;
/** Peers in all: firmware's own mints may go beyond INBOUND_PEERS. */
export const PEER_SLOTS: u32 = 20;
/** Unspent key packages on the whole device. */
export const UNSPENT_PACKAGES: u32 = 4;
/** Answered frame ids that are remembered for each peer. */
export const ANSWERED_IDS: u32 = 4;
/** Entries of a peer's `env_versions` that are kept for the record; version 1 is found wherever it stands. */
export const ENV_VERSIONS_KEPT: u32 = 8;
/** Longest text that is sealed, in bytes. */
export const SEAL_TEXT_MAX_BYTES: u32 = 1024;

/** Seconds that a package's validity begins before it is minted, and that it lasts. */
export const PACKAGE_BACKDATE_S: u64 = 3600;
export const PACKAGE_LIFETIME_S: u64 = 2_419_200;
/** A peer that says it has no session gets at most one new package in this time (leaf.md D6). */
export const PACKAGE_INTERVAL_S: u64 = 60;
/**
 * The package that it was given goes out again after this: its own package crosses ours in every pairing and asks for nothing,
 * and a phone that asks a second time does so after 30 to 40 s, and then no more.
 */
export const PACKAGE_RESEND_AFTER_S: u64 = 20;
/** A package with less validity left than this is not sent again. */
export const PACKAGE_RESEND_LEFT_S: u64 = 86_400;

/** Journal keys are kind << 8 | slot. The kinds from `Peer` on have one entry for each peer slot. */
export const enum Key {
  Identity = 1,
  Counter = 2,
  /** Hash of the peer that was unpaired last while it had a session. */
  Left = 3,
  Peer = 4,
  Answered = 5,
  Package = 6,
  /** Parts of a group (session.ts). */
  FirstPart = 7,
}

/** Kinds that the parts of a group take (session.ts): five, and three earlier epochs. */
export const PART_KINDS: u32 = 5 + 3;
