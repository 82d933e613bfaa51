// The session id: the name of a pair, and the MLS group id of its group.
import { ADDRESS_BYTES, ADDRESS_HASH_BYTES, addressFormat } from "../wire/address";
import { SESSION, SESSION_BYTES } from "./text";

/** Length of the session id of two addresses. */
export const SESSION_ID_BYTES: u32 = 97;

/** Length of the longest session id: an address and an identifier. */
export const SESSION_NAME_MAX_BYTES: u32 = 8 + 44 + 1 + 256;

/** Below 0, 0 or above 0: unsigned order of two byte strings, a prefix before what it begins. */
function order(a: usize, aBytes: u32, b: usize, bBytes: u32): i32 {
  const common = min(aBytes, bBytes);
  const difference = memory.compare(a, b, common);
  return difference != 0 ? difference : <i32>aBytes - <i32>bBytes;
}

/** "session:" first ":" second. */
function join(first: usize, firstBytes: u32, second: usize, secondBytes: u32, out: usize): void {
  memory.copy(out, SESSION, SESSION_BYTES);
  memory.copy(out + SESSION_BYTES, first, firstBytes);
  const at = out + SESSION_BYTES + firstBytes;
  store<u8>(at, 0x3a);
  memory.copy(at + 1, second, secondBytes);
}

/**
 * Session id of the addresses with these hashes (20 bytes each). Addresses are ordered by hash; their texts sort
 * otherwise.
 *
 * @param out  receives SESSION_ID_BYTES bytes
 */
export function sessionId(hashA: usize, hashB: usize, out: usize): void {
  const swap = memory.compare(hashA, hashB, ADDRESS_HASH_BYTES) > 0;
  const first = out + SESSION_BYTES;
  const second = first + ADDRESS_BYTES + 1;
  memory.copy(out, SESSION, SESSION_BYTES);
  addressFormat(swap ? hashB : hashA, first);
  store<u8>(first + ADDRESS_BYTES, 0x3a);
  addressFormat(swap ? hashA : hashB, second);
}

/**
 * Session id of two identifiers of which at least one is no address: ordered as text.
 *
 * @param out  receives up to SESSION_NAME_MAX_BYTES bytes
 * @returns the length
 */
export function sessionName(a: usize, aBytes: u32, b: usize, bBytes: u32, out: usize): u32 {
  if (order(a, aBytes, b, bBytes) > 0) join(b, bBytes, a, aBytes, out);
  else join(a, aBytes, b, bBytes, out);
  return SESSION_BYTES + aBytes + 1 + bBytes;
}
