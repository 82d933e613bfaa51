// What must be refused, each with the reason that refuses it, and without a trace in the store.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { DETAIL } from "./details.ts";
import { ascii, type Device, refusedDetail, room } from "./device.ts";
import { fill, flipped, GROUP, newDevice, pair, type Pair, PHONE, text } from "./pair.ts";
import { type Faults, Phone, strangerPackage } from "./phone.ts";

/** The refusal of a message; the store must be as before, and the device must go on. */
function openRefused(device: Device, message: Uint8Array): number {
  const before = new Map(device.parts);
  const detail = refusedDetail(() => device.open(message));
  expect(device.parts).toEqual(before);
  return detail;
}

/** Replaces the signature of a message to sign by that of a changed message. */
const signOther = (wanted: string): Faults => ({
  sign: (label, message, sign) => sign(label === wanted ? flipped(message, -1) : message),
});

describe("a Welcome", () => {
  let device: Device;
  let founder: Phone;
  let welcome: Uint8Array;
  /** Length of the Welcome's head up to `new_member`: message head, suite, list length, reference length. */
  const REFERENCE_AT = 9;

  beforeAll(async () => {
    device = newDevice();
    founder = await Phone.found(GROUP, PHONE);
    await founder.add([await strangerPackage("stranger")]);
    welcome = await invitation(founder.fork());
  });

  /** As real phones do, but ts-mls for an Add alone does not: the commit has an update path. A Remove obliges it. */
  const invitation = (phone: Phone, ratchetTree = true): Promise<Uint8Array> =>
    phone.commitWelcome([{ proposalType: "remove", remove: { removed: 1 } }], [device.keyPackage], ratchetTree);

  const joinRefused = (data: Uint8Array, joiner = device): number => refusedDetail(() => joiner.join(data));
  const dishonest = (faults: Faults): Promise<Uint8Array> => invitation(founder.dishonest(faults));

  it("is refused with any byte changed", () => {
    for (let at = 0; at < welcome.length; at++) joinRefused(flipped(welcome, at));
    expect(device.parts.size).toBe(0);
  });

  it("is refused at every shorter length, and with a byte behind it", () => {
    for (let length = 0; length < welcome.length; length += length < 200 ? 1 : 37) {
      joinRefused(welcome.slice(0, length));
      expect(device.names(welcome.slice(0, length))).toBe(false);
    }
    expect(joinRefused(new Uint8Array([...welcome, 0]))).toBe(DETAIL.MlsDecode);
  });

  it("names only its own key package", () => {
    expect(device.names(flipped(welcome, REFERENCE_AT))).toBe(false);
    const other = newDevice();
    other.mint(fill(0x34), other.notBefore);
    expect(other.names(welcome)).toBe(false);
    expect(joinRefused(welcome, other)).toBe(DETAIL.MlsGroupSecrets);
  });

  it("is refused for another leaf node than the one minted", () => {
    const other = device.clone();
    other.notBefore += 1n;
    expect(joinRefused(welcome, other)).toBe(DETAIL.MlsOwnLeaf);
  });

  it("is refused as another message", () => {
    expect(joinRefused(new Uint8Array([0, 2, ...welcome.slice(2)]))).toBe(DETAIL.MlsWireFormat);
    expect(joinRefused(new Uint8Array([0, 1, 0, 2, ...welcome.slice(4)]))).toBe(DETAIL.MlsWireFormat);
    expect(joinRefused(new Uint8Array([0, 1, 0, 3, 0, 3, ...welcome.slice(6)]))).toBe(DETAIL.MlsCipherSuite);
  });

  it("to another group is refused as such", async () => {
    const other = await Phone.found(ascii("another group"), PHONE);
    const before = await other.add([device.keyPackage]);
    expect(() => device.join(before)).toThrow(`kind 9, detail ${DETAIL.MlsGroupId}`);
  });

  it("without a tree is refused", async () => {
    expect(joinRefused(await invitation(founder.fork(), false))).toBe(DETAIL.MlsRatchetTree);
  });

  it("with a false signature is refused", async () => {
    expect(joinRefused(await dishonest(signOther("GroupInfoTBS")))).toBe(DETAIL.MlsSignature);
  });

  it("with a false signature of a leaf is refused", async () => {
    expect(joinRefused(await dishonest(signOther("LeafNodeTBS")))).toBe(DETAIL.MlsLeafNode);
  });

  it("with a false confirmation tag is refused", async () => {
    expect(joinRefused(await dishonest({ mac: (tag) => flipped(tag, 0) }))).toBe(DETAIL.MlsConfirmationTag);
  });

  /** GroupSecrets: joiner secret field 33 bytes, presence, path secret field 33, PSK list. */
  const groupSecrets = (edit: (plain: Uint8Array) => Uint8Array): Faults => ({
    hpkePlain: (plain) => (plain.length === 68 ? edit(plain) : plain),
  });

  it("with a path secret that does not fit the tree is refused", async () => {
    expect(joinRefused(await dishonest(groupSecrets((plain) => flipped(plain, 40))))).toBe(DETAIL.MlsPathSecret);
  });

  it("with a joiner secret that does not fit is refused", async () => {
    expect(joinRefused(await dishonest(groupSecrets((plain) => flipped(plain, 5))))).toBe(DETAIL.MlsDecrypt);
  });

  it("with a PSK is refused", async () => {
    // An external PSK: type 1, id of one byte, nonce of 32 bytes.
    const psk = [36, 1, 1, 0x41, 32, ...fill(7)];
    expect(joinRefused(await dishonest(groupSecrets((plain) => new Uint8Array([...plain.slice(0, 67), ...psk]))))).toBe(
      DETAIL.MlsPsk,
    );
  });

  it("with malformed group secrets is refused", async () => {
    expect(joinRefused(await dishonest(groupSecrets((plain) => new Uint8Array([...plain, 0]))))).toBe(
      DETAIL.MlsGroupSecrets,
    );
    expect(joinRefused(await dishonest(groupSecrets((plain) => plain.slice(0, 60))))).toBe(DETAIL.MlsGroupSecrets);
    expect(
      joinRefused(
        await dishonest(groupSecrets((plain) => new Uint8Array([...plain.slice(0, 33), 2, ...plain.slice(34)]))),
      ),
    ).toBe(DETAIL.MlsGroupSecrets);
  });

  /** Signature field at the end of a GroupInfo. */
  const SIGNATURE_FIELD = 66;
  /** Where fields of the GroupInfo's context lie, for the group id of the pair. */
  const TREE_HASH_AT = 4 + 99 + 8 + 1;
  const CONTEXT_BYTES = 4 + 99 + 8 + 33 + 33 + 1;
  /** Extensions: list header, type, data header, tree vector header. */
  const TREE_EXTENSION_AT = CONTEXT_BYTES + 2 + 2 + 2;

  /** A Welcome whose GroupInfo was changed and then signed by its signer. */
  function resigned(edit: (info: Uint8Array) => Uint8Array): Promise<Uint8Array> {
    const label = ascii("MLS 1.0 GroupInfoTBS");
    return dishonest({
      aeadPlain: async (plain, aad) => {
        if (aad?.length) return plain;
        const info = edit(plain.slice(0, plain.length - SIGNATURE_FIELD));
        const header = info.length < 0x4000 ? [0x40 | (info.length >> 8), info.length & 255] : [];
        const signature = await founder.sign(new Uint8Array([label.length, ...label, ...header, ...info]));
        return new Uint8Array([...info, 0x40, 0x40, ...signature]);
      },
    });
  }

  /** The same with a changed tree, and its true hash. */
  function withTree(edit: (tree: Uint8Array) => void): Promise<Uint8Array> {
    return resigned((info) => {
      const copy = info.slice();
      const treeBytes = ((copy[TREE_EXTENSION_AT - 2]! & 0x3f) << 8) | copy[TREE_EXTENSION_AT - 1]!;
      const tree = copy.subarray(TREE_EXTENSION_AT, TREE_EXTENSION_AT + treeBytes);
      edit(tree);
      const hash = room.scope(() => {
        const parsed = room.call("treeOf", room.put(tree), tree.length);
        if (!parsed) return new Uint8Array(32);
        const out = room.alloc(32);
        room.call("treeHash", parsed, room.call("rootOf", room.call("treeLeaves", parsed)), out);
        return room.read(out, 32);
      });
      copy.set(hash, TREE_HASH_AT);
      return copy;
    });
  }

  it("that was signed again joins, so that the next cases prove something", async () => {
    const joiner = newDevice();
    joiner.join(await resigned((info) => info));
    expect(joiner.epoch()).toBe(2n);
    newDevice().join(await withTree(() => {}));
  });

  it("with another context is refused", async () => {
    expect(joinRefused(await resigned((info) => flipped(info, 1)))).toBe(DETAIL.MlsCipherSuite);
    expect(joinRefused(await resigned((info) => flipped(info, 3)))).toBe(DETAIL.MlsCipherSuite);
    expect(joinRefused(await resigned((info) => flipped(info, TREE_HASH_AT)))).toBe(DETAIL.MlsTreeHash);
    expect(joinRefused(await resigned((info) => flipped(info, TREE_HASH_AT - 2)))).toBe(DETAIL.MlsConfirmationTag);
    expect(joinRefused(await resigned((info) => flipped(info, TREE_HASH_AT + 40)))).toBe(DETAIL.MlsConfirmationTag);
  });

  it("with another signer is refused", async () => {
    const signer = (index: number) => resigned((info) => new Uint8Array([...info.slice(0, -4), 0, 0, 0, index]));
    expect(joinRefused(await signer(1))).toBe(DETAIL.MlsSignature);
    expect(joinRefused(await signer(2))).toBe(DETAIL.MlsSender);
  });

  it("with a malformed GroupInfo is refused", async () => {
    expect(joinRefused(await resigned((info) => info.slice(0, -1)))).toBe(DETAIL.MlsGroupInfo);
    expect(joinRefused(await resigned((info) => new Uint8Array([...info, 0])))).toBe(DETAIL.MlsGroupInfo);
  });

  /** The phone's leaf in the tree: vector header 2, presence, node type. */
  const LEAF_0 = 4;
  /** A commit leaf: 33 + 33 keys, credential 47, capabilities 11, source, parent hash field. */
  const PHONE_PARENT_HASH = LEAF_0 + 66 + 47 + 11 + 1 + 1;
  const PHONE_LEAF_BYTES = 66 + 47 + 11 + 1 + 33 + 1 + SIGNATURE_FIELD;
  /** Then the root: presence, type, key header. */
  const ROOT_KEY = LEAF_0 + PHONE_LEAF_BYTES + 3;

  it("with a tree that is not consistent is refused", async () => {
    const refusal = async (edit: (tree: Uint8Array) => void): Promise<number> => joinRefused(await withTree(edit));
    expect(await refusal((tree) => (tree[LEAF_0 + PHONE_LEAF_BYTES - 1]! ^= 1))).toBe(DETAIL.MlsLeafNode);
    expect(await refusal((tree) => (tree[PHONE_PARENT_HASH]! ^= 1))).toBe(DETAIL.MlsParentHash);
    expect(await refusal((tree) => (tree[ROOT_KEY]! ^= 1))).toBe(DETAIL.MlsParentHash);
    expect(await refusal((tree) => (tree[tree.length - 1]! ^= 1))).toBe(DETAIL.MlsOwnLeaf);
    expect(await refusal((tree) => (tree[LEAF_0 - 1] = 2))).toBe(DETAIL.MlsRatchetTree);
    expect(await refusal((tree) => (tree[LEAF_0 - 2] = 0))).toBe(DETAIL.MlsRatchetTree);
    expect(await refusal((tree) => (tree[LEAF_0 + 66 + 1] = 9))).toBe(DETAIL.MlsRatchetTree);
  });

  it("never traps, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (data) => {
        joinRefused(new Uint8Array([0, 1, 0, 3, 0, 1, ...data]));
        joinRefused(data);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a message", () => {
  let base: Pair;
  beforeAll(async () => {
    base = await pair(20);
  });
  const fork = (): Pair => ({ device: base.device.clone(), phone: base.phone.fork() });

  it("is refused with any byte changed, and opens afterwards", async () => {
    const { device, phone } = fork();
    const message = await phone.seal("unlock");
    for (let at = 0; at < message.length; at++) openRefused(device, flipped(message, at));
    expect(text(device.open(message).text)).toBe("unlock");
  });

  it("is refused at every shorter length, and with a byte behind it", async () => {
    const { device, phone } = fork();
    const message = await phone.seal("unlock");
    for (let length = 0; length < message.length; length++) openRefused(device, message.slice(0, length));
    expect(openRefused(device, new Uint8Array([...message, 0]))).toBe(DETAIL.MlsDecode);
  });

  it("of our own is refused", () => {
    const { device } = fork();
    expect(openRefused(device, device.seal(ascii("echo")))).toBe(DETAIL.MlsSender);
  });

  it("of an epoch that is not here yet is refused", async () => {
    const { device, phone } = fork();
    await phone.commit();
    expect(openRefused(device, await phone.seal("early"))).toBe(DETAIL.MlsEpoch);
  });

  it("of another group is refused", async () => {
    const { device } = fork();
    const other = await Phone.found(ascii("other"), PHONE);
    await other.add([await strangerPackage("somebody")]);
    expect(openRefused(device, await other.seal("hello"))).toBe(DETAIL.MlsGroupId);
  });

  it("with padding that is not zero is refused", async () => {
    const { device, phone } = fork();
    const aeadPlain = (plain: Uint8Array): Uint8Array => (plain.length > 40 ? flipped(plain, -1) : plain);
    expect(openRefused(device, await phone.dishonest({ aeadPlain }).seal("unlock"))).toBe(DETAIL.MlsPadding);
    expect(openRefused(device, await phone.dishonest({ aeadPlain }).commit())).toBe(DETAIL.MlsPadding);
  });

  it("with a false signature is refused, application or commit", async () => {
    const { device, phone } = fork();
    const liar = phone.dishonest(signOther("FramedContentTBS"));
    expect(openRefused(device, await liar.seal("unlock"))).toBe(DETAIL.MlsSignature);
    expect(openRefused(device, await phone.dishonest(signOther("FramedContentTBS")).commit())).toBe(
      DETAIL.MlsSignature,
    );
  });

  /** Sender data: leaf index 4, generation 4, reuse guard 4. */
  const senderData = (edit: (plain: Uint8Array) => void): Faults => ({
    aeadPlain: (plain) => {
      if (plain.length !== 12) return plain;
      const copy = plain.slice();
      edit(copy);
      return copy;
    },
  });

  it("with false sender data is refused", async () => {
    const { device, phone } = fork();
    const sealed = (edit: (plain: Uint8Array) => void): Promise<Uint8Array> =>
      phone.dishonest(senderData(edit)).seal("unlock");
    expect(openRefused(device, await sealed((plain) => (plain[3] = 1)))).toBe(DETAIL.MlsSender);
    expect(openRefused(device, await sealed((plain) => (plain[3] = 3)))).toBe(DETAIL.MlsSender);
    expect(openRefused(device, await sealed((plain) => (plain[0] = 255)))).toBe(DETAIL.MlsSender);
    expect(openRefused(device, await sealed((plain) => (plain[7] = 1)))).toBe(DETAIL.MlsDecrypt);
    expect(openRefused(device, await sealed((plain) => (plain[4] = 255)))).toBe(DETAIL.MlsTooFarAhead);
    expect(openRefused(device, await sealed((plain) => (plain[8]! ^= 1)))).toBe(DETAIL.MlsDecrypt);
  });

  it("that is no PrivateMessage with text or a commit is refused before anything is opened (D1)", async () => {
    const { device, phone } = fork();
    const wrong = DETAIL.MlsWireFormat;
    expect(openRefused(device, await phone.fork().commit({ wireAsPublicMessage: true }))).toBe(wrong);
    expect(openRefused(device, await phone.fork().add([await strangerPackage("third")]))).toBe(wrong);
    expect(openRefused(device, new Uint8Array([0, 1, 0, 5, ...device.keyPackage]))).toBe(wrong);
    expect(openRefused(device, device.keyPackage)).toBe(wrong);
    const proposal = await phone.fork().propose({ proposalType: "remove", remove: { removed: 1 } });
    expect(openRefused(device, proposal)).toBe(DETAIL.MlsContentType);
  });

  it("never traps, whatever the bytes", () => {
    const { device } = fork();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (data) => {
        openRefused(device, data);
        openRefused(device, new Uint8Array([0, 1, 0, 2, 0x40, 0x61, ...GROUP, 0, 0, 0, 0, 0, 0, 0, 1, 1, ...data]));
      }),
      { numRuns: 100 },
    );
  });
});

describe("a commit", () => {
  let base: Pair;
  beforeAll(async () => {
    base = await pair();
  });
  const fork = (): Pair => ({ device: base.device.clone(), phone: base.phone.fork() });
  const refusal = async (faults: Faults): Promise<number> => {
    const { device, phone } = fork();
    return openRefused(device, await phone.dishonest(faults).commit());
  };

  it("is refused with any byte changed, and applies afterwards", async () => {
    const { device, phone } = fork();
    const commit = await phone.commit();
    for (let at = 0; at < commit.length; at++) openRefused(device, flipped(commit, at));
    expect(device.open(commit).epoch).toBe(2n);
    expect(openRefused(device, commit)).toBe(DETAIL.MlsEpoch);
  });

  it("with a false signature of its leaf is refused", async () => {
    expect(await refusal(signOther("LeafNodeTBS"))).toBe(DETAIL.MlsLeafNode);
  });

  it("with a false confirmation tag is refused", async () => {
    expect(await refusal({ mac: (tag) => flipped(tag, 31) })).toBe(DETAIL.MlsConfirmationTag);
  });

  it("with a path secret that does not fit its keys is refused", async () => {
    expect(await refusal({ hpkePlain: (plain) => flipped(plain, 0) })).toBe(DETAIL.MlsPathSecret);
  });

  it("with a parent hash that does not fit is refused", async () => {
    // The parent hash ends 104 bytes before the end of LeafNodeTBS: extensions, group id and leaf index follow it.
    let hash = new Uint8Array(0);
    const spoil = (data: Uint8Array): Uint8Array => {
      const at = Buffer.from(data).indexOf(hash);
      return at < 0 ? data : flipped(data, at);
    };
    const faults: Faults = {
      sign: (label, message, sign) => {
        if (label === "LeafNodeTBS") hash = message.slice(-136, -104);
        return sign(spoil(message));
      },
      aeadPlain: spoil,
    };
    expect(await refusal(faults)).toBe(DETAIL.MlsParentHash);
  });

  it("with a path secret that nobody can open is refused", async () => {
    const faults: Faults = { hpkePlain: (plain) => plain.slice(1) };
    expect(await refusal(faults)).toBe(DETAIL.MlsUpdatePath);
  });

  it("of an earlier epoch is refused", async () => {
    const { device, phone } = fork();
    const old = await phone.fork().commit();
    device.open(await phone.commit());
    expect(openRefused(device, old)).toBe(DETAIL.MlsEpoch);
  });

  it("with proposals that the profile does not have is refused (D2)", async () => {
    const attempt = async (act: (phone: Phone) => Promise<Uint8Array>): Promise<number> => {
      const { device, phone } = fork();
      return openRefused(device, await act(phone));
    };
    const byReference = async (phone: Phone): Promise<Uint8Array> => {
      await phone.propose({ proposalType: "add", add: { keyPackage: await strangerPackage("third") } });
      return phone.commit();
    };
    expect(await attempt(byReference)).toBe(DETAIL.MlsProposal);
    expect(
      await attempt((phone) =>
        phone.commit({
          extraProposals: [{ proposalType: "group_context_extensions", groupContextExtensions: { extensions: [] } }],
        }),
      ),
    ).toBe(DETAIL.MlsProposal);
    expect(
      await attempt((phone) =>
        phone.commit({
          extraProposals: [
            {
              proposalType: "reinit",
              reinit: {
                groupId: GROUP,
                version: "mls10",
                cipherSuite: "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519",
                extensions: [],
              },
            },
          ],
        }),
      ),
    ).toBe(DETAIL.MlsProposal);
  });

  it("that adds a false key package is refused", async () => {
    const { device, phone } = fork();
    const stranger = await strangerPackage("third");
    const good = await phone.fork().addCommit([stranger]);
    expect(device.clone().open(good).members).toBe(3);
    // A faulty signature of the package, or of its leaf, spoiled on the way into the message.
    for (const signature of [stranger.signature, stranger.leafNode.signature]) {
      const spoil = (data: Uint8Array): Uint8Array => {
        const at = Buffer.from(data).indexOf(signature);
        return at < 0 ? data : flipped(data, at);
      };
      const faults: Faults = { sign: (_, message, sign) => sign(spoil(message)), aeadPlain: spoil };
      expect(openRefused(device, await phone.dishonest(faults).addCommit([stranger]))).toBe(DETAIL.MlsProposal);
    }
  });
});

describe("sealing", () => {
  it("is refused where the message does not fit", async () => {
    const { device, phone } = await pair();
    const before = new Map(device.parts);
    expect(refusedDetail(() => device.seal(ascii("unlocked"), 255))).toBe(DETAIL.MlsTooLong);
    expect(refusedDetail(() => device.seal(new Uint8Array(300), 256))).toBe(DETAIL.MlsTooLong);
    expect(device.parts).toEqual(before);
    expect(await phone.open(device.seal(ascii("unlocked"), 256))).toBe("unlocked");
  });

  it("ends with the last generation", async () => {
    const { device } = await pair();
    // The part Send: secret, then the generation in as few bytes as it needs, little endian.
    const secret = device.parts.get("2")!.slice(0, 32);
    device.parts.set("2", new Uint8Array([...secret, 254, 255, 255, 255]));
    device.seal(ascii("last"));
    expect(refusedDetail(() => device.seal(ascii("one more")))).toBe(DETAIL.MlsExhausted);
  });
});
