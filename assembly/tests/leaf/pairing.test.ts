import { describe, expect, it } from "vitest";
import { hashOfKey, Peer, encodeFrame } from "./peer.ts";
import { decodeFrame, envelopeOf, frameKind, keyPackageOf } from "./frames.ts";
import { LeafDevice } from "./device.ts";
import { NOW, openDevice, pair } from "./pairing.ts";

const stamp = NOW * 1000n;

describe("pairing", () => {
  it("device first: one message each way, both opened exactly", async () => {
    const { device, peer, address, hash } = await pair();
    const sealed = device.seal(peer.address, "unlocked", NOW);
    expect(sealed.kind).toBe("OK");
    const frame = decodeFrame(sealed.frames[0]!);
    expect(frameKind(frame)).toBe("__MLS_ENC__");
    expect(await peer.group!.open(envelopeOf(frame).ciphertext)).toBe("unlocked");
    const received = device.receive(encodeFrame(peer.sealed(address, hash, await peer.group!.seal("unlock"))), NOW);
    expect(received.events).toMatchObject([{ type: "MessageReceived", peer: peer.address, text: "unlock" }]);
    expect(received.frames.map(decodeFrame).map(frameKind)).toEqual(["ack"]);
  });

  it("phone first: the first key package is JSON and undated", async () => {
    const { device, address, hash } = openDevice();
    const peer = new Peer(new Uint8Array(32).fill(0x22));
    const hello = device.receive(encodeFrame(peer.keyPackage(address, stamp, { no_session: true }, 1)), NOW);
    expect(hello.events).toEqual([{ type: "PeerAdvertised", peer: peer.address }]);
    const [offer, ack] = hello.frames.map(decodeFrame);
    expect([frameKind(offer!), frameKind(ack!)]).toEqual(["__MLS_KEY_PKG__", "ack"]);
    expect(offer!.wire).toBe("binary");
    const joined = device.receive(encodeFrame(await peer.welcome(address, hash, keyPackageOf(offer!), stamp)), NOW);
    expect(joined.kind).toBe("OK");
    expect(joined.events).toEqual([{ type: "SessionEstablished", peer: peer.address }]);
    const [confirm] = joined.frames.map(decodeFrame);
    expect(await peer.group!.open(envelopeOf(confirm!).ciphertext)).toBe("__MLS_ENC_CONFIRM__");
  });

  it("commits are applied, late messages of three epochs open, a fourth does not", async () => {
    const { device, peer, address, hash } = await pair();
    const late: Uint8Array[] = [];
    for (let epoch = 1n; epoch <= 4n; epoch++) {
      late.push(await peer.group!.seal(`from epoch ${epoch}`));
      const result = device.receive(encodeFrame(peer.sealed(address, hash, await peer.group!.commit())), NOW);
      expect(result.events).toEqual([{ type: "CommitApplied", peer: peer.address, epoch: epoch + 1n }]);
      const answer = device.seal(peer.address, "still here", NOW);
      expect(await peer.group!.open(envelopeOf(decodeFrame(answer.frames[0]!)).ciphertext)).toBe("still here");
    }
    const kinds = late.map((message) => device.receive(encodeFrame(peer.sealed(address, hash, message)), NOW).kind);
    expect(kinds).toEqual(["Mls", "OK", "OK", "OK"]);
  });

  it("a power cycle between any two calls changes nothing", async () => {
    const { device, peer, address, hash } = await pair(undefined, true);
    device.power();
    expect(device.open().kind).toBe("OK");
    expect(Buffer.from(device.open().answer.slice(0, 44)).toString()).toBe(address);
    const received = device.receive(encodeFrame(peer.sealed(address, hash, await peer.group!.seal("after"))), NOW);
    expect(received.events).toMatchObject([{ type: "MessageReceived", text: "after" }]);
  });

  it("a peer that advertised nothing gets JSON on the wire and in the envelope", async () => {
    const { device, address, hash } = openDevice();
    const peer = new Peer(new Uint8Array(32).fill(0x23));
    const hello = device.receive(
      encodeFrame(peer.keyPackage(address, stamp, { wire_versions: [], env_versions: [] })),
      NOW,
    );
    const offer = decodeFrame(hello.frames[0]!);
    expect(offer.wire).toBe("json");
    const joined = device.receive(encodeFrame(await peer.welcome(address, hash, keyPackageOf(offer), stamp)), NOW);
    const confirm = decodeFrame(joined.frames[0]!);
    expect(confirm.wire).toBe("json");
    expect(envelopeOf(confirm).form).toBe("json");
    expect(await peer.group!.open(envelopeOf(confirm).ciphertext)).toBe("__MLS_ENC_CONFIRM__");
    const long = device.seal(peer.address, "x".repeat(1024), NOW);
    expect(long.kind).toBe("OK");
    expect(await peer.group!.open(envelopeOf(decodeFrame(long.frames[0]!)).ciphertext)).toBe("x".repeat(1024));
  });
});

describe("the device answers only when open", () => {
  it("every call before open is a Storage error", () => {
    const device = new LeafDevice();
    expect(device.receive(new Uint8Array(4), NOW).kind).toBe("Storage");
    expect(device.seal("off1", "x", NOW).kind).toBe("Storage");
    expect(device.advertise("off1", NOW).kind).toBe("Storage");
    expect(device.call("peers", new Uint8Array(0)).kind).toBe("Storage");
  });

  it("modes: provision refuses a second time, resume needs an identity", () => {
    const device = new LeafDevice();
    expect(device.open("com.example.lock", 2).kind).toBe("NotProvisioned");
    expect(device.open("com.example.lock", 1).kind).toBe("OK");
    expect(device.open("com.example.lock", 1).kind).toBe("AlreadyProvisioned");
    expect(device.open("com.example.lock", 2).kind).toBe("OK");
  });

  it("looks at the application id before it writes", () => {
    const device = new LeafDevice();
    for (const bad of ["", "a/b", "..", "a:b", "x".repeat(257), "a\u0000b"])
      expect(device.open(bad).kind).toBe("MalformedFrame");
    expect(device.flash.dump().every((byte) => byte === 0xff)).toBe(true);
  });

  it("the key hash in the peer helper is the device's own", () => {
    const { device, hash } = openDevice();
    expect(hashOfKey(device.open().answer.slice(44))).toEqual(hash);
  });
});
