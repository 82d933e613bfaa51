// Who the device is: its identity on flash, and what of it stays in RAM between calls (nothing secret).
import { entropy } from "../board";
import { equal } from "../bytes/compare";
import { utf8Valid } from "../bytes/utf8";
import { ED25519_PUBLIC_BYTES, ED25519_SEED_BYTES, ed25519PublicKey } from "../crypto/ed25519";
import { Identity } from "../mls/group";
import { alloc } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { ABSENT, journalLoad, journalMount, txBegin, txCommit, txPut } from "../store/journal";
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressFromKey, addressParse } from "../wire/address";
import { identifierFault } from "../wire/identifier";
import { Key } from "./limits";
import { pairingBegin } from "./pairing";

/** How `open` treats a missing identity. */
export const enum Mode {
  /** Resume, or provision on first boot. */
  Open = 0,
  Provision = 1,
  Resume = 2,
}

/** The stored identity: Ed25519 seed, public key. */
const IDENTITY_RECORD_BYTES: u32 = ED25519_SEED_BYTES + ED25519_PUBLIC_BYTES;

// `memory.data` wants a literal: hash 20, address 44, public key 32, application id 256.
const REGION: usize = memory.data(20 + 44 + 32 + 256, 8);

/** ADDRESS_HASH_BYTES of our address. */
@inline export const OWN_HASH: usize = REGION;
/** Our address as text, ADDRESS_BYTES. */
@inline export const OWN_ADDRESS: usize = REGION + 20;
/** Our Ed25519 public key. */
@inline export const OWN_PUBLIC: usize = REGION + 64;
/** The application id, `appIdBytes` bytes of text. */
@inline export const APP_ID: usize = REGION + 96;

export let appIdBytes: u32 = 0;

/** `open` succeeded; nothing else works before. */
let opened: bool = false;

/** OK, or Storage before `open`. */
export function requireOpen(): i32 {
  return opened ? OK : fail(Kind.Storage, Detail.NotOpen);
}

/**
 * Opens the device: takes the state from flash, and provisions an identity where `mode` allows it.
 *
 * @param appId  the application id, `bytes` bytes; checked before anything is written (leaf.md D15)
 * @returns OK, MalformedFrame, NotProvisioned, AlreadyProvisioned, Crypto or Storage
 */
export function deviceOpen(mode: Mode, appId: usize, bytes: u32): i32 {
  opened = false;
  const fault = utf8Valid(appId, bytes) ? identifierFault(appId, bytes) : Detail.BadUtf8;
  if (fault) return fail(Kind.MalformedFrame, fault);
  let status = journalMount();
  if (status != OK) return status;
  const record = alloc(IDENTITY_RECORD_BYTES);
  const found = journalLoad(Key.Identity << 8, record, IDENTITY_RECORD_BYTES);
  if (found == ABSENT) {
    if (mode == Mode.Resume) return fail(Kind.NotProvisioned, Detail.None);
    status = provision(record);
  } else {
    if (mode == Mode.Provision) return fail(Kind.AlreadyProvisioned, Detail.None);
    status = found == IDENTITY_RECORD_BYTES ? resume(record) : fail(Kind.Storage, Detail.IdentityUnreadable);
  }
  if (status != OK) return status;
  memory.copy(OWN_PUBLIC, record + ED25519_SEED_BYTES, ED25519_PUBLIC_BYTES);
  addressFromKey(OWN_PUBLIC, OWN_ADDRESS);
  addressParse(OWN_ADDRESS, ADDRESS_BYTES, OWN_HASH);
  memory.copy(APP_ID, appId, bytes);
  appIdBytes = bytes;
  pairingBegin();
  opened = true;
  return OK;
}

/** Makes an identity and stores it in one transaction. */
function provision(record: usize): i32 {
  if (entropy(record, ED25519_SEED_BYTES) != 0) return fail(Kind.Crypto, Detail.Entropy);
  ed25519PublicKey(record, record + ED25519_SEED_BYTES);
  txBegin();
  txPut(Key.Identity << 8, record, IDENTITY_RECORD_BYTES);
  return txCommit();
}

/** The stored public key must be the one that the seed gives: anything else is not what we wrote. */
function resume(record: usize): i32 {
  const derived = alloc(ED25519_PUBLIC_BYTES);
  ed25519PublicKey(record, derived);
  const same = equal(derived, record + ED25519_SEED_BYTES, ED25519_PUBLIC_BYTES);
  return same ? OK : fail(Kind.Storage, Detail.IdentityUnreadable);
}

/** Our identity with its seed. OK or Storage. */
export function loadIdentity(identity: Identity): i32 {
  const record = alloc(IDENTITY_RECORD_BYTES);
  const bytes = journalLoad(Key.Identity << 8, record, IDENTITY_RECORD_BYTES);
  if (bytes != IDENTITY_RECORD_BYTES) return fail(Kind.Storage, Detail.IdentityUnreadable);
  identity.seed = record;
  identity.publicKey = OWN_PUBLIC;
  identity.address = OWN_ADDRESS;
  return OK;
}
