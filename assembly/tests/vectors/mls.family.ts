// RFC 9420 families (mls, mls-openmls, mls-passive-interop). What the device never takes is named as a skip.
import { deepStrictEqual as same, strictEqual } from "node:assert";
import { hex, loadRoom, type Room, toHex } from "../room.ts";
import { type CaseResult, type Family, judge, skip } from "./family.ts";

// The files are outside data: each family names the fields that it reads.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Entry = any;

let loaded: Room | undefined;
const core = (): Room => (loaded ??= loadRoom("mls"));

const HASH = 32;
const DETAIL_PSK = 305;

/** Puts hex into the arena. */
const put = (text: string): number => core().put(hex(text));
const bytesOf = (text: string): number => text.length / 2;
/** A label as the core takes it: length byte, then text. */
const label = (text: string): number => core().put(Buffer.from([text.length, ...Buffer.from(text)]));
const read = (at: number, bytes: number): string => toHex(core().read(at, bytes));
/** Calls an export whose last argument is where `bytes` bytes go; returns them as hex. */
function result(bytes: number, name: string, ...args: (number | bigint)[]): string {
  const out = core().alloc(bytes);
  core().call(name, ...args, out);
  return read(out, bytes);
}

/** A family of files whose top level is a list; each entry is one case, run in an empty arena. Text from `check`: why it is skipped. */
function family(name: string, check: (entry: Entry) => unknown): Family {
  return {
    name,
    matches: (path) => path.startsWith("mls") && path.endsWith(`/${name}.json`),
    run: (json) =>
      (json as Entry[]).map((entry, index): CaseResult => {
        let reason: unknown;
        const verdict = judge(`${index}`, () => {
          reason = core().scope(() => check(entry));
        });
        return verdict.ok && typeof reason === "string" ? skip(`${index}`, reason) : verdict;
      }),
  };
}

function cryptoBasics(entry: Entry): void {
  const { ref_hash: ref, expand_with_label: expand, derive_secret: derive, derive_tree_secret: tree } = entry;
  // RefHash takes its label whole; the core's labels go without the prefix, which the vector's random label lacks.
  const prefixed = ref.label.startsWith("MLS 1.0 ");
  if (prefixed)
    strictEqual(result(HASH, "refHash", label(ref.label.slice(8)), put(ref.value), bytesOf(ref.value)), ref.out);
  const out = core().alloc(expand.length);
  core().call(
    "expandWithLabel",
    put(expand.secret),
    label(expand.label),
    put(expand.context),
    bytesOf(expand.context),
    out,
    expand.length,
  );
  strictEqual(read(out, expand.length), expand.out);
  strictEqual(result(HASH, "deriveSecret", put(derive.secret), label(derive.label)), derive.out);
  const treeOut = core().alloc(tree.length);
  core().call("deriveTreeSecret", put(tree.secret), label(tree.label), tree.generation, treeOut, tree.length);
  strictEqual(read(treeOut, tree.length), tree.out);

  const sign = entry.sign_with_label;
  const content = put(sign.content);
  const verify = (signature: number): boolean =>
    !!core().call("verifyWithLabel", put(sign.pub), label(sign.label), content, bytesOf(sign.content), signature);
  strictEqual(verify(put(sign.signature)), true);
  const signature = core().alloc(64);
  core().call(
    "signWithLabel",
    put(sign.priv),
    put(sign.pub),
    label(sign.label),
    content,
    bytesOf(sign.content),
    signature,
  );
  strictEqual(verify(signature), true);

  const sealed = entry.encrypt_with_label;
  const plain = core().alloc(bytesOf(sealed.plaintext));
  const opened = core().call(
    "decryptWithLabel",
    put(sealed.priv),
    put(sealed.pub),
    label(sealed.label),
    put(sealed.context),
    bytesOf(sealed.context),
    put(sealed.kem_output),
    put(sealed.ciphertext),
    bytesOf(sealed.ciphertext),
    plain,
  );
  strictEqual(opened, 1);
  strictEqual(read(plain, bytesOf(sealed.plaintext)), sealed.plaintext);
}

function deserialization(entry: Entry): void {
  strictEqual(
    core().call<bigint>("vectorLength", put(entry.vlbytes_header), bytesOf(entry.vlbytes_header)),
    BigInt(entry.length),
  );
}

function keySchedule(entry: Entry): void {
  let init = entry.initial_init_secret;
  for (const [number, epoch] of entry.epochs.entries()) {
    const context = core().call(
      "makeContext",
      put(entry.group_id),
      bytesOf(entry.group_id),
      BigInt(number),
      put(epoch.tree_hash),
      put(epoch.confirmed_transcript_hash),
    );
    strictEqual(read(core().call("encodeContext", context), core().call("contextBytes", context)), epoch.group_context);
    const joiner = result(HASH, "joinerSecret", put(init), put(epoch.commit_secret), context);
    strictEqual(joiner, epoch.joiner_secret);
    strictEqual(result(HASH, "welcomeSecret", put(joiner), put(epoch.psk_secret)), epoch.welcome_secret);
    const epochSecret = put(result(HASH, "epochSecretOf", put(joiner), put(epoch.psk_secret), context));
    const derived = (name: string): string => result(HASH, "deriveSecret", epochSecret, label(name));
    strictEqual(derived("sender data"), epoch.sender_data_secret);
    strictEqual(derived("encryption"), epoch.encryption_secret);
    strictEqual(derived("exporter"), epoch.exporter_secret);
    strictEqual(derived("authentication"), epoch.epoch_authenticator);
    strictEqual(derived("external"), epoch.external_secret);
    strictEqual(derived("confirm"), epoch.confirmation_key);
    strictEqual(derived("membership"), epoch.membership_key);
    strictEqual(derived("resumption"), epoch.resumption_psk);
    init = derived("init");
    strictEqual(init, epoch.init_secret);
    const [externalPrivate, externalPublic] = [core().alloc(HASH), core().alloc(HASH)];
    core().call("hpkeDeriveKeyPair", put(epoch.external_secret), HASH, externalPrivate, externalPublic);
    strictEqual(read(externalPublic, HASH), epoch.external_pub);
    const { exporter } = epoch;
    const out = core().alloc(exporter.length);
    core().call(
      "exportSecret",
      put(epoch.exporter_secret),
      label(exporter.label),
      put(exporter.context),
      bytesOf(exporter.context),
      out,
      exporter.length,
    );
    strictEqual(read(out, exporter.length), exporter.secret);
  }
}

/** A member at leaf 0 of two that only protects messages; the sender of the vectors is at leaf 1. */
function protector(entry: Entry, ownLeaf: number): number {
  const identity = core().call("makeIdentity", put(entry.signature_priv), put(entry.signature_pub), core().alloc(44));
  const context = core().call(
    "makeContext",
    put(entry.group_id),
    bytesOf(entry.group_id),
    BigInt(entry.epoch),
    put(entry.tree_hash),
    put(entry.confirmed_transcript_hash),
  );
  const group = core().call("makeGroup", identity, 0, 0, 0);
  core().call(
    "protect",
    group,
    context,
    ownLeaf,
    put(entry.signature_pub),
    put(entry.encryption_secret),
    put(entry.sender_data_secret),
  );
  return group;
}

function unprotect(group: number, message: string): string {
  const span = core().alloc(8);
  strictEqual(core().call("unprotect", group, put(message), bytesOf(message), span), 0);
  const [at, bytes] = new Uint32Array(core().read(span, 8).buffer);
  return read(at!, bytes!);
}

/** The vector `data<V>` of an application message. */
const vector = (text: string): string => {
  const bytes = bytesOf(text);
  return (bytes < 64 ? bytes.toString(16).padStart(2, "0") : (0x4000 | bytes).toString(16)) + text;
};

function messageProtection(entry: Entry): void {
  strictEqual(unprotect(protector(entry, 0), entry.application_priv), vector(entry.application));
  strictEqual(unprotect(protector(entry, 0), entry.commit_priv), entry.commit);
  // Our own sealing, opened by ourselves.
  const out = core().alloc(1024);
  const sealed = core().call(
    "groupSeal",
    protector(entry, 1),
    put(entry.application),
    bytesOf(entry.application),
    put("01020304"),
    out,
    1024,
  );
  strictEqual(unprotect(protector(entry, 0), read(out, sealed)), vector(entry.application));
}

function secretTree(entry: Entry): void {
  const data = entry.sender_data;
  const sample = data.ciphertext.slice(0, 2 * HASH);
  const keys = core().alloc(28);
  core().call("keyAndNonce", put(data.sender_data_secret), put(sample), bytesOf(sample), keys);
  strictEqual(read(keys, 28), data.key + data.nonce);
  for (const [leaf, generations] of entry.leaves.entries()) {
    const node = put(result(HASH, "leafNodeSecret", put(entry.encryption_secret), entry.leaves.length, leaf));
    for (const kind of ["handshake", "application"]) {
      const secret = put(result(HASH, `${kind}Secret`, node));
      let at = 0;
      for (const expected of generations) {
        for (; at < expected.generation; at++)
          core().call("deriveTreeSecret", secret, label("secret"), at, secret, HASH);
        const out = core().alloc(28);
        core().call("deriveTreeSecret", secret, label("key"), at, out, 16);
        core().call("deriveTreeSecret", secret, label("nonce"), at, out + 16, 12);
        strictEqual(read(out, 28), expected[`${kind}_key`] + expected[`${kind}_nonce`]);
      }
    }
  }
}

/** A signature field of 66 bytes and a confirmation tag field of 33 end the authenticated content of a commit. */
const TAG_FIELD = 33;
const SIGNATURE_FIELD = 66;

function transcriptHashes(entry: Entry): void {
  const content = hex(entry.authenticated_content);
  const at = core().put(content);
  const framedBytes = content.length - TAG_FIELD - SIGNATURE_FIELD;
  const confirmed = result(
    HASH,
    "transcriptHash",
    put(entry.interim_transcript_hash_before),
    at,
    framedBytes,
    at + framedBytes + 2,
  );
  strictEqual(confirmed, entry.confirmed_transcript_hash_after);
  const tag = core().put(content.subarray(content.length - HASH));
  strictEqual(core().call("confirmationTagValid", put(entry.confirmation_key), put(confirmed), tag), 1);
  strictEqual(result(HASH, "interimTranscriptHash", put(confirmed), tag), entry.interim_transcript_hash_after);
}

function treeMath(entry: Entry): void {
  const { n_leaves: leaves, n_nodes: nodes } = entry;
  strictEqual(core().call("nodeCount", leaves), nodes);
  const root = core().call("rootOf", leaves);
  strictEqual(root, entry.root);
  for (let node = 0; node < nodes; node++) {
    const isParent = core().call("levelOf", node) > 0;
    strictEqual(isParent ? core().call("leftOf", node) : null, entry.left[node]);
    strictEqual(isParent ? core().call("rightOf", node) : null, entry.right[node]);
    strictEqual(node === root ? null : core().call("parentOf", node), entry.parent[node]);
    strictEqual(node === root ? null : core().call("siblingOf", node), entry.sibling[node]);
  }
}

function readTree(text: string): number {
  const tree = core().call("treeOf", put(text), bytesOf(text));
  if (!tree) throw new Error("the tree is malformed");
  return tree;
}

const rootHash = (tree: number): string =>
  result(HASH, "treeHash", tree, core().call("rootOf", core().call("treeLeaves", tree)));

function treeOperations(entry: Entry): string | undefined {
  const tree = readTree(entry.tree_before);
  strictEqual(rootHash(tree), entry.tree_hash_before);
  strictEqual(rootHash(readTree(entry.tree_after)), entry.tree_hash_after);
  if (entry.proposal.startsWith("0002")) return "Update comes by reference only, which the device refuses (D1)";
  const inline = `01${entry.proposal}`;
  strictEqual(core().call("applyProposal", tree, put(inline), bytesOf(inline), entry.proposal_sender), 1);
  strictEqual(rootHash(tree), entry.tree_hash_after);
  return undefined;
}

function treeValidation(entry: Entry): void {
  const tree = readTree(entry.tree);
  const hashes = entry.tree_hashes.map((_: unknown, node: number) => result(HASH, "treeHash", tree, node));
  same(hashes, entry.tree_hashes);
  const resolutions = entry.resolutions.map((_: unknown, node: number) => {
    const count = core().alloc(4);
    const at = core().call("resolutionOf", tree, node, count);
    const entries = new Uint32Array(core().read(count, 4).buffer)[0]!;
    return [...new Uint32Array(core().read(at, 4 * entries).buffer)];
  });
  same(resolutions, entry.resolutions);
  strictEqual(core().call("validateTree", tree, put(entry.group_id), bytesOf(entry.group_id)), 0);
}

function treekem(entry: Entry): void {
  for (const member of entry.leaves_private) {
    for (const update of entry.update_paths) {
      if (update.sender === member.index) continue;
      core().scope(() => {
        const group = core().call("makeGroup", 0, 0, 0, 0);
        core().call("holdLeafKey", group, readTree(entry.ratchet_tree), member.index, put(member.encryption_priv));
        for (const { node, path_secret: secret } of member.path_secrets) {
          strictEqual(core().call("holdPathSecret", group, node, put(secret)), 1, `path secret of node ${node}`);
        }
        const treeHash = core().alloc(HASH);
        const context = core().call(
          "makeContext",
          put(entry.group_id),
          bytesOf(entry.group_id),
          BigInt(entry.epoch),
          treeHash,
          put(entry.confirmed_transcript_hash),
        );
        const [pathSecret, commitSecret] = [core().alloc(HASH), core().alloc(HASH)];
        const taken = core().call(
          "takeUpdatePath",
          group,
          put(update.update_path),
          bytesOf(update.update_path),
          update.sender,
          context,
          pathSecret,
          commitSecret,
        );
        strictEqual(taken, 1, `path of ${update.sender} for ${member.index}`);
        strictEqual(read(treeHash, HASH), update.tree_hash_after);
        strictEqual(read(pathSecret, HASH), update.path_secrets[member.index]);
        strictEqual(read(commitSecret, HASH), update.commit_secret);
      });
    }
  }
}

/** Header of an MLSMessage: version, wire format. */
const MESSAGE_HEAD = 8;
const bareKeyPackage = (entry: Entry): string => entry.key_package.slice(MESSAGE_HEAD);
const reference = (keyPackage: string): number =>
  put(result(HASH, "refHash", label("KeyPackage Reference"), put(keyPackage), bytesOf(keyPackage)));
const publicOf = (privateKey: string): number => {
  const at = core().alloc(HASH);
  core().call("x25519Base", at, put(privateKey));
  return at;
};

function welcome(entry: Entry): void {
  const group = core().call("makeGroup", 0, 0, 0, 0);
  const detail = core().call(
    "checkWelcome",
    group,
    put(entry.welcome),
    bytesOf(entry.welcome),
    reference(bareKeyPackage(entry)),
    put(entry.init_priv),
    publicOf(entry.init_priv),
    put(entry.signer_pub),
  );
  strictEqual(detail, 0);
}

/** The leaf node inside a bare key package: behind version, suite and init key, before extensions and signature. */
function leafNodeOf(keyPackage: string): string {
  const start = 2 * (4 + 33);
  // The vectors' key packages have a one-byte length before their extensions; try the lengths that fit.
  for (let extensionBytes = 0; extensionBytes < 64; extensionBytes++) {
    const end = keyPackage.length - 2 * (SIGNATURE_FIELD + extensionBytes + 1);
    if (
      keyPackage.slice(end, end + 2) === extensionBytes.toString(16).padStart(2, "0") &&
      keyPackage.slice(end - 132, end - 128) === "4040"
    ) {
      return keyPackage.slice(start, end);
    }
  }
  throw new Error("no leaf node found");
}

/** Joins a vector's group; undefined with a reason to skip. */
function joinPassively(entry: Entry): { group: number; reason?: string } {
  const keyPackage = bareKeyPackage(entry);
  const leaf = leafNodeOf(keyPackage);
  const group = core().call("makeGroup", 0, 0, 0, 0);
  const tree = entry.ratchet_tree ?? "";
  const status = core().call(
    "joinWith",
    group,
    put(entry.welcome),
    bytesOf(entry.welcome),
    tree ? put(tree) : 0,
    bytesOf(tree),
    reference(keyPackage),
    put(entry.init_priv),
    publicOf(entry.init_priv),
    put(entry.encryption_priv),
    put(leaf),
    bytesOf(leaf),
  );
  if (status !== 0) {
    const detail = core().call("takeDetail");
    if (detail === DETAIL_PSK) return { group, reason: "a Welcome with a PSK is refused by the device" };
    throw new Error(`join refused with kind ${status}, detail ${detail}`);
  }
  return { group };
}

function passiveClient(entry: Entry): string | undefined {
  const { group, reason } = joinPassively(entry);
  if (reason) return reason;
  const authenticator = (): string => read(core().call("groupEpochAuthenticator", group), HASH);
  strictEqual(authenticator(), entry.initial_epoch_authenticator);
  for (const epoch of entry.epochs) {
    // Byte 3 of a message is its wire format: 1 public, 2 private.
    if (epoch.proposals.length > 0) return "joined; proposals by reference are refused by the device (D1)";
    if (epoch.commit.slice(4, 8) !== "0002") return "joined; PublicMessage is refused by the device (D1)";
    const status = core().call(
      "openMessage",
      group,
      put(epoch.commit),
      bytesOf(epoch.commit),
      core().call("makeOpened"),
    );
    strictEqual(status, 0, `commit refused, detail ${core().call("takeDetail")}`);
    strictEqual(authenticator(), epoch.epoch_authenticator);
  }
  return undefined;
}

export const families: Family[] = [
  family("crypto-basics", cryptoBasics),
  family("deserialization", deserialization),
  family("key-schedule", keySchedule),
  family("message-protection", messageProtection),
  family("secret-tree", secretTree),
  family("transcript-hashes", transcriptHashes),
  family("tree-math", treeMath),
  family("tree-operations", treeOperations),
  family("tree-validation", treeValidation),
  family("treekem", treekem),
  family("welcome", welcome),
  ...["passive-client-welcome", "application", "branch", "commit", "external_join", "reinit", "welcome_join"].map(
    (name) => family(name, passiveClient),
  ),
];
