// Packages with given private keys, so that a recorded session can be replayed. Compiled into the test build only.
import { x25519Base } from "../crypto/x25519";
import { Group, SPENT_REFERENCE_BYTES, keepPeerKeys } from "../mls/group";
import { DEVICE_LEAF_BYTES, deviceLeaf } from "../mls/key-package";
import { KEY_BYTES } from "../mls/limits";
import { allParts } from "../mls/parts";
import { make } from "../mls/structure";
import { JoinKeys, join } from "../mls/welcome";
import { alloc } from "../runtime/arena";
import { OK } from "../runtime/fail";
import { MAILBOX } from "../runtime/memory";
import { Kind } from "../runtime/status";
import { txPut } from "../store/journal";
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressParse } from "../wire/address";
import { callBegin, callEnd } from "./call";
import { Key } from "./limits";
import { IMPORTED_BYTES, Package } from "./packages";
import { Lookup, peerFind, peerRoom } from "./peers";

/**
 * Replaces the package that was minted for a peer.
 *
 * The mailbox holds the peer's address, then the record: reference 32, not_before u64, order u32, init private key 32,
 * leaf private key 32.
 */
export function importPackage(): i32 {
  callBegin(0);
  const peer = peerRoom();
  const hash = alloc(ADDRESS_HASH_BYTES);
  addressParse(MAILBOX, ADDRESS_BYTES, hash);
  if (peerFind(hash, peer) != Lookup.Found) return callEnd(Kind.NoSession, 0);
  txPut(peer.key(Key.Package), MAILBOX + ADDRESS_BYTES, IMPORTED_BYTES);
  return callEnd(OK, 0);
}

/** As `welcomeJoin`, with the keys of an imported package. */
export function joinImported(ptr: usize, bytes: u32, group: Group, item: Package): i32 {
  const keys = make<JoinKeys>();
  const leafPublic = alloc(KEY_BYTES);
  keys.reference = item.reference();
  keys.initPrivate = item.seed();
  keys.initPublic = alloc(KEY_BYTES);
  keys.leafPrivate = item.seed() + KEY_BYTES;
  x25519Base(keys.initPublic, keys.initPrivate);
  x25519Base(leafPublic, keys.leafPrivate);
  keys.leaf = deviceLeaf(group.identity, leafPublic, item.notBefore());
  keys.leafBytes = DEVICE_LEAF_BYTES;
  const status = join(ptr, bytes, 0, 0, keys, group);
  if (status != OK) return status;
  keepPeerKeys(group);
  group.notBefore = item.notBefore();
  memory.copy(group.spentReference, item.reference(), SPENT_REFERENCE_BYTES);
  group.dirty = allParts();
  return OK;
}
