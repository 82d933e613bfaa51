// The reserved texts that say what a frame's content is.
import { equal } from "../bytes/compare";
import {
  CONFIRM_ACK_BYTES,
  CONFIRM_PROBE_BYTES,
  ENCRYPTED_BYTES,
  ENC_CONFIRM,
  ENC_CONFIRM_BYTES,
  KEY_PACKAGE,
  KEY_PACKAGE_BYTES,
  WELCOME_BYTES,
} from "./text";

/** What a frame carries. The values are the order of the texts in `text.ts`. */
export const enum Prefix {
  KeyPackage = 0,
  Welcome = 1,
  Encrypted = 2,
  ConfirmProbe = 3,
  ConfirmAck = 4,
  None = 5,
}

/** Length of the text of `prefix`; 0 for `None`. */
export function prefixBytes(prefix: Prefix): u32 {
  if (prefix == Prefix.KeyPackage) return KEY_PACKAGE_BYTES;
  if (prefix == Prefix.Welcome) return WELCOME_BYTES;
  if (prefix == Prefix.Encrypted) return ENCRYPTED_BYTES;
  if (prefix == Prefix.ConfirmProbe) return CONFIRM_PROBE_BYTES;
  if (prefix == Prefix.ConfirmAck) return CONFIRM_ACK_BYTES;
  return 0;
}

/** The prefix that `content` starts with. No prefix begins another, so the order of the tests does not matter. */
export function classify(content: usize, bytes: u32): Prefix {
  let text = KEY_PACKAGE;
  for (let prefix = <u32>Prefix.KeyPackage; prefix < <u32>Prefix.None; prefix++) {
    const length = prefixBytes(prefix);
    if (bytes >= length && equal(content, text, length)) return prefix;
    text += length;
  }
  return Prefix.None;
}

/** The whole plaintext that confirms a session, which no application ever sees. */
export function isConfirmMarker(text: usize, bytes: u32): bool {
  return bytes == ENC_CONFIRM_BYTES && equal(text, ENC_CONFIRM, ENC_CONFIRM_BYTES);
}

/**
 * A phone would take this text for a body of its own protocol. Every reserved prefix, of this layer and of the phone
 * alone, is two underscores and a capital letter; all such texts are refused, so that a later prefix is refused too.
 */
export function isReserved(text: usize, bytes: u32): bool {
  if (bytes < 3) return false;
  const letter = <u32>load<u8>(text, 2) - 0x41;
  return letter < 26 && load<u8>(text, 1) == 0x5f && load<u8>(text) == 0x5f;
}
