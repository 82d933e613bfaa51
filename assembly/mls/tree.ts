// The ratchet tree (RFC 9420, 7): nodes as spans of their encodings, resolution, filtered direct path, changes.
import { Reader } from "../bytes/reader";
import { Writer } from "../bytes/writer";
import { alloc } from "../runtime/arena";
import { newReader, newWriter, readFixed, readVector, writeVector } from "./codec";
import { ENCRYPTION_KEY_AT, LeafNode, readLeafNode, SIGNATURE_KEY_AT } from "./leaf-node";
import { HASH_BYTES, KEY_BYTES, MAX_LEAVES } from "./limits";
import { make } from "./structure";
import { leafSlots, leftOf, levelOf, nodeCount, parentOf, rightOf, rootOf, siblingOf } from "./tree-math";

/** Node types of the ratchet_tree extension. */
const NODE_LEAF: u32 = 1;
const NODE_PARENT: u32 = 2;

/** One node: where its encoding lies (0: blank), how long it is, and its subtree's hash where that is known (0: not). */
const NODE_ENTRY_BYTES: u32 = 12;

/** Leaf slots are a power of two; nodes are in array order (tree-math.ts). */
@unmanaged
export class Tree {
  leaves: u32;
  entries: usize;

  private entry(node: u32): usize {
    return this.entries + node * NODE_ENTRY_BYTES;
  }

  /** The node's encoding, 0 when it is blank. */
  node(node: u32): usize {
    return load<usize>(this.entry(node));
  }

  nodeBytes(node: u32): u32 {
    return load<u32>(this.entry(node), 4);
  }

  /** Encoding of a leaf by leaf index; 0 when blank or outside of the tree. */
  leaf(index: u32): usize {
    return index < this.leaves ? this.node(2 * index) : 0;
  }

  /** Hash of the node's subtree, when it was given with the tree and nothing below changed since; else 0. */
  knownHash(node: u32): usize {
    return load<usize>(this.entry(node), 8);
  }

  setKnownHash(node: u32, hash: usize): void {
    store<usize>(this.entry(node), hash, 8);
  }

  /** Replaces a node; a `ptr` of 0 blanks it. Known hashes above it are forgotten. */
  set(node: u32, ptr: usize, bytes: u32): void {
    const entry = this.entry(node);
    store<u32>(entry, bytes, 4);
    store<usize>(entry, ptr);
    const root = rootOf(this.leaves);
    for (; ; node = parentOf(node)) {
      this.setKnownHash(node, 0);
      if (node == root) return;
    }
  }
}

/** A blank tree of `leaves` leaf slots. */
export function newTree(leaves: u32): Tree {
  const tree = make<Tree>();
  tree.leaves = leaves;
  tree.entries = alloc(nodeCount(leaves) * NODE_ENTRY_BYTES);
  return tree;
}

/** A copy that can be changed; its nodes still point to the same encodings. */
export function copyTree(tree: Tree): Tree {
  const copy = newTree(tree.leaves);
  memory.copy(copy.entries, tree.entries, nodeCount(tree.leaves) * NODE_ENTRY_BYTES);
  return copy;
}

/** Doubles the leaf slots (RFC 9420, 7.7); the old tree becomes the left half. */
function growTree(tree: Tree): void {
  const larger = newTree(2 * tree.leaves);
  memory.copy(larger.entries, tree.entries, nodeCount(tree.leaves) * NODE_ENTRY_BYTES);
  tree.entries = larger.entries;
  tree.leaves = larger.leaves;
}

/**
 * Reads the content of a ratchet_tree extension (RFC 9420, 12.4.3.3).
 *
 * @returns null when it is malformed, ends in a blank node, or is larger than MAX_LEAVES
 */
export function readTree(ptr: usize, bytes: u32): Tree | null {
  const outer = newReader(ptr, bytes);
  const reader = make<Reader>();
  readVector(outer, reader);
  if (!outer.finished()) return null;
  const slots = countSlots(reader);
  if (slots == 0) return null;
  const tree = newTree(slots);
  for (let node: u32 = 0; reader.left(); node++) {
    if (reader.u8() == 0) continue;
    reader.u8();
    const at = reader.at;
    skipNode(reader, node & 1 ? NODE_PARENT : NODE_LEAF);
    tree.set(node, at, <u32>(reader.at - at));
  }
  return tree;
}

/** Leaf slots of an encoded tree, 0 when it cannot be taken. Leaves the cursor where it was. */
function countSlots(reader: Reader): u32 {
  const start = reader.at;
  let nodes: u32 = 0;
  let present: u32 = 0;
  while (!reader.failed && reader.left() && nodes < nodeCount(MAX_LEAVES)) {
    present = reader.u8();
    if (present == 1) {
      const type = reader.u8();
      if (type != (nodes & 1 ? NODE_PARENT : NODE_LEAF)) return 0;
      skipNode(reader, type);
    } else if (present != 0) {
      return 0;
    }
    nodes++;
  }
  if (!reader.finished() || present == 0) return 0;
  reader.at = start;
  const slots = leafSlots((nodes + 1) >> 1);
  // An even count ends in a parent, which may be the root above an empty right half.
  return nodeCount(slots) < nodes ? (slots < MAX_LEAVES ? slots * 2 : 0) : slots;
}

function skipNode(reader: Reader, type: u32): void {
  if (type == NODE_LEAF) return readLeafNode(reader, make<LeafNode>());
  readFixed(reader, KEY_BYTES);
  const span = make<Reader>();
  readVector(reader, span);
  if (span.left() != 0 && span.left() != HASH_BYTES) reader.failed = true;
  readVector(reader, span);
  if (span.left() & 3 || span.left() > 4 * MAX_LEAVES) reader.failed = true;
}

/** The encryption key of a node that is not blank: both kinds begin with it. */
export function encryptionKey(node: usize): usize {
  return node + ENCRYPTION_KEY_AT;
}

/** The signature key of a leaf that is not blank. */
export function signatureKey(leaf: usize): usize {
  return leaf + SIGNATURE_KEY_AT;
}

/** A parent node (RFC 9420, 7.1), as pointers into its encoding. */
@unmanaged
export class ParentNode {
  parentHash: usize;
  parentHashBytes: u32;
  /** Big-endian u32 list of leaf indices. */
  unmerged: usize;
  unmergedBytes: u32;
}

/** Splits a parent node of a tree, which was checked when it was read. */
export function parentNode(tree: Tree, node: u32): ParentNode {
  const parent = make<ParentNode>();
  const reader = newReader(tree.node(node), tree.nodeBytes(node));
  readFixed(reader, KEY_BYTES);
  const span = make<Reader>();
  readVector(reader, span);
  parent.parentHash = span.at;
  parent.parentHashBytes = span.left();
  readVector(reader, span);
  parent.unmerged = span.at;
  parent.unmergedBytes = span.left();
  return parent;
}

/** Puts a parent node without unmerged leaves into the tree; `parentHashBytes` is 0 or 32. */
export function setParent(tree: Tree, node: u32, key: usize, parentHash: usize, parentHashBytes: u32): void {
  const writer = newWriter(1 + KEY_BYTES + 1 + parentHashBytes + 1);
  writeVector(writer, key, KEY_BYTES);
  writeVector(writer, parentHash, parentHashBytes);
  writer.u8(0);
  tree.set(node, writer.start, writer.written());
}

/** A list of node indices. */
@unmanaged
export class NodeList {
  at: usize;
  count: u32;

  get(index: u32): u32 {
    return load<u32>(this.at + 4 * index);
  }

  push(node: u32): void {
    store<u32>(this.at + 4 * this.count++, node);
  }

  holds(node: u32): bool {
    for (let i: u32 = 0; i < this.count; i++) if (this.get(i) == node) return true;
    return false;
  }
}

export function newNodeList(capacity: u32): NodeList {
  const list = make<NodeList>();
  list.at = alloc(4 * capacity);
  return list;
}

/**
 * Resolution of a node (RFC 9420, 4.1.1). Unmerged leaves must lie below their node in ascending order, as
 * `unmergedValid` made sure: then a subtree of m leaves resolves to fewer than 2m nodes.
 */
export function resolution(tree: Tree, node: u32): NodeList {
  const list = newNodeList(2 * tree.leaves);
  resolve(tree, node, list);
  return list;
}

function resolve(tree: Tree, node: u32, list: NodeList): void {
  if (tree.node(node)) {
    list.push(node);
    if (node & 1) {
      const parent = parentNode(tree, node);
      for (let at: u32 = 0; at < parent.unmergedBytes; at += 4)
        list.push(2 * bswap<u32>(load<u32>(parent.unmerged + at)));
    }
  } else if (node & 1) {
    resolve(tree, leftOf(node), list);
    resolve(tree, rightOf(node), list);
  }
}

/** Whether the subtree of a node holds any member: whether its resolution is not empty. */
export function isInhabited(tree: Tree, node: u32): bool {
  if (tree.node(node)) return true;
  return node & 1 ? isInhabited(tree, leftOf(node)) || isInhabited(tree, rightOf(node)) : false;
}

/**
 * Filtered direct path of a leaf (RFC 9420, 4.1.2), lowest node first: its ancestors whose other child holds members.
 *
 * @param leaf  leaf index
 */
export function filteredDirectPath(tree: Tree, leaf: u32): NodeList {
  const list = newNodeList(levelOf(rootOf(tree.leaves)));
  const root = rootOf(tree.leaves);
  for (let node = 2 * leaf; node != root; node = parentOf(node)) {
    if (isInhabited(tree, siblingOf(node))) list.push(parentOf(node));
  }
  return list;
}

/** The child of `node` that is not on the way to leaf `leaf` below it. */
export function copathChild(node: u32, leaf: u32): u32 {
  return leaf << 1 > node ? leftOf(node) : rightOf(node);
}

/** Blanks all ancestors of a leaf. */
export function blankDirectPath(tree: Tree, leaf: u32): void {
  const root = rootOf(tree.leaves);
  for (let node = 2 * leaf; node != root;) {
    node = parentOf(node);
    tree.set(node, 0, 0);
  }
}

/** Removes a leaf (RFC 9420, 12.1.3): blanks it and its direct path, then cuts empty right halves. */
export function removeLeaf(tree: Tree, leaf: u32): void {
  tree.set(2 * leaf, 0, 0);
  blankDirectPath(tree, leaf);
  while (tree.leaves > 1) {
    for (let index = tree.leaves >> 1; index < tree.leaves; index++) if (tree.leaf(index)) return;
    tree.leaves >>= 1;
  }
}

/**
 * Adds a leaf (RFC 9420, 12.1.1) at the leftmost free slot, in a larger tree when there is none: it becomes unmerged at
 * every ancestor that is not blank.
 *
 * @returns the leaf index, or MAX_LEAVES when the tree may not grow
 */
export function addLeaf(tree: Tree, ptr: usize, bytes: u32): u32 {
  let leaf: u32 = 0;
  while (tree.leaf(leaf)) leaf++;
  if (leaf == MAX_LEAVES) return leaf;
  if (leaf == tree.leaves) growTree(tree);
  const root = rootOf(tree.leaves);
  tree.set(2 * leaf, ptr, bytes);
  for (let node = 2 * leaf; node != root;) {
    node = parentOf(node);
    if (tree.node(node)) addUnmerged(tree, node, leaf);
  }
  return leaf;
}

/** Inserts `leaf` in order into a parent's unmerged leaves. */
function addUnmerged(tree: Tree, node: u32, leaf: u32): void {
  const parent = parentNode(tree, node);
  let before: u32 = 0;
  while (before < parent.unmergedBytes && bswap<u32>(load<u32>(parent.unmerged + before)) < leaf) before += 4;
  const writer = newWriter(tree.nodeBytes(node) + 8);
  writeVector(writer, encryptionKey(tree.node(node)), KEY_BYTES);
  writeVector(writer, parent.parentHash, parent.parentHashBytes);
  writeUnmerged(writer, parent, before, leaf);
  tree.set(node, writer.start, writer.written());
}

function writeUnmerged(writer: Writer, parent: ParentNode, before: u32, leaf: u32): void {
  const list = newWriter(parent.unmergedBytes + 4);
  list.bytes(parent.unmerged, before);
  list.u32(leaf);
  list.bytes(parent.unmerged + before, parent.unmergedBytes - before);
  writeVector(writer, list.start, list.written());
}

/** Number of members. */
export function memberCount(tree: Tree): u32 {
  let count: u32 = 0;
  for (let leaf: u32 = 0; leaf < tree.leaves; leaf++) if (tree.leaf(leaf)) count++;
  return count;
}
