// What the tests call where the room's own functions take or return writers. Compiled into the test build only.
import { Writer } from "../bytes/writer";
import { alloc } from "../runtime/arena";
import { Frame } from "../wire/frame";
import { controlPayload } from "./control";
import { Envelope, compactHeadBytes, jsonMaxBytes, writeCompactHead, writeJson } from "./envelope";
import { Invite, invitePayload } from "./invite";
import { keyPackageContentBytes, writeKeyPackageContent } from "./key-package-body";

/** Length of what the last `...Text` function wrote. */
let length: u32 = 0;

export function lastLength(): u32 {
  return length;
}

function done(writer: Writer): usize {
  assert(!writer.failed);
  length = writer.written();
  return writer.start;
}

function room(bytes: u32): Writer {
  const writer = new Writer();
  writer.over(alloc(bytes), bytes);
  return writer;
}

export function controlPayloadText(frame: Frame, dated: bool): usize {
  return done(controlPayload(frame, dated));
}

export function invitePayloadText(invite: Invite): usize {
  return done(invitePayload(invite));
}

export function envelopeCompactText(envelope: Envelope): usize {
  const writer = room(compactHeadBytes(envelope) + envelope.ciphertextBytes);
  writeCompactHead(writer, envelope);
  writer.bytes(envelope.ciphertext, envelope.ciphertextBytes);
  return done(writer);
}

export function envelopeJsonText(envelope: Envelope): usize {
  const writer = room(jsonMaxBytes(envelope));
  writeJson(writer, envelope);
  return done(writer);
}

export function keyPackageText(address: usize, keyPackage: usize, bytes: u32, noSession: bool): usize {
  const writer = room(keyPackageContentBytes(bytes));
  writeKeyPackageContent(writer, address, keyPackage, bytes, noSession);
  return done(writer);
}
