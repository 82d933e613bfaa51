// Body of `__MLS_KEY_PKG__` (sealed.md section 8).
import { Writer } from "../bytes/writer";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { ADDRESS_BYTES } from "../wire/address";
import { writeByteArray } from "../wire/json-writer";
import { memberBytes, memberNumber, memberPtr, readBody } from "./body";
import {
  KEY_PACKAGE,
  KEY_PACKAGE_BYTES,
  KEY_PACKAGE_DATA,
  KEY_PACKAGE_DATA_BYTES,
  KEY_PACKAGE_MEMBERS,
  KEY_PACKAGE_REST,
  KEY_PACKAGE_REST_BYTES,
  KEY_PACKAGE_VERSIONS,
  KEY_PACKAGE_VERSIONS_BYTES,
  NO_SESSION,
  NO_SESSION_BYTES,
  USER_ID,
  USER_ID_BYTES,
} from "./text";

/** Places of the members that the device looks at. */
const USER: u32 = 0;
const SESSION_RESET: u32 = 4;
const NO_SESSION_FLAG: u32 = 5;
const WIRE_VERSIONS: u32 = 6;
const ENV_VERSIONS: u32 = 7;

/** What the device reads. The key package itself is not looked at (leaf.md 5.1). */
@unmanaged
export class KeyPackageBody {
  user: usize;
  userBytes: u32;
  sessionReset: bool;
  noSession: bool;
  wireVersions: usize;
  wireVersionsBytes: u32;
  envVersions: usize;
  envVersionsBytes: u32;
}

/** Reads the body, which is spent by it. OK or MalformedFrame. */
export function readKeyPackageBody(ptr: usize, bytes: u32, body: KeyPackageBody): i32 {
  const members = readBody(ptr, bytes, KEY_PACKAGE_MEMBERS);
  if (!members) return fail(Kind.MalformedFrame, Detail.Body);
  body.user = memberPtr(members, USER);
  body.userBytes = memberBytes(members, USER);
  body.sessionReset = memberNumber(members, SESSION_RESET) != 0;
  body.noSession = memberNumber(members, NO_SESSION_FLAG) != 0;
  body.wireVersions = memberPtr(members, WIRE_VERSIONS);
  body.wireVersionsBytes = memberBytes(members, WIRE_VERSIONS);
  body.envVersions = memberPtr(members, ENV_VERSIONS);
  body.envVersionsBytes = memberBytes(members, ENV_VERSIONS);
  return OK;
}

/** Longest content that `writeKeyPackageContent` writes for a package of `bytes` bytes. */
export function keyPackageContentBytes(bytes: u32): u32 {
  return (
    KEY_PACKAGE_BYTES +
    USER_ID_BYTES +
    ADDRESS_BYTES +
    KEY_PACKAGE_DATA_BYTES +
    2 +
    4 * bytes +
    KEY_PACKAGE_REST_BYTES +
    NO_SESSION_BYTES +
    KEY_PACKAGE_VERSIONS_BYTES
  );
}

/**
 * Writes the whole content of a key package frame, prefix and body.
 *
 * @param address    of the device, ADDRESS_BYTES of text
 * @param package    the bare KeyPackage
 * @param noSession  say that we hold no session with the peer (leaf.md D11)
 */
export function writeKeyPackageContent(
  out: Writer,
  address: usize,
  keyPackage: usize,
  bytes: u32,
  noSession: bool,
): void {
  out.bytes(KEY_PACKAGE, KEY_PACKAGE_BYTES);
  out.bytes(USER_ID, USER_ID_BYTES);
  out.bytes(address, ADDRESS_BYTES);
  out.bytes(KEY_PACKAGE_DATA, KEY_PACKAGE_DATA_BYTES);
  writeByteArray(out, keyPackage, bytes);
  out.bytes(KEY_PACKAGE_REST, KEY_PACKAGE_REST_BYTES);
  if (noSession) out.bytes(NO_SESSION, NO_SESSION_BYTES);
  out.bytes(KEY_PACKAGE_VERSIONS, KEY_PACKAGE_VERSIONS_BYTES);
}
