// Ext tag 1 (wire.md 5.1): a base64 tail of the content travels as the bytes that it stands for.
import { base64Decode, base64Encode, base64Length, base64Value } from "../bytes/base64";
import { alloc, mark, release } from "../runtime/arena";
import { TAIL_LEAST_CHARACTERS } from "./limits";

const PAD: u32 = 0x3d;

/** Where the tail of `bytes` bytes of content begins; `bytes` when nothing is split off. */
export function tailStart(content: usize, bytes: u32): u32 {
  if (bytes < TAIL_LEAST_CHARACTERS) return bytes;
  let run = bytes;
  for (let i = 0; i < 2; i++) if (load<u8>(content + run - 1) == PAD) run--;
  while (run && base64Value(load<u8>(content + run - 1)) < 64) run--;
  run += (bytes - run) & 3;
  // Padding may be all that is left, or the run may have ended within it.
  if (run > bytes || bytes - run < TAIL_LEAST_CHARACTERS) return bytes;
  const position = mark();
  const decoded = base64Decode(content + run, bytes - run, alloc(bytes - run));
  release(position);
  return decoded < 0 ? bytes : run;
}

/** Head and base64 of the tail as one text in the arena, `headBytes` + base64Length(`tailBytes`) bytes long. */
export function wholeContent(head: usize, headBytes: u32, tail: usize, tailBytes: u32): usize {
  const whole = alloc(headBytes + base64Length(tailBytes));
  memory.copy(whole, head, headBytes);
  base64Encode(tail, tailBytes, whole + headBytes);
  return whole;
}
