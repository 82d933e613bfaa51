// Symmetric ratchets of one sender (RFC 9420, 9.1), and the keys of generations that were skipped.
import { alloc, mark, release } from "../runtime/arena";
import { fail, OK } from "../runtime/fail";
import { Detail, Kind } from "../runtime/status";
import { expandWithLabel } from "./labelled";
import { KEY, NONCE, SECRET } from "./labels";
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, HASH_BYTES, MAX_AHEAD, MAX_SKIPPED } from "./limits";
import { make } from "./structure";

/** Key, then nonce. */
export const MESSAGE_KEY_BYTES: u32 = AEAD_KEY_BYTES + AEAD_NONCE_BYTES;

/** A stored key: generation (native u32), key, nonce. */
export const SKIPPED_BYTES: u32 = 4 + MESSAGE_KEY_BYTES;

/** A ratchet: the secret of `generation`, and keys of earlier generations that nobody used yet. */
@unmanaged
export class Ratchet {
  /** The next generation. */
  generation: u32;
  skippedCount: u32;
  /** 32 bytes. */
  secret: usize;
  /** Room for MAX_SKIPPED entries, oldest first; 0 before `roomForSkipped`. */
  skipped: usize;
}

/** A ratchet at generation 0 whose secret is yet to be filled in. */
export function newRatchet(): Ratchet {
  const ratchet = make<Ratchet>();
  ratchet.secret = alloc(HASH_BYTES);
  return ratchet;
}

/** Makes the room that a ratchet needs before it may skip a generation. */
export function roomForSkipped(ratchet: Ratchet): void {
  if (!ratchet.skipped) ratchet.skipped = alloc(MAX_SKIPPED * SKIPPED_BYTES);
}

/** DeriveTreeSecret (9): ExpandWithLabel with the generation as context. `out` may be `secret`. */
export function deriveTreeSecret(secret: usize, label: usize, generation: u32, out: usize, bytes: u32): void {
  const position = mark();
  const context = alloc(4);
  store<u32>(context, bswap<u32>(generation));
  expandWithLabel(secret, label, context, 4, out, bytes);
  release(position);
}

function messageKey(secret: usize, generation: u32, out: usize): void {
  deriveTreeSecret(secret, KEY, generation, out, AEAD_KEY_BYTES);
  deriveTreeSecret(secret, NONCE, generation, out + AEAD_KEY_BYTES, AEAD_NONCE_BYTES);
}

function nextSecret(secret: usize, generation: u32): void {
  deriveTreeSecret(secret, SECRET, generation, secret, HASH_BYTES);
}

/** Entry of a skipped generation, 0 without one. */
function skippedEntry(ratchet: Ratchet, generation: u32): usize {
  const end = ratchet.skipped + ratchet.skippedCount * SKIPPED_BYTES;
  for (let entry = ratchet.skipped; entry < end; entry += SKIPPED_BYTES) {
    if (load<u32>(entry) == generation) return entry;
  }
  return 0;
}

/**
 * Key and nonce of a generation: MESSAGE_KEY_BYTES to `out`. Changes nothing; `ratchetSpend` follows once the message
 * proved good.
 *
 * @returns OK; Kind.Mls for a generation that was used or dropped, or is more than MAX_AHEAD ahead
 */
export function ratchetPeek(ratchet: Ratchet, generation: u32, out: usize): i32 {
  if (generation < ratchet.generation) {
    const entry = skippedEntry(ratchet, generation);
    if (!entry) return fail(Kind.Mls, Detail.MlsReplay);
    memory.copy(out, entry + 4, MESSAGE_KEY_BYTES);
    return OK;
  }
  if (generation - ratchet.generation > MAX_AHEAD) return fail(Kind.Mls, Detail.MlsTooFarAhead);
  const position = mark();
  const secret = alloc(HASH_BYTES);
  memory.copy(secret, ratchet.secret, HASH_BYTES);
  for (let at = ratchet.generation; at < generation; at++) nextSecret(secret, at);
  messageKey(secret, generation, out);
  release(position);
  return OK;
}

/** Makes a generation that `ratchetPeek` gave unusable, and keeps the keys of those it skipped. */
export function ratchetSpend(ratchet: Ratchet, generation: u32): void {
  if (generation < ratchet.generation) return dropSkipped(ratchet, skippedEntry(ratchet, generation));
  while (ratchet.generation < generation) {
    if (generation - ratchet.generation <= MAX_SKIPPED) keepSkipped(ratchet);
    advance(ratchet);
  }
  advance(ratchet);
}

function advance(ratchet: Ratchet): void {
  nextSecret(ratchet.secret, ratchet.generation);
  ratchet.generation++;
}

/** Appends the key of the current generation; the oldest entry gives way in a full list. */
function keepSkipped(ratchet: Ratchet): void {
  if (ratchet.skippedCount == MAX_SKIPPED) dropSkipped(ratchet, ratchet.skipped);
  const entry = ratchet.skipped + ratchet.skippedCount++ * SKIPPED_BYTES;
  messageKey(ratchet.secret, ratchet.generation, entry + 4);
  store<u32>(entry, ratchet.generation);
}

function dropSkipped(ratchet: Ratchet, entry: usize): void {
  const last = ratchet.skipped + --ratchet.skippedCount * SKIPPED_BYTES;
  memory.copy(entry, entry + SKIPPED_BYTES, last - entry);
  memory.fill(last, 0, SKIPPED_BYTES);
}
