// Secret tree (RFC 9420, 9): from the encryption_secret to the ratchet secrets of one leaf.
import { deriveSecret, expandWithLabel } from "./labelled";
import { APPLICATION, HANDSHAKE, LEFT, RIGHT, TREE } from "./labels";
import { HASH_BYTES } from "./limits";
import { leftOf, rightOf, rootOf } from "./tree-math";

/**
 * The secret of a leaf's node: 32 bytes to `out`.
 *
 * @param leaves  leaf slots of the group's tree
 */
export function leafNodeSecret(encryptionSecret: usize, leaves: u32, leaf: u32, out: usize): void {
  memory.copy(out, encryptionSecret, HASH_BYTES);
  for (let node = rootOf(leaves); node & 1;) {
    const goRight = leaf << 1 > node;
    const side = goRight ? RIGHT : LEFT;
    expandWithLabel(out, TREE, side + 1, load<u8>(side), out, HASH_BYTES);
    node = goRight ? rightOf(node) : leftOf(node);
  }
}

/** First application ratchet secret of a leaf from its node secret; `out` may be the node secret. */
export function applicationSecret(nodeSecret: usize, out: usize): void {
  deriveSecret(nodeSecret, APPLICATION, out);
}

/** First handshake ratchet secret of a leaf from its node secret. */
export function handshakeSecret(nodeSecret: usize, out: usize): void {
  deriveSecret(nodeSecret, HANDSHAKE, out);
}
