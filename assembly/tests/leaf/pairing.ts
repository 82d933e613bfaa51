// A device and a phone that hold a session, for tests that start there.
import { expect } from "vitest";
import { LeafDevice, TEST_MODULE } from "./device.ts";
import { decodeFrame, envelopeOf, frameKind, keyPackageOf } from "./frames.ts";
import { encodeFrame, hashOfKey, Peer } from "./peer.ts";

/** Seconds since 1970 that the tests live in: today, because ts-mls asks the real clock about key packages. */
export const NOW = BigInt(Math.floor(Date.now() / 1000));

export interface Opened {
  device: LeafDevice;
  address: string;
  hash: Uint8Array;
}

/** An opened device on an erased part. */
export function openDevice(modulePath = TEST_MODULE): Opened {
  const device = new LeafDevice(undefined, modulePath);
  const { kind, answer } = device.open();
  expect(kind).toBe("OK");
  return { device, address: Buffer.from(answer.slice(0, 44)).toString("latin1"), hash: hashOfKey(answer.slice(44)) };
}

export interface Paired extends Opened {
  peer: Peer;
}

/** Pairs device first. `cycle` power-cycles the board after each call. */
export async function pair(opened = openDevice(), cycle = false, seed = 0x22): Promise<Paired> {
  const { device, address, hash } = opened;
  const peer = new Peer(new Uint8Array(32).fill(seed));
  const rest = (): void => {
    if (!cycle) return;
    device.power();
    expect(device.open().kind).toBe("OK");
  };
  const offer = device.advertise(peer.address, NOW);
  expect(offer.kind).toBe("OK");
  rest();
  const hello = device.receive(encodeFrame(peer.keyPackage(address, NOW * 1000n)), NOW);
  expect(hello.frames.map(decodeFrame).map(frameKind)).toEqual(["ack"]);
  rest();
  const welcome = await peer.welcome(address, hash, keyPackageOf(decodeFrame(offer.frames[0]!)), NOW * 1000n);
  const joined = device.receive(encodeFrame(welcome), NOW);
  expect(joined.events).toEqual([{ type: "SessionEstablished", peer: peer.address }]);
  const [confirm, ack] = joined.frames.map(decodeFrame);
  expect([frameKind(confirm!), frameKind(ack!)]).toEqual(["__MLS_ENC__", "ack"]);
  expect(await peer.group!.open(envelopeOf(confirm!).ciphertext)).toBe("__MLS_ENC_CONFIRM__");
  rest();
  return { ...opened, peer };
}
