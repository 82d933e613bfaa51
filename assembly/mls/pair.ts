// The ratchet tree of a pair that was stored, as far as the store keeps it.
import { x25519Base } from "../crypto/x25519";
import { alloc } from "../runtime/arena";
import { newWriter, writeLength } from "./codec";
import { Group, IDENTITY_BYTES } from "./group";
import { DEVICE_LEAF_BYTES, deviceLeaf } from "./key-package";
import { writeDeviceLeaf } from "./leaf-node";
import { KEY_BYTES, SIGNATURE_BYTES } from "./limits";
import { newTree, Tree } from "./tree";
import { rootOf } from "./tree-math";

/**
 * Gives a stored group the tree that a commit is applied to. It is exact where a commit looks:
 *
 * * our leaf is written again (key-package.ts);
 * * the peer's leaf has its signature key, its identity and the first bytes of its encryption key; a path replaces it;
 * * the root is blank but its tree hash is known, which is all that an Add without a path asks for; a path replaces it.
 *
 * What is missing is the root's old public key: that an added member uses this very key again goes unnoticed. The pair
 * ends with any Add in any case.
 */
export function restoreTree(group: Group): void {
  const tree: Tree = newTree(2);
  const publicKey = alloc(KEY_BYTES);
  x25519Base(publicKey, group.privateKeys);
  const own = deviceLeaf(group.identity, publicKey, group.notBefore);
  tree.set(2 * group.ownLeaf, own, DEVICE_LEAF_BYTES);
  const peer = newWriter(DEVICE_LEAF_BYTES);
  writeDeviceLeaf(peer, group.peerKeyPrefix, group.peerSignatureKey, group.peerAddress, IDENTITY_BYTES, 0, 0);
  writeLength(peer, SIGNATURE_BYTES);
  tree.set(2 * group.peerLeaf(), peer.start, DEVICE_LEAF_BYTES);
  tree.setKnownHash(rootOf(tree.leaves), group.context.treeHash);
  group.tree = changetype<usize>(tree);
}
