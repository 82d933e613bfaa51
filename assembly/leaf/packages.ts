// Unspent key packages: at most four on the device, at most one for a peer (leaf.md 5.6 and section 9).
import { entropy } from "../board";
import { alloc, mark, release } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { journalFind, journalLoad, txPut } from "../store/journal";
import { KEY_PACKAGE_BYTES, KEY_PACKAGE_REFERENCE_BYTES, keyPackageMint } from "../mls/key-package";
import { Identity } from "../mls/group";
import { counter, nowSeconds } from "./call";
import {
  Key,
  PACKAGE_BACKDATE_S,
  PACKAGE_LIFETIME_S,
  PACKAGE_RESEND_LEFT_S,
  PEER_SLOTS,
  UNSPENT_PACKAGES,
} from "./limits";
import { Peer } from "./peers";

// The record: reference 32, not_before u64, order u32, seed 32. An evicted package keeps all but its seed.
const NOT_BEFORE: usize = 32;
const ORDER: usize = 40;
const SEED: usize = 44;
const SEED_BYTES: u32 = 32;
const EVICTED_BYTES: u32 = 44;
const UNSPENT_BYTES: u32 = EVICTED_BYTES + SEED_BYTES;
/** In the test build a record may hold the two private keys instead of their seed (imported.ts). */
export const IMPORTED_BYTES: u32 = EVICTED_BYTES + 2 * SEED_BYTES;
// @ts-ignore: constant of the build
const RECORD_MAX_BYTES: u32 = LEAF ? UNSPENT_BYTES : IMPORTED_BYTES;

/** The package that was minted for a peer. */
@unmanaged
export class Package {
  /** RECORD_MAX_BYTES bytes. */
  record: usize;
  /** A package was minted for the peer and not yet spent. */
  minted: bool;
  /** Its private part is still held. */
  unspent: bool;
  /** Its private part is the two keys. Never so on a device. */
  imported: bool;

  reference(): usize {
    return this.record;
  }

  notBefore(): u64 {
    return load<u64>(this.record, NOT_BEFORE);
  }

  seed(): usize {
    return this.record + SEED;
  }

  /** Whether the last one was minted less than `seconds` ago. */
  isYounger(seconds: u64): bool {
    const mintedAt = this.notBefore() + PACKAGE_BACKDATE_S;
    return nowSeconds >= mintedAt && nowSeconds - mintedAt < seconds;
  }

  /** Whether a phone would still take it for a while. */
  isSendable(): bool {
    if (!this.unspent || nowSeconds <= this.notBefore()) return false;
    return nowSeconds - this.notBefore() < PACKAGE_LIFETIME_S - PACKAGE_RESEND_LEFT_S;
  }
}

/** Loads the package of a slot. OK or Storage. */
export function packageLoad(slot: u32, item: Package): i32 {
  if (!item.record) item.record = alloc(RECORD_MAX_BYTES);
  const key = (Key.Package << 8) | slot;
  const bytes = journalFind(key);
  item.minted = bytes >= 0;
  // @ts-ignore: constant of the build
  item.imported = !LEAF && bytes == IMPORTED_BYTES;
  item.unspent = bytes == UNSPENT_BYTES || item.imported;
  if (bytes < 0) return bytes == -1 ? OK : fail(Kind.Storage, Detail.PackageUnreadable);
  if (journalLoad(key, item.record, RECORD_MAX_BYTES) == bytes && <u32>bytes >= EVICTED_BYTES) return OK;
  return fail(Kind.Storage, Detail.PackageUnreadable);
}

/** Makes room for one more unspent package beside those of other slots than `slot`: the oldest loses its seed. */
function evictOldest(slot: u32): void {
  let unspent: u32 = 0;
  let oldest = alloc(UNSPENT_BYTES);
  let oldestKey: u32 = 0;
  let record = alloc(UNSPENT_BYTES);
  for (let other: u32 = 0; other < PEER_SLOTS; other++) {
    const key = (Key.Package << 8) | other;
    if (other == slot || journalFind(key) != UNSPENT_BYTES) continue;
    unspent += 1;
    // One that cannot be read is worth nothing to its peer: order 0.
    if (journalLoad(key, record, UNSPENT_BYTES) < 0) store<u32>(record, 0, ORDER);
    if (oldestKey && load<u32>(record, ORDER) >= load<u32>(oldest, ORDER)) continue;
    const better = record;
    record = oldest;
    oldest = better;
    oldestKey = key;
  }
  if (unspent >= UNSPENT_PACKAGES) txPut(oldestKey, oldest, EVICTED_BYTES);
}

/**
 * Mints a package for `peer` and stages it in place of an older one. The counter was taken, so that it orders packages.
 *
 * @param out  receives KEY_PACKAGE_BYTES bytes
 * @returns OK, or Crypto when entropy failed
 */
export function packageMint(peer: Peer, identity: Identity, item: Package, out: usize): i32 {
  evictOldest(peer.slot);
  if (!item.record) item.record = alloc(UNSPENT_BYTES);
  if (entropy(item.seed(), SEED_BYTES) != 0) return fail(Kind.Crypto, Detail.Entropy);
  const notBefore = nowSeconds < PACKAGE_BACKDATE_S ? 0 : nowSeconds - PACKAGE_BACKDATE_S;
  store<u32>(item.record, <u32>counter(), ORDER);
  store<u64>(item.record, notBefore, NOT_BEFORE);
  packageWrite(identity, item, out);
  txPut(peer.key(Key.Package), item.record, UNSPENT_BYTES);
  return OK;
}

/** Writes the package again from its seed: the same bytes, the same reference. */
export function packageWrite(identity: Identity, item: Package, out: usize): void {
  keyPackageMint(item.seed(), identity, item.notBefore(), out, item.reference());
}
