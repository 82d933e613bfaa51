// Hex, base64 and UTF-8 of the core beside Node's own.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Room, loadRoom, toHex } from "../room.ts";

const room = loadRoom("bytes");
const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));
const latin1 = (data: Uint8Array): string => Buffer.from(data).toString("latin1");

function encode(name: string, data: Uint8Array, capacity: number): string {
  return room.scope(() => {
    const out = room.alloc(capacity);
    return latin1(room.read(out, room.call(name, room.put(data), data.length, out)));
  });
}

/** Decodes, once apart and once in place, and wants the same from both. */
function decode(name: string, text: Uint8Array): Uint8Array | undefined {
  return room.scope(() => {
    const out = room.alloc(text.length + 1);
    const count = room.call(name, room.put(text), text.length, out);
    const place = room.put(text);
    expect(room.call(name, place, text.length, place)).toBe(count);
    if (count < 0) return undefined;
    expect(room.read(place, count)).toEqual(room.read(out, count));
    return room.read(out, count);
  });
}

const utf8 = (target: Room, data: Uint8Array): boolean =>
  target.scope(() => target.call("utf8Valid", target.put(data), data.length) !== 0);

describe("base64", () => {
  it("agrees with Node in both alphabets", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (data) => {
        for (const [alphabet, prefix] of [
          ["base64", "base64"],
          ["base64url", "base64Url"],
        ] as const) {
          const text = encode(`${prefix}Encode`, data, 200);
          expect(text).toBe(Buffer.from(data).toString(alphabet));
          expect(decode(`${prefix}Decode`, ascii(text))).toEqual(data);
        }
      }),
    );
  });

  it("accepts exactly the text that encoding would give", () => {
    const character = fc.constantFrom(..."ABQgwz09+/-_= \n");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        for (const [alphabet, prefix] of [
          ["base64", "base64"],
          ["base64url", "base64Url"],
        ] as const) {
          const lenient = Buffer.from(text, alphabet);
          const canonical = lenient.toString(alphabet) === text;
          expect(decode(`${prefix}Decode`, ascii(text)) !== undefined, JSON.stringify(text)).toBe(canonical);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("hex", () => {
  it("agrees with Node, and refuses each byte that is no digit", () => {
    const data = Uint8Array.from({ length: 256 }, (_, i) => i);
    room.scope(() => {
      const out = room.alloc(512);
      room.call("hexEncode", room.put(data), 256, out);
      expect(latin1(room.read(out, 512))).toBe(toHex(data));
    });
    for (let c = 0; c < 256; c++) {
      const isDigit = /[0-9a-fA-F]/.test(String.fromCharCode(c));
      for (const text of [
        [c, 0x30],
        [0x30, c],
      ]) {
        expect(
          room.scope(() => room.call("hexDecode", room.put(Uint8Array.from(text)), 1, room.alloc(1))),
          `${c}`,
        ).toBe(Number(isDigit));
      }
    }
  });
});

describe("UTF-8", () => {
  const valid = (data: Uint8Array): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
      return true;
    } catch {
      return false;
    }
  };

  it("agrees with the platform on every lead byte and second byte, cut and whole", () => {
    for (let lead = 0x7f; lead < 0x100; lead++) {
      for (let second = 0x7f; second <= 0xc0; second++) {
        for (const rest of [[], [0x80], [0x80, 0x80], [0xbf, 0xbf], [0xbf, 0xc0], [0x80, 0x80, 0x80]]) {
          const data = Uint8Array.from([lead, second, ...rest]);
          if (utf8(room, data) !== valid(data)) expect.fail(toHex(data));
        }
      }
    }
  });

  it("agrees at every place of a long text", () => {
    const edges = [
      "\u{7f}",
      "\u{80}",
      "\u{7ff}",
      "\u{800}",
      "\u{d7ff}",
      "\u{e000}",
      "\u{ffff}",
      "\u{10000}",
      "\u{10ffff}",
    ];
    for (const edge of edges) {
      for (let pad = 0; pad < 20; pad++) {
        const data = new Uint8Array(Buffer.from("a".repeat(pad) + edge + "bc"));
        expect(utf8(room, data)).toBe(true);
        expect(utf8(room, data.slice(0, data.length - 3))).toBe(valid(data.slice(0, data.length - 3)));
      }
    }
  });
});
