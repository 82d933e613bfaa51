// Delivery acknowledgements: which frames a peer was answered for, and the answer itself (leaf.md section 6).
import { equal } from "../bytes/compare";
import { alloc } from "../runtime/arena";
import { OK } from "../runtime/fail";
import { journalLoad, txPut } from "../store/journal";
import { UUID_BYTES } from "../wire/limits";
import { sendAcknowledgement } from "./emit";
import { ANSWERED_IDS, Key } from "./limits";
import { Peer } from "./peers";

const LIST_MAX_BYTES: u32 = ANSWERED_IDS * UUID_BYTES;

/** Loads the ids that a peer was answered for, oldest first; one that cannot be read counts as empty. */
function loadList(peer: Peer, list: usize): u32 {
  const bytes = journalLoad(peer.key(Key.Answered), list, LIST_MAX_BYTES);
  return bytes < 0 ? 0 : <u32>bytes;
}

/** Whether the frame with this id was answered and is still remembered. */
export function wasAnswered(peer: Peer, id: usize): bool {
  const list = alloc(LIST_MAX_BYTES);
  const end = list + loadList(peer, list);
  for (let at = list; at < end; at += UUID_BYTES) if (equal(at, id, UUID_BYTES)) return true;
  return false;
}

/** Answers the frame with this id and remembers it; the oldest of four is forgotten. OK or Storage. */
export function answer(peer: Peer, id: usize): i32 {
  const status = sendAcknowledgement(peer, id);
  if (status != OK) return status;
  const list = alloc(LIST_MAX_BYTES);
  let bytes = loadList(peer, list);
  if (bytes == LIST_MAX_BYTES) {
    bytes -= UUID_BYTES;
    memory.copy(list, list + UUID_BYTES, bytes);
  }
  memory.copy(list + bytes, id, UUID_BYTES);
  txPut(peer.key(Key.Answered), list, bytes + UUID_BYTES);
  return OK;
}
