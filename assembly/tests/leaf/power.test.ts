// One call is one transaction: whatever instant power goes, the device is exactly before the call or exactly after it.
import { describe, expect, it } from "vitest";
import { FlashModel, PowerLost } from "../../../host/src/board/flash-model.ts";
import { LeafDevice, type Outcome } from "./device.ts";
import { decodeFrame, envelopeOf, frameKind, keyPackageOf } from "./frames.ts";
import { NOW, openDevice, pair } from "./pairing.ts";
import { encodeFrame, type JsonFrame, Peer } from "./peer.ts";

const stamp = NOW * 1000n;
const peerOf = (fill: number): Peer => new Peer(new Uint8Array(32).fill(fill));

/** A device on a copy of a part. */
function copyOf(image: Uint8Array): LeafDevice {
  const device = new LeafDevice(FlashModel.inMemory(undefined, image));
  expect(device.open().kind).toBe("OK");
  return device;
}

/**
 * Runs `call` on copies of a device, with power lost before and within each flash operation, and hands what the next
 * power-up finds to `check`.
 */
function atEveryCut(
  image: Uint8Array,
  call: (device: LeafDevice) => Outcome,
  check: (device: LeafDevice) => void,
): number {
  let cuts = 0;
  for (let after = 0; ; after++) {
    for (const kind of ["cut", "tear"] as const) {
      const device = copyOf(image);
      device.flash.plan({ kind, after, bits: after + 1 });
      let struck = false;
      try {
        call(device);
      } catch (error) {
        if (!(error instanceof PowerLost)) throw error;
        struck = true;
      }
      if (!struck) return cuts;
      cuts++;
      device.power();
      expect(device.open().kind).toBe("OK");
      check(device);
    }
  }
}

const receive =
  (frame: JsonFrame) =>
  (device: LeafDevice): Outcome =>
    device.receive(encodeFrame(frame), NOW);
const kinds = (outcome: Outcome): string[] => outcome.frames.map((frame) => frameKind(decodeFrame(frame)));
const first = (outcome: Outcome): string =>
  outcome.events.map((event) => (event.type === "Ignored" ? event.reason : event.type)).join();

describe("power cuts", () => {
  it("provisioning: no identity, or a whole one", () => {
    for (let after = 0, struck = true; struck; after++) {
      const device = new LeafDevice();
      device.flash.plan({ kind: "tear", after, bits: after + 1 });
      try {
        device.open();
        struck = false;
      } catch (error) {
        if (!(error instanceof PowerLost)) throw error;
      }
      device.power();
      const opened = device.open();
      expect(opened.kind).toBe("OK");
      device.power();
      expect(device.open("com.example.lock", 2).answer).toEqual(opened.answer);
    }
  });

  it("mint: the package of the frame that never left is never half there", async () => {
    const { device, address, hash } = openDevice();
    const peer = peerOf(0x22);
    const cuts = atEveryCut(
      device.flash.dump(),
      (copy) => copy.advertise(peer.address, NOW),
      (copy) => {
        expect([[], [peer.address]]).toContainEqual(copy.peers());
        const offer = copy.advertise(peer.address, NOW);
        expect(offer.kind).toBe("OK");
        expect(copy.peers()).toEqual([peer.address]);
      },
    );
    expect(cuts).toBeGreaterThan(40);
    expect(hash.length + address.length).toBe(64);
  });

  it("join: the same Welcome joins, or is known as spent; never twice from generation 0", async () => {
    const { device, address, hash } = openDevice();
    const peer = peerOf(0x22);
    const offer = keyPackageOf(decodeFrame(device.advertise(peer.address, NOW).frames[0]!));
    const welcome = await peer.welcome(address, hash, offer, stamp);
    const seen = new Set<string>();
    atEveryCut(device.flash.dump(), receive(welcome), (copy) => {
      const again = receive(peer.sign({ ...welcome, id: "dd000000-0000-0000-0000-000000000001" }))(copy);
      seen.add(first(again));
      expect(["SessionEstablished", "welcome-spent"]).toContain(first(again));
      expect(kinds(again)).toEqual(["__MLS_ENC__", "ack"]);
      expect(copy.session(peer.address).session).toBe(true);
    });
    expect(seen.has("SessionEstablished")).toBe(true);
  }, 60_000);

  it("open: the message is delivered once, by this call or by its repetition", async () => {
    const { device, peer, address, hash } = await pair();
    const frame = peer.sealed(address, hash, await peer.group!.seal("unlock"));
    atEveryCut(device.flash.dump(), receive(frame), (copy) => {
      const again = receive(frame)(copy);
      expect(["MessageReceived", "already-answered"]).toContain(first(again));
      expect(kinds(again)).toEqual(["ack"]);
    });
  }, 60_000);

  it("seal: no generation is used twice, and no frame id", async () => {
    const { device, peer } = await pair();
    const image = device.flash.dump();
    const whole = copyOf(image);
    const next = [whole, whole].map((copy) => decodeFrame(copy.seal(peer.address, "next", NOW).frames[0]!).id);
    atEveryCut(
      image,
      (copy) => copy.seal(peer.address, "lost", NOW),
      (copy) => {
        expect(next).toContain(decodeFrame(copy.seal(peer.address, "next", NOW).frames[0]!).id);
      },
    );
    // Whichever it was, the phone opens what comes after what it already has.
    const before = device.seal(peer.address, "first", NOW);
    await peer.group!.open(envelopeOf(decodeFrame(before.frames[0]!)).ciphertext);
    for (const after of [0, 5, 18]) {
      const copy = copyOf(device.flash.dump());
      copy.flash.plan({ kind: "cut", after });
      expect(() => copy.seal(peer.address, "lost", NOW)).toThrow(PowerLost);
      copy.power();
      copy.open();
      const { ciphertext } = envelopeOf(decodeFrame(copy.seal(peer.address, "kept", NOW).frames[0]!));
      expect(await peer.group!.fork().open(ciphertext)).toBe("kept");
    }
  }, 60_000);

  it("commit: its repetition is applied, or known as answered, and the session goes on", async () => {
    const { device, peer, address, hash } = await pair();
    const late = peer.sealed(address, hash, await peer.group!.seal("late"));
    const commit = peer.sealed(address, hash, await peer.group!.commit());
    const fresh = peer.sealed(address, hash, await peer.group!.seal("fresh"));
    atEveryCut(device.flash.dump(), receive(commit), (copy) => {
      expect(["CommitApplied", "already-answered"]).toContain(first(receive(commit)(copy)));
      expect(first(receive(fresh)(copy))).toBe("MessageReceived");
      expect(first(receive(late)(copy))).toBe("MessageReceived");
    });
  }, 60_000);

  it("reset: the session and its end are one", async () => {
    const { device, peer, address } = await pair();
    const reset = peer.keyPackage(address, stamp + 1n, { session_reset: true });
    atEveryCut(device.flash.dump(), receive(reset), (copy) => {
      const held = copy.session(peer.address).session;
      expect(first(receive(reset)(copy))).toBe(held ? "SessionReset,PeerAdvertised" : "already-answered");
      expect(copy.session(peer.address).session).toBe(false);
    });
  }, 60_000);

  it("unpair: all or nothing, and the purge that follows it is finished", async () => {
    const { device, peer } = await pair();
    atEveryCut(
      device.flash.dump(),
      (copy) => copy.unpair(peer.address),
      (copy) => {
        const { session } = copy.session(peer.address);
        expect(copy.peers()).toEqual(session ? [peer.address] : []);
        expect(copy.unpair(peer.address).kind).toBe("OK");
        expect(copy.peers()).toEqual([]);
      },
    );
  }, 60_000);
});

describe("a failing part", () => {
  it("25: every failed write gives Storage, no frame, no event, and the state of before", async () => {
    const { device, peer, address, hash } = await pair();
    const message = peer.sealed(address, hash, await peer.group!.seal("unlock"));
    const commit = peer.sealed(address, hash, await peer.group!.commit());
    const calls = [
      (copy: LeafDevice) => copy.seal(peer.address, "x", NOW),
      receive(message),
      receive(commit),
      (copy: LeafDevice) => copy.advertise(peerOf(0x44).address, NOW),
    ];
    for (const call of calls) {
      for (const after of [0, 1, 4, 9, 15]) {
        const copy = copyOf(device.flash.dump());
        copy.flash.plan({ kind: "error", after, bits: 3 });
        expect(call(copy).kind).toBe("Storage");
        expect(call(copy).kind).toBe("OK");
      }
    }
  }, 60_000);

  it("31, 39: damaged session state gives Storage, an unknown peer NoSession; unpair still works", async () => {
    const { device, peer, address } = await pair();
    const before = device.flash.dump();
    device.seal(peer.address, "x", NOW);
    const after = device.flash.dump();
    const changed = after.findIndex((byte, at) => byte !== before[at]);
    // What the seal wrote: send ratchet and counter. Its last quarter is past the header, which repairs itself.
    device.flash.write(
      changed + 20,
      after.slice(changed + 20, changed + 28).map((byte) => byte ^ 0xff),
    );
    device.power();
    device.open();
    expect(device.seal(peer.address, "x", NOW).kind).toBe("Storage");
    expect(device.seal(peerOf(0x44).address, "x", NOW).kind).toBe("NoSession");
    expect(device.unpair(peer.address).kind).toBe("OK");
    expect(device.peers()).toEqual([]);
    expect(address.length).toBe(44);
  });

  it("33, 40: an identity that cannot be read is Storage, never a new identity", () => {
    const { device } = openDevice();
    const image = device.flash.dump();
    const end = image.length - [...image].reverse().findIndex((byte) => byte !== 0xff);
    device.flash.write(
      end - 40,
      image.slice(end - 40, end - 32).map((byte) => byte ^ 0xff),
    );
    device.power();
    expect(device.open().kind).toBe("Storage");
    expect(device.open("com.example.lock", 1).kind).not.toBe("OK");
    device.flash.write(0, image);
    device.power();
    expect(device.open().kind).toBe("OK");
  });
});
