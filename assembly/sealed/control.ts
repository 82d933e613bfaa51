// Signatures of control frames: what is signed, and the gate that a received frame passes (sealed.md sections 6 and 7).
import { base64Decode } from "../bytes/base64";
import { equal } from "../bytes/compare";
import { Span } from "../bytes/span";
import { Writer } from "../bytes/writer";
import { ED25519_PUBLIC_BYTES, ED25519_SIGNATURE_BYTES, ed25519Sign, ed25519Verify } from "../crypto/ed25519";
import { alloc, mark, release } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressFromKey, addressParse } from "../wire/address";
import { Frame, frameMetadata } from "../wire/frame";
import { UUID_TEXT_BYTES } from "../wire/limits";
import { uuidFormat } from "../wire/uuid";
import { FIELD_OVERHEAD_BYTES, writeField } from "./canonical";
import { isFresh } from "./freshness";
import {
  CONTROL_DOMAIN,
  CONTROL_DOMAIN_BYTES,
  CONTROL_KEY,
  CONTROL_KEY_BYTES,
  CONTROL_SIGNATURE,
  CONTROL_SIGNATURE_BYTES,
} from "./text";

/** Last byte of the domain by version; the text has that of version 1. */
const VERSION_2: u32 = 0x32;

/** The stamp as a field of version 2. */
const STAMP_BYTES: u32 = 8;

/** Longest metadata value that can be a key or a signature: base64 of 64 bytes is 88 (leaf.md D10 allows 1 KiB). */
const VALUE_MAX_BYTES: u32 = 1024;

/**
 * The payload of a frame whose content is whole, from the arena.
 *
 * @param dated  version 2, which covers the stamp; otherwise version 1
 */
export function controlPayload(frame: Frame, dated: bool): Writer {
  const most =
    CONTROL_DOMAIN_BYTES +
    5 * FIELD_OVERHEAD_BYTES +
    frame.senderBytes +
    UUID_TEXT_BYTES +
    frame.recipientBytes +
    frame.contentBytes +
    STAMP_BYTES;
  const out = new Writer();
  out.over(alloc(most), most);
  out.bytes(CONTROL_DOMAIN, CONTROL_DOMAIN_BYTES);
  if (dated) store<u8>(out.at - 1, VERSION_2);
  writeField(out, frame.senderPtr, frame.senderBytes);
  out.u32(UUID_TEXT_BYTES);
  uuidFormat(frame.idPtr, out.claim(UUID_TEXT_BYTES));
  writeField(out, frame.recipientPtr, frame.recipientBytes);
  writeField(out, frame.contentPtr, frame.contentBytes);
  if (dated) {
    out.u32(STAMP_BYTES);
    out.u64(frame.timestamp);
  }
  return out;
}

/** Signs a frame with version 2; `signature` receives 64 bytes. */
export function controlSign(frame: Frame, seed: usize, publicKey: usize, signature: usize): void {
  const before = mark();
  const payload = controlPayload(frame, true);
  ed25519Sign(seed, publicKey, payload.start, payload.written(), signature);
  release(before);
}

function verifies(frame: Frame, dated: bool, publicKey: usize, signature: usize): bool {
  const before = mark();
  const payload = controlPayload(frame, dated);
  const good = ed25519Verify(publicKey, payload.start, payload.written(), signature);
  release(before);
  return good;
}

/** Decodes a metadata value of base64 where it stands. Its length, or -1. */
function decodeValue(value: Span): i32 {
  return value.bytes > VALUE_MAX_BYTES ? -1 : base64Decode(value.ptr, value.bytes, value.ptr);
}

/** What the gate found. */
@unmanaged
export class Gate {
  /** The signature covers the stamp, which is inside the window. */
  dated: bool;
}

/**
 * The gate of sealed.md section 7, in its order. The frame's content must be whole; its signature metadata are spent.
 *
 * @param undatedAllowed  version 1 will do, as it does for key packages only
 * @param gate            tells whether the frame is dated
 * @returns OK, ControlFrameRefused, IdentityBinding, Sealed or StaleControlFrame
 */
export function controlGate(frame: Frame, undatedAllowed: bool, nowMs: i64, gate: Gate): i32 {
  const signature = new Span();
  const key = new Span();
  const hasSignature = frameMetadata(frame, CONTROL_SIGNATURE, CONTROL_SIGNATURE_BYTES, signature);
  const hasKey = frameMetadata(frame, CONTROL_KEY, CONTROL_KEY_BYTES, key);
  if (!hasSignature || !hasKey) {
    return fail(Kind.ControlFrameRefused, hasSignature || hasKey ? Detail.HalfSigned : Detail.Unsigned);
  }
  const signatureBytes = decodeValue(signature);
  const keyBytes = decodeValue(key);
  if (signatureBytes < 0 || keyBytes < 0) return fail(Kind.ControlFrameRefused, Detail.SignatureEncoding);

  const hash = alloc(ADDRESS_HASH_BYTES);
  const fault = addressParse(frame.senderPtr, frame.senderBytes, hash);
  if (fault != OK) return fail(Kind.IdentityBinding, fault);
  if (keyBytes != ED25519_PUBLIC_BYTES) return fail(Kind.Sealed, Detail.PublicKeyLength);
  const derived = alloc(ADDRESS_BYTES);
  addressFromKey(key.ptr, derived);
  if (!equal(derived, frame.senderPtr, ADDRESS_BYTES)) return fail(Kind.IdentityBinding, Detail.KeyAddress);

  if (signatureBytes != ED25519_SIGNATURE_BYTES) return fail(Kind.ControlFrameRefused, Detail.BadSignature);
  gate.dated = verifies(frame, true, key.ptr, signature.ptr);
  if (gate.dated) return isFresh(nowMs, frame.timestamp) ? OK : fail(Kind.StaleControlFrame, Detail.Stale);
  if (undatedAllowed && verifies(frame, false, key.ptr, signature.ptr)) return OK;
  return fail(Kind.ControlFrameRefused, Detail.BadSignature);
}
