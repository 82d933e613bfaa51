// Values of a record under the device key: deterministic authenticated encryption with a synthetic IV (docs/journal.md).
import { deviceKey } from "../board";
import { equalConstantTime } from "../bytes/compare";
import { AES_BLOCK_BYTES, AES_KEY_BYTES, AES_SCHEDULE_BYTES, aesEncryptPair, aesExpandKey } from "../crypto/aes";
import { HMAC_SHA256_BYTES, HmacSha256 } from "../crypto/hmac";
import { alloc, mark, release } from "../runtime/arena";
import { TAG_BYTES } from "./layout";

/** The device key: an AES-128 key, then an HMAC key. */
const DEVICE_KEY_BYTES: u32 = 32;
/** The part of the tag that is the nonce of CTR mode. */
const NONCE_BYTES: u32 = 12;
const PAIR_BYTES: u32 = 2 * AES_BLOCK_BYTES;

/** The board gave no key when `openValues` asked: what it answered says nothing about the record. */
export let keyFailed: bool = false;

/** HMAC over the place, the header and the values in the clear; 32 bytes to `out`, of which TAG_BYTES are the tag. */
function authenticate(keys: usize, image: usize, bytes: u32, sequence: u32, at: u32, out: usize): void {
  const before = mark();
  const hmac = new HmacSha256();
  hmac.init(keys + AES_KEY_BYTES, DEVICE_KEY_BYTES - AES_KEY_BYTES);
  store<u32>(out, at, 4);
  store<u32>(out, sequence);
  hmac.update(out, 8);
  hmac.update(image, bytes);
  hmac.final(out);
  release(before);
}

/** AES-128-CTR in place from counter 1; its own inverse. `bytes` are whole words. */
function crypt(key: usize, nonce: usize, ptr: usize, bytes: u32): void {
  const before = mark();
  const schedule = alloc(AES_SCHEDULE_BYTES);
  const counters = alloc(2 * PAIR_BYTES);
  aesExpandKey(key, schedule);
  memory.copy(counters + AES_BLOCK_BYTES, nonce, NONCE_BYTES);
  memory.copy(counters, nonce, NONCE_BYTES);
  for (let at: u32 = 0, counter: u32 = 1; at < bytes; at += PAIR_BYTES, counter += 2) {
    store<u32>(counters, bswap<u32>(counter + 1), AES_BLOCK_BYTES + NONCE_BYTES);
    store<u32>(counters, bswap<u32>(counter), NONCE_BYTES);
    aesEncryptPair(schedule, counters, counters + PAIR_BYTES);
    const piece = min(bytes - at, PAIR_BYTES);
    for (let i: u32 = 0; i < piece; i += 4) {
      store<u32>(ptr + at + i, load<u32>(ptr + at + i) ^ load<u32>(counters + PAIR_BYTES + i));
    }
  }
  release(before);
}

/**
 * Seals a record in place: `headerBytes` of header, then `valueBytes` of values (whole words), then room for the tag.
 *
 * @returns false when the board gave no device key
 */
export function sealValues(image: usize, headerBytes: u32, valueBytes: u32, sequence: u32, at: u32): bool {
  const before = mark();
  const keys = alloc(DEVICE_KEY_BYTES);
  const tag = alloc(HMAC_SHA256_BYTES);
  const ready = deviceKey(keys) == 0;
  if (ready) {
    authenticate(keys, image, headerBytes + valueBytes, sequence, at, tag);
    crypt(keys, tag, image + headerBytes, valueBytes);
    memory.copy(image + headerBytes + valueBytes, tag, TAG_BYTES);
  }
  release(before);
  return ready;
}

/**
 * Opens in place what `sealValues` made. When it is not authentic for this place, or there is no device key, the values
 * are zeroed.
 */
export function openValues(image: usize, headerBytes: u32, valueBytes: u32, sequence: u32, at: u32): bool {
  const before = mark();
  const keys = alloc(DEVICE_KEY_BYTES);
  const tag = alloc(HMAC_SHA256_BYTES);
  const found = image + headerBytes + valueBytes;
  let authentic = false;
  keyFailed = deviceKey(keys) != 0;
  if (!keyFailed) {
    crypt(keys, found, image + headerBytes, valueBytes);
    authenticate(keys, image, headerBytes + valueBytes, sequence, at, tag);
    authentic = equalConstantTime(tag, found, TAG_BYTES);
  }
  if (!authentic) memory.fill(image + headerBytes, 0, valueBytes);
  release(before);
  return authentic;
}
