// Addresses of the protocol: bech32m (BIP-350) over a version byte and the first 20 bytes of SHA-256 of the identity key.
import { sha256 } from "@noble/hashes/sha2.js";

const HRP = "off";
const VERSION = 1;
const HASH_BYTES = 20;
const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32M = 0x2bc830a3;
const CHECKSUM_GROUPS = 6;

export function addressFromKey(publicKey: Uint8Array): string {
  const groups = toGroups(Uint8Array.of(VERSION, ...sha256(publicKey).subarray(0, HASH_BYTES)));
  return `${HRP}1${[...groups, ...checksum(groups)].map((group) => CHARSET[group]).join("")}`;
}

/** The session id of two addresses: their order is that of the hashes, not of the texts. */
export function sessionId(a: string, b: string): string {
  const [lower, higher] = Buffer.compare(hashOf(a), hashOf(b)) <= 0 ? [a, b] : [b, a];
  return `session:${lower}:${higher}`;
}

function hashOf(address: string): Buffer {
  const groups = [...address.slice(HRP.length + 1, -CHECKSUM_GROUPS)].map((character) => CHARSET.indexOf(character));
  const bits = groups.map((group) => group.toString(2).padStart(5, "0")).join("");
  const bytes = Array.from({ length: HASH_BYTES + 1 }, (_, i) => Number.parseInt(bits.slice(8 * i, 8 * i + 8), 2));
  return Buffer.from(bytes.slice(1));
}

/** Bytes as groups of five bits, most significant first, zero bits at the end. */
function toGroups(bytes: Uint8Array): number[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return Array.from({ length: Math.ceil(bits.length / 5) }, (_, i) =>
    Number.parseInt(bits.slice(5 * i, 5 * i + 5).padEnd(5, "0"), 2),
  );
}

function checksum(groups: number[]): number[] {
  const prefix = [...HRP].map((character) => character.charCodeAt(0));
  const input = [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...groups];
  const sum = polymod([...input, ...new Array<number>(CHECKSUM_GROUPS).fill(0)]) ^ BECH32M;
  return Array.from({ length: CHECKSUM_GROUPS }, (_, i) => (sum >>> (5 * (CHECKSUM_GROUPS - 1 - i))) & 31);
}

function polymod(values: number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    GENERATOR.forEach((generator, bit) => {
      if ((top >>> bit) & 1) sum ^= generator;
    });
  }
  return sum >>> 0;
}
