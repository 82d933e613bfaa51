// The metadata of a message: a map of text to text, kept sorted by the UTF-8 bytes of its keys, the last value winning.
import { Span } from "../bytes/span";
import { alloc } from "../runtime/arena";
import { Detail } from "../runtime/status";
import { METADATA_KEY_MOST_BYTES, METADATA_MOST_ENTRIES, METADATA_VALUE_MOST_BYTES } from "./limits";

/** One entry: key pointer and bytes, value pointer and bytes. */
export const ENTRY_BYTES: u32 = 16;

/** Order of two keys by their bytes: negative, 0 or positive. A prefix comes first. */
function order(a: usize, aBytes: u32, b: usize, bBytes: u32): i32 {
  const common = memory.compare(a, b, min(aBytes, bBytes));
  return common ? common : <i32>aBytes - <i32>bBytes;
}

/** A map that grows at the end of the arena: nothing else may be allocated while it does. */
@unmanaged
export class TextMap {
  entries: usize;
  bytes: u32;

  /** Place of the first entry whose key is not below the given one. */
  private lowerBound(key: usize, keyBytes: u32): usize {
    let low: u32 = 0;
    let high = this.bytes / ENTRY_BYTES;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.entries + middle * ENTRY_BYTES;
      if (order(load<u32>(entry), load<u32>(entry, 4), key, keyBytes) < 0) low = middle + 1;
      else high = middle;
    }
    return this.entries + low * ENTRY_BYTES;
  }

  /** Adds an entry, or replaces the value of one with that key. Returns 0 or the detail of the limit that it breaks. */
  set(key: usize, keyBytes: u32, value: usize, valueBytes: u32): u32 {
    if (keyBytes > METADATA_KEY_MOST_BYTES) return Detail.LimitMetadataKey;
    if (valueBytes > METADATA_VALUE_MOST_BYTES) return Detail.LimitMetadataValue;
    const at = this.lowerBound(key, keyBytes);
    const end = this.entries + this.bytes;
    if (at == end || order(load<u32>(at), load<u32>(at, 4), key, keyBytes) != 0) {
      if (this.bytes / ENTRY_BYTES == METADATA_MOST_ENTRIES) return Detail.LimitMetadata;
      const grown = alloc(ENTRY_BYTES);
      if (!this.bytes) {
        this.entries = grown;
        this.bytes = ENTRY_BYTES;
        put(grown, key, keyBytes, value, valueBytes);
        return 0;
      }
      assert(grown == end);
      memory.copy(at + ENTRY_BYTES, at, end - at);
      this.bytes += ENTRY_BYTES;
    }
    put(at, key, keyBytes, value, valueBytes);
    return 0;
  }
}

function put(at: usize, key: usize, keyBytes: u32, value: usize, valueBytes: u32): void {
  store<u32>(at, valueBytes, 12);
  store<u32>(at, value, 8);
  store<u32>(at, keyBytes, 4);
  store<u32>(at, key);
}

/** Puts the value of `key` into `value`. False when the map has no such key. */
export function mapFind(entries: usize, bytes: u32, key: usize, keyBytes: u32, value: Span): bool {
  for (let at = entries; at < entries + bytes; at += ENTRY_BYTES) {
    if (order(load<u32>(at), load<u32>(at, 4), key, keyBytes) != 0) continue;
    value.ptr = load<u32>(at, 8);
    value.bytes = load<u32>(at, 12);
    return true;
  }
  return false;
}
