// The proposals that a commit may carry (leaf.md D2): inline Remove and Add. Their checks (RFC 9420, 12.1 and 12.2) and
// what they do to the tree.
import { Reader } from "../bytes/reader";
import { mark, release } from "../runtime/arena";
import { newReader, readFixed, skipVector } from "./codec";
import { Commit } from "./commit-content";
import { verifyWithLabel } from "./labelled";
import { KEY_PACKAGE_TBS } from "./labels";
import { LeafNode, leafNodeValid, readLeafNode, SOURCE_KEY_PACKAGE } from "./leaf-node";
import { CIPHER_SUITE, KEY_BYTES, MAX_LEAVES, PROTOCOL_VERSION, SIGNATURE_BYTES } from "./limits";
import { make } from "./structure";
import { addLeaf, NodeList, removeLeaf, Tree } from "./tree";
import { keysClash } from "./tree-validation";

/** ProposalOrRef type of a proposal that stands in the commit itself. */
const INLINE: u32 = 1;
/** Proposal types (RFC 9420, 17.4). */
const PROPOSAL_ADD: u32 = 1;
const PROPOSAL_REMOVE: u32 = 3;

/** A KeyPackage (RFC 9420, 10), as pointers into it. */
@unmanaged
class KeyPackage {
  start: usize;
  initKey: usize;
  leaf: LeafNode = changetype<LeafNode>(0);
  leafBytes: u32;
  /** What the signature covers, from `start`. */
  signedBytes: u32;
  signature: usize;
}

function readKeyPackage(reader: Reader, keyPackage: KeyPackage): void {
  keyPackage.start = reader.at;
  if (reader.u16() != PROTOCOL_VERSION || reader.u16() != CIPHER_SUITE) reader.failed = true;
  keyPackage.initKey = readFixed(reader, KEY_BYTES);
  keyPackage.leaf = make<LeafNode>();
  readLeafNode(reader, keyPackage.leaf);
  keyPackage.leafBytes = <u32>(reader.at - keyPackage.leaf.start);
  skipVector(reader); // extensions
  keyPackage.signedBytes = <u32>(reader.at - keyPackage.start);
  keyPackage.signature = readFixed(reader, SIGNATURE_BYTES);
}

/** Section 10.1, except for the lifetime: a device without a clock of its own leaves that to the committer. */
function keyPackageValid(keyPackage: KeyPackage): bool {
  const leaf = keyPackage.leaf;
  return (
    leaf.source == SOURCE_KEY_PACKAGE &&
    !keysClash(keyPackage.initKey, leaf.encryptionKey()) &&
    leafNodeValid(leaf, 0, 0, 0) &&
    verifyWithLabel(
      leaf.signatureKey(),
      KEY_PACKAGE_TBS,
      keyPackage.start,
      keyPackage.signedBytes,
      keyPackage.signature,
    )
  );
}

/**
 * Applies a commit's proposals to a tree, Removes before Adds (12.3).
 *
 * @param committer  leaf index; it may not remove itself
 * @param added      receives the nodes of new leaves
 * @returns false when the commit must be refused; the tree is then spoiled
 */
export function applyProposals(tree: Tree, commit: Commit, committer: u32, added: NodeList): bool {
  commit.needsPath = commit.proposalsBytes == 0;
  return (
    applyType(PROPOSAL_REMOVE, tree, commit, committer, added) &&
    applyType(PROPOSAL_ADD, tree, commit, committer, added)
  );
}

function applyType(applied: u32, tree: Tree, commit: Commit, committer: u32, added: NodeList): bool {
  const reader = newReader(commit.proposals, commit.proposalsBytes);
  while (reader.left()) {
    const inline = reader.u8() == INLINE;
    const type = reader.u16();
    if (!inline) return false;
    if (type == PROPOSAL_REMOVE) {
      const leaf = reader.u32();
      if (reader.failed) return false;
      if (type == applied) {
        if (leaf == committer || !tree.leaf(leaf)) return false;
        removeLeaf(tree, leaf);
        commit.needsPath = true;
      }
    } else if (type == PROPOSAL_ADD) {
      const position = mark();
      const keyPackage = make<KeyPackage>();
      readKeyPackage(reader, keyPackage);
      if (reader.failed) return false;
      if (type != applied) release(position);
      else {
        if (!keyPackageValid(keyPackage)) return false;
        const leaf = addLeaf(tree, keyPackage.leaf.start, keyPackage.leafBytes);
        if (leaf == MAX_LEAVES) return false;
        added.push(2 * leaf);
      }
    } else return false;
  }
  return true;
}
