// The table of texts is numbers; these tests hold it to the words above each row.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../scripts/root.ts";

interface Row {
  offset: number;
  words: string;
  bytes: number[];
}

function rowsOf(source: string): Row[] {
  const table = /memory\.data<u8>\(\[\n([\s\S]*?)\n\]\);/.exec(source)![1]!;
  return table
    .split(/^ {2}\/\/ /m)
    .slice(1)
    .map((part) => {
      const [head, ...lines] = part.split("\n");
      const [, offset, words] = /^(\d+): (.*)$/.exec(head!)!;
      return {
        offset: Number(offset),
        words: words!,
        bytes: (lines.join("").match(/0x[0-9a-f]{2}/g) ?? []).map(Number),
      };
    });
}

/** What is wrong with a table; empty when nothing is. */
function faultsOf(rows: Row[]): string[] {
  const faults: string[] = [];
  let at = 0;
  for (const { offset, words, bytes } of rows) {
    if (offset !== at) faults.push(`${words} stands at ${at}, not at ${offset}`);
    at += bytes.length;
    const text = Buffer.from(bytes).toString("latin1");
    const names = [...text.matchAll(/[a-z_]{5,}/g)].map(([name]) => name).join(" ");
    if (text.replaceAll("\0", "|") !== words && names !== words) faults.push(`${words} reads ${text}`);
  }
  return faults;
}

describe("the table of texts", () => {
  const source = readFileSync(join(root, "assembly/sealed/text.ts"), "utf8");
  const rows = rowsOf(source);

  it("says what its comments say", () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(faultsOf(rows)).toEqual([]);
  });

  it("has its names at the offsets and lengths of its rows", () => {
    const offsets = new Map(
      [...source.matchAll(/export const (\w+): usize = TEXT \+ (\d+);/g)].map(([, name, at]) => [name!, Number(at)]),
    );
    expect([...offsets.values()]).toEqual(rows.map(({ offset }) => offset));
    for (const [, name, count] of source.matchAll(/export const (\w+)_BYTES: u32 = (\d+);/g)) {
      expect(rows.find(({ offset }) => offset === offsets.get(name!))!.bytes.length, name).toBe(Number(count));
    }
  });

  it("is found out when a byte, a word or an offset is wrong", () => {
    const broken = (edit: (rows: Row[]) => void): string[] => {
      const copy = structuredClone(rows);
      edit(copy);
      return faultsOf(copy);
    };
    expect(broken((copy) => (copy[0]!.bytes[3]! ^= 1))).toHaveLength(1);
    expect(broken((copy) => (copy[6]!.words = "offline-ctrl-v2"))).toHaveLength(1);
    expect(broken((copy) => copy[2]!.bytes.push(0))).not.toHaveLength(0);
  });
});
