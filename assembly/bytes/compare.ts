// Comparison of byte strings.

/** Public bytes: stops at the first difference. */
export function equal(a: usize, b: usize, bytes: u32): bool {
  for (let i: u32 = 0; i < bytes; i++) {
    if (load<u8>(a + i) != load<u8>(b + i)) return false;
  }
  return true;
}

/** Secret bytes: time depends on `bytes` only. */
export function equalConstantTime(a: usize, b: usize, bytes: u32): bool {
  let difference: u32 = 0;
  for (let i: u32 = 0; i < bytes; i++) difference |= load<u8>(a + i) ^ load<u8>(b + i);
  return difference == 0;
}
