// Processing a commit (RFC 9420, 12.4.2).
import { Sha256 } from "../crypto/sha2";
import { alloc } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { Commit } from "./commit-content";
import { Group, startEpoch } from "./group";
import { epochConfirmed, epochSecretOf, GroupContext, interimTranscriptHash, joinerSecret } from "./key-schedule";
import { leafNodeValid, SOURCE_COMMIT } from "./leaf-node";
import { HASH_BYTES, KEY_BYTES, MAX_LEAVES, MAX_LEVELS, SIGNATURE_BYTES } from "./limits";
import { AuthenticatedContent } from "./private-message";
import { applyProposals } from "./proposals";
import { make } from "./structure";
import { copyTree, encryptionKey, newNodeList, Tree } from "./tree";
import { treeHash } from "./tree-hash";
import { rootOf } from "./tree-math";
import { keysClash, membersValid } from "./tree-validation";
import { climb, mergeUpdatePath, openPathSecret, readUpdatePath, UpdatePath } from "./update-path";

/** Not an error: the commit is its author's, and takes us out of the group (leaf.md D3). */
export const COMMIT_REMOVES_US: i32 = -1;

/** Length header of a signature: 64 takes two bytes. */
const SIGNATURE_HEADER_BYTES: u32 = 2;

/** What a commit would make of the group, built beside it. */
@unmanaged
class Next {
  tree: Tree = changetype<Tree>(0);
  context: GroupContext = changetype<GroupContext>(0);
  /** As in Group. */
  privateKeys: usize;
  heldKeys: u32;
  /** 32 zero bytes without a path. */
  commitSecret: usize;
}

/**
 * Applies an authenticated commit of the current epoch. The group is changed on success only.
 *
 * @param confirmed  confirmed_transcript_hash of the new epoch; it becomes the group's
 * @returns OK; COMMIT_REMOVES_US; or Kind.Mls
 */
export function applyCommit(group: Group, content: AuthenticatedContent, confirmed: usize): i32 {
  const commit = content.commit;
  const next = make<Next>();
  const status = buildNext(group, content.sender, commit, next);
  if (status != OK) return status;

  next.context.confirmedTranscriptHash = confirmed;
  const epochSecret = alloc(HASH_BYTES);
  joinerSecret(group.initSecret, next.commitSecret, next.context, epochSecret);
  epochSecretOf(epochSecret, alloc(HASH_BYTES), next.context, epochSecret);
  if (!epochConfirmed(epochSecret, confirmed, content.confirmationTag))
    return fail(Kind.Mls, Detail.MlsConfirmationTag);

  group.tree = changetype<usize>(next.tree);
  group.context = next.context;
  group.epoch = next.context.epoch;
  group.privateKeys = next.privateKeys;
  group.heldKeys = next.heldKeys;
  interimTranscriptHash(confirmed, content.confirmationTag, group.interimTranscriptHash);
  startEpoch(group, epochSecret);
  return OK;
}

/** Proposals, path, tree and commit secret; the context still has the old transcript hash. */
function buildNext(group: Group, committer: u32, commit: Commit, next: Next): i32 {
  const old = group.ratchetTree();
  const tree = copyTree(old);
  next.tree = tree;
  const added = newNodeList(MAX_LEAVES);
  if (!applyProposals(tree, commit, committer, added)) return fail(Kind.Mls, Detail.MlsProposal);
  if (commit.needsPath && !commit.hasPath) return fail(Kind.Mls, Detail.MlsUpdatePath);
  if (tree.leaf(group.ownLeaf) != old.leaf(group.ownLeaf)) return COMMIT_REMOVES_US;

  const update = make<UpdatePath>();
  if (commit.hasPath) {
    const leaf = commit.leaf;
    const context = group.context;
    if (
      leaf.source != SOURCE_COMMIT ||
      keysClash(leaf.encryptionKey(), encryptionKey(old.leaf(committer))) ||
      !leafNodeValid(leaf, context.groupId, context.groupIdBytes, committer)
    )
      return fail(Kind.Mls, Detail.MlsLeafNode);
    if (!readUpdatePath(group, tree, commit, committer, added, update)) return fail(Kind.Mls, Detail.MlsUpdatePath);
    if (!mergeUpdatePath(tree, commit, committer, update)) return fail(Kind.Mls, Detail.MlsParentHash);
  }
  const members = membersValid(tree);
  if (members != Detail.None) return fail(Kind.Mls, members);

  next.context = nextContext(group.context, tree);
  next.privateKeys = alloc(MAX_LEVELS * KEY_BYTES);
  memory.copy(next.privateKeys, group.privateKeys, MAX_LEVELS * KEY_BYTES);
  next.heldKeys = group.heldKeys;
  next.commitSecret = alloc(HASH_BYTES);
  if (!commit.hasPath) return OK;
  const encoded = next.context.encoded();
  if (!openPathSecret(group, tree, update, encoded.start, encoded.written(), next.commitSecret))
    return fail(Kind.Mls, Detail.MlsDecrypt);
  const held = climb(tree, update.path, update.joint, next.commitSecret, next.privateKeys);
  next.heldKeys |= held;
  return held ? OK : fail(Kind.Mls, Detail.MlsPathSecret);
}

/** Context of the epoch after `context`, over a new tree. */
function nextContext(context: GroupContext, tree: Tree): GroupContext {
  const next = make<GroupContext>();
  next.groupId = context.groupId;
  next.groupIdBytes = context.groupIdBytes;
  next.epoch = context.epoch + 1;
  next.treeHash = alloc(HASH_BYTES);
  treeHash(tree, rootOf(tree.leaves), next.treeHash);
  next.confirmedTranscriptHash = context.confirmedTranscriptHash;
  next.extensions = context.extensions;
  next.extensionsBytes = context.extensionsBytes;
  return next;
}

/** confirmed_transcript_hash (8.2): the last interim hash, the framed content, the signature with its header. */
export function confirmedTranscriptHash(interim: usize, content: AuthenticatedContent, out: usize): void {
  const hash = make<Sha256>();
  hash.init();
  hash.update(interim, HASH_BYTES);
  hash.update(content.framed, content.framedBytes);
  hash.update(content.signature - SIGNATURE_HEADER_BYTES, SIGNATURE_HEADER_BYTES + SIGNATURE_BYTES);
  hash.final(out);
}
