// The device's side of the MLS room: every call starts from stored parts, as on the board, and stores what is dirty.
import { ed25519 } from "@noble/curves/ed25519.js";
import { loadRoom, type Room } from "../room.ts";

export const PARTS = 7;
export const PART_NAMES = ["Member", "Head", "Send", "Handshake", "Epoch", "Receive", "Skipped"];
/** Parts from this one on lie in the slot of their epoch. */
const FIRST_PER_EPOCH = 4;
const KIND_MLS = 5;
const KEY_PACKAGE_BYTES = 312;
const TEXT_LIMIT_BYTES = 16384;

export const room: Room = loadRoom("mls");

/** A refusal of the core. */
export class Refused extends Error {
  constructor(
    readonly kind: number,
    readonly detail: number,
  ) {
    super(`refused: kind ${kind}, detail ${detail}`);
  }
}

export interface Opened {
  type: "application" | "commit";
  sender: number;
  generation: number;
  text: Uint8Array;
  removed: boolean;
  members: number;
  epoch: bigint;
  /** Bytes of the parts that the operation stored, by name; empty when nothing may be stored. */
  stored: Record<string, number>;
  /** Of the new epoch, after a commit. */
  exporterSecret: Uint8Array;
}

/** Keys of a key package that another implementation made. */
export interface ForeignPackage {
  keyPackage: Uint8Array;
  initPrivate: Uint8Array;
  leafPrivate: Uint8Array;
  notBefore: bigint;
}

/** Where the leaf node lies in the device's key package, and its length. */
const LEAF_AT = 37;
const LEAF_BYTES = 208;

export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A leaf device with one peer. */
export class Device {
  readonly identityPublic: Uint8Array;
  readonly seed = new Uint8Array(32);
  notBefore = 0n;
  keyPackage: Uint8Array = new Uint8Array(0);
  reference: Uint8Array = new Uint8Array(0);
  /** What the store holds. */
  parts = new Map<string, Uint8Array>();
  /** Members of the group that was joined. */
  members = 0;
  guard = 0;

  constructor(
    readonly identitySeed: Uint8Array,
    readonly address: string,
    readonly groupId: Uint8Array,
    readonly peer: string,
  ) {
    this.identityPublic = ed25519.getPublicKey(identitySeed);
  }

  private identity(): number {
    return room.call(
      "makeIdentity",
      room.put(this.identitySeed),
      room.put(this.identityPublic),
      room.put(ascii(this.address)),
    );
  }

  private begin(): number {
    return room.call(
      "makeGroup",
      this.identity(),
      room.put(this.groupId),
      this.groupId.length,
      room.put(ascii(this.peer)),
    );
  }

  private key(part: number, epoch: bigint): string {
    return part < FIRST_PER_EPOCH ? `${part}` : `${part}/${epoch & 3n}`;
  }

  /** A group with its parts in, the view on `epoch` (default: the current one). */
  private load(epoch?: bigint): number {
    const group = this.begin();
    for (let part = 0; part < PARTS; part++) {
      const data = this.parts.get(this.key(part, epoch ?? room.call<bigint>("groupEpoch", group)));
      if (data && !room.call("groupDecode", group, part, room.put(data), data.length))
        throw new Error(`part ${part} is unreadable`);
    }
    return group;
  }

  private store(group: number): Record<string, number> {
    const stored: Record<string, number> = {};
    const dirty = room.call("groupDirty", group);
    const epoch = room.call<bigint>("groupViewEpoch", group);
    const out = room.alloc(1024);
    for (let part = 0; part < PARTS; part++) {
      if (!(dirty & (1 << part))) continue;
      const bytes = room.call("groupEncode", group, part, out);
      if (bytes) this.parts.set(this.key(part, epoch), room.read(out, bytes));
      else this.parts.delete(this.key(part, epoch));
      stored[PART_NAMES[part]!] = bytes;
    }
    return stored;
  }

  /** Mints a key package from `seed`. */
  mint(seed: Uint8Array, notBefore: bigint): Uint8Array {
    this.seed.set(seed);
    this.notBefore = notBefore;
    return room.scope(() => {
      const out = room.alloc(KEY_PACKAGE_BYTES);
      const reference = room.alloc(32);
      room.call("keyPackageMint", room.put(seed), this.identity(), notBefore, out, reference);
      this.reference = room.read(reference, 32);
      this.keyPackage = room.read(out, KEY_PACKAGE_BYTES);
      return this.keyPackage;
    });
  }

  names(welcome: Uint8Array): boolean {
    return room.scope(() => !!room.call("welcomeNames", room.put(welcome), welcome.length, room.put(this.reference)));
  }

  /** Joins with the keys of a package from elsewhere; returns the exporter secret. */
  joinWith(welcome: Uint8Array, made: ForeignPackage): Uint8Array {
    return room.scope(() => {
      const group = this.begin();
      const reference = room.alloc(32);
      const initPublic = room.alloc(32);
      const initPrivate = room.put(made.initPrivate);
      room.call(
        "refHash",
        room.put(new Uint8Array([20, ...ascii("KeyPackage Reference")])),
        room.put(made.keyPackage),
        made.keyPackage.length,
        reference,
      );
      room.call("x25519Base", initPublic, initPrivate);
      const leaf = made.keyPackage.slice(LEAF_AT, LEAF_AT + LEAF_BYTES);
      check(
        room.call(
          "joinWith",
          group,
          room.put(welcome),
          welcome.length,
          0,
          0,
          reference,
          initPrivate,
          initPublic,
          room.put(made.leafPrivate),
          room.put(leaf),
          leaf.length,
        ),
      );
      room.call("keepPair", group, made.notBefore);
      this.reference = room.read(reference, 32);
      this.store(group);
      return room.read(room.call("groupExporterSecret", group), 32);
    });
  }

  /** Joins and stores a pair; returns bytes stored by part. */
  join(welcome: Uint8Array): Record<string, number> {
    return room.scope(() => {
      const group = this.begin();
      check(
        room.call(
          "welcomeJoin",
          room.put(welcome),
          welcome.length,
          group,
          room.put(this.seed),
          room.put(this.reference),
          this.notBefore,
        ),
      );
      this.members = room.call("groupMembers", group);
      if (this.members !== 2) return {};
      this.parts.clear();
      return this.store(group);
    });
  }

  /** Opens a message and stores what changed. */
  open(message: Uint8Array): Opened {
    return room.scope(() => {
      const at = room.put(message);
      const epoch = room.call<bigint>("messageEpoch", at, message.length);
      const group = this.load(epoch < 0n ? undefined : epoch);
      const opened = room.call("makeOpened");
      check(room.call("openMessage", group, at, message.length, opened));
      const members = room.call("groupMembers", group);
      const result: Opened = {
        type: room.call("openedType", opened) === 1 ? "application" : "commit",
        sender: room.call("openedSender", opened),
        generation: room.call("openedGeneration", opened),
        text: room.read(room.call("openedText", opened), room.call("openedTextBytes", opened)),
        removed: !!room.call("openedRemoved", opened),
        members,
        epoch: room.call<bigint>("groupEpoch", group),
        stored: {},
        exporterSecret: new Uint8Array(0),
      };
      if (result.removed) return result;
      if (members === 2) result.stored = this.store(group);
      if (result.type === "commit") result.exporterSecret = room.read(room.call("groupExporterSecret", group), 32);
      return result;
    });
  }

  /** Seals a text. */
  seal(text: Uint8Array, capacity = TEXT_LIMIT_BYTES): Uint8Array {
    return room.scope(() => {
      const group = this.load();
      const out = room.alloc(capacity);
      const guard = room.put(new Uint8Array([1, 2, 3, this.guard++ & 255]));
      const bytes = room.call("groupSeal", group, room.put(text), text.length, guard, out, capacity);
      if (bytes < 0) check(-bytes);
      this.store(group);
      return room.read(out, bytes);
    });
  }

  /** Current epoch of the stored group. */
  epoch(): bigint {
    return room.scope(() => room.call<bigint>("groupEpoch", this.load()));
  }

  /** A copy with the same keys and the same store. */
  clone(): Device {
    const copy = new Device(this.identitySeed, this.address, this.groupId, this.peer);
    copy.mintedLike(this);
    return copy;
  }

  private mintedLike(other: Device): void {
    this.seed.set(other.seed);
    this.notBefore = other.notBefore;
    this.keyPackage = other.keyPackage;
    this.reference = other.reference;
    this.parts = new Map(other.parts);
  }
}

function check(status: number): void {
  if (status === 0) return;
  throw new Refused(status, room.call("takeDetail"));
}

/** Runs `body`, which must be refused with Kind.Mls; returns the detail code. */
export function refusedDetail(body: () => unknown): number {
  try {
    body();
  } catch (error) {
    if (error instanceof Refused && error.kind === KIND_MLS) return error.detail;
    throw error;
  }
  throw new Error("was not refused");
}

/** MLS-Exporter under an exporter secret. */
export function exported(exporterSecret: Uint8Array, label: string, context: Uint8Array, bytes: number): Uint8Array {
  return room.scope(() => {
    const out = room.alloc(bytes);
    room.call(
      "exportSecret",
      room.put(exporterSecret),
      room.put(new Uint8Array([label.length, ...ascii(label)])),
      room.put(context),
      context.length,
      out,
      bytes,
    );
    return room.read(out, bytes);
  });
}
