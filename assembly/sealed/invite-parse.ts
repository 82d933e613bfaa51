// Reads an InviteV1. The device only writes them; tools and tests read.
import { base64UrlDecode } from "../bytes/base64";
import { equal } from "../bytes/compare";
import { Reader } from "../bytes/reader";
import { ED25519_PUBLIC_BYTES, ED25519_SIGNATURE_BYTES, ed25519Verify } from "../crypto/ed25519";
import { alloc } from "../runtime/arena";
import { OK, fail } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressFromKey, addressParse } from "../wire/address";
import {
  INVITE_HAS_PETNAME,
  INVITE_HAS_SIGNATURE,
  INVITE_TEXT_MAX_BYTES,
  INVITE_VERSION,
  Invite,
  invitePayload,
} from "./invite";
import { petnameValid } from "./petname";

function isSpace(byte: u32): bool {
  return byte == 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Reads the fields; false when they are not an invite. */
function readFields(input: Reader, invite: Invite): bool {
  if (input.u8() != INVITE_VERSION) return false;
  const flags = input.u8();
  if ((flags & ~(INVITE_HAS_PETNAME | INVITE_HAS_SIGNATURE)) != 0) return false;
  invite.publicKey = input.take(ED25519_PUBLIC_BYTES);
  const addressBytes = input.u8();
  invite.address = input.take(addressBytes);
  if (input.failed || addressParse(invite.address, addressBytes, alloc(ADDRESS_HASH_BYTES)) != OK) return false;
  if (flags & INVITE_HAS_PETNAME) {
    invite.petnameBytes = input.u8();
    invite.petname = input.take(invite.petnameBytes);
    if (input.failed || !petnameValid(invite.petname, invite.petnameBytes)) return false;
  }
  if (flags & INVITE_HAS_SIGNATURE) invite.signature = input.take(ED25519_SIGNATURE_BYTES);
  return input.finished();
}

/**
 * Parses the text of an invite; white space around it is dropped. Its fields point into the arena.
 *
 * @returns OK, MalformedFrame for a text that is no invite, or IdentityBinding when key, address or signature disagree
 */
export function inviteParse(text: usize, bytes: u32, invite: Invite): i32 {
  while (bytes > 0 && isSpace(load<u8>(text))) {
    text++;
    bytes--;
  }
  while (bytes > 0 && isSpace(load<u8>(text + bytes - 1))) bytes--;
  if (bytes > INVITE_TEXT_MAX_BYTES) return fail(Kind.MalformedFrame, Detail.Invite);
  const raw = alloc(bytes);
  const rawBytes = base64UrlDecode(text, bytes, raw);
  const input = new Reader();
  input.over(raw, rawBytes < 0 ? 0 : <u32>rawBytes);
  if (!readFields(input, invite)) return fail(Kind.MalformedFrame, Detail.Invite);
  const derived = alloc(ADDRESS_BYTES);
  addressFromKey(invite.publicKey, derived);
  if (!equal(derived, invite.address, ADDRESS_BYTES)) return fail(Kind.IdentityBinding, Detail.InviteKey);
  if (invite.signature == 0) return OK;
  const payload = invitePayload(invite);
  if (ed25519Verify(invite.publicKey, payload.start, payload.written(), invite.signature)) return OK;
  return fail(Kind.IdentityBinding, Detail.InviteSignature);
}
