// A group as its member sees it in one epoch, and what is known of the members.
import { equal } from "../bytes/compare";
import { alloc } from "../runtime/arena";
import { AUTHENTICATION, EXPORTER } from "./exporter";
import { GroupContext } from "./key-schedule";
import { deriveSecret } from "./labelled";
import { ENCRYPTION, INIT, SENDER_DATA } from "./labels";
import { HASH_BYTES, KEY_BYTES, MAX_LEAVES, MAX_LEVELS } from "./limits";
import { newRatchet, Ratchet } from "./ratchet";
import { newReceiver, Receiver } from "./receiver";
import { applicationSecret, leafNodeSecret } from "./secret-tree";
import { make } from "./structure";
import { encryptionKey, memberCount, signatureKey, Tree } from "./tree";
import { leafOf } from "./tree-validation";

/** Who this device is: an Ed25519 key pair and the address that follows from it. */
@unmanaged
export class Identity {
  /** 32 bytes, secret. */
  seed: usize;
  /** 32 bytes. */
  publicKey: usize;
  /** IDENTITY_BYTES of text. */
  address: usize;
}

/** An address as text: what `Identity.address` and the peer's address are long. */
export const IDENTITY_BYTES: u32 = 44;

/** Prefix of the key package reference that is kept to know a spent Welcome again. */
export const SPENT_REFERENCE_BYTES: u32 = 16;

/** Bytes kept of the peer's encryption key, enough to see a key used again (tree-validation.ts). */
export const KEY_PREFIX_BYTES: u32 = 8;

/**
 * A group. `groupBegin` makes it ready for `welcomeJoin`, or for the parts that were stored (state.ts).
 *
 * One epoch is *in view*: its context, sender data secret and receive ratchets. It is the current one, except where the
 * parts of an earlier epoch were loaded to open a late message.
 */
@unmanaged
export class Group {
  identity: Identity = changetype<Identity>(0);
  /** Text of the one other member's address; for groups that were stored. */
  peerAddress: usize;
  /** Bit `1 << Part` for each part that the last operation changed. */
  dirty: u32;

  // What a join fixes.
  ownLeaf: u32;
  /** Lifetime of the own leaf, from which it can be written again. */
  notBefore: u64;
  /** SPENT_REFERENCE_BYTES of the key package that was spent. */
  spentReference: usize;
  /** 32 bytes; for groups that were stored. */
  peerSignatureKey: usize;
  /** HPKE private keys of the own direct path by level, 32 bytes each; level 0 is the leaf's. */
  privateKeys: usize;
  /** Bit `1 << level` for each private key that is held. */
  heldKeys: u32;

  // The current epoch.
  epoch: u64;
  initSecret: usize;
  interimTranscriptHash: usize;
  /** KEY_PREFIX_BYTES of the peer's encryption key; for groups that were stored. */
  peerKeyPrefix: usize;
  /** Own application ratchet. */
  send: Ratchet = changetype<Ratchet>(0);
  /** Pointer to the Tree, 0 for a group that was stored. */
  tree: usize;

  // The epoch in view.
  inView: bool;
  context: GroupContext = changetype<GroupContext>(0);
  senderDataSecret: usize;
  /** MAX_LEAVES pointers to Receiver by leaf index, 0 without one. */
  receivers: usize;

  // Not in the leaf profile.
  epochAuthenticator: usize;
  exporterSecret: usize;

  /** What opens the messages of a leaf, null without one: not a member, or ourselves. */
  receiver(leaf: u32): Receiver | null {
    return leaf < MAX_LEAVES ? changetype<Receiver | null>(load<usize>(this.receivers + leaf * sizeof<usize>())) : null;
  }

  setReceiver(leaf: u32, receiver: Receiver): void {
    store<usize>(this.receivers + leaf * sizeof<usize>(), changetype<usize>(receiver));
  }

  ratchetTree(): Tree {
    return changetype<Tree>(this.tree);
  }

  privateKey(level: u32): usize {
    return this.privateKeys + level * KEY_BYTES;
  }

  /** The other leaf of a pair. */
  peerLeaf(): u32 {
    return this.ownLeaf ^ 1;
  }
}

/**
 * Makes an empty group ready.
 *
 * @param groupId      the id that the group must have, the session id of the pair
 * @param peerAddress  IDENTITY_BYTES of text: the other member
 */
export function groupBegin(
  group: Group,
  identity: Identity,
  groupId: usize,
  groupIdBytes: u32,
  peerAddress: usize,
): void {
  group.identity = identity;
  group.peerAddress = peerAddress;
  group.spentReference = alloc(SPENT_REFERENCE_BYTES);
  group.peerSignatureKey = alloc(KEY_BYTES);
  group.privateKeys = alloc(MAX_LEVELS * KEY_BYTES);
  group.initSecret = alloc(HASH_BYTES);
  group.interimTranscriptHash = alloc(HASH_BYTES);
  group.peerKeyPrefix = alloc(KEY_BYTES);
  group.send = newRatchet();
  const context = make<GroupContext>();
  context.groupId = groupId;
  context.groupIdBytes = groupIdBytes;
  context.treeHash = alloc(HASH_BYTES);
  context.confirmedTranscriptHash = alloc(HASH_BYTES);
  group.context = context;
  group.senderDataSecret = alloc(HASH_BYTES);
  group.receivers = alloc(MAX_LEAVES * sizeof<usize>());
}

/** Derives all that the current epoch needs from its epoch_secret; tree, context and epoch number are set. */
export function startEpoch(group: Group, epochSecret: usize): void {
  deriveSecret(epochSecret, INIT, group.initSecret);
  deriveSecret(epochSecret, SENDER_DATA, group.senderDataSecret);
  const encryptionSecret = alloc(HASH_BYTES);
  deriveSecret(epochSecret, ENCRYPTION, encryptionSecret);
  const tree = group.ratchetTree();
  memory.fill(group.receivers, 0, MAX_LEAVES * sizeof<usize>());
  for (let leaf: u32 = 0; leaf < tree.leaves; leaf++) {
    if (!tree.leaf(leaf)) continue;
    if (leaf == group.ownLeaf) {
      leafNodeSecret(encryptionSecret, tree.leaves, leaf, group.send.secret);
      applicationSecret(group.send.secret, group.send.secret);
      group.send.generation = 0;
    } else {
      const receiver = newReceiver();
      leafNodeSecret(encryptionSecret, tree.leaves, leaf, receiver.application.secret);
      group.setReceiver(leaf, receiver);
    }
  }
  group.inView = true;
  // @ts-ignore: LEAF is a constant of the build
  if (LEAF) return;
  group.epochAuthenticator = alloc(HASH_BYTES);
  group.exporterSecret = alloc(HASH_BYTES);
  deriveSecret(epochSecret, AUTHENTICATION, group.epochAuthenticator);
  deriveSecret(epochSecret, EXPORTER, group.exporterSecret);
}

/** Number of members. A group that was stored is a pair. */
export function groupMembers(group: Group): u32 {
  return group.tree ? memberCount(group.ratchetTree()) : 2;
}

/** Whether a leaf index is a member's. */
export function isMember(group: Group, leaf: u32): bool {
  return group.tree ? group.ratchetTree().leaf(leaf) != 0 : leaf < 2;
}

/** Ed25519 key of a member, 32 bytes. */
export function memberSignatureKey(group: Group, leaf: u32): usize {
  if (group.tree) return signatureKey(group.ratchetTree().leaf(leaf));
  return leaf == group.ownLeaf ? group.identity.publicKey : group.peerSignatureKey;
}

/** Identity bytes of a member's basic credential; their number is `memberIdentityBytes`. */
export function memberIdentity(group: Group, leaf: u32): usize {
  if (group.tree) return leafOf(group.ratchetTree(), leaf).identity;
  return leaf == group.ownLeaf ? group.identity.address : group.peerAddress;
}

export function memberIdentityBytes(group: Group, leaf: u32): u32 {
  return group.tree ? leafOf(group.ratchetTree(), leaf).identityBytes : IDENTITY_BYTES;
}

/**
 * Copies what the store keeps of the peer's leaf out of a pair's tree.
 *
 * @returns whether its signature key is another than before
 */
export function keepPeerKeys(group: Group): bool {
  const leaf = group.ratchetTree().leaf(group.peerLeaf());
  const changed = !equal(signatureKey(leaf), group.peerSignatureKey, KEY_BYTES);
  memory.copy(group.peerSignatureKey, signatureKey(leaf), KEY_BYTES);
  memory.copy(group.peerKeyPrefix, encryptionKey(leaf), KEY_PREFIX_BYTES);
  return changed;
}
