// The device in the memory it has on a board: a full arena is a trap, so nothing that arrives may fill it.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { boardModule } from "./board-module.ts";
import { LeafDevice, type Outcome } from "./device.ts";
import { decodeFrame, encodeBinary, envelopeOf, keyPackageOf } from "./frames.ts";
import { packageOf } from "./member.ts";
import { NOW, openDevice, pair, type Paired } from "./pairing.ts";
import { encodeFrame, type JsonFrame, Peer } from "./peer.ts";

const stamp = NOW * 1000n;
const LONGEST_APP_ID = '"'.repeat(256);
/** Texts up to this length must open when they come in wire v1. */
const TEXT_BYTES_THAT_OPEN = 4500;

let modulePath: string;
beforeAll(async () => {
  modulePath = await boardModule();
}, 120_000);

const board = (): Promise<Paired> => pair(openDevice(modulePath));
const strangers = async (count: number): Promise<{ keyPackage: Awaited<ReturnType<typeof packageOf>> }[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const peer = new Peer(new Uint8Array(32).fill(0x90 + index));
      return { keyPackage: await packageOf(peer.address, peer) };
    }),
  );

describe("memory of the board build", () => {
  it("linear memory is one page that the runtime cuts below 32 KiB", () => {
    const device = new LeafDevice(undefined, modulePath);
    const cut = (device.exports as unknown as Record<string, WebAssembly.Global>).__heap_base!.value as number;
    expect(cut).toBeLessThanOrEqual(32 * 1024);
    expect(device.image.length).toBe(64 * 1024);
    device.open();
    expect(device.image.slice(cut).every((byte) => byte === 0)).toBe(true);
  });

  it("nothing of a call is left in the arena", async () => {
    const { device, peer } = await board();
    const before = device.seal(peer.address, "first", NOW);
    const arenaStart = device.image.length;
    expect(before.arena).toBeLessThan(arenaStart);
    const cut = (device.exports as unknown as Record<string, WebAssembly.Global>).__heap_base!.value as number;
    // The arena is what lies between static data and the cut; its upper half was in use during the join.
    expect(device.image.slice(cut - 4096, cut).every((byte) => byte === 0)).toBe(true);
    expect(device.image.slice(device.mailbox, device.mailbox + device.mailboxBytes).every((byte) => byte === 0)).toBe(
      true,
    );
  });

  it("seals the longest text for a peer that reads JSON only, under the longest application id", async () => {
    const opened = openDevice(modulePath);
    expect(opened.device.open(LONGEST_APP_ID).kind).toBe("OK");
    const { device, peer, address } = await pair(opened);
    expect(
      device.receive(encodeFrame(peer.keyPackage(address, stamp, { wire_versions: [], env_versions: [] })), NOW).kind,
    ).toBe("OK");
    const text = '"'.repeat(1024);
    const sealed = device.seal(peer.address, text, NOW);
    expect(sealed.kind).toBe("OK");
    expect(await peer.group!.open(envelopeOf(decodeFrame(sealed.frames[0]!)).ciphertext)).toBe(text);
    expect(device.seal(peer.address, `${text}x`, NOW).kind).toBe("Sealed");
  });

  it("pairs and re-pairs in JSON under the longest application id", async () => {
    const opened = openDevice(modulePath);
    expect(opened.device.open(LONGEST_APP_ID).kind).toBe("OK");
    const { device, peer, address, hash } = await pair(opened);
    const plain = { wire_versions: [], env_versions: [] };
    const reset = device.receive(
      encodeFrame(peer.keyPackage(address, stamp + 1n, { ...plain, session_reset: true })),
      NOW,
    );
    expect(reset.kind).toBe("OK");
    const welcome = await peer.welcome(address, hash, keyPackageOf(decodeFrame(reset.frames[0]!)), stamp + 2n);
    expect(device.receive(encodeFrame(welcome), NOW).kind).toBe("OK");
  });

  it("texts of any length open or are refused, with a full list of skipped keys", async () => {
    const { device, peer, address, hash } = await board();
    for (let i = 0; i < 40; i++) await peer.group!.seal("skipped");
    const opens = async (bytes: number, frame: (message: Uint8Array) => Uint8Array): Promise<string> =>
      device.receive(frame(await peer.group!.seal("y".repeat(bytes))), NOW).kind;
    const binary = (message: Uint8Array): Uint8Array => encodeBinary(peer.compact(address, hash, message));
    const json = (message: Uint8Array): Uint8Array => encodeFrame(peer.compact(address, hash, message));
    const kinds = new Map<number, string>();
    for (let bytes = 100; bytes <= 7000; bytes += 100) kinds.set(bytes, await opens(bytes, binary));
    const refusedFrom = [...kinds].find(([, kind]) => kind !== "OK")![0];
    expect(refusedFrom).toBeGreaterThan(TEXT_BYTES_THAT_OPEN);
    expect([...kinds].every(([bytes, kind]) => kind === (bytes < refusedFrom ? "OK" : "MalformedFrame"))).toBe(true);
    for (let bytes = 1000; bytes <= 5000; bytes += 500)
      expect(["OK", "MalformedFrame"]).toContain(await opens(bytes, json));
  });

  it("a commit is applied with a full list of skipped keys, and late messages with theirs", async () => {
    const { device, peer, address, hash } = await board();
    const late: Uint8Array[] = [];
    for (let epoch = 0; epoch < 4; epoch++) {
      for (let i = 0; i < 40; i++) late.push(await peer.group!.seal("y".repeat(1000)));
      const newest = encodeBinary(peer.compact(address, hash, await peer.group!.seal("newest")));
      expect(device.receive(newest, NOW).kind).toBe("OK");
      const commit = device.receive(encodeBinary(peer.compact(address, hash, await peer.group!.commit())), NOW);
      expect(commit.events).toMatchObject([{ type: "CommitApplied" }]);
    }
    const opens = (index: number): string =>
      device.receive(encodeBinary(peer.compact(address, hash, late[index]!)), NOW).kind;
    // 32 of 40 are kept, of the three epochs before this one.
    expect([39, 40 + 7, 40 + 8, 80 + 39, 120 + 8].map(opens)).toEqual(["Mls", "Mls", "OK", "OK", "OK"]);
  });

  it("commits of any size are applied or refused", async () => {
    for (const count of [1, 2, 3, 4, 6]) {
      const { device, peer, address, hash } = await board();
      for (let i = 0; i < 40; i++) await peer.group!.seal("skipped");
      await device.receive(encodeBinary(peer.compact(address, hash, await peer.group!.seal("x"))), NOW);
      const adds = (await strangers(count)).map((add) => ({ proposalType: "add" as const, add }));
      const { kind } = device.receive(encodeBinary(peer.compact(address, hash, await peer.group!.commit(adds))), NOW);
      expect(["IdentityBinding", "Mls", "MalformedFrame"]).toContain(kind);
      expect(device.peers()).toEqual([peer.address]);
    }
  });

  it("a Welcome into a larger group is refused", async () => {
    for (const count of [1, 2, 3, 5]) {
      const opened = openDevice(modulePath);
      const { device, address, hash } = opened;
      const peer = new Peer(new Uint8Array(32).fill(0x22));
      const offer = decodeFrame(device.advertise(peer.address, NOW).frames[0]!);
      const others = (await strangers(count)).map(({ keyPackage }) => keyPackage);
      const welcome = await peer.welcome(address, hash, keyPackageOf(offer), stamp, others);
      const input = encodeFrame(welcome);
      if (input.length > device.mailboxBytes) continue;
      expect(["IdentityBinding", "Mls", "MalformedFrame"]).toContain(device.receive(input, NOW).kind);
      expect(device.session(peer.address).session).toBe(false);
    }
  });

  it("control frames of any size are judged or refused, with a tail or without", async () => {
    const { device, peer, address } = await board();
    const receive = (frame: JsonFrame, encode: (frame: JsonFrame) => Uint8Array): Outcome | undefined => {
      const input = encode(frame);
      return input.length > device.mailboxBytes ? undefined : device.receive(input, NOW);
    };
    for (let bytes = 0; bytes < 8000; bytes += 1000) {
      const body = { later: "z".repeat(bytes) };
      const long = peer.keyPackage(address, stamp, body);
      const tail = peer.sign(
        peer.frame(address, `__MLS_CONFIRM_PROBE__${"A".repeat(4 * (bytes >> 2))}`, { timestamp: stamp }),
      );
      for (const frame of [long, tail])
        for (const encode of [encodeFrame, encodeBinary]) {
          expect(["OK", "MalformedFrame"]).toContain(receive(frame, encode)?.kind ?? "OK");
        }
    }
  });
});

describe("hostile bytes", () => {
  /** Hands over bytes; whatever they are, a refused call changes nothing and the device goes on. */
  const survives = (device: LeafDevice, input: Uint8Array): void => {
    const before = device.flash.dump();
    const { kind, events } = device.receive(input.slice(0, device.mailboxBytes), NOW);
    if (kind !== "OK") expect(Buffer.compare(device.flash.dump(), before)).toBe(0);
    else expect(events.length).toBeGreaterThan(0);
  };

  it("arbitrary bytes", async () => {
    const { device, peer } = await board();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8192 }), fc.constantFrom(0xf5, 0x7b, 0x5b), (data, first) => {
        survives(device, data);
        if (data.length > 0) data[0] = first;
        survives(device, data);
      }),
      { numRuns: 150 },
    );
    expect(device.seal(peer.address, "alive", NOW).kind).toBe("OK");
  });

  it("frames with changed, lost and added bytes", async () => {
    const { device, peer, address, hash } = await board();
    const welcome = await peer.welcome(
      address,
      hash,
      keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!)),
      stamp,
    );
    const good = [
      encodeFrame(peer.keyPackage(address, stamp)),
      encodeBinary(peer.keyPackage(address, stamp)),
      encodeFrame(welcome),
      encodeBinary(welcome),
      encodeBinary(peer.compact(address, hash, new Uint8Array(300).fill(7))),
      encodeFrame(peer.sealed(address, hash, new Uint8Array(300).fill(7))),
    ];
    const edit = fc.record({ at: fc.nat(), byte: fc.nat(255), drop: fc.nat(3), add: fc.nat(3) });
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.array(edit, { minLength: 1, maxLength: 4 }), (frame, edits) => {
        let data = [...frame];
        for (const { at, byte, drop, add } of edits) {
          data.splice(at % data.length, drop + 1, ...Array<number>(add).fill(byte));
          if (data.length === 0) data = [byte];
        }
        survives(device, new Uint8Array(data));
      }),
      { numRuns: 200 },
    );
    expect(device.peers()).toContain(peer.address);
  });

  it("lengths that the mailbox cannot hold", async () => {
    const { device, peer } = await board();
    const nothing = new Uint8Array(0);
    for (const bytes of [8193, 65536, -1, 0x7fffffff]) {
      expect(device.call("receive", nothing, bytes, NOW).kind).toBe("MalformedFrame");
      expect(device.call("advertise", nothing, bytes, NOW).kind).toBe("MalformedFrame");
      expect(device.call("seal", nothing, bytes, 1, NOW).kind).toBe("MalformedFrame");
      expect(device.call("seal", nothing, 44, bytes, NOW).kind).toBe("MalformedFrame");
      expect(device.call("session", nothing, bytes).kind).toBe("MalformedFrame");
      expect(device.call("unpair", nothing, bytes).kind).toBe("MalformedFrame");
      expect(device.call("invite", nothing, bytes).kind).toBe("MalformedFrame");
      expect(device.call("open", nothing, 0, bytes).kind).toBe("MalformedFrame");
      expect(device.open().kind).toBe("OK");
    }
    expect(device.seal(peer.address, "alive", NOW).kind).toBe("OK");
  });
});
