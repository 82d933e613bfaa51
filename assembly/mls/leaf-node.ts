// LeafNode (RFC 9420, 7.2): reading, the checks that need no tree (7.3), and writing our own.
import { Reader } from "../bytes/reader";
import { Writer } from "../bytes/writer";
import { mark, release } from "../runtime/arena";
import { newReader, readFixed, readVector, skipVector, vectorBytes, writeVector } from "./codec";
import { signatureContent, verifyContent } from "./labelled";
import { LEAF_NODE_TBS } from "./labels";
import { CIPHER_SUITE, KEY_BYTES, PROTOCOL_VERSION, SIGNATURE_BYTES } from "./limits";
import { make } from "./structure";

/** Sources of a leaf node. */
export const SOURCE_KEY_PACKAGE: u32 = 1;
export const SOURCE_UPDATE: u32 = 2;
export const SOURCE_COMMIT: u32 = 3;

/** Credential types (RFC 9420, 5.3). */
export const CREDENTIAL_BASIC: u32 = 1;
const CREDENTIAL_X509: u32 = 2;

/** Extension types up to this one need no entry in the capabilities (RFC 9420, 7.2). */
const LAST_DEFAULT_EXTENSION: u32 = 5;

/** Where the public keys of an encoded leaf node lie: both are 32 bytes behind a length byte. */
export const ENCRYPTION_KEY_AT: usize = 1;
export const SIGNATURE_KEY_AT: usize = 34;

/** A leaf node, as pointers into its encoding. */
@unmanaged
export class LeafNode {
  start: usize;
  credentialType: u32;
  /** Identity of a basic credential. */
  identity: usize;
  identityBytes: u32;
  /** Big-endian u16 lists of the capabilities. */
  capableExtensions: usize;
  capableExtensionsBytes: u32;
  capableCredentials: usize;
  capableCredentialsBytes: u32;
  source: u32;
  /** Present (32 or 0 bytes) with SOURCE_COMMIT. */
  parentHash: usize;
  parentHashBytes: u32;
  extensions: usize;
  /** The end of `extensions` is the end of what the signature covers. */
  extensionsBytes: u32;
  signature: usize;

  encryptionKey(): usize {
    return this.start + ENCRYPTION_KEY_AT;
  }

  signatureKey(): usize {
    return this.start + SIGNATURE_KEY_AT;
  }
}

/** Reads a leaf node; `reader.failed` tells of any departure from the encoding or from suite 1. */
export function readLeafNode(reader: Reader, leaf: LeafNode): void {
  const span = make<Reader>();
  leaf.start = reader.at;
  readFixed(reader, KEY_BYTES);
  readFixed(reader, KEY_BYTES);
  leaf.credentialType = reader.u16();
  readVector(reader, span);
  leaf.identity = span.at;
  leaf.identityBytes = span.left();
  // @ts-ignore: LEAF is a constant of the build
  if (leaf.credentialType != CREDENTIAL_BASIC && (LEAF || leaf.credentialType != CREDENTIAL_X509)) reader.failed = true;

  // Capabilities: versions, cipher suites, extensions, proposals, credentials; each a list of u16.
  for (let list = 0; list < 5; list++) {
    readVector(reader, span);
    if (span.left() & 1) reader.failed = true;
    if (list == 2) {
      leaf.capableExtensions = span.at;
      leaf.capableExtensionsBytes = span.left();
    }
  }
  leaf.capableCredentials = span.at;
  leaf.capableCredentialsBytes = span.left();

  leaf.source = reader.u8();
  leaf.parentHashBytes = 0;
  if (leaf.source == SOURCE_KEY_PACKAGE) {
    reader.take(16); // lifetime: not judged here (leaf.md 3.2)
  } else if (leaf.source == SOURCE_COMMIT) {
    readVector(reader, span);
    leaf.parentHash = span.at;
    leaf.parentHashBytes = span.left();
  } else if (leaf.source != SOURCE_UPDATE) {
    reader.failed = true;
  }
  readVector(reader, span);
  leaf.extensions = span.at;
  leaf.extensionsBytes = span.left();
  leaf.signature = readFixed(reader, SIGNATURE_BYTES);
}

/** Whether a list of big-endian u16 holds `value`. */
export function listHolds(list: usize, bytes: u32, value: u32): bool {
  for (const end = list + bytes; list < end; list += 2) {
    if (<u32>bswap<u16>(load<u16>(list)) == value) return true;
  }
  return false;
}

/** Every extension of the leaf is well formed and listed in its own capabilities (7.3). */
function extensionsListed(leaf: LeafNode): bool {
  const reader = newReader(leaf.extensions, leaf.extensionsBytes);
  while (!reader.failed && reader.left()) {
    const type = reader.u16();
    skipVector(reader);
    if (type - 1 >= LAST_DEFAULT_EXTENSION && !listHolds(leaf.capableExtensions, leaf.capableExtensionsBytes, type))
      return false;
  }
  return !reader.failed;
}

/**
 * What can be said of a leaf node on its own (7.3): its extensions and its signature. A leaf of a key package is
 * signed alone, any other together with its place: leaf `index` of group `groupId`.
 */
export function leafNodeValid(leaf: LeafNode, groupId: usize, groupIdBytes: u32, index: u32): bool {
  if (!extensionsListed(leaf)) return false;
  const position = mark();
  const bytes = <u32>(leaf.extensions + leaf.extensionsBytes - leaf.start);
  const placed = leaf.source != SOURCE_KEY_PACKAGE;
  const content = signatureContent(LEAF_NODE_TBS, bytes + (placed ? vectorBytes(groupIdBytes) + 4 : 0));
  content.bytes(leaf.start, bytes);
  if (placed) {
    writeVector(content, groupId, groupIdBytes);
    content.u32(index);
  }
  const good = verifyContent(leaf.signatureKey(), content, leaf.signature);
  release(position);
  return good;
}

/** Bytes that `writeDeviceLeaf` writes for an identity of 44 bytes. */
export const DEVICE_LEAF_SIGNED_BYTES: u32 = 33 + 33 + 2 + 45 + 11 + 1 + 16 + 1;

/**
 * The signed part of a leaf node as the device makes it (leaf.md 3.1): basic credential, nothing but the defaults
 * in its capabilities, source key package.
 */
export function writeDeviceLeaf(
  writer: Writer,
  encryptionKey: usize,
  signatureKey: usize,
  identity: usize,
  identityBytes: u32,
  notBefore: u64,
  notAfter: u64,
): void {
  writeVector(writer, encryptionKey, KEY_BYTES);
  writeVector(writer, signatureKey, KEY_BYTES);
  writer.u16(CREDENTIAL_BASIC);
  writeVector(writer, identity, identityBytes);
  writeSingleton(writer, PROTOCOL_VERSION);
  writeSingleton(writer, CIPHER_SUITE);
  writer.u16(0); // no extensions, no proposals
  writeSingleton(writer, CREDENTIAL_BASIC);
  writer.u8(SOURCE_KEY_PACKAGE);
  writer.u64(notBefore);
  writer.u64(notAfter);
  writer.u8(0); // no leaf node extensions
}

/** A list of one u16. */
function writeSingleton(writer: Writer, value: u32): void {
  writer.u8(2);
  writer.u16(value);
}
