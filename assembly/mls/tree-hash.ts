// Tree hashes and parent hashes (RFC 9420, 7.8 and 7.9).
import { Writer } from "../bytes/writer";
import { sha256, Sha256 } from "../crypto/sha2";
import { alloc, mark, release } from "../runtime/arena";
import { newWriter, writeVector } from "./codec";
import { HASH_BYTES, KEY_BYTES } from "./limits";
import { make } from "./structure";
import { encryptionKey, parentNode, ParentNode, Tree } from "./tree";
import { leftOf, rightOf } from "./tree-math";

/** Node types of TreeHashInput. */
const HASH_LEAF: u32 = 1;
const HASH_PARENT: u32 = 2;

/** Tree hash of the subtree of `node`: 32 bytes to `out`. */
export function treeHash(tree: Tree, node: u32, out: usize): void {
  treeHashWithout(tree, node, 0, 0, out);
}

/**
 * Tree hash of the subtree of `node` as if some leaves were blank and merged nowhere (the original tree hash of
 * section 7.9).
 *
 * @param without  big-endian u32 list of leaf indices, `withoutBytes` long
 */
export function treeHashWithout(tree: Tree, node: u32, without: usize, withoutBytes: u32, out: usize): void {
  const known = tree.knownHash(node);
  if (known && withoutBytes == 0) {
    memory.copy(out, known, HASH_BYTES);
    return;
  }
  const position = mark();
  const hash = make<Sha256>();
  hash.init();
  if (node & 1) hashParent(hash, tree, node, without, withoutBytes);
  else hashLeaf(hash, tree, node, without, withoutBytes);
  hash.final(out);
  release(position);
}

/** TreeHashInput of a leaf: type, leaf index, optional LeafNode. */
function hashLeaf(hash: Sha256, tree: Tree, node: u32, without: usize, withoutBytes: u32): void {
  const index = node >> 1;
  const present = tree.node(node) != 0 && !holdsLeaf(without, withoutBytes, index);
  const head = newWriter(6);
  head.u8(HASH_LEAF);
  head.u32(index);
  head.u8(present ? 1 : 0);
  update(hash, head);
  if (present) hash.update(tree.node(node), tree.nodeBytes(node));
}

/** TreeHashInput of a parent: type, optional ParentNode, hashes of both children. */
function hashParent(hash: Sha256, tree: Tree, node: u32, without: usize, withoutBytes: u32): void {
  const children = alloc(2 * HASH_BYTES);
  treeHashWithout(tree, leftOf(node), without, withoutBytes, children);
  treeHashWithout(tree, rightOf(node), without, withoutBytes, children + HASH_BYTES);
  const present = tree.node(node) != 0;
  const input = newWriter(2 + tree.nodeBytes(node) + 2 * (1 + HASH_BYTES));
  input.u8(HASH_PARENT);
  input.u8(present ? 1 : 0);
  if (present) {
    const parent = parentNode(tree, node);
    writeVector(input, encryptionKey(tree.node(node)), KEY_BYTES);
    writeVector(input, parent.parentHash, parent.parentHashBytes);
    writeMerged(input, parent, without, withoutBytes);
  }
  writeVector(input, children, HASH_BYTES);
  writeVector(input, children + HASH_BYTES, HASH_BYTES);
  update(hash, input);
}

/** The unmerged leaves of a parent, except those of a list. */
function writeMerged(writer: Writer, parent: ParentNode, without: usize, withoutBytes: u32): void {
  const kept = newWriter(parent.unmergedBytes);
  for (let at: u32 = 0; at < parent.unmergedBytes; at += 4) {
    const leaf = bswap<u32>(load<u32>(parent.unmerged + at));
    if (!holdsLeaf(without, withoutBytes, leaf)) kept.u32(leaf);
  }
  writeVector(writer, kept.start, kept.written());
}

function update(hash: Sha256, writer: Writer): void {
  hash.update(writer.start, writer.written());
}

/** Whether a big-endian u32 list holds a leaf index. */
export function holdsLeaf(list: usize, bytes: u32, leaf: u32): bool {
  for (const end = list + bytes; list < end; list += 4) if (bswap<u32>(load<u32>(list)) == leaf) return true;
  return false;
}

/**
 * Parent hash of parent node `node` with respect to its child `copath` (section 7.9): 32 bytes to `out`. Leaves that
 * are unmerged at `node` count as absent from the copath subtree.
 */
export function parentHash(tree: Tree, node: u32, copath: u32, out: usize): void {
  const position = mark();
  const parent = parentNode(tree, node);
  const sibling = alloc(HASH_BYTES);
  treeHashWithout(tree, copath, parent.unmerged, parent.unmergedBytes, sibling);
  const input = newWriter(3 * (1 + HASH_BYTES));
  writeVector(input, encryptionKey(tree.node(node)), KEY_BYTES);
  writeVector(input, parent.parentHash, parent.parentHashBytes);
  writeVector(input, sibling, HASH_BYTES);
  sha256(input.start, input.written(), out);
  release(position);
}
