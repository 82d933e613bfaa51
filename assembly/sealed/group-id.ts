// The rule for group ids (text, split at ":").

/** Longest group id. */
export const GROUP_ID_MAX_BYTES: u32 = 4096;

/** One segment: not empty, not "." or "..". */
function segmentValid(at: usize, bytes: u32): bool {
  if (bytes == 0 || bytes > 2) return bytes != 0;
  if (load<u8>(at) != 0x2e) return true;
  return bytes == 2 && load<u8>(at, 1) != 0x2e;
}

/** 1 to GROUP_ID_MAX_BYTES bytes, valid segments, no control byte, no slash of either kind. The text is valid UTF-8. */
export function groupIdValid(at: usize, bytes: u32): bool {
  if (bytes > GROUP_ID_MAX_BYTES) return false;
  let segment: u32 = 0;
  for (let i: u32 = 0; i < bytes; i++) {
    const byte = <u32>load<u8>(at + i);
    if (byte < 0x20 || byte == 0x7f || byte == 0x2f || byte == 0x5c) return false;
    if (byte != 0x3a) continue;
    if (!segmentValid(at + segment, i - segment)) return false;
    segment = i + 1;
  }
  return segmentValid(at + segment, bytes - segment);
}
