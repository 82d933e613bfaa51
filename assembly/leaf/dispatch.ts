// What becomes of an inbound frame (leaf.md section 4).
import { equal } from "../bytes/compare";
import { alloc } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind, Reason } from "../runtime/status";
import { make } from "../mls/structure";
import { Prefix, classify } from "../sealed/prefix";
import { ENCRYPTED_BYTES } from "../sealed/text";
import { ADDRESS_HASH_BYTES, addressParse } from "../wire/address";
import { Frame, frameContent, frameDecode } from "../wire/frame";
import { answer, wasAnswered } from "./answered";
import { nowSeconds } from "./call";
import { OWN_HASH } from "./device";
import { sendAcknowledgement } from "./emit";
import { Inbound, ignore } from "./inbound";
import { onKeyPackage } from "./on-key-package";
import { onProbe } from "./on-probe";
import { onSealed } from "./on-sealed";
import { onWelcome } from "./on-welcome";
import { pairingAllows } from "./pairing";
import { CONTROL_WORK_BYTES, requireRoom } from "./room";
import { Lookup, peerFind, peerRoom } from "./peers";

/** Whether the recipient parses as an address and is ours. */
function isForUs(frame: Frame): bool {
  const hash = alloc(ADDRESS_HASH_BYTES);
  return (
    addressParse(frame.recipientPtr, frame.recipientBytes, hash) == OK && equal(hash, OWN_HASH, ADDRESS_HASH_BYTES)
  );
}

/** Looks the sender up. */
function identify(inbound: Inbound): void {
  const frame = inbound.frame;
  inbound.peer = peerRoom();
  inbound.lookup = Lookup.Absent;
  const hash = alloc(ADDRESS_HASH_BYTES);
  if (addressParse(frame.senderPtr, frame.senderBytes, hash) != OK) return;
  inbound.senderHash = hash;
  inbound.lookup = peerFind(hash, inbound.peer);
}

/** The path of the frame's prefix. */
function act(inbound: Inbound, prefix: Prefix): i32 {
  if (prefix == Prefix.KeyPackage) return onKeyPackage(inbound);
  if (prefix == Prefix.Welcome) return onWelcome(inbound);
  if (prefix == Prefix.Encrypted) return onSealed(inbound);
  if (prefix == Prefix.ConfirmProbe) return onProbe(inbound);
  return ignore(prefix == Prefix.ConfirmAck ? Reason.UnsolicitedConfirmAck : Reason.UnknownPrefix);
}

/**
 * Acts on a frame of `bytes` writable bytes.
 *
 * @returns OK, with what to say in the outbox, or an error kind
 */
export function handle(ptr: usize, bytes: u32): i32 {
  const frame = make<Frame>();
  const status = frameDecode(ptr, bytes, frame);
  if (status != OK) return status;
  if (!isForUs(frame)) return ignore(Reason.NotAddressedHere);

  const inbound = make<Inbound>();
  inbound.frame = frame;
  identify(inbound);
  const known = inbound.lookup == Lookup.Found;
  if (frame.requiresAck && known && wasAnswered(inbound.peer, frame.idPtr)) {
    const repeated = sendAcknowledgement(inbound.peer, frame.idPtr);
    return repeated == OK ? ignore(Reason.AlreadyAnswered) : repeated;
  }

  const prefix = classify(frame.contentPtr, frame.contentBytes);
  if (prefix == Prefix.KeyPackage && !known && !pairingAllows(nowSeconds)) return ignore(Reason.PairingClosed);
  // No prefix can reach into a base64 tail. A sealed frame of which only the prefix is left is read from the raw tail.
  if (prefix != Prefix.Encrypted || frame.contentBytes != ENCRYPTED_BYTES) {
    const whole = frameContent(frame);
    if (whole != OK) return whole;
  }
  const signed = prefix == Prefix.KeyPackage || prefix == Prefix.Welcome || prefix == Prefix.ConfirmProbe;
  const roomy = signed ? requireRoom(CONTROL_WORK_BYTES) : OK;
  if (roomy != OK) return roomy;
  const acted = act(inbound, prefix);
  if (acted != OK || !inbound.proven || !frame.requiresAck || inbound.lookup != Lookup.Found) return acted;
  return answer(inbound.peer, frame.idPtr);
}
