// Array arithmetic of the complete binary tree (RFC 9420, appendix C): leaf i is node 2i, parents have odd indices.

/** Number of nodes over `leaves` leaf slots (a power of two). */
export function nodeCount(leaves: u32): u32 {
  return 2 * leaves - 1;
}

/** Root of a tree of `leaves` leaf slots. */
export function rootOf(leaves: u32): u32 {
  return leaves - 1;
}

/** Height above the leaves: the number of trailing one bits. */
export function levelOf(node: u32): u32 {
  return ctz(~node);
}

/** Left child; `node` is a parent. */
export function leftOf(node: u32): u32 {
  return node ^ (1 << (levelOf(node) - 1));
}

/** Right child; `node` is a parent. */
export function rightOf(node: u32): u32 {
  return node ^ (3 << (levelOf(node) - 1));
}

/** Parent; `node` is not the root. */
export function parentOf(node: u32): u32 {
  const level = levelOf(node);
  const bit = (node >> (level + 1)) & 1;
  return (node | (1 << level)) ^ (bit << (level + 1));
}

/** The other child of the parent; `node` is not the root. */
export function siblingOf(node: u32): u32 {
  return node ^ (2 << levelOf(node));
}

/** Whether `node` is `ancestor` or lies below it. */
export function isBelow(node: u32, ancestor: u32): bool {
  const level = levelOf(ancestor);
  return node >> (level + 1) == ancestor >> (level + 1) && levelOf(node) <= level;
}

/** Least power of two that holds `count` leaves; `count` is not 0. */
export function leafSlots(count: u32): u32 {
  return count == 1 ? 1 : 1 << (32 - clz(count - 1));
}
