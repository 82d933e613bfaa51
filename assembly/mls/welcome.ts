// Joining by a Welcome (RFC 9420, 12.4.3.1).
import { equal } from "../bytes/compare";
import { Reader } from "../bytes/reader";
import { aes128GcmOpen } from "../crypto/gcm";
import { alloc, mark, release } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { newReader, readFixed, readVector } from "./codec";
import { Group, keepPeerKeys, memberSignatureKey, SPENT_REFERENCE_BYTES, startEpoch } from "./group";
import { DEVICE_LEAF_BYTES, deviceLeaf, packageKeyPair } from "./key-package";
import { epochConfirmed, epochSecretOf, interimTranscriptHash, keyAndNonce, welcomeSecret } from "./key-schedule";
import { decryptWithLabel, verifyWithLabel } from "./labelled";
import { GROUP_INFO_TBS, INIT_KEY, LEAF_KEY, WELCOME_SECRETS } from "./labels";
import {
  AEAD_KEY_BYTES,
  AEAD_TAG_BYTES,
  CIPHER_SUITE,
  HASH_BYTES,
  KEY_BYTES,
  MAX_LEAVES,
  PROTOCOL_VERSION,
  SIGNATURE_BYTES,
  WIRE_WELCOME,
} from "./limits";
import { readMessageHead } from "./private-message";
import { MESSAGE_KEY_BYTES } from "./ratchet";
import { allParts } from "./parts";
import { make } from "./structure";
import { filteredDirectPath, memberCount, readTree, Tree } from "./tree";
import { treeHash } from "./tree-hash";
import { isBelow, rootOf } from "./tree-math";
import { treeValid } from "./tree-validation";
import { climb } from "./update-path";

/** Extension type of the ratchet tree in a GroupInfo. */
const EXTENSION_RATCHET_TREE: u32 = 2;

/** A Welcome, as pointers into it. */
@unmanaged
export class Welcome {
  /** EncryptedGroupSecrets list. */
  secrets: usize;
  secretsBytes: u32;
  groupInfo: usize;
  groupInfoBytes: u32;
}

/** What opens a Welcome. */
@unmanaged
export class JoinKeys {
  /** KeyPackageRef, 32 bytes. */
  reference: usize;
  initPrivate: usize;
  initPublic: usize;
  leafPrivate: usize;
  /** The leaf node of the key package. */
  leaf: usize;
  leafBytes: u32;
}

/** Reads an MLSMessage that must be a Welcome of our suite. OK or Kind.Mls. */
export function readWelcome(ptr: usize, bytes: u32, welcome: Welcome): i32 {
  const reader = newReader(ptr, bytes);
  if (!readMessageHead(reader, WIRE_WELCOME)) return fail(Kind.Mls, Detail.MlsWireFormat);
  if (reader.u16() != CIPHER_SUITE) return fail(Kind.Mls, Detail.MlsCipherSuite);
  const span = make<Reader>();
  readVector(reader, span);
  welcome.secrets = span.at;
  welcome.secretsBytes = span.left();
  readVector(reader, span);
  welcome.groupInfo = span.at;
  welcome.groupInfoBytes = span.left();
  if (!reader.finished() || welcome.groupInfoBytes < AEAD_TAG_BYTES) return fail(Kind.Mls, Detail.MlsDecode);
  return OK;
}

/**
 * Finds the entry of a key package: points `sealed` at its HPKE ciphertext and returns its KEM output. 0 when no entry
 * names the reference or the list is malformed.
 */
function findSecrets(welcome: Welcome, reference: usize, sealed: Reader): usize {
  const reader = newReader(welcome.secrets, welcome.secretsBytes);
  const span = make<Reader>();
  let found: usize = 0;
  while (reader.left()) {
    readVector(reader, span);
    const ours = span.left() == HASH_BYTES && equal(span.at, reference, HASH_BYTES);
    const kemOutput = readFixed(reader, KEY_BYTES);
    readVector(reader, span);
    if (reader.failed) return 0;
    if (ours && !found) {
      found = kemOutput;
      sealed.over(span.at, span.left());
    }
  }
  return found;
}

/** Whether bytes are an MLSMessage with a well-formed Welcome of our suite: else what to answer. OK or Kind.Mls. */
export function welcomeDecode(ptr: usize, bytes: u32): i32 {
  return readWelcome(ptr, bytes, make<Welcome>());
}

/** Whether a Welcome has an entry for a key package. `reference` is its KeyPackageRef, 32 bytes. */
export function welcomeNames(ptr: usize, bytes: u32, reference: usize): bool {
  const welcome = make<Welcome>();
  return readWelcome(ptr, bytes, welcome) == OK && findSecrets(welcome, reference, make<Reader>()) != 0;
}

/**
 * Joins a group with a key package that `keyPackageMint` made. The Welcome is decrypted in place, or destroyed.
 *
 * On success the group may be used; the caller still judges its roster. `group.dirty` names what to store, under D4 after
 * erasing all parts of an earlier group of this pair. Nothing of the group may be used after a refusal.
 *
 * @param group      made ready by `groupBegin`
 * @param seed       seed of the key package, 32 bytes
 * @param reference  its KeyPackageRef, 32 bytes
 * @param notBefore  its not_before
 * @returns OK; Kind.Mls; Kind.IdentityBinding when the group has another id than was told to `groupBegin`
 */
export function welcomeJoin(ptr: usize, bytes: u32, group: Group, seed: usize, reference: usize, notBefore: u64): i32 {
  const keys = make<JoinKeys>();
  const leafPublic = alloc(KEY_BYTES);
  keys.reference = reference;
  keys.initPrivate = alloc(KEY_BYTES);
  keys.initPublic = alloc(KEY_BYTES);
  keys.leafPrivate = alloc(KEY_BYTES);
  packageKeyPair(seed, INIT_KEY, keys.initPrivate, keys.initPublic);
  packageKeyPair(seed, LEAF_KEY, keys.leafPrivate, leafPublic);
  keys.leaf = deviceLeaf(group.identity, leafPublic, notBefore);
  keys.leafBytes = DEVICE_LEAF_BYTES;
  const status = join(ptr, bytes, 0, 0, keys, group);
  if (status != OK) return status;
  const tree = group.ratchetTree();
  // Two members elsewhere than at leaves 0 and 1 would need a whole tree in the store. No phone makes such a group.
  if (memberCount(tree) == 2) {
    if (tree.leaves != 2) return fail(Kind.Mls, Detail.MlsRatchetTree);
    keepPeerKeys(group);
  }
  group.notBefore = notBefore;
  memory.copy(group.spentReference, reference, SPENT_REFERENCE_BYTES);
  group.dirty = allParts();
  return OK;
}

/**
 * Joins with given keys.
 *
 * @param givenTree  content of a ratchet_tree extension that came beside the Welcome; 0: it is in the GroupInfo
 */
export function join(ptr: usize, bytes: u32, givenTree: usize, givenTreeBytes: u32, keys: JoinKeys, group: Group): i32 {
  const welcome = make<Welcome>();
  let status = readWelcome(ptr, bytes, welcome);
  if (status != OK) return status;

  const secrets = make<GroupSecrets>();
  status = openGroupSecrets(welcome, keys, secrets);
  if (status != OK) return status;

  const pskSecret = alloc(HASH_BYTES);
  if (!openGroupInfo(welcome, secrets.joiner, pskSecret)) return fail(Kind.Mls, Detail.MlsDecrypt);

  const info = make<GroupInfo>();
  info.ratchetTree = givenTree;
  info.ratchetTreeBytes = givenTreeBytes;
  status = readGroupInfo(welcome.groupInfo, welcome.groupInfoBytes - AEAD_TAG_BYTES, group, info);
  if (status != OK) return status;
  status = takeTree(group, info, keys);
  if (status != OK) return status;
  if (secrets.pathSecret && !takePathSecret(group, info.signer, secrets.pathSecret))
    return fail(Kind.Mls, Detail.MlsPathSecret);

  const epochSecret = alloc(HASH_BYTES);
  epochSecretOf(secrets.joiner, pskSecret, group.context, epochSecret);
  if (!epochConfirmed(epochSecret, group.context.confirmedTranscriptHash, info.confirmationTag)) {
    return fail(Kind.Mls, Detail.MlsConfirmationTag);
  }
  interimTranscriptHash(group.context.confirmedTranscriptHash, info.confirmationTag, group.interimTranscriptHash);
  startEpoch(group, epochSecret);
  return info.expectedGroup ? OK : fail(Kind.IdentityBinding, Detail.MlsGroupId);
}

/** GroupSecrets (12.4.3.1), as pointers. */
@unmanaged
export class GroupSecrets {
  joiner: usize;
  /** 0 without one. */
  pathSecret: usize;
}

/** Finds, opens and reads the GroupSecrets for a key package. OK or Kind.Mls. */
export function openGroupSecrets(welcome: Welcome, keys: JoinKeys, secrets: GroupSecrets): i32 {
  const sealed = make<Reader>();
  const kemOutput = findSecrets(welcome, keys.reference, sealed);
  if (!kemOutput || sealed.left() < AEAD_TAG_BYTES) return fail(Kind.Mls, Detail.MlsGroupSecrets);
  const plainBytes = sealed.left() - AEAD_TAG_BYTES;
  const plain = alloc(plainBytes);
  if (
    !decryptWithLabel(
      keys.initPrivate,
      keys.initPublic,
      WELCOME_SECRETS,
      welcome.groupInfo,
      welcome.groupInfoBytes,
      kemOutput,
      sealed.at,
      sealed.left(),
      plain,
    )
  )
    return fail(Kind.Mls, Detail.MlsGroupSecrets);
  const reader = newReader(plain, plainBytes);
  secrets.joiner = readFixed(reader, HASH_BYTES);
  const hasPath = reader.u8();
  if (hasPath > 1) reader.failed = true;
  if (hasPath) secrets.pathSecret = readFixed(reader, HASH_BYTES);
  const psks = make<Reader>();
  readVector(reader, psks);
  if (!reader.finished()) return fail(Kind.Mls, Detail.MlsGroupSecrets);
  return psks.left() ? fail(Kind.Mls, Detail.MlsPsk) : OK;
}

/** Decrypts the GroupInfo in place. */
export function openGroupInfo(welcome: Welcome, joiner: usize, pskSecret: usize): bool {
  const position = mark();
  const secret = alloc(HASH_BYTES);
  welcomeSecret(joiner, pskSecret, secret);
  const key = alloc(MESSAGE_KEY_BYTES);
  keyAndNonce(secret, 0, 0, key);
  const good = aes128GcmOpen(
    key,
    key + AEAD_KEY_BYTES,
    0,
    0,
    welcome.groupInfo,
    welcome.groupInfoBytes,
    welcome.groupInfo,
  );
  release(position);
  return good;
}

/** GroupInfo (12.4.3), as pointers; its GroupContext goes to the group. */
@unmanaged
export class GroupInfo {
  /** The group has the id that `groupBegin` was told, or it was told none. */
  expectedGroup: bool;
  /** Content of the ratchet_tree extension, 0 without one. */
  ratchetTree: usize;
  ratchetTreeBytes: u32;
  confirmationTag: usize;
  signer: u32;
  /** What the signature covers. */
  signed: usize;
  signedBytes: u32;
  signature: usize;
}

/** Reads a GroupInfo; checks nothing but its form. OK or Kind.Mls. */
export function readGroupInfo(ptr: usize, bytes: u32, group: Group, info: GroupInfo): i32 {
  const reader = newReader(ptr, bytes);
  const span = make<Reader>();
  const context = group.context;
  if (reader.u16() != PROTOCOL_VERSION || reader.u16() != CIPHER_SUITE) return fail(Kind.Mls, Detail.MlsCipherSuite);
  readVector(reader, span);
  info.expectedGroup =
    context.groupIdBytes == 0 ||
    (span.left() == context.groupIdBytes && equal(span.at, context.groupId, context.groupIdBytes));
  context.groupId = span.at;
  context.groupIdBytes = span.left();
  context.epoch = reader.u64();
  context.treeHash = readFixed(reader, HASH_BYTES);
  context.confirmedTranscriptHash = readFixed(reader, HASH_BYTES);
  readVector(reader, span);
  context.extensions = span.at;
  context.extensionsBytes = span.left();
  readVector(reader, span);
  const extensionsGood = readExtensions(span, info);
  info.confirmationTag = readFixed(reader, HASH_BYTES);
  info.signer = reader.u32();
  info.signed = ptr;
  info.signedBytes = <u32>(reader.at - ptr);
  info.signature = readFixed(reader, SIGNATURE_BYTES);
  if (!reader.finished() || !extensionsGood) return fail(Kind.Mls, Detail.MlsGroupInfo);
  group.epoch = context.epoch;
  // A stored pair has no room for context extensions, and needs none (leaf.md 3.2).
  // @ts-ignore: LEAF is a constant of the build
  if (LEAF && context.extensionsBytes) return fail(Kind.Mls, Detail.MlsExtensions);
  return OK;
}

/** Finds the ratchet tree among the GroupInfo extensions; others are skipped, a second tree is refused. */
function readExtensions(reader: Reader, info: GroupInfo): bool {
  const data = make<Reader>();
  while (!reader.failed && reader.left()) {
    const type = reader.u16();
    readVector(reader, data);
    if (type != EXTENSION_RATCHET_TREE) continue;
    if (info.ratchetTree) return false;
    info.ratchetTree = data.at;
    info.ratchetTreeBytes = data.left();
  }
  return !reader.failed;
}

/** Reads the tree, checks it and the GroupInfo's signature, and finds our own leaf. */
function takeTree(group: Group, info: GroupInfo, keys: JoinKeys): i32 {
  const tree = info.ratchetTree ? readTree(info.ratchetTree, info.ratchetTreeBytes) : null;
  if (!tree) return fail(Kind.Mls, Detail.MlsRatchetTree);
  group.tree = changetype<usize>(tree);
  if (!tree.leaf(info.signer)) return fail(Kind.Mls, Detail.MlsSender);
  if (
    !verifyWithLabel(
      memberSignatureKey(group, info.signer),
      GROUP_INFO_TBS,
      info.signed,
      info.signedBytes,
      info.signature,
    )
  ) {
    return fail(Kind.Mls, Detail.MlsSignature);
  }
  const hash = alloc(HASH_BYTES);
  treeHash(tree, rootOf(tree.leaves), hash);
  if (!equal(hash, group.context.treeHash, HASH_BYTES)) return fail(Kind.Mls, Detail.MlsTreeHash);
  const own = findLeaf(tree, keys.leaf, keys.leafBytes);
  if (own == MAX_LEAVES) return fail(Kind.Mls, Detail.MlsOwnLeaf);
  const wrong = treeValid(tree, group.context.groupId, group.context.groupIdBytes, own);
  if (wrong != Detail.None) return fail(Kind.Mls, wrong);
  group.ownLeaf = own;
  memory.copy(group.privateKeys, keys.leafPrivate, KEY_BYTES);
  group.heldKeys = 1;
  return OK;
}

/** The leaf that equals an encoding, MAX_LEAVES without one. */
function findLeaf(tree: Tree, ptr: usize, bytes: u32): u32 {
  for (let leaf: u32 = 0; leaf < tree.leaves; leaf++) {
    if (tree.leaf(leaf) && tree.nodeBytes(2 * leaf) == bytes && equal(tree.leaf(leaf), ptr, bytes)) return leaf;
  }
  return MAX_LEAVES;
}

/** The path secret belongs to the lowest node above both us and the signer; what follows from it must be in the tree. */
function takePathSecret(group: Group, signer: u32, pathSecret: usize): bool {
  const tree = group.ratchetTree();
  const path = filteredDirectPath(tree, signer);
  let joint: u32 = 0;
  while (joint < path.count && !isBelow(2 * group.ownLeaf, path.get(joint))) joint++;
  if (joint == path.count) return false;
  const held = climb(tree, path, joint, pathSecret, group.privateKeys);
  group.heldKeys |= held;
  return held != 0;
}
