// Exporter (RFC 9420, 8.5) and the secrets that only a full member derives.
import { sha256 } from "../crypto/sha2";
import { alloc, mark, release } from "../runtime/arena";
import { deriveSecret, expandWithLabel } from "./labelled";
import { HASH_BYTES } from "./limits";

// prettier-ignore
const table: usize = memory.data<u8>([
  8, 101, 120, 112, 111, 114, 116, 101, 114, // exporter
  8, 101, 120, 112, 111, 114, 116, 101, 100, // exported
  14, 97, 117, 116, 104, 101, 110, 116, 105, 99, 97, 116, 105, 111, 110, // authentication
]);


@inline export const EXPORTER: usize = table;


@inline export const EXPORTED: usize = table + 9;


@inline export const AUTHENTICATION: usize = table + 18;

/**
 * MLS-Exporter(label, context, bytes).
 *
 * @param label  pointer to a length byte and text
 */
export function exportSecret(
  exporterSecret: usize,
  label: usize,
  context: usize,
  contextBytes: u32,
  out: usize,
  bytes: u32,
): void {
  const position = mark();
  const secret = alloc(HASH_BYTES);
  const digest = alloc(HASH_BYTES);
  deriveSecret(exporterSecret, label, secret);
  sha256(context, contextBytes, digest);
  expandWithLabel(secret, EXPORTED, digest, HASH_BYTES, out, bytes);
  release(position);
}
