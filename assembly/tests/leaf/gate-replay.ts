// `leaf_gate` of the vectors: whole frames with the reference's verdict, each on a fresh device that never saw the phone.
import { strict as assert } from "node:assert";
import { hex } from "../room.ts";
import { type CaseResult, judge } from "../vectors/family.ts";
import { LeafDevice, type LeafEvent } from "./device.ts";
import { decodeFrame, encodeBinary, frameKind } from "./frames.ts";
import { encodeFrame, type JsonFrame } from "./peer.ts";

export interface Expected {
  ok: boolean;
  error_kind?: string;
  events?: Record<string, unknown>[];
  outbound?: string[];
}

interface GateCase extends Expected {
  name: string;
  message: JsonFrame;
  now_unix_secs: number;
  store_writes: number;
}

export interface GateSection {
  device_seed_hex: string;
  device_address: string;
  cases: GateCase[];
}

/** A device that provisioned itself with this identity. */
export function deviceOf(seedHex: string, address: string, appId = "com.example.lock"): LeafDevice {
  const device = new LeafDevice();
  const hardware = device.entropy;
  device.entropy = (out) => {
    out.set(hex(seedHex));
    return true;
  };
  assert.equal(Buffer.from(device.open(appId).answer.slice(0, 44)).toString(), address);
  device.entropy = hardware;
  return device;
}

/** An event in the terms of the vectors, which know no frame ids. */
function plain(event: LeafEvent): Record<string, unknown> {
  if (event.type === "MessageReceived") return { type: event.type, peer: event.peer, text: event.text };
  return event.type === "CommitApplied" ? { ...event, epoch: Number(event.epoch) } : { ...event };
}

/** Hands a frame over and compares what comes of it. */
export function expectOutcome(
  device: LeafDevice,
  frame: Uint8Array,
  now: bigint,
  expected: Expected,
): ReturnType<LeafDevice["receive"]> {
  const outcome = device.receive(frame, now);
  assert.equal(outcome.kind, expected.ok ? "OK" : expected.error_kind);
  assert.deepEqual(outcome.events.map(plain), expected.events ?? []);
  assert.deepEqual(
    outcome.frames.map((data) => frameKind(decodeFrame(data))),
    expected.outbound ?? [],
  );
  return outcome;
}

/** Every case in JSON and in wire v1. */
export function gateCases(section: GateSection): CaseResult[] {
  const encodings = { json: encodeFrame, binary: encodeBinary };
  return section.cases.flatMap((test) =>
    Object.entries(encodings).map(([encoding, encode]) =>
      judge(`leaf_gate ${test.name} (${encoding})`, () => {
        const device = deviceOf(section.device_seed_hex, section.device_address);
        const outcome = expectOutcome(device, encode(test.message), BigInt(test.now_unix_secs), test);
        assert.equal(outcome.flashBytes === 0, test.store_writes === 0, "writes to flash");
      }),
    ),
  );
}
