// Known frames: the bytes that may never change, and the rules that a reader would not guess.
import { describe, expect, it } from "vitest";
import { FULL, bytes, decode, jsonFrame } from "./frames.ts";
import { hex, toHex } from "../room.ts";

/** wire.md 4.1. */
const GOLDEN =
  "f50f1e2d3c4b5a4697887766554433221105616c69636503626f620361707001080080a0abfef962000002686900000001000000";

const accepted = (input: Uint8Array): { json: string; binary: string } => {
  const outcome = decode(input);
  if (outcome.detail !== undefined) throw new Error(`refused: ${outcome.detail}`);
  return outcome;
};
/** The golden frame with byte `at` replaced. */
const changed = (at: number, byte: number): Uint8Array => {
  const frame = hex(GOLDEN);
  frame[at] = byte;
  return frame;
};

describe("frames", () => {
  it("encodes the frozen layout", () => {
    expect(accepted(bytes(jsonFrame())).binary).toBe(GOLDEN);
    expect(accepted(hex(GOLDEN)).json).toBe(
      jsonFrame()
        .replace(',"content":', ',"lamport_clock":0,"content_type":"text","content":')
        .replace(/}$/, ',"metadata":{},"requires_ack":true,"reply_to_msg":null}'),
    );
  });

  it("keeps every member through both encodings", () => {
    const first = accepted(bytes(FULL));
    expect(accepted(bytes(first.json))).toEqual(first);
    expect(accepted(hex(first.binary))).toEqual(first);
    const message = JSON.parse(first.json) as Record<string, never>;
    expect(message).toMatchObject({
      lamport_clock: 300,
      content_type: "image",
      binary_content: [222, 173, 190, 239],
      metadata: { k1: "v\n1", k2: "last" },
      requires_ack: false,
      media_metadata: { file_name: "aA.png", width: 640 },
      forwarded_from: { original_timestamp: -5 },
      reply_context: { text: "q\u{1f600}", timestamp: -7 },
    });
    expect(first.json).toContain('"file_size":18446744073709551615');
    expect(first.json).not.toContain("future");
  });

  it("sorts metadata by UTF-8 bytes, not by UTF-16 units", () => {
    expect(
      accepted(bytes(jsonFrame(',"metadata":{"\u{1f600}":"1","\uff21":"2","hopper":"3","hop":"4"}'))).json,
    ).toContain('"metadata":{"hop":"4","hopper":"3","\uff21":"2","\u{1f600}":"1"}');
  });

  it("sends a base64 tail as bytes, and only from 64 characters on", () => {
    const raw = Buffer.from(Uint8Array.from({ length: 48 }, (_, i) => 3 + 7 * i));
    const whole = accepted(bytes(jsonFrame("", "see " + raw.toString("base64"))));
    expect(whole.binary).toContain(raw.toString("hex"));
    expect(accepted(hex(whole.binary)).json).toContain(`see ${raw.toString("base64")}`);
    expect(accepted(bytes(jsonFrame("", "see " + raw.subarray(0, 45).toString("base64")))).binary).not.toContain(
      raw.toString("hex", 0, 45),
    );
  });

  it("ignores what follows a binary frame and nothing that follows a JSON one", () => {
    expect(accepted(hex(GOLDEN + "ff00f5")).binary).toBe(GOLDEN);
    expect(decode(bytes(`${jsonFrame()} \n`)).detail).toBeUndefined();
    expect(decode(bytes(`${jsonFrame()}\0`)).detail).toBe("TrailingData");
  });

  it("degrades unknown numbers and refuses unknown names", () => {
    expect(accepted(changed(31, 9)).json).toContain('"priority":"medium"');
    expect(accepted(changed(41, 9)).json).toContain('"content_type":"file"');
    expect(decode(bytes(jsonFrame().replace('"medium"', '"urgent"'))).detail).toBe("UnknownVariant");
  });

  it("refuses every cut of a frame, in both encodings", () => {
    const { json, binary } = accepted(bytes(FULL));
    for (const whole of [bytes(json), hex(binary)]) {
      for (let length = 0; length < whole.length; length++) {
        expect(decode(whole.slice(0, length)).detail, toHex(whole.slice(0, length))).toBeDefined();
      }
    }
  });

  it("tells future versions from garbage", () => {
    for (let first = 0xf6; first <= 0xff; first++)
      expect(decode(Uint8Array.of(first, 0, 0)).detail).toBe("UnsupportedVersion");
    expect(decode(Uint8Array.of(0xf4)).detail).toBe("Syntax");
    expect(decode(new Uint8Array(0)).detail).toBe("Eof");
  });
});
