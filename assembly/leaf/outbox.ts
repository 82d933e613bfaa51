// What a call has to say: frames and events, kept in the arena until the transaction is durable.
import { make } from "../mls/structure";
import { event, transmit } from "../board";
import { alloc } from "../runtime/arena";

/** One frame or event, in a list. */
@unmanaged
class Item {
  next: usize;
  ptr: usize;
  bytes: u32;
  isFrame: bool;
}

/** First and last item; 0 without one. The arena that holds them ends with the call. */
let first: usize = 0;
let last: usize = 0;

/** Starts empty. */
export function outboxBegin(): void {
  first = 0;
  last = 0;
}

function append(ptr: usize, bytes: u32, isFrame: bool): void {
  const item = make<Item>();
  item.ptr = ptr;
  item.bytes = bytes;
  item.isFrame = isFrame;
  if (last) changetype<Item>(last).next = changetype<usize>(item);
  else first = changetype<usize>(item);
  last = changetype<usize>(item);
}

/** A frame; its bytes must stay as they are until the call ends. */
export function outboxFrame(ptr: usize, bytes: u32): void {
  append(ptr, bytes, true);
}

/** Room for an event of `bytes` bytes, its type included, which the caller fills. */
export function outboxEvent(type: u32, bytes: u32): usize {
  const at = alloc(bytes);
  store<u8>(at, type);
  append(at, bytes, false);
  return at;
}

/** An event that is written already; its bytes must stay as they are until the call ends. */
export function outboxEventAt(ptr: usize, bytes: u32): void {
  append(ptr, bytes, false);
}

/** Hands everything to the board, in order. */
export function outboxSend(): void {
  for (let at = first; at; at = changetype<Item>(at).next) {
    const item = changetype<Item>(at);
    if (item.isFrame) transmit(item.ptr, item.bytes);
    else event(item.ptr, item.bytes);
  }
}
