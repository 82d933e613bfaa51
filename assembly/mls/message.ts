// What a member does with messages: open, apply, seal.
import { equal } from "../bytes/compare";
import { alloc, mark, release } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { applyCommit, COMMIT_REMOVES_US, confirmedTranscriptHash } from "./commit";
import { Group, groupMembers, keepPeerKeys } from "./group";
import { CONTENT_APPLICATION, CONTENT_COMMIT, HASH_BYTES } from "./limits";
import { restoreTree } from "./pair";
import { allParts, Part } from "./parts";
import { newContent, openPrivateMessage, PrivateMessage, sealedBytes, writePrivateMessage } from "./private-message";
import { ratchetSpend, roomForSkipped } from "./ratchet";

/** What `groupOpen` found. */
@unmanaged
export class Opened {
  /** CONTENT_APPLICATION or CONTENT_COMMIT. */
  contentType: u32;
  /** Leaf index of the author. */
  sender: u32;
  generation: u32;
  /** Text of an application message, inside the message. */
  text: usize;
  textBytes: u32;
  /** The commit removed us: the group is as it was, and must not be used again (leaf.md D3). */
  removed: bool;
}

/**
 * Opens an application message of the epoch in view, or applies a commit of the current epoch.
 *
 * `group.dirty` names the parts to store afterwards; nothing changed after a refusal. After a commit the caller judges the
 * new roster and the author (leaf.md 3.4, 3.5); the author of either kind is `opened.sender`. A group of other than two
 * members cannot be stored.
 *
 * Needs the parts Member, Head, and Epoch, Receive, Skipped of the message's epoch; for the current epoch also Handshake.
 *
 * @param message  of `readPrivateMessage`; it is decrypted in place, or destroyed
 * @returns OK or Kind.Mls
 */
export function groupOpen(group: Group, message: PrivateMessage, opened: Opened): i32 {
  const context = group.context;
  group.dirty = 0;
  if (message.contentType != CONTENT_APPLICATION && message.contentType != CONTENT_COMMIT)
    return fail(Kind.Mls, Detail.MlsContentType);
  if (message.groupIdBytes != context.groupIdBytes || !equal(message.groupId, context.groupId, context.groupIdBytes)) {
    return fail(Kind.Mls, Detail.MlsGroupId);
  }
  if (!group.inView || message.epoch != context.epoch) return fail(Kind.Mls, Detail.MlsEpoch);
  opened.contentType = message.contentType;
  return message.contentType == CONTENT_COMMIT ? openCommit(group, message, opened) : openText(group, message, opened);
}

function openText(group: Group, message: PrivateMessage, opened: Opened): i32 {
  const position = mark();
  const content = newContent();
  const status = openPrivateMessage(group, message, content);
  const sender = content.sender;
  const generation = content.generation;
  opened.sender = sender;
  opened.generation = generation;
  opened.text = content.text;
  opened.textBytes = content.textBytes;
  release(position);
  if (status != OK) return status;

  const ratchet = group.receiver(sender)!.application;
  if (generation >= ratchet.generation) group.dirty = 1 << Part.Receive;
  if (generation != ratchet.generation) group.dirty |= 1 << Part.Skipped;
  // The first message split the peer's node secret in two.
  if (ratchet.generation == 0 && message.epoch == group.epoch) group.dirty |= 1 << Part.Handshake;
  if (generation > ratchet.generation) roomForSkipped(ratchet);
  ratchetSpend(ratchet, generation);
  return OK;
}

function openCommit(group: Group, message: PrivateMessage, opened: Opened): i32 {
  if (message.epoch != group.epoch) return fail(Kind.Mls, Detail.MlsEpoch);
  const restored = group.tree == 0;
  if (restored) restoreTree(group);
  const content = newContent();
  const transcriptHash = alloc(HASH_BYTES);
  const position = mark();
  let status = openPrivateMessage(group, message, content);
  if (status == OK) confirmedTranscriptHash(group.interimTranscriptHash, content, transcriptHash);
  release(position); // a copy of the message, before its leaf node is copied
  if (status == OK) status = applyCommit(group, content, transcriptHash);
  opened.sender = content.sender;
  opened.generation = content.generation;
  opened.removed = status == COMMIT_REMOVES_US;
  if (opened.removed) return OK;
  if (status != OK) {
    if (restored) group.tree = 0;
    return status;
  }
  group.dirty = allParts() & ~(1 << Part.Member);
  if (groupMembers(group) == 2 && keepPeerKeys(group)) group.dirty |= 1 << Part.Member;
  return OK;
}

/**
 * Seals a text for the group in the current epoch. The part Send must be durable before the message leaves the device.
 *
 * Needs the parts Member, Head, Send, and Epoch of the current epoch.
 *
 * @param reuseGuard  REUSE_GUARD_BYTES of fresh randomness
 * @param out         receives the MLSMessage; may not overlap `text`
 * @returns bytes written; or minus Kind.Mls when they are more than `capacity` or the ratchet is at its end
 */
export function groupSeal(
  group: Group,
  text: usize,
  textBytes: u32,
  reuseGuard: usize,
  out: usize,
  capacity: u32,
): i32 {
  group.dirty = 0;
  if (!group.inView || group.context.epoch != group.epoch) return -fail(Kind.Mls, Detail.MlsEpoch);
  if (group.send.generation == u32.MAX_VALUE) return -fail(Kind.Mls, Detail.MlsExhausted);
  if (textBytes > capacity) return -fail(Kind.Mls, Detail.MlsTooLong);
  const bytes = sealedBytes(group, textBytes);
  if (bytes > capacity) return -fail(Kind.Mls, Detail.MlsTooLong);
  writePrivateMessage(group, text, textBytes, reuseGuard, out);
  ratchetSpend(group.send, group.send.generation);
  group.dirty = 1 << Part.Send;
  return <i32>bytes;
}
