// Commit (RFC 9420, 12.4): splitting it into its parts.
import { Reader } from "../bytes/reader";
import { readVector } from "./codec";
import { LeafNode, readLeafNode } from "./leaf-node";
import { make } from "./structure";

/** A commit, as pointers into it. */
@unmanaged
export class Commit {
  /** ProposalOrRef list. */
  proposals: usize;
  proposalsBytes: u32;
  /** Whether its proposals oblige it to carry a path (12.4); known once they were applied. */
  needsPath: bool;
  hasPath: bool;
  /** Leaf node of the update path. */
  leaf: LeafNode = changetype<LeafNode>(0);
  leafBytes: u32;
  /** UpdatePathNode list. */
  nodes: usize;
  nodesBytes: u32;
}

/** A commit to be read. */
export function newCommit(): Commit {
  const commit = make<Commit>();
  commit.leaf = make<LeafNode>();
  return commit;
}

/** Reads a commit; a departure from the encoding fails the reader. What its vectors hold is not looked at. */
export function readCommit(reader: Reader, commit: Commit): void {
  const span = make<Reader>();
  readVector(reader, span);
  commit.proposals = span.at;
  commit.proposalsBytes = span.left();
  const present = reader.u8();
  if (present > 1) reader.failed = true;
  commit.hasPath = present == 1;
  if (present != 1) return;
  readLeafNode(reader, commit.leaf);
  commit.leafBytes = <u32>(reader.at - commit.leaf.start);
  readVector(reader, span);
  commit.nodes = span.at;
  commit.nodesBytes = span.left();
}
