// The JSON walker beside JSON.parse, and its bounds.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { root } from "../../../scripts/root.ts";
import { bytes, decode, jsonFrame, room } from "./frames.ts";

const walks = (data: Uint8Array): boolean =>
  room.scope(() => room.call("jsonDocument", room.put(data), data.length) === 0);
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("JSON", () => {
  it("accepts what JSON.parse accepts, and nothing else", () => {
    const json = fc.json({ maxDepth: 4 }).map((text) => [...text]);
    const token = fc.constantFrom(
      ...'{}[],:"\\0123456789-+.eEutrflasn \t\n\u0001',
      "null",
      "true",
      "\\u12aB",
      "1e5",
      "-0",
      "[]",
    );
    fc.assert(
      fc.property(json, fc.array(fc.tuple(fc.nat(), fc.nat(2), token), { maxLength: 4 }), (text, changes) => {
        const mutated = [...text];
        for (const [at, drop, insert] of changes) mutated.splice(at % (mutated.length + 1), drop, insert);
        const whole = mutated.join("");
        expect(walks(bytes(whole)), JSON.stringify(whole)).toBe(parses(whole));
      }),
      { numRuns: 4000 },
    );
  });

  it("reads numbers to the last digit", () => {
    const timestamp = (literal: string) => decode(bytes(jsonFrame().replace("1700000000000", literal)));
    for (const literal of ["9007199254740993", "-9223372036854775808", "9223372036854775807", "0", "-1"]) {
      expect(timestamp(literal)).toMatchObject({
        detail: undefined,
        json: expect.stringContaining(`"timestamp":${literal},`),
      });
    }
    const refused = {
      "9223372036854775808": "OutOfRange",
      "18446744073709551616": "WrongType",
      "-0": "WrongType",
      "1.0": "WrongType",
      "1e400": "NumberOutOfRange",
      "01": "BadNumber",
    };
    for (const [literal, detail] of Object.entries(refused)) expect(timestamp(literal).detail, literal).toBe(detail);
  });

  it("tells numbers beyond a double at the edge", () => {
    const beyond = (text: string) =>
      room.scope(() => room.call("jsonDocument", room.put(bytes(text)), text.length)) === 0 &&
      decode(bytes(jsonFrame().replace('"hi"', text))).detail;
    for (const text of ["1.7976931348623157e308", "17976931348623158e292", "0e999", "1e308", "0.0001e312"])
      expect(beyond(text), text).toBe("WrongType");
    for (const text of ["1.8e308", "2e308", "1e309", `1${"0".repeat(309)}`, "0.0001e313"]) {
      expect(Number.isFinite(Number(text)), text).toBe(false);
      expect(beyond(text), text).toBe("NumberOutOfRange");
    }
  });

  it("walks 100,000 levels of a dropped value, matched and mismatched", () => {
    const levels = 100_000;
    const open = Array.from({ length: levels }, (_, i) => (i % 3 ? "[" : '{"a":')).join("");
    const close = Array.from({ length: levels }, (_, i) => ((levels - 1 - i) % 3 ? "]" : "}"));
    expect(walks(bytes(`${open}1${close.join("")}`))).toBe(true);
    // The control: one bracket of the other kind, at places on both sides of the stack's words.
    for (const at of [0, 62, 63, 64, 65, 127, 128, 50_000, levels - 65, levels - 64, levels - 1]) {
      const wrong = [...close];
      wrong[at] = wrong[at] === "]" ? "}" : "]";
      expect(walks(bytes(`${open}1${wrong.join("")}`)), `${at}`).toBe(false);
    }
    expect(walks(bytes("[".repeat(levels)))).toBe(false);
  });

  const suite = join(root, "../shared/vectors/json/jsontestsuite.json");
  it.runIf(existsSync(suite))("refuses every document that JSONTestSuite refuses", () => {
    const { cases } = JSON.parse(readFileSync(suite, "utf8")) as {
      cases: { name: string; expect: string; b64: string }[];
    };
    const accepted = cases.filter(
      ({ expect: wanted, b64 }) => wanted === "reject" && walks(new Uint8Array(Buffer.from(b64, "base64"))),
    );
    expect(accepted.map(({ name }) => name)).toEqual([]);
    expect(cases.filter(({ expect: wanted }) => wanted === "reject").length).toBeGreaterThan(100);
  });
});
