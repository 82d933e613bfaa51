// The phone's side of a group under a key of its own choice: the independent MLS implementation ts-mls.
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
  generateKeyPackageWithKey,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
  type KeyPackage,
  type MLSMessage,
  processPrivateMessage,
  type Proposal,
} from "ts-mls";

const text = new TextEncoder();
const SUITE = "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519" as const;
const CAPABILITIES = {
  versions: ["mls10" as const],
  ciphersuites: [SUITE],
  extensions: [],
  proposals: [],
  credentials: ["basic" as const],
};
const LIFETIME = { notBefore: 0n, notAfter: 4_000_000_000n };
const CONFIG: ClientConfig = {
  keyRetentionConfig: { retainKeysForGenerations: 2048, retainKeysForEpochs: 4, maximumForwardRatchetSteps: 8192 },
  lifetimeConfig: { maximumTotalLifetime: 7_776_000n, validateLifetimeOnReceive: false },
  keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
  paddingConfig: { kind: "alwaysPad", paddingLength: 0 },
  authService: defaultAuthenticationService,
} as ClientConfig;

let suite: Promise<CiphersuiteImpl> | undefined;
const suiteOne = (): Promise<CiphersuiteImpl> => (suite ??= getCiphersuiteImpl(getCiphersuiteFromName(SUITE)));

/** A bare KeyPackage, as the device makes it. */
function decodePackage(bytes: Uint8Array): KeyPackage {
  const message = new Uint8Array([0, 1, 0, 5, ...bytes]);
  const decoded = decodeMlsMessage(message, 0);
  if (decoded?.[1] !== message.length || decoded[0].wireformat !== "mls_key_package") throw new Error("no key package");
  return decoded[0].keyPackage;
}

export interface SigningKeys {
  seed: Uint8Array;
  publicKey: Uint8Array;
}

/** A key package of somebody with this address and key. */
export async function packageOf(address: string, keys: SigningKeys): Promise<KeyPackage> {
  const credential = { credentialType: "basic" as const, identity: text.encode(address) };
  const made = await generateKeyPackageWithKey(
    credential,
    CAPABILITIES,
    LIFETIME,
    [],
    { signKey: keys.seed, publicKey: keys.publicKey },
    await suiteOne(),
  );
  return made.publicPackage;
}

/** The founder of a group. */
export class Member {
  private constructor(
    private state: ClientState,
    private readonly impl: CiphersuiteImpl,
  ) {}

  static async found(groupId: string, address: string, keys: SigningKeys): Promise<Member> {
    const impl = await suiteOne();
    const credential = { credentialType: "basic" as const, identity: text.encode(address) };
    const own = await generateKeyPackageWithKey(
      credential,
      CAPABILITIES,
      LIFETIME,
      [],
      { signKey: keys.seed, publicKey: keys.publicKey },
      impl,
    );
    return new Member(
      await createGroup(text.encode(groupId), own.publicPackage, own.privatePackage, [], impl, CONFIG),
      impl,
    );
  }

  /** A copy that goes its own way. */
  fork(): Member {
    return new Member(this.state, this.impl);
  }

  /** Adds members; returns the Welcome as an MLSMessage. */
  async add(...packages: (Uint8Array | KeyPackage)[]): Promise<Uint8Array> {
    const extraProposals: Proposal[] = packages.map((item) => ({
      proposalType: "add",
      add: { keyPackage: item instanceof Uint8Array ? decodePackage(item) : item },
    }));
    const result = await createCommit(
      { state: this.state, cipherSuite: this.impl },
      { extraProposals, ratchetTreeExtension: true },
    );
    this.state = result.newState;
    return encodeMlsMessage({ welcome: result.welcome!, wireformat: "mls_welcome", version: "mls10" });
  }

  /** Commits; by default with an update path and nothing else. */
  async commit(extraProposals: Proposal[] = []): Promise<Uint8Array> {
    const options: CreateCommitOptions = { extraProposals };
    const result = await createCommit({ state: this.state, cipherSuite: this.impl }, options);
    this.state = result.newState;
    return encodeMlsMessage(result.commit);
  }

  /** A proposal by reference. */
  async propose(proposal: Proposal): Promise<Uint8Array> {
    const result = await createProposal(this.state, false, proposal, this.impl);
    this.state = result.newState;
    return encodeMlsMessage(result.message);
  }

  async seal(message: string | Uint8Array): Promise<Uint8Array> {
    const plain = typeof message === "string" ? text.encode(message) : message;
    const result = await createApplicationMessage(this.state, plain, this.impl);
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
}
