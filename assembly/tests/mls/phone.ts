// A phone for the tests: the independent MLS implementation ts-mls.
import { expand } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import {
  type CiphersuiteImpl,
  type ClientConfig,
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  createProposal,
  type CreateCommitOptions,
  decodeMlsMessage,
  defaultAuthenticationService,
  defaultKeyPackageEqualityConfig,
  emptyPskIndex,
  encodeMlsMessage,
  generateKeyPackage,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
  joinGroup,
  type KeyPackage,
  type MLSMessage,
  processPrivateMessage,
  type Proposal,
} from "ts-mls";
import { ascii } from "./device.ts";

const CAPABILITIES = {
  versions: ["mls10" as const],
  ciphersuites: ["MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519" as const],
  extensions: [],
  proposals: [],
  credentials: ["basic" as const],
};

const FOREVER = { notBefore: 0n, notAfter: 4_000_000_000n };

let suite: CiphersuiteImpl | undefined;

/** Cipher suite 1 of ts-mls. */
export async function suiteOne(): Promise<CiphersuiteImpl> {
  suite ??= await getCiphersuiteImpl(getCiphersuiteFromName("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"));
  return suite;
}

/** A config whose messages carry `paddingBytes` zero bytes. */
export function config(paddingBytes = 0): ClientConfig {
  return {
    keyRetentionConfig: { retainKeysForGenerations: 32, retainKeysForEpochs: 4, maximumForwardRatchetSteps: 8192 },
    lifetimeConfig: { maximumTotalLifetime: 7776000n, validateLifetimeOnReceive: false },
    keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
    paddingConfig: { kind: "alwaysPad", paddingLength: paddingBytes },
    authService: defaultAuthenticationService,
  } as ClientConfig;
}

/** Key package of some other device. */
export async function strangerPackage(name: string): Promise<KeyPackage> {
  const made = await generateKeyPackage(
    { credentialType: "basic", identity: ascii(name) },
    CAPABILITIES,
    FOREVER,
    [],
    await suiteOne(),
  );
  return made.publicPackage;
}

/** What a dishonest phone does to the outputs of its own cryptography. Messages to be signed begin with their label. */
export interface Faults {
  sign?(label: string, message: Uint8Array, sign: (message: Uint8Array) => Promise<Uint8Array>): Promise<Uint8Array>;
  mac?(tag: Uint8Array): Uint8Array;
  /** Before an HPKE seal. */
  hpkePlain?(plaintext: Uint8Array): Uint8Array;
  /** Before an AEAD of a PrivateMessage or a GroupInfo. */
  aeadPlain?(plaintext: Uint8Array, aad: Uint8Array | undefined): Uint8Array | Promise<Uint8Array>;
}

/** Length of `label<V>` and of the header of what follows, for labels shorter than 64 bytes. */
const LABEL_TEXT_AT = 1;

/** A suite with faults. */
function faulty(impl: CiphersuiteImpl, faults: Faults): CiphersuiteImpl {
  const { sign, mac, hpkePlain, aeadPlain } = faults;
  return {
    ...impl,
    signature: {
      ...impl.signature,
      sign: (key, message) => {
        const label = new TextDecoder()
          .decode(message.subarray(LABEL_TEXT_AT, LABEL_TEXT_AT + message[0]!))
          .replace("MLS 1.0 ", "");
        const honest = (changed: Uint8Array): Promise<Uint8Array> => impl.signature.sign(key, changed);
        return sign ? sign(label, message, honest) : honest(message);
      },
    },
    hash: {
      ...impl.hash,
      mac: async (key, data) => (mac ? mac(await impl.hash.mac(key, data)) : impl.hash.mac(key, data)),
    },
    hpke: {
      ...impl.hpke,
      seal: (key, plaintext, info, aad) => impl.hpke.seal(key, hpkePlain ? hpkePlain(plaintext) : plaintext, info, aad),
      encryptAead: async (key, nonce, aad, plaintext) =>
        impl.hpke.encryptAead(key, nonce, aad, aeadPlain ? await aeadPlain(plaintext, aad) : plaintext),
    },
  };
}

/** A member of a group, by default its founder. */
export class Phone {
  private constructor(
    public state: ClientState,
    private readonly impl: CiphersuiteImpl,
  ) {}

  /** A copy that goes its own, dishonest way. */
  dishonest(faults: Faults): Phone {
    return new Phone(this.state, faulty(this.impl, faults));
  }

  /** Signs as this member: `message` begins with its label. */
  sign(message: Uint8Array): Promise<Uint8Array> {
    return this.impl.signature.sign(this.state.signaturePrivateKey, message);
  }

  /** Founds a group. */
  static async found(groupId: Uint8Array, address: string, padding = 0): Promise<Phone> {
    const impl = await suiteOne();
    const own = await generateKeyPackage(
      { credentialType: "basic", identity: ascii(address) },
      CAPABILITIES,
      FOREVER,
      [],
      impl,
    );
    return new Phone(
      await createGroup(groupId, own.publicPackage, own.privatePackage, [], impl, config(padding)),
      impl,
    );
  }

  /** A copy that goes its own way. */
  fork(): Phone {
    return new Phone(this.state, this.impl);
  }

  /** Adds members; returns the Welcome as an MLSMessage. */
  async add(packages: (Uint8Array | KeyPackage)[], ratchetTreeExtension = true): Promise<Uint8Array> {
    const extraProposals: Proposal[] = packages.map((item) => ({
      proposalType: "add",
      add: { keyPackage: item instanceof Uint8Array ? decodePackage(item) : item },
    }));
    const result = await createCommit(
      { state: this.state, cipherSuite: this.impl },
      { extraProposals, ratchetTreeExtension },
    );
    this.state = result.newState;
    return encodeMlsMessage({ welcome: result.welcome!, wireformat: "mls_welcome", version: "mls10" });
  }

  /** Adds another phone and returns it. */
  async addMember(address: string): Promise<Phone> {
    const own = await generateKeyPackage(
      { credentialType: "basic", identity: ascii(address) },
      CAPABILITIES,
      FOREVER,
      [],
      this.impl,
    );
    const extraProposals: Proposal[] = [{ proposalType: "add", add: { keyPackage: own.publicPackage } }];
    const result = await createCommit(
      { state: this.state, cipherSuite: this.impl },
      { extraProposals, ratchetTreeExtension: true },
    );
    this.state = result.newState;
    const joined = await joinGroup(
      result.welcome!,
      own.publicPackage,
      own.privatePackage,
      emptyPskIndex,
      this.impl,
      undefined,
      undefined,
      config(),
    );
    return new Phone(joined, this.impl);
  }

  /** Commits proposals and Adds at once; returns the Welcome. */
  async commitWelcome(proposals: Proposal[], packages: Uint8Array[], ratchetTreeExtension = true): Promise<Uint8Array> {
    const adds: Proposal[] = packages.map((item) => ({
      proposalType: "add",
      add: { keyPackage: decodePackage(item) },
    }));
    const result = await createCommit(
      { state: this.state, cipherSuite: this.impl },
      { extraProposals: [...proposals, ...adds], ratchetTreeExtension },
    );
    this.state = result.newState;
    return encodeMlsMessage({ welcome: result.welcome!, wireformat: "mls_welcome", version: "mls10" });
  }

  /** Commits Adds; returns the commit. */
  addCommit(packages: KeyPackage[]): Promise<Uint8Array> {
    return this.commit({
      extraProposals: packages.map((keyPackage) => ({ proposalType: "add", add: { keyPackage } })),
    });
  }

  /** Commits; by default with an update path and nothing else. */
  async commit(options: CreateCommitOptions = {}): Promise<Uint8Array> {
    const result = await createCommit({ state: this.state, cipherSuite: this.impl }, options);
    this.state = result.newState;
    return encodeMlsMessage(result.commit);
  }

  async propose(proposal: Proposal): Promise<Uint8Array> {
    const result = await createProposal(this.state, false, proposal, this.impl);
    this.state = result.newState;
    return encodeMlsMessage(result.message);
  }

  /** Spends `count` generations of the application ratchet without sealing. */
  skip(count: number): void {
    const tree = [...this.state.secretTree];
    const own = this.state.privatePath.leafIndex;
    const node = tree[own]!;
    let { secret, generation } = node.application;
    const label = ascii("MLS 1.0 secret");
    for (const end = generation + count; generation < end; generation++) {
      const info = new Uint8Array([0, 32, label.length, ...label, 4, 0, 0, generation >> 8, generation & 255]);
      secret = expand(sha256, secret, info, 32);
    }
    tree[own] = { ...node, application: { ...node.application, secret, generation } };
    this.state = { ...this.state, secretTree: tree };
  }

  async seal(text: string, authenticatedData?: Uint8Array): Promise<Uint8Array> {
    const result = await createApplicationMessage(this.state, ascii(text), this.impl, authenticatedData);
    this.state = result.newState;
    return encodeMlsMessage({
      privateMessage: result.privateMessage,
      wireformat: "mls_private_message",
      version: "mls10",
    });
  }

  async open(message: Uint8Array): Promise<string> {
    const decoded = decodeMlsMessage(message, 0)![0] as MLSMessage & { wireformat: "mls_private_message" };
    const result = await processPrivateMessage(this.state, decoded.privateMessage, emptyPskIndex, this.impl);
    this.state = result.newState;
    if (result.kind !== "applicationMessage") throw new Error("no application message");
    return new TextDecoder().decode(result.message);
  }

  get epoch(): bigint {
    return this.state.groupContext.epoch;
  }
}

/** A bare KeyPackage, as the device makes it. */
function decodePackage(bytes: Uint8Array): KeyPackage {
  const message = new Uint8Array(4 + bytes.length);
  message.set([0, 1, 0, 5]);
  message.set(bytes, 4);
  const decoded = decodeMlsMessage(message, 0);
  if (decoded?.[1] !== message.length || decoded[0].wireformat !== "mls_key_package") throw new Error("no key package");
  return decoded[0].keyPackage;
}
