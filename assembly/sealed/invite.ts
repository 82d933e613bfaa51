// InviteV1: the static text on a label. Address and key, optionally a petname and a signature; never a key package.
import { base64UrlEncode } from "../bytes/base64";
import { Writer } from "../bytes/writer";
import { ED25519_PUBLIC_BYTES, ED25519_SIGNATURE_BYTES, ed25519Sign } from "../crypto/ed25519";
import { alloc } from "../runtime/arena";
import { ADDRESS_BYTES } from "../wire/address";
import { FIELD_OVERHEAD_BYTES, writeField } from "./canonical";
import { PETNAME_MAX_BYTES, petnameValid } from "./petname";
import { INVITE_DOMAIN, INVITE_DOMAIN_BYTES } from "./text";

export const INVITE_VERSION: u32 = 1;
export const INVITE_HAS_PETNAME: u32 = 1;
export const INVITE_HAS_SIGNATURE: u32 = 2;

/** Longest invite before base64url. */
export const INVITE_MAX_BYTES: u32 =
  2 + ED25519_PUBLIC_BYTES + 1 + ADDRESS_BYTES + 1 + PETNAME_MAX_BYTES + ED25519_SIGNATURE_BYTES;

/** Longest text of an invite: three bytes to four characters, no padding. */
export const INVITE_TEXT_MAX_BYTES: u32 = (INVITE_MAX_BYTES * 4 + 2) / 3;

/** Longest signed payload. */
const PAYLOAD_MAX_BYTES: u32 =
  INVITE_DOMAIN_BYTES + 4 * FIELD_OVERHEAD_BYTES + 1 + ADDRESS_BYTES + ED25519_PUBLIC_BYTES + PETNAME_MAX_BYTES;

/** What an invite says. */
@unmanaged
export class Invite {
  publicKey: usize;
  /** ADDRESS_BYTES bytes. */
  address: usize;
  petname: usize;
  petnameBytes: u32;
  /** 0 in an unsigned invite. */
  signature: usize;
}

/** The signed payload, from the arena; `bytes` is its length. */
export function invitePayload(invite: Invite): Writer {
  const out = new Writer();
  out.over(alloc(PAYLOAD_MAX_BYTES), PAYLOAD_MAX_BYTES);
  out.bytes(INVITE_DOMAIN, INVITE_DOMAIN_BYTES);
  out.u32(1);
  out.u8(INVITE_VERSION);
  writeField(out, invite.address, ADDRESS_BYTES);
  writeField(out, invite.publicKey, ED25519_PUBLIC_BYTES);
  writeField(out, invite.petname, invite.petnameBytes);
  return out;
}

/** Signs `invite` with the Ed25519 seed of its key. */
export function inviteSign(invite: Invite, seed: usize): void {
  const payload = invitePayload(invite);
  invite.signature = alloc(ED25519_SIGNATURE_BYTES);
  ed25519Sign(seed, invite.publicKey, payload.start, payload.written(), invite.signature);
}

/** Whether a label may carry the petname of `invite`; an empty one is none. */
export function invitePetnameValid(invite: Invite): bool {
  return invite.petnameBytes == 0 || petnameValid(invite.petname, invite.petnameBytes);
}

/**
 * Writes `invite` as base64url without padding. An empty petname is left out.
 *
 * @param text  receives up to INVITE_TEXT_MAX_BYTES characters; may be where the petname lies
 * @returns the number of characters
 */
export function inviteEncode(invite: Invite, text: usize): u32 {
  const named = invite.petnameBytes != 0;
  const out = new Writer();
  out.over(alloc(INVITE_MAX_BYTES), INVITE_MAX_BYTES);
  out.u8(INVITE_VERSION);
  out.u8((named ? INVITE_HAS_PETNAME : 0) | (invite.signature ? INVITE_HAS_SIGNATURE : 0));
  out.bytes(invite.publicKey, ED25519_PUBLIC_BYTES);
  out.u8(ADDRESS_BYTES);
  out.bytes(invite.address, ADDRESS_BYTES);
  if (named) {
    out.u8(invite.petnameBytes);
    out.bytes(invite.petname, invite.petnameBytes);
  }
  if (invite.signature) out.bytes(invite.signature, ED25519_SIGNATURE_BYTES);
  return base64UrlEncode(out.start, out.written(), text);
}
