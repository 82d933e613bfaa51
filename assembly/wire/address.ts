// Addresses (wire.md section 10): 20 bytes of hash as 44 characters of Bech32m. There is one spelling for each.
import { BECH32M, bech32Bytes, bech32PrefixBytes, bech32Residue, bech32mEncode } from "../bytes/bech32m";
import { SHA256_BYTES, sha256 } from "../crypto/sha2";
import { alloc, mark, release } from "../runtime/arena";
import { OK } from "../runtime/fail";
import { Detail } from "../runtime/status";

/** Characters of an address, and bytes of the hash within. */
export const ADDRESS_BYTES: u32 = 44;
export const ADDRESS_HASH_BYTES: u32 = 20;

/** Version byte, then the hash. */
const PAYLOAD_BYTES: u32 = 21;
const VERSION: u32 = 1;

/** `off` */
const PREFIX: usize = memory.data<u8>([0x6f, 0x66, 0x66]);
const PREFIX_BYTES: u32 = 3;

const PUBLIC_KEY_BYTES: u32 = 32;

/** Longest text that is looked at; the device only looks at what can be an address. */
// @ts-ignore: constant of the build
const TEXT_MOST_BYTES: u32 = LEAF ? ADDRESS_BYTES + 1 : 1023;

/** Writes the 44 characters of a 20-byte hash. */
export function addressFormat(hash: usize, out: usize): void {
  const position = mark();
  const payload = alloc(PAYLOAD_BYTES);
  store<u8>(payload, VERSION);
  memory.copy(payload + 1, hash, ADDRESS_HASH_BYTES);
  bech32mEncode(PREFIX, PREFIX_BYTES, payload, PAYLOAD_BYTES, out);
  release(position);
}

/** Writes the 20-byte hash of an Ed25519 public key: the front of its SHA-256. The key is not looked at. */
export function addressHash(publicKey: usize, hash: usize): void {
  const position = mark();
  const digest = alloc(SHA256_BYTES);
  sha256(publicKey, PUBLIC_KEY_BYTES, digest);
  memory.copy(hash, digest, ADDRESS_HASH_BYTES);
  release(position);
}

/** Writes the address of an Ed25519 public key, 44 characters. */
export function addressFromKey(publicKey: usize, out: usize): void {
  const position = mark();
  const hash = alloc(ADDRESS_HASH_BYTES);
  addressHash(publicKey, hash);
  addressFormat(hash, out);
  release(position);
}

/**
 * Reads an address.
 *
 * @param hash  receives 20 bytes; undefined after a refusal
 * @returns OK, or the detail of the first check of wire.md 10.2 that fails
 */
export function addressParse(text: usize, bytes: u32, hash: usize): i32 {
  for (let i: u32 = 0; i < bytes; i++) if (<u32>load<u8>(text + i) - 0x41 < 26) return Detail.NotLowercase;
  if (bytes > TEXT_MOST_BYTES || bech32Residue(text, bytes) != BECH32M) return Detail.InvalidBech32m;
  const prefix = bech32PrefixBytes(text, bytes);
  if (prefix != PREFIX_BYTES || memory.compare(text, PREFIX, PREFIX_BYTES) != 0) return Detail.HrpMismatch;
  const groups = bytes - prefix - 7;
  if ((groups * 5) >> 3 != PAYLOAD_BYTES) return Detail.PayloadLength;
  const position = mark();
  const payload = alloc(PAYLOAD_BYTES);
  const canonical = bech32Bytes(text + prefix + 1, groups, payload);
  const version = <u32>load<u8>(payload);
  memory.copy(hash, payload + 1, ADDRESS_HASH_BYTES);
  release(position);
  if (version != VERSION) return Detail.VersionMismatch;
  return canonical ? OK : Detail.NonCanonical;
}
