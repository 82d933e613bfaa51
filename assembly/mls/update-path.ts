// TreeKEM (RFC 9420, 7.4 to 7.6): taking an update path into the tree, and the secrets that flow down from it.
import { equal } from "../bytes/compare";
import { Reader } from "../bytes/reader";
import { hpkeDeriveKeyPair } from "../crypto/hpke";
import { alloc, mark, release } from "../runtime/arena";
import { newReader, readFixed, readVector } from "./codec";
import { Commit } from "./commit-content";
import { Group } from "./group";
import { decryptWithLabel, deriveSecret } from "./labelled";
import { NODE, PATH, UPDATE_PATH_NODE } from "./labels";
import { AEAD_TAG_BYTES, HASH_BYTES, KEY_BYTES } from "./limits";
import { make } from "./structure";
import {
  blankDirectPath,
  copathChild,
  encryptionKey,
  filteredDirectPath,
  newNodeList,
  NodeList,
  resolution,
  setParent,
  Tree,
} from "./tree";
import { parentHash } from "./tree-hash";
import { isBelow, levelOf } from "./tree-math";

/** An encrypted path secret. */
const SEALED_SECRET_BYTES: u32 = HASH_BYTES + AEAD_TAG_BYTES;

/** An update path on its way into a tree. */
@unmanaged
export class UpdatePath {
  /** Filtered direct path of the committer, lowest node first. */
  path: NodeList = changetype<NodeList>(0);
  /** Pointers to the new public keys of those nodes. */
  keys: NodeList = changetype<NodeList>(0);
  /** Where in `path` the own direct path joins. */
  joint: u32;
  /** The node whose private key opens the path secret of the joint; we hold it. */
  recipient: u32;
  kemOutput: usize;
  /** SEALED_SECRET_BYTES. */
  sealedSecret: usize;
}

/**
 * Splits the nodes of a commit's path and finds what is meant for us (7.6).
 *
 * @param tree   with the commit's proposals applied, before the path
 * @param added  nodes of leaves that this commit adds: no secret is sealed to them
 * @returns false when the path does not fit the tree, or nothing in it is for us
 */
export function readUpdatePath(
  group: Group,
  tree: Tree,
  commit: Commit,
  committer: u32,
  added: NodeList,
  update: UpdatePath,
): bool {
  const reader = newReader(commit.nodes, commit.nodesBytes);
  const path = filteredDirectPath(tree, committer);
  update.path = path;
  update.keys = newNodeList(path.count);
  update.joint = path.count;
  for (let i: u32 = 0; i < path.count; i++) {
    update.keys.push(<u32>readFixed(reader, KEY_BYTES));
    const sealed = make<Reader>();
    readVector(reader, sealed);
    if (!readSealedSecrets(group, tree, path.get(i), committer, added, sealed, update, i)) return false;
  }
  return reader.finished() && update.joint < path.count;
}

/** Reads the secrets sealed to the copath of one node, one for each node of its resolution; notes the first of ours. */
function readSealedSecrets(
  group: Group,
  tree: Tree,
  node: u32,
  committer: u32,
  added: NodeList,
  reader: Reader,
  update: UpdatePath,
  index: u32,
): bool {
  const recipients = resolution(tree, copathChild(node, committer));
  for (let i: u32 = 0; i < recipients.count; i++) {
    const recipient = recipients.get(i);
    if (added.holds(recipient)) continue;
    const kemOutput = readFixed(reader, KEY_BYTES);
    const sealedSecret = readFixed(reader, SEALED_SECRET_BYTES);
    const held = isBelow(2 * group.ownLeaf, recipient) && group.heldKeys & (1 << levelOf(recipient));
    if (!held || update.joint <= index) continue;
    update.joint = index;
    update.recipient = recipient;
    update.kemOutput = kemOutput;
    update.sealedSecret = sealedSecret;
  }
  return reader.finished();
}

/**
 * Puts the path's leaf and keys into the tree, with the parent hashes that follow (7.9).
 *
 * @returns false when the leaf's parent hash is another
 */
export function mergeUpdatePath(tree: Tree, commit: Commit, committer: u32, update: UpdatePath): bool {
  blankDirectPath(tree, committer);
  tree.set(2 * committer, commit.leaf.start, commit.leafBytes);
  const path = update.path;
  const hash = alloc(HASH_BYTES);
  let hashBytes: u32 = 0; // the topmost node has no parent hash
  for (let i = path.count; i > 0; i--) {
    const node = path.get(i - 1);
    setParent(tree, node, update.keys.get(i - 1), hash, hashBytes);
    parentHash(tree, node, copathChild(node, committer), hash);
    hashBytes = HASH_BYTES;
  }
  return commit.leaf.parentHashBytes == hashBytes && equal(commit.leaf.parentHash, hash, hashBytes);
}

/**
 * Opens the path secret of the joint.
 *
 * @param context  encoded GroupContext of the new epoch with the old transcript hash
 * @param secret   receives 32 bytes
 */
export function openPathSecret(
  group: Group,
  tree: Tree,
  update: UpdatePath,
  context: usize,
  contextBytes: u32,
  secret: usize,
): bool {
  return decryptWithLabel(
    group.privateKey(levelOf(update.recipient)),
    encryptionKey(tree.node(update.recipient)),
    UPDATE_PATH_NODE,
    context,
    contextBytes,
    update.kemOutput,
    update.sealedSecret,
    SEALED_SECRET_BYTES,
    secret,
  );
}

/**
 * Climbs from a path secret to the commit secret: derives the key pair of each node, compares the public keys with the
 * tree's, and keeps the private ones (7.4).
 *
 * @param path         nodes of a filtered direct path
 * @param from         index in `path` of the node that `secret` belongs to
 * @param secret       32 bytes: the path secret; in the end the commit secret
 * @param privateKeys  receives private keys by level, all of nodes above the own leaf
 * @returns bits `1 << level` of those keys, 0 when a public key differs
 */
export function climb(tree: Tree, path: NodeList, from: u32, secret: usize, privateKeys: usize): u32 {
  const position = mark();
  const nodeSecret = alloc(HASH_BYTES);
  const publicKey = alloc(KEY_BYTES);
  let held: u32 = 0;
  for (let i = from; i < path.count; i++) {
    const node = path.get(i);
    const level = levelOf(node);
    deriveSecret(secret, NODE, nodeSecret);
    hpkeDeriveKeyPair(nodeSecret, HASH_BYTES, privateKeys + level * KEY_BYTES, publicKey);
    if (!tree.node(node) || !equal(publicKey, encryptionKey(tree.node(node)), KEY_BYTES)) {
      held = 0;
      break;
    }
    held |= 1 << level;
    deriveSecret(secret, PATH, secret);
  }
  release(position);
  return held;
}
