// The rules of leaf.md, each with what breaks it. The numbers are those of the scenarios that a leaf must pass.
import { describe, expect, it } from "vitest";
import { LeafDevice } from "./device.ts";
import { decodeFrame, envelopeOf, frameKind, keyPackageOf } from "./frames.ts";
import { Member, packageOf } from "./member.ts";
import { NOW, openDevice, pair } from "./pairing.ts";
import { encodeFrame, type JsonFrame, Peer } from "./peer.ts";

const stamp = NOW * 1000n;
const DAY_S = 86_400n;
const peerOf = (fill: number): Peer => new Peer(new Uint8Array(32).fill(fill));
const kinds = (frames: Uint8Array[]): string[] => frames.map(decodeFrame).map(frameKind);
const receive = (device: LeafDevice, frame: JsonFrame, now = NOW) => device.receive(encodeFrame(frame), now);
const probe = (peer: Peer, address: string, timestamp = stamp, version: 1 | 2 = 2): JsonFrame =>
  peer.sign(peer.frame(address, "__MLS_CONFIRM_PROBE__", { timestamp }), version);

describe("the gate of control frames", () => {
  const { device, address } = openDevice();
  const peer = peerOf(0x22);
  const refused = (frame: JsonFrame, now = NOW): string => {
    const before = device.flash.dump();
    const { kind } = receive(device, frame, now);
    expect(Buffer.compare(device.flash.dump(), before)).toBe(0);
    return kind;
  };

  it("3, 4: unsigned and half signed frames", () => {
    const signed = peer.keyPackage(address, stamp);
    expect(refused({ ...signed, metadata: {} })).toBe("ControlFrameRefused");
    for (const key of Object.keys(signed.metadata)) {
      const { [key]: _, ...metadata } = signed.metadata;
      expect(refused({ ...signed, metadata })).toBe("ControlFrameRefused");
    }
  });

  it("5, 6, 7: a key, a sender or a body that belongs to somebody else", () => {
    const other = peerOf(0x44);
    expect(refused({ ...other.keyPackage(address, stamp), sender: peer.address })).toBe("IdentityBinding");
    expect(refused(peer.sign({ ...peer.frame(address, "__MLS_CONFIRM_PROBE__"), sender: "alice" }))).toBe(
      "IdentityBinding",
    );
    expect(refused(peer.keyPackage(address, stamp, { user_id: other.address }))).toBe("IdentityBinding");
  });

  it("15: any changed byte of what is signed", () => {
    const signed = peer.keyPackage(address, stamp);
    for (const change of [
      { content: `${signed.content} ` },
      { id: "00000000-0000-0000-0000-000000000000" },
      { timestamp: stamp + 1n },
    ]) {
      expect(refused({ ...signed, ...change })).toBe("ControlFrameRefused");
    }
  });

  it("56, 57: two days and no millisecond more, either way", () => {
    for (const side of [1n, -1n]) {
      expect(refused(peer.keyPackage(address, stamp - side * (2n * DAY_S * 1000n + 1n)))).toBe("StaleControlFrame");
      expect(receive(openDevice().device, peer.keyPackage(address, 0n)).events).toEqual([
        { type: "Ignored", reason: "not-addressed-here" },
      ]);
      const fresh = openDevice();
      expect(receive(fresh.device, peer.keyPackage(fresh.address, stamp - side * 2n * DAY_S * 1000n)).kind).toBe("OK");
    }
  });

  it("58, 61, 63, 64: only a key package may be undated", async () => {
    const { device: other, address: to, hash } = openDevice();
    expect(refused(probe(peer, address, stamp, 1))).toBe("ControlFrameRefused");
    const hello = receive(other, peer.keyPackage(to, 5n, {}, 1));
    expect(kinds(hello.frames)).toEqual(["__MLS_KEY_PKG__", "ack"]);
    const welcome = await peer.welcome(to, hash, keyPackageOf(decodeFrame(hello.frames[0]!)), stamp);
    expect(receive(other, peer.sign({ ...welcome }, 1)).kind).toBe("ControlFrameRefused");
    expect(other.session(peer.address).session).toBe(false);
    expect(receive(other, peer.sign({ ...welcome }, 2)).kind).toBe("OK");
  });
});

describe("silence and acknowledgements", () => {
  it("10, 16, 17, 18: one acknowledgement, repeated over a power cycle, none where none is asked for", async () => {
    const { device, peer, address, hash } = await pair();
    const frame = peer.sealed(address, hash, await peer.group!.seal("once"));
    const first = receive(device, frame);
    expect(first.events).toMatchObject([{ type: "MessageReceived", text: "once", frameId: frame.id }]);
    const ack = decodeFrame(first.frames[0]!);
    expect(ack).toMatchObject({
      sender: address,
      recipient: peer.address,
      content: "",
      metadata: { ack_for: frame.id },
      priority: "low",
      requires_ack: false,
    });
    device.power();
    device.open();
    const again = receive(device, frame);
    expect(again.events).toEqual([{ type: "Ignored", reason: "already-answered" }]);
    expect(decodeFrame(again.frames[0]!).metadata).toEqual({ ack_for: frame.id });
    const quiet = receive(device, peer.sealed(address, hash, await peer.group!.seal("quiet"), { requires_ack: false }));
    expect([quiet.kind, quiet.frames.length]).toEqual(["OK", 0]);
  });

  it("remembers four ids: the fifth is opened again and refused by the ratchet", async () => {
    const { device, peer, address, hash } = await pair();
    const sealed: JsonFrame[] = [];
    for (let i = 0; i < 5; i++) sealed.push(peer.sealed(address, hash, await peer.group!.seal(`${i}`)));
    for (const frame of sealed) expect(receive(device, frame).kind).toBe("OK");
    expect(receive(device, sealed[0]!).kind).toBe("Mls");
    expect(receive(device, sealed[1]!).events).toEqual([{ type: "Ignored", reason: "already-answered" }]);
  });

  it("11, 12, 14, 21, 42, 43, 44: what is not ours or proves nothing gets silence", async () => {
    const { device, peer, address, hash } = await pair();
    const stranger = peerOf(0x44);
    const silent: [JsonFrame, string][] = [
      [probe(stranger, address), "probe-without-session"],
      [peer.frame(address, "hello"), "unknown-prefix"],
      [peer.frame(address, "__MLS_ENC_CONFIRM__"), "unknown-prefix"],
      [peer.frame(address, ""), "unknown-prefix"],
      [stranger.sign(stranger.frame(address, "__MLS_CONFIRM_ACK__")), "unsolicited-confirm-ack"],
      [stranger.keyPackage(peer.address, stamp), "not-addressed-here"],
      [peer.sealed(address, hash, await peer.group!.seal("x"), { recipient: stranger.address }), "not-addressed-here"],
      [peer.frame("nickname", "hello"), "not-addressed-here"],
    ];
    for (const [frame, reason] of silent) {
      const { events, frames, flashBytes } = receive(device, frame);
      expect([events, frames.length, flashBytes]).toEqual([[{ type: "Ignored", reason }], 0, 0]);
    }
    expect(device.peers()).toEqual([peer.address]);
    expect(device.seal(stranger.address, "x", NOW).kind).toBe("NoSession");
  });

  it("a known peer without a session gets the delivery acknowledgement of its probe", () => {
    const { device, address } = openDevice();
    const peer = peerOf(0x22);
    receive(device, peer.keyPackage(address, stamp));
    const { events, frames } = receive(device, probe(peer, address));
    expect(events).toEqual([{ type: "Ignored", reason: "probe-without-session" }]);
    expect(kinds(frames)).toEqual(["ack"]);
  });

  it("20, 28: a probe with a session gets one signed confirm ack whose key is ours", async () => {
    const { device, peer, address } = await pair();
    const { frames, events } = receive(device, probe(peer, address));
    expect([kinds(frames), events]).toEqual([["__MLS_CONFIRM_ACK__", "ack"], []]);
    const ack = decodeFrame(frames[0]!);
    const { ed25519 } = await import("@noble/curves/ed25519.js");
    const { controlPayload, addressOfKey } = await import("./peer.ts");
    const key = new Uint8Array(Buffer.from(ack.metadata.__ctrl_pk!, "base64"));
    expect(addressOfKey(key)).toBe(address);
    const payload = controlPayload({ ...ack, timestamp: ack.timestamp } as unknown as JsonFrame, 2);
    expect(ed25519.verify(new Uint8Array(Buffer.from(ack.metadata.__ctrl_sig!, "base64")), payload, key)).toBe(true);
  });
});

describe("key packages", () => {
  it("23: no second package for the peer's own that follows ours", () => {
    const { device, address } = openDevice();
    const peer = peerOf(0x22);
    device.advertise(peer.address, NOW);
    expect(kinds(receive(device, peer.keyPackage(address, stamp, { no_session: true })).frames)).toEqual(["ack"]);
  });

  it("D6: a lost package is sent again after a while, and it is the same one", async () => {
    const { device, address } = openDevice();
    const peer = peerOf(0x22);
    const lost = decodeFrame(device.advertise(peer.address, NOW).frames[0]!);
    const push = (now: bigint, more = {}): Uint8Array[] =>
      receive(device, peer.keyPackage(address, now * 1000n, { no_session: true, ...more }), now).frames;
    expect(kinds(push(NOW + 19n))).toEqual(["ack"]);
    const [offer] = push(NOW + 20n).map(decodeFrame);
    expect(keyPackageOf(offer!)).toEqual(keyPackageOf(lost));
    expect(kinds(push(NOW + 40n, { no_session: false }))).toEqual(["ack"]);
    // A package that is about to run out is not worth sending.
    const old = NOW + 27n * DAY_S;
    expect(keyPackageOf(decodeFrame(push(old)[0]!))).not.toEqual(keyPackageOf(lost));
  });

  it("D6: says no session while we hold one: acts on news only", async () => {
    const { device, address, hash } = openDevice();
    const peer = peerOf(0x22);
    const fresh = decodeFrame(device.advertise(peer.address, NOW).frames[0]!);
    const later = stamp + 100n;
    const joined = receive(device, await peer.welcome(address, hash, keyPackageOf(fresh), later));
    expect(joined.events).toMatchObject([{ type: "SessionEstablished" }]);
    const say = (timestamp: bigint, version: 1 | 2 = 2) =>
      receive(device, peer.keyPackage(address, timestamp, { no_session: true }, version));
    expect(say(later - 1n).events).toMatchObject([{ type: "PeerAdvertised" }]);
    expect(say(later + 1n, 1).events).toMatchObject([{ type: "PeerAdvertised" }]);
    expect(device.session(peer.address).session).toBe(true);
    const news = say(later + 1n);
    expect(news.events).toMatchObject([{ type: "SessionReset" }, { type: "PeerAdvertised" }]);
    expect(kinds(news.frames)).toEqual(["__MLS_KEY_PKG__", "ack"]);
  });

  it("D11: says that it has no session where the peer may still have one", async () => {
    const { device, peer, address } = await pair();
    const flag = (frame: Uint8Array): boolean | undefined =>
      (JSON.parse(decodeFrame(frame).content.slice(15)) as { no_session?: boolean }).no_session;
    expect(flag(device.advertise(peer.address, NOW).frames[0]!)).toBeUndefined();
    device.unpair(peer.address);
    expect(flag(device.advertise(peer.address, NOW).frames[0]!)).toBe(true);
    expect(flag(device.advertise(peerOf(0x44).address, NOW).frames[0]!)).toBeUndefined();
    expect(flag(receive(device, peer.keyPackage(address, stamp, { session_reset: true })).frames[0]!)).toBeUndefined();
  });

  it("D9: no package for ourselves or for a nickname", () => {
    const { device, address } = openDevice();
    expect(device.advertise(address, NOW).kind).toBe("MalformedFrame");
    expect(device.advertise("alice", NOW).kind).toBe("MalformedFrame");
    expect(device.peers()).toEqual([]);
  });

  it("four unspent packages: the fifth takes the oldest, whose Welcome is stale", async () => {
    const { device, address, hash } = openDevice();
    const peers = [0x31, 0x32, 0x33, 0x34, 0x35].map(peerOf);
    const offers = peers.map((peer) => keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!)));
    const results = [];
    for (const [index, peer] of peers.entries())
      results.push(receive(device, await peer.welcome(address, hash, offers[index]!, stamp)).kind);
    expect(results).toEqual(["StaleKeyPackage", "OK", "OK", "OK", "OK"]);
  });

  it("D12: a new mint for a peer makes its older package worthless", async () => {
    const { device, address, hash } = openDevice();
    const peer = peerOf(0x22);
    const older = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    const newer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    expect(receive(device, await peer.welcome(address, hash, older, stamp)).kind).toBe("UnsolicitedWelcome");
    expect(receive(device, await peer.welcome(address, hash, newer, stamp)).kind).toBe("OK");
  });

  it("fails with Crypto when entropy does, and stores nothing", () => {
    const { device } = openDevice();
    device.entropy = () => false;
    const result = device.advertise(peerOf(0x22).address, NOW);
    expect([result.kind, result.flashBytes]).toEqual(["Crypto", 0]);
  });
});

describe("Welcomes", () => {
  it("46: a listener spends an overheard package in vain", async () => {
    const { device, address, hash } = openDevice();
    const [peer, thief] = [peerOf(0x22), peerOf(0x66)];
    const offer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    expect(receive(device, await thief.welcome(address, hash, offer, stamp)).kind).toBe("UnsolicitedWelcome");
    expect(device.peers()).toEqual([peer.address]);
    expect(receive(device, await peer.welcome(address, hash, offer, stamp)).kind).toBe("OK");
  });

  it("8, 36: inviter, body and group must be the pair's", async () => {
    const { device, address, hash } = openDevice();
    const [peer, other] = [peerOf(0x22), peerOf(0x66)];
    const offer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    const foreign = await other.welcome(address, hash, offer, stamp);
    expect(receive(device, peer.sign({ ...foreign, sender: peer.address })).kind).toBe("IdentityBinding");
    const group = await Member.found("session:a:b", peer.address, peer);
    const welcome = [...(await group.add(offer))];
    const body = {
      group_id: peer.sessionId(address, hash),
      welcome_data: welcome,
      inviter_id: peer.address,
      timestamp_ms: 0,
    };
    expect(
      receive(device, peer.sign(peer.frame(address, `__MLS_WELCOME__${JSON.stringify(body)}`, { timestamp: stamp })))
        .kind,
    ).toBe("IdentityBinding");
    expect(device.session(peer.address).session).toBe(false);
  });

  it("D5: the Welcome of the session that we hold is answered with a new confirm marker, over a power cycle", async () => {
    const { device, address, hash } = openDevice();
    const peer = peerOf(0x22);
    const offer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    const welcome = await peer.welcome(address, hash, offer, stamp);
    const first = receive(device, welcome);
    device.power();
    device.open();
    const again = receive(device, peer.sign({ ...welcome, id: "dd000000-0000-0000-0000-000000000001" }));
    expect(again.events).toEqual([{ type: "Ignored", reason: "welcome-spent" }]);
    expect(kinds(again.frames)).toEqual(["__MLS_ENC__", "ack"]);
    for (const frames of [first.frames, again.frames])
      expect(await peer.group!.open(envelopeOf(decodeFrame(frames[0]!)).ciphertext)).toBe("__MLS_ENC_CONFIRM__");
    // Even when a newer package waits for the peer.
    device.advertise(peer.address, NOW);
    expect(receive(device, peer.sign({ ...welcome, id: "dd000000-0000-0000-0000-000000000002" })).events).toEqual([
      { type: "Ignored", reason: "welcome-spent" },
    ]);
  });

  it("2, 60, D4: a reset, a second pairing over a session that had commits, and its first commit", async () => {
    const { device, peer, address, hash } = await pair();
    for (let i = 0; i < 2; i++) receive(device, peer.sealed(address, hash, await peer.group!.commit()));
    const reset = peer.keyPackage(address, stamp + 1n, { session_reset: true });
    const answer = receive(device, reset);
    expect(answer.events.map(({ type }) => type)).toEqual(["SessionReset", "PeerAdvertised"]);
    expect(device.seal(peer.address, "x", NOW).kind).toBe("NoSession");
    device.power();
    device.open();
    const spent = receive(device, peer.sign({ ...reset, id: "dd000000-0000-0000-0000-000000000003" }));
    expect(spent.events).toEqual([
      { type: "Ignored", reason: "reset-spent" },
      { type: "PeerAdvertised", peer: peer.address },
    ]);
    const welcome = await peer.welcome(address, hash, keyPackageOf(decodeFrame(answer.frames[0]!)), stamp + 2n);
    expect(receive(device, welcome).kind).toBe("OK");
    expect(receive(device, peer.sealed(address, hash, await peer.group!.commit())).events).toMatchObject([
      { type: "CommitApplied", epoch: 2n },
    ]);
    expect(
      await peer.group!.open(envelopeOf(decodeFrame(device.seal(peer.address, "again", NOW).frames[0]!)).ciphertext),
    ).toBe("again");
  });
});

describe("sealed frames", () => {
  it("D1: what is no application message or commit is refused, unstored and unanswered", async () => {
    const { device, peer, address, hash } = await pair();
    const keyPackage = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    const proposal = await peer.group!.propose({ proposalType: "remove", remove: { removed: 1 } });
    for (const message of [
      new Uint8Array([0, 1, 0, 5, ...keyPackage]),
      new Uint8Array([0, 1, 0, 1, ...keyPackage]),
      proposal,
      keyPackage,
      new Uint8Array(0),
    ]) {
      const { kind, flashBytes, frames } = receive(device, peer.sealed(address, hash, message));
      expect([kind, flashBytes, frames.length]).toEqual(["Mls", 0, 0]);
    }
  });

  it("D3: a commit that removes us ends the session", async () => {
    const { device, peer, address, hash } = await pair();
    const commit = await peer.group!.commit([{ proposalType: "remove", remove: { removed: 1 } }]);
    expect(receive(device, peer.sealed(address, hash, commit)).kind).toBe("IdentityBinding");
    expect(device.session(peer.address).session).toBe(false);
    expect(device.seal(peer.address, "x", NOW).kind).toBe("NoSession");
    expect(device.peers()).toEqual([peer.address]);
  });

  it("48, 50, 51: a third member makes the group useless until unpair or reset", async () => {
    const { device, peer, address, hash } = await pair();
    const third = peerOf(0x77);
    const add = { proposalType: "add" as const, add: { keyPackage: await packageOf(third.address, third) } };
    expect(receive(device, peer.sealed(address, hash, await peer.group!.commit([add]))).kind).toBe("IdentityBinding");
    device.power();
    device.open();
    expect(device.seal(peer.address, "x", NOW).kind).toBe("IdentityBinding");
    expect(receive(device, probe(peer, address)).kind).toBe("IdentityBinding");
    expect(receive(device, peer.sealed(address, hash, await peer.group!.seal("x"))).kind).toBe("IdentityBinding");
    expect(device.session(peer.address).session).toBe(true);
    expect(
      receive(device, peer.keyPackage(address, stamp + 9n, { session_reset: true })).events.map(({ type }) => type),
    ).toEqual(["SessionReset", "PeerAdvertised"]);
    expect(device.seal(peer.address, "x", NOW).kind).toBe("NoSession");
  });

  it("D8, D14: text that is not UTF-8 is refused and has spent its generation", async () => {
    const { device, peer, address, hash } = await pair();
    const bad = await peer.group!.seal(new Uint8Array([0xff, 0xfe, 0x61]));
    expect(receive(device, peer.sealed(address, hash, bad)).kind).toBe("MalformedFrame");
    expect(receive(device, peer.sealed(address, hash, bad)).kind).toBe("Mls");
    expect(receive(device, peer.sealed(address, hash, await peer.group!.seal(""))).events).toMatchObject([
      { type: "MessageReceived", text: "" },
    ]);
  });

  it("generations out of order, up to the window and past it", async () => {
    const { device, peer, address, hash } = await pair();
    const sealed: Uint8Array[] = [];
    for (let i = 0; i <= 1100; i++) sealed.push(await peer.group!.seal(`${i}`));
    const opens = (index: number): string => receive(device, peer.sealed(address, hash, sealed[index]!)).kind;
    expect(opens(1025)).toBe("Mls");
    expect(opens(1024)).toBe("OK");
    expect([opens(1023), opens(992), opens(991), opens(1024), opens(1023)]).toEqual(["OK", "OK", "Mls", "Mls", "Mls"]);
    expect(opens(1100)).toBe("OK");
  }, 60_000);

  it("a commit out of its epoch, and one that comes twice", async () => {
    const { device, peer, address, hash } = await pair();
    const first = await peer.group!.commit();
    const second = await peer.group!.commit();
    expect(receive(device, peer.sealed(address, hash, second)).kind).toBe("Mls");
    expect(receive(device, peer.sealed(address, hash, first)).kind).toBe("OK");
    expect(receive(device, peer.sealed(address, hash, first)).kind).toBe("Mls");
    expect(receive(device, peer.sealed(address, hash, second)).events).toMatchObject([{ epoch: 3n }]);
  });

  it("the envelope must name the frame's ends", async () => {
    const { device, peer, address, hash } = await pair();
    const good = peer.sealed(address, hash, await peer.group!.seal("x"));
    const other = peerOf(0x44);
    for (const content of [
      good.content.replaceAll(peer.address, other.address),
      good.content.replace(/"sender_id":"[^"]+"/, `"sender_id":"${other.address}"`),
    ]) {
      expect(receive(device, { ...good, content }).kind).toBe("IdentityBinding");
    }
    expect(receive(device, { ...good, content: "__MLS_ENC__{}" }).kind).toBe("MalformedFrame");
    expect(receive(device, good).kind).toBe("OK");
  });

  it("the peer's sealed marker establishes, and is no message", async () => {
    const { device, peer, address, hash } = await pair();
    const marker = peer.sealed(address, hash, await peer.group!.seal("__MLS_ENC_CONFIRM__"));
    expect(receive(device, marker).events).toEqual([{ type: "SessionEstablished", peer: peer.address }]);
  });
});

describe("what is sealed", () => {
  it("refuses reserved prefixes, broken UTF-8 and what is too long, and takes the rest", async () => {
    const { device, peer } = await pair();
    const refusedTexts = [
      "__MLS_ENC__x",
      "__MLS_ENC_CONFIRM__",
      "__RICH_V1__",
      "__SVC_A__",
      "__TYPING__",
      new Uint8Array([0xc0, 0x80]),
      "x".repeat(1025),
    ];
    for (const text of refusedTexts) {
      const { kind, flashBytes } = device.seal(peer.address, text, NOW);
      expect([kind, flashBytes]).toEqual(["Sealed", 0]);
    }
    for (const text of ["", "__", "__init__", "_M", "caf\u00e9", "x".repeat(1024)]) {
      expect(
        await peer.group!.open(envelopeOf(decodeFrame(device.seal(peer.address, text, NOW).frames[0]!)).ciphertext),
      ).toBe(text);
    }
  });

  it("frame ids are our hash and a counter that never repeats, over power cycles and refusals", async () => {
    const { device, peer, hash } = await pair();
    const seen = new Set<string>();
    for (let i = 0; i < 6; i++) {
      const { id, lamport_clock: lamport, timestamp } = decodeFrame(device.seal(peer.address, "x", NOW).frames[0]!);
      expect(id.replaceAll("-", "").slice(0, 16)).toBe(Buffer.from(hash).toString("hex", 0, 8));
      expect(BigInt(`0x${id.replaceAll("-", "").slice(16)}`)).toBe(lamport);
      expect(timestamp).toBe(stamp);
      seen.add(id);
      if (i % 2 === 0) {
        device.power();
        device.open();
      } else device.seal(peer.address, "__MLS_", NOW);
    }
    expect(seen.size).toBe(6);
    expect(decodeFrame(device.seal(peer.address, "x", 2n ** 64n - 1n).frames[0]!).timestamp).toBe(2n ** 63n - 1n);
  });
});

describe("peers", () => {
  it("35: strangers take at most 16 records and never a session's", async () => {
    const { device, peer, address, hash } = await pair();
    for (let fill = 0x80; fill < 0x80 + 24; fill++)
      expect(receive(device, peerOf(fill).keyPackage(address, stamp)).kind).toBe("OK");
    const known = device.peers();
    expect(known.length).toBe(16);
    expect(known[0]).toBe(peer.address);
    expect(known.slice(1)).toEqual(Array.from({ length: 15 }, (_, index) => peerOf(0x80 + 9 + index).address));
    expect(receive(device, peer.sealed(address, hash, await peer.group!.seal("still"))).events).toMatchObject([
      { text: "still" },
    ]);
  });

  it("firmware may go beyond 16, until all slots have sessions", async () => {
    const { device, address, hash } = openDevice();
    const many = Array.from({ length: 20 }, (_, index) => peerOf(0x10 + index));
    for (const peer of many) {
      const offer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
      expect(receive(device, await peer.welcome(address, hash, offer, stamp)).kind).toBe("OK");
    }
    expect(device.peers()).toEqual(many.map((peer) => peer.address));
    const late = peerOf(0xee);
    expect(receive(device, late.keyPackage(address, stamp)).kind).toBe("TooManyPeers");
    expect(device.advertise(late.address, NOW).kind).toBe("TooManyPeers");
    device.unpair(many[7]!.address);
    expect(device.advertise(late.address, NOW).kind).toBe("OK");
  }, 60_000);

  it("30, 38, 53: unpair erases all, sends nothing, and is no error for a stranger", async () => {
    const { device, peer, address, hash } = await pair();
    const offer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    receive(device, peer.sealed(address, hash, await peer.group!.commit()));
    const { kind, frames, events } = device.unpair(peer.address);
    expect([kind, frames.length, events.length, device.peers().length]).toEqual(["OK", 0, 0, 0]);
    expect(device.session(peer.address)).toEqual({ session: false, envVersions: [] });
    expect(receive(device, await peer.welcome(address, hash, offer, stamp)).kind).toBe("UnsolicitedWelcome");
    expect(device.unpair(peer.address).kind).toBe("OK");
  });

  it("session tells what the peer advertised last", async () => {
    const { device, peer, address } = await pair();
    expect(device.session(peer.address)).toEqual({ session: true, envVersions: [1] });
    receive(device, peer.keyPackage(address, stamp, { env_versions: [3, 1, 2] }));
    expect(device.session(peer.address).envVersions).toEqual([3, 1, 2]);
    receive(device, peer.keyPackage(address, stamp, { env_versions: undefined }));
    expect(device.session(peer.address).envVersions).toEqual([]);
    expect(envelopeOf(decodeFrame(device.seal(peer.address, "x", NOW).frames[0]!)).form).toBe("json");
  });
});

describe("the pairing window", () => {
  it("lets everybody in until it is named, then nobody, then one", async () => {
    const { device, address, hash } = openDevice();
    const [first, second, third] = [peerOf(0x51), peerOf(0x52), peerOf(0x53)];
    expect(kinds(receive(device, first.keyPackage(address, stamp)).frames)).toEqual(["__MLS_KEY_PKG__", "ack"]);
    device.pairing(false, 0, NOW);
    const closed = receive(device, second.keyPackage(address, stamp));
    expect([closed.events, closed.frames.length, closed.flashBytes]).toEqual([
      [{ type: "Ignored", reason: "pairing-closed" }],
      0,
      0,
    ]);
    expect(kinds(receive(device, first.keyPackage(address, stamp)).frames)).toEqual(["ack"]);

    device.pairing(true, 120, NOW);
    const late = NOW + 121n;
    expect(receive(device, second.keyPackage(address, stamp), late).events).toEqual([
      { type: "Ignored", reason: "pairing-closed" },
    ]);
    const offer = receive(device, second.keyPackage(address, stamp), NOW + 120n).frames[0]!;
    expect(receive(device, await second.welcome(address, hash, keyPackageOf(decodeFrame(offer)), stamp)).kind).toBe(
      "OK",
    );
    expect(receive(device, third.keyPackage(address, stamp)).events).toEqual([
      { type: "Ignored", reason: "pairing-closed" },
    ]);
    // A known peer that renews its session leaves the window as it is.
    device.pairing(true, 120, NOW);
    const again = receive(device, second.keyPackage(address, stamp + 1n, { session_reset: true })).frames[0]!;
    expect(
      receive(device, await second.welcome(address, hash, keyPackageOf(decodeFrame(again)), stamp + 2n)).kind,
    ).toBe("OK");
    expect(receive(device, third.keyPackage(address, stamp)).kind).toBe("OK");
    device.power();
    device.open();
    expect(receive(device, peerOf(0x54).keyPackage(address, stamp)).events).toMatchObject([{ type: "PeerAdvertised" }]);
  });
});

describe("the label", () => {
  it("is signed, names us, and refuses what may not be printed", () => {
    const { device, address } = openDevice();
    const text = Buffer.from(device.invite("Front door").answer).toString();
    const raw = Buffer.from(text, "base64url");
    expect(raw.subarray(35, 79).toString()).toBe(address);
    expect([raw[0], raw[1], raw.length, text.length]).toEqual([1, 3, 79 + 11 + 64, 206]);
    expect(Buffer.from(device.invite().answer).length).toBe(191);
    for (const bad of ["a\u202eb", "a\nb", "\ufeff", "x".repeat(65)]) expect(device.invite(bad).kind).toBe("Sealed");
  });
});
