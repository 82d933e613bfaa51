// Knows a Welcome again that was joined already (leaf.md D5).
import { make } from "../mls/structure";
import { equal } from "../bytes/compare";
import { Reader } from "../bytes/reader";
import { newReader, readFixed, readVector } from "../mls/codec";
import { SPENT_REFERENCE_BYTES } from "../mls/group";
import { HASH_BYTES, KEY_BYTES } from "../mls/limits";

/** Version, wire format and cipher suite of an MLSMessage with a Welcome. */
const WELCOME_HEAD_BYTES: u32 = 6;

/**
 * Whether a Welcome has an entry for the key package that a session was joined with.
 *
 * @param ptr        of `welcomeDecode`
 * @param reference  SPENT_REFERENCE_BYTES of the KeyPackageRef
 */
export function welcomeSpends(ptr: usize, bytes: u32, reference: usize): bool {
  const message = newReader(ptr, bytes);
  const secrets = make<Reader>();
  const name = make<Reader>();
  const sealed = make<Reader>();
  message.take(WELCOME_HEAD_BYTES);
  readVector(message, secrets);
  while (!secrets.failed && secrets.left()) {
    readVector(secrets, name);
    readFixed(secrets, KEY_BYTES);
    readVector(secrets, sealed);
    if (name.left() == HASH_BYTES && equal(name.at, reference, SPENT_REFERENCE_BYTES)) return true;
  }
  return false;
}
