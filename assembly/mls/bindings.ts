// What the tests call where the room's own functions take or return objects. Compiled into the test build only.
import { alloc } from "../runtime/arena";
import { takeDetail } from "../runtime/fail";
import { Detail } from "../runtime/status";
import { newReader, newWriter, readLength } from "./codec";
import { confirmedTranscriptHash } from "./commit";
import { Commit, newCommit, readCommit } from "./commit-content";
import { Group, groupBegin, Identity, keepPeerKeys } from "./group";
import { epochConfirmed, epochSecretOf, GroupContext } from "./key-schedule";
import { signatureContent, signContent, verifyWithLabel } from "./labelled";
import { GROUP_INFO_TBS } from "./labels";
import { leafNodeValid } from "./leaf-node";
import { AEAD_TAG_BYTES, HASH_BYTES, KEY_BYTES, MAX_LEAVES, MAX_LEVELS } from "./limits";
import { groupOpen, Opened } from "./message";
import { allParts } from "./parts";
import {
  AuthenticatedContent,
  newContent,
  openPrivateMessage,
  PrivateMessage,
  readPrivateMessage,
} from "./private-message";
import { applyProposals } from "./proposals";
import { newReceiver } from "./receiver";
import { applicationSecret, leafNodeSecret } from "./secret-tree";
import { make } from "./structure";
import { copyTree, newNodeList, readTree, resolution, Tree } from "./tree";
import { treeHash } from "./tree-hash";
import { rootOf } from "./tree-math";
import { treeValid } from "./tree-validation";
import { climb, mergeUpdatePath, openPathSecret, readUpdatePath, UpdatePath } from "./update-path";
import {
  GroupInfo,
  GroupSecrets,
  join,
  JoinKeys,
  openGroupInfo,
  openGroupSecrets,
  readGroupInfo,
  readWelcome,
  Welcome,
} from "./welcome";

export function makeIdentity(seed: usize, publicKey: usize, address: usize): Identity {
  const identity = make<Identity>();
  identity.seed = seed;
  identity.publicKey = publicKey;
  identity.address = address;
  return identity;
}

export function makeGroup(identity: Identity, groupId: usize, groupIdBytes: u32, peerAddress: usize): Group {
  const group = make<Group>();
  groupBegin(group, identity, groupId, groupIdBytes, peerAddress);
  return group;
}

export function makeOpened(): Opened {
  return make<Opened>();
}

/** Reads and opens: `readPrivateMessage`, then `groupOpen`. */
export function openMessage(group: Group, ptr: usize, bytes: u32, opened: Opened): i32 {
  const message = make<PrivateMessage>();
  const status = readPrivateMessage(ptr, bytes, message);
  return status ? status : groupOpen(group, message, opened);
}

/** Epoch of a PrivateMessage; -1 when it is none. */
export function messageEpoch(ptr: usize, bytes: u32): i64 {
  const message = make<PrivateMessage>();
  return readPrivateMessage(ptr, bytes, message) ? -1 : message.epoch;
}

export function openedType(opened: Opened): u32 {
  return opened.contentType;
}
export function openedSender(opened: Opened): u32 {
  return opened.sender;
}
export function openedGeneration(opened: Opened): u32 {
  return opened.generation;
}
export function openedText(opened: Opened): usize {
  return opened.text;
}
export function openedTextBytes(opened: Opened): u32 {
  return opened.textBytes;
}
export function openedRemoved(opened: Opened): bool {
  return opened.removed;
}

export function groupDirty(group: Group): u32 {
  return group.dirty;
}
export function groupEpoch(group: Group): u64 {
  return group.epoch;
}
export function groupViewEpoch(group: Group): u64 {
  return group.context.epoch;
}
export function groupEpochAuthenticator(group: Group): usize {
  return group.epochAuthenticator;
}
export function groupExporterSecret(group: Group): usize {
  return group.exporterSecret;
}

/** `join` with keys from outside; the pointers are those of JoinKeys. */
export function joinWith(
  group: Group,
  ptr: usize,
  bytes: u32,
  tree: usize,
  treeBytes: u32,
  reference: usize,
  initPrivate: usize,
  initPublic: usize,
  leafPrivate: usize,
  leaf: usize,
  leafBytes: u32,
): i32 {
  const keys = make<JoinKeys>();
  keys.reference = reference;
  keys.initPrivate = initPrivate;
  keys.initPublic = initPublic;
  keys.leafPrivate = leafPrivate;
  keys.leaf = leaf;
  keys.leafBytes = leafBytes;
  return join(ptr, bytes, tree, treeBytes, keys, group);
}

/** What `welcomeJoin` does after `join`: makes the group one that can be stored. */
export function keepPair(group: Group, notBefore: u64): void {
  group.notBefore = notBefore;
  keepPeerKeys(group);
  group.dirty = allParts();
}

/** Length header of a vector at `ptr`; -1 when it is malformed. */
export function vectorLength(ptr: usize, bytes: u32): i64 {
  const reader = newReader(ptr, bytes);
  const length = readLength(reader);
  return reader.finished() ? length : -1;
}

export function signWithLabel(
  seed: usize,
  publicKey: usize,
  label: usize,
  ptr: usize,
  bytes: u32,
  signature: usize,
): void {
  const content = signatureContent(label, bytes);
  content.bytes(ptr, bytes);
  signContent(seed, publicKey, content, signature);
}

export function makeContext(
  groupId: usize,
  groupIdBytes: u32,
  epoch: u64,
  treeHash: usize,
  confirmedTranscriptHash: usize,
): GroupContext {
  const context = make<GroupContext>();
  context.groupId = groupId;
  context.groupIdBytes = groupIdBytes;
  context.epoch = epoch;
  context.treeHash = treeHash;
  context.confirmedTranscriptHash = confirmedTranscriptHash;
  return context;
}

/** Where the encoding of a context is; its size is `contextBytes`. */
export function encodeContext(context: GroupContext): usize {
  return context.encoded().start;
}
export function contextBytes(context: GroupContext): u32 {
  return context.bytes();
}

/** A member of a two-leaf group that has only what protects messages: `sender` is the other, whose key is given. */
export function protect(
  group: Group,
  context: GroupContext,
  ownLeaf: u32,
  signatureKey: usize,
  encryptionSecret: usize,
  senderDataSecret: usize,
): void {
  group.context = context;
  group.epoch = context.epoch;
  group.inView = true;
  group.ownLeaf = ownLeaf;
  memory.copy(group.peerSignatureKey, signatureKey, KEY_BYTES);
  memory.copy(group.senderDataSecret, senderDataSecret, HASH_BYTES);
  leafNodeSecret(encryptionSecret, 2, ownLeaf, group.send.secret);
  applicationSecret(group.send.secret, group.send.secret);
  const receiver = newReceiver();
  leafNodeSecret(encryptionSecret, 2, ownLeaf ^ 1, receiver.application.secret);
  group.setReceiver(ownLeaf ^ 1, receiver);
}

/** Opens a PrivateMessage of any content; returns its status, the content lies in the message. */
export function unprotect(group: Group, ptr: usize, bytes: u32, span: usize): i32 {
  const message = make<PrivateMessage>();
  let status = readPrivateMessage(ptr, bytes, message);
  if (status) return status;
  const content = newContent();
  status = openPrivateMessage(group, message, content);
  if (status) return status;
  store<usize>(span, message.ciphertext);
  store<u32>(span, content.contentBytes, 4);
  return 0;
}

export function transcriptHash(interim: usize, framed: usize, framedBytes: u32, signature: usize, out: usize): void {
  const content = make<AuthenticatedContent>();
  content.framed = framed;
  content.framedBytes = framedBytes;
  content.signature = signature;
  confirmedTranscriptHash(interim, content, out);
}

/** Tree of a ratchet_tree extension, 0 when it is malformed. */
export function treeOf(ptr: usize, bytes: u32): usize {
  return changetype<usize>(readTree(ptr, bytes));
}
export function treeLeaves(tree: Tree): u32 {
  return tree.leaves;
}
export function validateTree(tree: Tree, groupId: usize, groupIdBytes: u32): i32 {
  return treeValid(tree, groupId, groupIdBytes, MAX_LEAVES);
}
/** Resolution of a node: native u32 list at the result; its length goes to `count`. */
export function resolutionOf(tree: Tree, node: u32, count: usize): usize {
  const list = resolution(tree, node);
  store<u32>(count, list.count);
  return list.at;
}

/** Applies one inline proposal of `sender`, as a commit would. */
export function applyProposal(tree: Tree, ptr: usize, bytes: u32, sender: u32): bool {
  const commit = make<Commit>();
  commit.proposals = ptr;
  commit.proposalsBytes = bytes;
  return applyProposals(tree, commit, sender, newNodeList(MAX_LEAVES));
}

/** Gives a member its leaf key and the path secret of one of its ancestors; false when that does not fit the tree. */
export function holdLeafKey(group: Group, tree: Tree, ownLeaf: u32, privateKey: usize): void {
  group.tree = changetype<usize>(tree);
  group.ownLeaf = ownLeaf;
  memory.copy(group.privateKeys, privateKey, KEY_BYTES);
  group.heldKeys = 1;
}
export function holdPathSecret(group: Group, node: u32, pathSecret: usize): bool {
  const secret = alloc(HASH_BYTES);
  memory.copy(secret, pathSecret, HASH_BYTES);
  const only = newNodeList(1);
  only.push(node);
  const held = climb(group.ratchetTree(), only, 0, secret, group.privateKeys);
  group.heldKeys |= held;
  return held != 0;
}

/**
 * Takes an UpdatePath of `sender` into a copy of the tree and opens it.
 *
 * @param context     its tree hash is filled in
 * @param pathSecret  receives the secret of the lowest common ancestor
 * @param commitSecret receives the commit secret
 */
export function takeUpdatePath(
  group: Group,
  ptr: usize,
  bytes: u32,
  sender: u32,
  context: GroupContext,
  pathSecret: usize,
  commitSecret: usize,
): bool {
  // An empty proposal list and a present path make a commit of an UpdatePath.
  const encoded = newWriter(2 + bytes);
  encoded.u16(1);
  encoded.bytes(ptr, bytes);
  const reader = newReader(encoded.start, encoded.written());
  const commit = newCommit();
  readCommit(reader, commit);
  if (!reader.finished()) return false;
  const tree = copyTree(group.ratchetTree());
  const update = make<UpdatePath>();
  if (!leafNodeValid(commit.leaf, context.groupId, context.groupIdBytes, sender)) return false;
  if (!readUpdatePath(group, tree, commit, sender, newNodeList(1), update)) return false;
  if (!mergeUpdatePath(tree, commit, sender, update)) return false;
  treeHash(tree, rootOf(tree.leaves), context.treeHash);
  const provisional = context.encoded();
  if (!openPathSecret(group, tree, update, provisional.start, provisional.written(), pathSecret)) return false;
  memory.copy(commitSecret, pathSecret, HASH_BYTES);
  const privateKeys = alloc(MAX_LEVELS * KEY_BYTES);
  return climb(tree, update.path, update.joint, commitSecret, privateKeys) != 0;
}

/**
 * Opens a Welcome as far as its GroupInfo, whose signer's key is given.
 *
 * @returns 0 or the detail of what failed
 */
export function checkWelcome(
  group: Group,
  ptr: usize,
  bytes: u32,
  reference: usize,
  initPrivate: usize,
  initPublic: usize,
  signerKey: usize,
): i32 {
  const welcome = make<Welcome>();
  const keys = make<JoinKeys>();
  keys.reference = reference;
  keys.initPrivate = initPrivate;
  keys.initPublic = initPublic;
  const secrets = make<GroupSecrets>();
  if (readWelcome(ptr, bytes, welcome) || openGroupSecrets(welcome, keys, secrets)) return takeDetail();
  const pskSecret = alloc(HASH_BYTES);
  if (!openGroupInfo(welcome, secrets.joiner, pskSecret)) return Detail.MlsDecrypt;
  const info = make<GroupInfo>();
  if (readGroupInfo(welcome.groupInfo, welcome.groupInfoBytes - AEAD_TAG_BYTES, group, info)) return takeDetail();
  if (!verifyWithLabel(signerKey, GROUP_INFO_TBS, info.signed, info.signedBytes, info.signature))
    return Detail.MlsSignature;
  const epochSecret = alloc(HASH_BYTES);
  epochSecretOf(secrets.joiner, pskSecret, group.context, epochSecret);
  return epochConfirmed(epochSecret, group.context.confirmedTranscriptHash, info.confirmationTag)
    ? 0
    : Detail.MlsConfirmationTag;
}
