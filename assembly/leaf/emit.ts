// The frames that a device sends (sealed.md 2.1 and 2.2): key package, sealed, confirm ack, delivery acknowledgement.
import { make } from "../mls/structure";
import { entropy } from "../board";
import { base64Encode, base64Length } from "../bytes/base64";
import { equal } from "../bytes/compare";
import { Writer } from "../bytes/writer";
import { ED25519_PUBLIC_BYTES, ED25519_SIGNATURE_BYTES } from "../crypto/ed25519";
import { Group, Identity } from "../mls/group";
import { KEY_PACKAGE_BYTES } from "../mls/key-package";
import { groupSeal } from "../mls/message";
import { REUSE_GUARD_BYTES, sealedBytes } from "../mls/private-message";
import { alloc, mark, release } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { MAILBOX_BYTES } from "../runtime/memory";
import { Detail, Kind } from "../runtime/status";
import { controlSign } from "../sealed/control";
import {
  Envelope,
  MESSAGE_TYPE_APPLICATION,
  compactHeadBytes,
  jsonMaxBytes,
  writeCompactHead,
  writeJson,
} from "../sealed/envelope";
import { keyPackageContentBytes, writeKeyPackageContent } from "../sealed/key-package-body";
import {
  ACK_FOR,
  ACK_FOR_BYTES,
  CONFIRM_ACK,
  CONFIRM_ACK_BYTES,
  CONTROL_KEY,
  CONTROL_KEY_BYTES,
  CONTROL_SIGNATURE,
  CONTROL_SIGNATURE_BYTES,
  ENCRYPTED,
  ENCRYPTED_BYTES,
} from "../sealed/text";
import { journalLoad } from "../store/journal";
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressFormat } from "../wire/address";
import { Frame, frameEncodeBinary, frameEncodeJson, frameSetMetadata } from "../wire/frame";
import { DEFAULT_TTL, UUID_BYTES, UUID_TEXT_BYTES } from "../wire/limits";
import { uuidFormat } from "../wire/uuid";
import { counter, nowMs, takeCounter } from "./call";
import { APP_ID, OWN_ADDRESS, OWN_HASH, OWN_PUBLIC, appIdBytes } from "./device";
import { Key } from "./limits";
import { Package, packageMint, packageWrite } from "./packages";
import { outboxFrame } from "./outbox";
import { PEER_ENVELOPE_V1, PEER_ESTABLISHED, PEER_WIRE_V1, Peer } from "./peers";
import { slotHasSession } from "./session";

const PRIORITY_LOW: u32 = 0;
const PRIORITY_MEDIUM: u32 = 1;
const PRIORITY_HIGH: u32 = 2;

/** Most that a frame has beside content, application id and metadata values: names, numbers, ids, two addresses. */
const FRAME_OVERHEAD_BYTES: u32 = 512;

/** Characters of a signature and of a key in metadata. */
const SIGNATURE_TEXT_BYTES: u32 = 88;
const KEY_TEXT_BYTES: u32 = 44;

/** A frame from us to `peer`, to be filled; the counter was taken (sealed.md 2 and 2.1). */
function newFrame(peer: Peer, priority: u32, content: usize, contentBytes: u32): Frame {
  const frame = make<Frame>();
  const id = alloc(UUID_BYTES);
  memory.copy(id, OWN_HASH, 8);
  store<u64>(id, bswap<u64>(counter()), 8);
  const recipient = alloc(ADDRESS_BYTES);
  addressFormat(peer.hash(), recipient);
  frame.idPtr = id;
  frame.idBytes = UUID_BYTES;
  frame.senderPtr = OWN_ADDRESS;
  frame.senderBytes = ADDRESS_BYTES;
  frame.recipientPtr = recipient;
  frame.recipientBytes = ADDRESS_BYTES;
  frame.appIdPtr = APP_ID;
  frame.appIdBytes = appIdBytes;
  frame.priority = priority;
  frame.ttl = DEFAULT_TTL;
  frame.timestamp = nowMs();
  frame.lamport = counter();
  frame.contentPtr = content;
  frame.contentBytes = contentBytes;
  return frame;
}

/** Signs a frame with version 2. */
function sign(frame: Frame, identity: Identity): void {
  const signature = alloc(ED25519_SIGNATURE_BYTES);
  controlSign(frame, identity.seed, OWN_PUBLIC, signature);
  const signatureText = alloc(SIGNATURE_TEXT_BYTES);
  const keyText = alloc(KEY_TEXT_BYTES);
  base64Encode(signature, ED25519_SIGNATURE_BYTES, signatureText);
  base64Encode(OWN_PUBLIC, ED25519_PUBLIC_BYTES, keyText);
  frameSetMetadata(
    frame,
    CONTROL_KEY,
    CONTROL_KEY_BYTES,
    keyText,
    KEY_TEXT_BYTES,
    CONTROL_SIGNATURE,
    CONTROL_SIGNATURE_BYTES,
    signatureText,
    SIGNATURE_TEXT_BYTES,
  );
}

/** Bytes that JSON puts in front of quotes and backslashes of a text without control characters. */
function escapeBytes(ptr: usize, bytes: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < bytes; i++) {
    const c = <u32>load<u8>(ptr + i);
    if (c == 0x22 || c == 0x5c) count++;
  }
  return count;
}

/**
 * Encodes a frame as the peer reads it and puts it in the outbox: binary when it said so, else JSON (wire.md 13.1).
 *
 * @param out  takes MAILBOX_BYTES; 0: the arena does
 */
function send(peer: Peer, frame: Frame, out: usize): i32 {
  const binary = peer.has(PEER_WIRE_V1);
  let room = <u32>MAILBOX_BYTES;
  if (!out) {
    room = FRAME_OVERHEAD_BYTES + 2 * appIdBytes + frame.contentBytes;
    if (!binary) room += escapeBytes(frame.contentPtr, frame.contentBytes);
    out = alloc(room);
  }
  const writer = make<Writer>();
  writer.over(out, room);
  if (binary) frameEncodeBinary(frame, writer);
  else frameEncodeJson(frame, writer);
  if (writer.failed) return fail(Kind.Sealed, Detail.TextTooLong);
  outboxFrame(out, writer.written());
  return OK;
}

/** Whether the peer may hold a session that we do not (leaf.md D11). */
function hasLeft(peer: Peer): bool {
  if (slotHasSession(peer.slot)) return false;
  if (peer.has(PEER_ESTABLISHED)) return true;
  const hash = alloc(ADDRESS_HASH_BYTES);
  return journalLoad(Key.Left << 8, hash, ADDRESS_HASH_BYTES) >= 0 && equal(hash, peer.hash(), ADDRESS_HASH_BYTES);
}

/**
 * Emits a key package for `peer`: a fresh one, or the unspent one once more.
 *
 * @param again  `item` is unspent and goes out again
 * @param plain  the peer said itself that it has no session
 */
export function sendKeyPackage(peer: Peer, identity: Identity, item: Package, again: bool, plain: bool): i32 {
  let status = takeCounter();
  if (status != OK) return status;
  const bare = alloc(KEY_PACKAGE_BYTES);
  if (again) packageWrite(identity, item, bare);
  else status = packageMint(peer, identity, item, bare);
  if (status != OK) return status;
  const room = keyPackageContentBytes(KEY_PACKAGE_BYTES);
  const content = make<Writer>();
  content.over(alloc(room), room);
  writeKeyPackageContent(content, OWN_ADDRESS, bare, KEY_PACKAGE_BYTES, !plain && hasLeft(peer));
  const frame = newFrame(peer, PRIORITY_HIGH, content.start, content.written());
  sign(frame, identity);
  return send(peer, frame, 0);
}

/** Emits the answer to a probe: the prefix alone, signed. */
export function sendConfirmAck(peer: Peer, identity: Identity): i32 {
  const status = takeCounter();
  if (status != OK) return status;
  const frame = newFrame(peer, PRIORITY_HIGH, CONFIRM_ACK, CONFIRM_ACK_BYTES);
  sign(frame, identity);
  return send(peer, frame, 0);
}

/** Emits a delivery acknowledgement for the frame with this id. */
export function sendAcknowledgement(peer: Peer, id: usize): i32 {
  const status = takeCounter();
  if (status != OK) return status;
  const frame = newFrame(peer, PRIORITY_LOW, 0, 0);
  const text = alloc(UUID_TEXT_BYTES);
  uuidFormat(id, text);
  frameSetMetadata(frame, ACK_FOR, ACK_FOR_BYTES, text, UUID_TEXT_BYTES, 0, 0, 0, 0);
  return send(peer, frame, 0);
}

/**
 * Seals a text in the session and emits it. The caller stores what that changed (`sessionStore`).
 *
 * @param group  of `sessionLoad` for sealing, or just joined
 * @param out    the mailbox, when it holds at most the text: it takes what is large; 0: the arena does
 */
export function sendSealed(peer: Peer, group: Group, text: usize, bytes: u32, out: usize): i32 {
  let status = takeCounter();
  if (status != OK) return status;
  const guard = alloc(REUSE_GUARD_BYTES);
  if (entropy(guard, REUSE_GUARD_BYTES) != 0) return fail(Kind.Crypto, Detail.Entropy);
  const envelope = make<Envelope>();
  envelope.groupId = group.context.groupId;
  envelope.groupIdBytes = group.context.groupIdBytes;
  envelope.messageType = MESSAGE_TYPE_APPLICATION;
  envelope.epoch = group.epoch;
  envelope.sender = OWN_ADDRESS;
  envelope.senderBytes = ADDRESS_BYTES;
  envelope.timestampMs = nowMs();
  envelope.ciphertextBytes = sealedBytes(group, bytes);
  const head = compactHeadBytes(envelope);
  const compactBytes = head + envelope.ciphertextBytes;
  const compact = peer.has(PEER_ENVELOPE_V1);
  const content = make<Writer>();
  const room = ENCRYPTED_BYTES + (compact ? base64Length(compactBytes) : jsonMaxBytes(envelope));
  content.over(alloc(room), room);
  content.bytes(ENCRYPTED, ENCRYPTED_BYTES);

  // The message is sealed where the compact form wants it; what the frame does not need is given back.
  const before = mark();
  const raw = make<Writer>();
  raw.over(out ? out + <u32>MAILBOX_BYTES - compactBytes : alloc(compactBytes), compactBytes);
  writeCompactHead(raw, envelope);
  envelope.ciphertext = raw.at;
  status = groupSeal(group, text, bytes, guard, envelope.ciphertext, envelope.ciphertextBytes);
  if (status >= 0) {
    if (compact) base64Encode(raw.start, compactBytes, content.claim(room - ENCRYPTED_BYTES));
    else writeJson(content, envelope);
  }
  release(before);
  if (status < 0) return -status;
  return send(peer, newFrame(peer, PRIORITY_MEDIUM, content.start, content.written()), out);
}
