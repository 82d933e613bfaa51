// What a whole ratchet tree must satisfy before a member believes it (RFC 9420, 7.3, 7.9.2 and 12.4.3.1).
import { equal } from "../bytes/compare";
import { alloc, mark, release } from "../runtime/arena";
import { Detail } from "../runtime/status";
import { newReader } from "./codec";
import { LeafNode, leafNodeValid, listHolds, readLeafNode, SOURCE_COMMIT } from "./leaf-node";
import { HASH_BYTES } from "./limits";
import { make } from "./structure";
import { encryptionKey, parentNode, resolution, signatureKey, Tree } from "./tree";
import { holdsLeaf, parentHash } from "./tree-hash";
import { isBelow, leftOf, nodeCount, parentOf, rightOf } from "./tree-math";

/** A leaf of the tree, split; the node is not blank and was checked when it was read. */
export function leafOf(tree: Tree, index: u32): LeafNode {
  const leaf = make<LeafNode>();
  readLeafNode(newReader(tree.node(2 * index), tree.nodeBytes(2 * index)), leaf);
  return leaf;
}

/**
 * Validates a tree that came from outside, except for its hash.
 *
 * @param trusted  leaf index whose own checks are done (our own leaf)
 * @returns Detail.None, or what is wrong
 */
export function treeValid(tree: Tree, groupId: usize, groupIdBytes: u32, trusted: u32): Detail {
  const nodes = nodeCount(tree.leaves);
  for (let node: u32 = 1; node < nodes; node += 2) {
    if (tree.node(node) && !unmergedValid(tree, node)) return Detail.MlsRatchetTree;
  }
  for (let node: u32 = 1; node < nodes; node += 2) {
    if (tree.node(node) && !parentHashValid(tree, node)) return Detail.MlsParentHash;
  }
  const members = membersValid(tree);
  if (members != Detail.None) return members;
  for (let leaf: u32 = 0; leaf < tree.leaves; leaf++) {
    if (leaf == trusted || !tree.leaf(leaf)) continue;
    const position = mark();
    const good = leafNodeValid(leafOf(tree, leaf), groupId, groupIdBytes, leaf);
    release(position);
    if (!good) return Detail.MlsLeafNode;
  }
  return Detail.None;
}

/** Keys are unique and every member supports every credential type in use: what each change of the roster must keep. */
export function membersValid(tree: Tree): Detail {
  if (!keysUnique(tree)) return Detail.MlsDuplicateKey;
  return credentialsSupported(tree) ? Detail.None : Detail.MlsLeafNode;
}

/**
 * Unmerged leaves are members below the node, ascending, and every node between that is not blank lists them too.
 */
function unmergedValid(tree: Tree, node: u32): bool {
  const parent = parentNode(tree, node);
  let next: u32 = 0;
  for (let at: u32 = 0; at < parent.unmergedBytes; at += 4) {
    const leaf = bswap<u32>(load<u32>(parent.unmerged + at));
    if (leaf < next || !tree.leaf(leaf) || !isBelow(2 * leaf, node)) return false;
    next = leaf + 1;
    for (let between = parentOf(2 * leaf); between != node; between = parentOf(between)) {
      if (!tree.node(between)) continue;
      const inner = parentNode(tree, between);
      if (!holdsLeaf(inner.unmerged, inner.unmergedBytes, leaf)) return false;
    }
  }
  return true;
}

/** Section 7.9.2: some node of the resolution of one child carries the parent hash of `node` over its other child. */
function parentHashValid(tree: Tree, node: u32): bool {
  const position = mark();
  const left = leftOf(node);
  const right = rightOf(node);
  const good = linkedThrough(tree, node, left, right) || linkedThrough(tree, node, right, left);
  release(position);
  return good;
}

/** Whether the chain of parent hashes reaches `node` through `child`; `copath` is its other child. */
function linkedThrough(tree: Tree, node: u32, child: u32, copath: u32): bool {
  const expected = alloc(HASH_BYTES);
  parentHash(tree, node, copath, expected);
  const parent = parentNode(tree, node);
  const candidates = resolution(tree, child);
  // All of the resolution but the link itself must be the leaves that are unmerged at `node` below `child`.
  let unmerged: u32 = 0;
  for (let at: u32 = 0; at < parent.unmergedBytes; at += 4) {
    const leafNode = 2 * bswap<u32>(load<u32>(parent.unmerged + at));
    if (!isBelow(leafNode, child)) continue;
    if (!candidates.holds(leafNode)) return false;
    unmerged++;
  }
  if (unmerged + 1 != candidates.count) return false;
  for (let i: u32 = 0; i < candidates.count; i++) {
    const candidate = candidates.get(i);
    if (candidate & 1 || !holdsLeaf(parent.unmerged, parent.unmergedBytes, candidate >> 1)) {
      return carries(tree, candidate, expected);
    }
  }
  return false;
}

/** Whether a node's parent_hash field is `expected`. */
function carries(tree: Tree, node: u32, expected: usize): bool {
  let hash: usize;
  let bytes: u32;
  if (node & 1) {
    const parent = parentNode(tree, node);
    hash = parent.parentHash;
    bytes = parent.parentHashBytes;
  } else {
    const leaf = leafOf(tree, node >> 1);
    hash = leaf.parentHash;
    bytes = leaf.source == SOURCE_COMMIT ? leaf.parentHashBytes : 0;
  }
  return bytes == HASH_BYTES && equal(hash, expected, HASH_BYTES);
}

/** Whether two keys are to be taken for the same: see `keysUnique`. */
export function keysClash(a: usize, b: usize): bool {
  return load<u64>(a) == load<u64>(b);
}

/**
 * No encryption key stands in two nodes, no signature key in two leaves. The first eight bytes are compared: two
 * honest keys share them with odds of 2^-64, and nobody gains by having an own key refused.
 */
function keysUnique(tree: Tree): bool {
  const nodes = nodeCount(tree.leaves);
  for (let a: u32 = 0; a < nodes; a++) {
    const first = tree.node(a);
    if (!first) continue;
    for (let b = a + 1; b < nodes; b++) {
      const second = tree.node(b);
      if (!second) continue;
      if (keysClash(encryptionKey(first), encryptionKey(second))) return false;
      if (!((a | b) & 1) && keysClash(signatureKey(first), signatureKey(second))) return false;
    }
  }
  return true;
}

/** Every member's capabilities list every credential type in use (7.3). */
function credentialsSupported(tree: Tree): bool {
  const position = mark();
  let good = true;
  for (let a: u32 = 0; a < tree.leaves; a++) {
    if (!tree.leaf(a)) continue;
    const type = leafOf(tree, a).credentialType;
    for (let b: u32 = 0; b < tree.leaves; b++) {
      if (!tree.leaf(b)) continue;
      const leaf = leafOf(tree, b);
      if (!listHolds(leaf.capableCredentials, leaf.capableCredentialsBytes, type)) good = false;
    }
  }
  release(position);
  return good;
}
