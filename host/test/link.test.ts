// The link: frames survive, everything else is dropped and counted, and every wait ends.
import fc from "fast-check";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { linkRequest } from "../src/link/core-calls.ts";
import { Answer, decodeFrame, encodeFrame, MAX_FRAME_BYTES, Request, type LinkFrame } from "../src/link/frame.ts";
import { LinkClient } from "../src/link/link-client.ts";
import { SlipChannel } from "../src/link/slip-channel.ts";

const END = 0xc0;
const ESC = 0xdb;
const HELLO_REPLY = Answer.Reply | Request.Hello;

/** SLIP as RFC 1055 has it, written for this test. */
const slip = (bytes: Uint8Array): Buffer =>
  Buffer.from([
    END,
    ...[...bytes].flatMap((byte) => (byte === END ? [ESC, 0xdc] : byte === ESC ? [ESC, 0xdd] : [byte])),
    END,
  ]);

const wire = (frame: LinkFrame): Buffer => slip(encodeFrame(frame));
const frameOf = (payload: Uint8Array, type = 0x70, seq = 1): LinkFrame => ({ type, seq, payload });

function receiver(): { input: PassThrough; frames: LinkFrame[]; channel: SlipChannel } {
  const input = new PassThrough();
  const frames: LinkFrame[] = [];
  return { input, frames, channel: new SlipChannel(input, new PassThrough(), (frame) => frames.push(frame)) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("frames", () => {
  it("the CRC is that of IEEE 802.3, little endian, over type, seq and payload", () => {
    // CRC-32("123456789") = CBF43926
    const bytes = encodeFrame({ type: 0x31, seq: 0x32, payload: Buffer.from("3456789") });
    expect(bytes.toString("hex")).toBe("3132333435363738392639f4cb");
  });

  it("every change of one bit is seen", () => {
    const whole = encodeFrame(frameOf(Buffer.from("some payload")));
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodeFrame(damaged)).toBe("crc");
    }
  });

  it("shorter than a header and a CRC is no frame", () => {
    for (let bytes = 0; bytes < 6; bytes++) expect(decodeFrame(Buffer.alloc(bytes))).toBe("length");
    expect(decodeFrame(encodeFrame(frameOf(new Uint8Array())))).toMatchObject({ type: 0x70, seq: 1 });
  });
});

describe("channel", () => {
  it("frames of any bytes arrive whole, however the stream is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
        async (payloads, cuts) => {
          const { input, frames } = receiver();
          const stream = Buffer.concat(payloads.map((payload) => wire(frameOf(payload))));
          for (let at = 0, i = 0; at < stream.length; i++) {
            const size = cuts[i % cuts.length]!;
            input.write(stream.subarray(at, at + size));
            at += size;
          }
          await settle();
          expect(frames.map(({ payload }) => [...payload])).toEqual(payloads.map((payload) => [...payload]));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("a frame after noise and after half a frame arrives; the rest is counted", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 20 }), async (noise, cut) => {
        const { input, frames } = receiver();
        const good = wire(frameOf(Buffer.from("after the storm")));
        input.write(noise);
        input.write(good.subarray(0, cut));
        input.write(good);
        await settle();
        expect(frames.map(({ payload }) => Buffer.from(payload).toString())).toContain("after the storm");
      }),
      { numRuns: 200 },
    );
  });

  it("half an escape before the END of a frame costs only what it was in", async () => {
    const { input, frames } = receiver();
    input.write(Buffer.of(1, 2, ESC));
    input.write(wire(frameOf(Buffer.from("whole"))));
    await settle();
    expect(frames.map(({ payload }) => Buffer.from(payload).toString())).toEqual(["whole"]);
  });

  it("a bad CRC and a bad length are dropped and counted apart", async () => {
    const { input, frames, channel } = receiver();
    const damaged = encodeFrame(frameOf(Buffer.from("x")));
    damaged[0]! ^= 1;
    input.write(slip(damaged));
    input.write(slip(Buffer.from("abc")));
    await settle();
    expect(frames).toEqual([]);
    expect(channel.dropped).toEqual({ badCrc: 1, badLength: 1 });
  });

  it("a stream without an END is bounded, and the next frame arrives", async () => {
    const { input, frames, channel } = receiver();
    input.write(Buffer.alloc(3 * MAX_FRAME_BYTES, ESC));
    input.write(Buffer.of(END));
    input.write(wire(frameOf(Buffer.from("next"))));
    await settle();
    expect(channel.dropped.badLength).toBeGreaterThan(0);
    expect(frames.map(({ payload }) => Buffer.from(payload).toString())).toEqual(["next"]);
  });
});

/** A client, and the board's end of its streams. */
function client(): { link: LinkClient; toClient: PassThrough; requests: LinkFrame[]; logs: string[] } {
  const toClient = new PassThrough();
  const toBoard = new PassThrough();
  const requests: LinkFrame[] = [];
  const logs: string[] = [];
  const link = new LinkClient(toClient, toBoard, (text) => logs.push(text));
  new SlipChannel(toBoard, new PassThrough(), (frame) => requests.push(frame));
  return { link, toClient, requests, logs };
}

const reply = (seq: number, type: number, status = 0, detail = 0, answer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(status, 0);
  head.writeUInt32LE(detail, 1);
  return wire({ type: Answer.Reply | type, seq, payload: Buffer.concat([head, answer]) });
};

describe("client", () => {
  it("collects frames and events in order up to the reply of its request", async () => {
    const { link, toClient, requests, logs } = client();
    const pending = link.request(Request.Peers, new Uint8Array(), 1000);
    await settle();
    await settle();
    const { seq } = requests[0]!;
    toClient.write(reply(seq + 1, Request.Peers)); // to somebody else
    toClient.write(wire({ type: Answer.Log, seq: 0, payload: Buffer.from("hello") }));
    toClient.write(wire({ type: Answer.Transmit, seq, payload: Buffer.from("a") }));
    toClient.write(wire({ type: Answer.Event, seq, payload: Buffer.from("b") }));
    toClient.write(wire({ type: Answer.Transmit, seq, payload: Buffer.from("c") }));
    toClient.write(reply(seq, Request.Peers, 10, 501, Buffer.from("answer")));
    const got = await pending;
    expect(got.frames.map((one) => Buffer.from(one).toString())).toEqual(["a", "c"]);
    expect(got.events.map((one) => Buffer.from(one).toString())).toEqual(["b"]);
    expect([got.status, got.detail, Buffer.from(got.answer).toString()]).toEqual([10, 501, "answer"]);
    expect(logs).toEqual(["hello"]);
  });

  it("a request that is not answered in time fails, and so does every later one", async () => {
    const { link } = client();
    await expect(link.request(Request.Peers, new Uint8Array(), 20)).rejects.toMatchObject({ code: "E-LINK-01" });
    await expect(link.request(Request.Hello, new Uint8Array(), 1000)).rejects.toMatchObject({ code: "E-LINK-01" });
  });

  it("a board that restarts by itself fails the request that it forgot", async () => {
    const { link, toClient } = client();
    toClient.write(wire({ type: HELLO_REPLY, seq: 0, payload: Buffer.alloc(5) }));
    await link.booted(1000);
    const pending = link.request(Request.Peers, new Uint8Array(), 1000);
    const failed = expect(pending).rejects.toMatchObject({ code: "E-LINK-02" });
    await settle();
    toClient.write(wire({ type: HELLO_REPLY, seq: 0, payload: Buffer.alloc(5) }));
    await failed;
  });

  it("a board that never says hello is an error in time", async () => {
    await expect(client().link.booted(20)).rejects.toMatchObject({ code: "E-LINK-01" });
  });

  it("an answer to another request is refused", async () => {
    const { link, toClient, requests } = client();
    const pending = link.request(Request.Peers, new Uint8Array(), 1000);
    const failed = expect(pending).rejects.toMatchObject({ code: "E-LINK-03" });
    await settle();
    await settle();
    toClient.write(reply(requests[0]!.seq, Request.Session));
    await failed;
  });
});

describe("requests", () => {
  const text = (value: string): Uint8Array => Buffer.from(value);
  const hex = (call: Parameters<typeof linkRequest>[0]): string => {
    const { type, payload } = linkRequest(call);
    return `${type.toString(16)} ${Buffer.from(payload).toString("hex")}`;
  };

  it("carry the fields of docs/link.md", () => {
    const now = 0x0102030405060708n;
    expect(hex({ call: "open", mode: "resume", appId: text("ab") })).toBe("2 026162");
    expect(hex({ call: "receive", frame: text("F"), now })).toBe("3 080706050403020146");
    expect(hex({ call: "seal", peer: text("pp"), text: text("t"), now })).toBe("5 080706050403020102707074");
    expect(hex({ call: "pairing", open: true, seconds: 258, now })).toBe("a 01020100000807060504030201");
    expect(hex({ call: "receive", frame: text(""), now: (1n << 64n) - 1n })).toBe("3 ffffffffffffffff");
  });
});
