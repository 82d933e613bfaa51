// The labels of RFC 9420 that the core uses, each a length byte and its text without the prefix "MLS 1.0 ".

// prettier-ignore
const table: usize = memory.data<u8>([
  77, 76, 83, 32, 49, 46, 48, 32, // "MLS 1.0 "
  11, 115, 101, 110, 100, 101, 114, 32, 100, 97, 116, 97, // sender data
  10, 101, 110, 99, 114, 121, 112, 116, 105, 111, 110, // encryption
  7, 99, 111, 110, 102, 105, 114, 109, // confirm
  4, 105, 110, 105, 116, // init
  6, 106, 111, 105, 110, 101, 114, // joiner
  5, 101, 112, 111, 99, 104, // epoch
  7, 119, 101, 108, 99, 111, 109, 101, // welcome
  3, 107, 101, 121, // key
  5, 110, 111, 110, 99, 101, // nonce
  6, 115, 101, 99, 114, 101, 116, // secret
  4, 116, 114, 101, 101, // tree
  9, 104, 97, 110, 100, 115, 104, 97, 107, 101, // handshake
  11, 97, 112, 112, 108, 105, 99, 97, 116, 105, 111, 110, // application
  4, 110, 111, 100, 101, // node
  4, 112, 97, 116, 104, // path
  4, 108, 101, 102, 116, // left
  5, 114, 105, 103, 104, 116, // right
  16, 70, 114, 97, 109, 101, 100, 67, 111, 110, 116, 101, 110, 116, 84, 66, 83, // FramedContentTBS
  11, 76, 101, 97, 102, 78, 111, 100, 101, 84, 66, 83, // LeafNodeTBS
  13, 75, 101, 121, 80, 97, 99, 107, 97, 103, 101, 84, 66, 83, // KeyPackageTBS
  12, 71, 114, 111, 117, 112, 73, 110, 102, 111, 84, 66, 83, // GroupInfoTBS
  14, 85, 112, 100, 97, 116, 101, 80, 97, 116, 104, 78, 111, 100, 101, // UpdatePathNode
  7, 87, 101, 108, 99, 111, 109, 101, // Welcome
  20, 75, 101, 121, 80, 97, 99, 107, 97, 103, 101, 32, 82, 101, 102, 101, 114, 101, 110, 99, 101, // KeyPackage Reference
  8, 105, 110, 105, 116, 32, 107, 101, 121, // init key
  8, 108, 101, 97, 102, 32, 107, 101, 121, // leaf key
]);

/** The prefix of every label, PREFIX_BYTES long. */
@inline export const PREFIX: usize = table;
export const PREFIX_BYTES: u32 = 8;


@inline export const SENDER_DATA: usize = table + 8;


@inline export const ENCRYPTION: usize = table + 20;


@inline export const CONFIRM: usize = table + 31;


@inline export const INIT: usize = table + 39;


@inline export const JOINER: usize = table + 44;


@inline export const EPOCH: usize = table + 51;


@inline export const WELCOME: usize = table + 57;


@inline export const KEY: usize = table + 65;


@inline export const NONCE: usize = table + 69;


@inline export const SECRET: usize = table + 75;


@inline export const TREE: usize = table + 82;


@inline export const HANDSHAKE: usize = table + 87;


@inline export const APPLICATION: usize = table + 97;


@inline export const NODE: usize = table + 109;


@inline export const PATH: usize = table + 114;
/** "left" and "right" are contexts, not labels: their text starts after the length byte. */
@inline export const LEFT: usize = table + 119;


@inline export const RIGHT: usize = table + 124;


@inline export const FRAMED_CONTENT_TBS: usize = table + 130;


@inline export const LEAF_NODE_TBS: usize = table + 147;


@inline export const KEY_PACKAGE_TBS: usize = table + 159;


@inline export const GROUP_INFO_TBS: usize = table + 173;


@inline export const UPDATE_PATH_NODE: usize = table + 186;


@inline export const WELCOME_SECRETS: usize = table + 201;


@inline export const KEY_PACKAGE_REFERENCE: usize = table + 209;
/** Labels of our own, for the key pairs that grow from a key package's seed. */
@inline export const INIT_KEY: usize = table + 230;


@inline export const LEAF_KEY: usize = table + 239;
