// What the tests of this room see.
export { hpkeDeriveKeyPair } from "../crypto/hpke";
export { x25519Base } from "../crypto/x25519";
export { alloc, mark, release } from "../runtime/arena";
export { takeDetail } from "../runtime/fail";
export * from "./bindings";
export { exportSecret } from "./exporter";
export { groupMembers, isMember, memberIdentity, memberIdentityBytes, memberSignatureKey } from "./group";
export { keyPackageMint, packageKeyPair } from "./key-package";
export {
  confirmationTagValid,
  epochSecretOf,
  interimTranscriptHash,
  joinerSecret,
  keyAndNonce,
  welcomeSecret,
} from "./key-schedule";
export { decryptWithLabel, deriveSecret, expandWithLabel, refHash, verifyWithLabel } from "./labelled";
export { groupSeal } from "./message";
export { allParts, groupDecode, groupEncode, isPerEpoch } from "./parts";
export { sealedBytes } from "./private-message";
export { deriveTreeSecret } from "./ratchet";
export { applicationSecret, handshakeSecret, leafNodeSecret } from "./secret-tree";
export { treeHash } from "./tree-hash";
export { levelOf, leftOf, nodeCount, parentOf, rightOf, rootOf, siblingOf } from "./tree-math";
export { welcomeDecode, welcomeJoin, welcomeNames } from "./welcome";
