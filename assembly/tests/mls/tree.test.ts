// Trees from outside: what is no tree, and what a tree must not hold.
import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, it } from "vitest";
import { DETAIL } from "./details.ts";
import { ascii, Device, room } from "./device.ts";
import { DEVICE, fill, flipped, GROUP, PHONE } from "./pair.ts";

/** Most leaves of the test build (limits.ts). */
const MAX_LEAVES = 128;
/** A leaf node in the device's key package. */
const LEAF_AT = 37;
const LEAF_BYTES = 208;
/** In a leaf: the list of credential types, the extensions, the signature of 64 bytes. */
const CREDENTIALS_AT = 66 + 47 + 8;
const EXTENSIONS_AT = 141;
/** In a leaf: the list of extension types, which is empty. */
const EXTENSION_TYPES_AT = 66 + 47 + 6;

function leaf(identity: number, seed: number): Uint8Array {
  const device = new Device(fill(identity), DEVICE, GROUP, PHONE);
  return device.mint(fill(seed), 1n).slice(LEAF_AT, LEAF_AT + LEAF_BYTES);
}

/** A changed leaf with a true signature: what `edit` makes of the signed part. */
function signed(identity: number, edit: (part: number[]) => void): Uint8Array {
  const part = [...leaf(identity, identity).slice(0, -66)];
  edit(part);
  const label = ascii("MLS 1.0 LeafNodeTBS");
  const message = new Uint8Array([label.length, ...label, 0x40 | (part.length >> 8), part.length & 255, ...part]);
  return new Uint8Array([...part, 0x40, 0x40, ...ed25519.sign(message, fill(identity))]);
}

/** Nodes in array order; undefined is blank. */
function encoded(nodes: (Uint8Array | undefined)[]): Uint8Array {
  const content = nodes.flatMap((node, index) => (node ? [1, index % 2 ? 2 : 1, ...node] : [0]));
  const length = content.length;
  const header =
    length < 64
      ? [length]
      : length < 16384
        ? [0x40 | (length >> 8), length & 255]
        : [0x80, length >> 16, (length >> 8) & 255, length & 255];
  return new Uint8Array([...header, ...content]);
}

/** Whether bytes are a tree at all. */
const parses = (data: Uint8Array): boolean => room.scope(() => room.call("treeOf", room.put(data), data.length) !== 0);

/** 0 for a valid tree, else the detail code. */
function validate(nodes: (Uint8Array | undefined)[]): number {
  return room.scope(() => {
    const data = encoded(nodes);
    const tree = room.call("treeOf", room.put(data), data.length);
    if (!tree) throw new Error("no tree");
    return room.call("validateTree", tree, room.put(GROUP), GROUP.length);
  });
}

/** A parent node without parent hash. */
const parent = (key: number, unmerged: number[] = []): Uint8Array =>
  new Uint8Array([32, ...fill(key), 0, 4 * unmerged.length, ...unmerged.flatMap((index) => [0, 0, 0, index])]);

describe("a ratchet tree", () => {
  it("is taken up to the limit, and not above", () => {
    const one = leaf(1, 1);
    expect(parses(encoded([one]))).toBe(true);
    const full = Array.from({ length: 2 * MAX_LEAVES - 1 }, (_, node) => (node % 2 ? undefined : one));
    expect(parses(encoded(full))).toBe(true);
    expect(parses(encoded([...full, undefined, one]))).toBe(false);
  });

  it("is refused with a blank end, a node of the wrong kind, or any other malformation", () => {
    const one = leaf(1, 1);
    expect(parses(encoded([one, undefined, one]))).toBe(true);
    expect(parses(encoded([one, undefined]))).toBe(false);
    expect(parses(encoded([undefined]))).toBe(false);
    expect(parses(encoded([]))).toBe(false);
    const good = encoded([one, parent(9), one]);
    expect(parses(good)).toBe(true);
    for (const [at, value] of [
      [2, 2],
      [3, 2],
      [2, 0],
    ] as const) {
      const bad = good.slice();
      bad[at] = value;
      expect(parses(bad)).toBe(false);
    }
    for (let length = 0; length < good.length; length++) expect(parses(good.slice(0, length))).toBe(false);
    expect(parses(new Uint8Array([...good, 0]))).toBe(false);
    expect(parses(encoded([one, new Uint8Array([32, ...fill(9), 1, 0, 0]), one]))).toBe(false);
    expect(parses(encoded([one, new Uint8Array([32, ...fill(9), 0, 3, 0, 0, 0]), one]))).toBe(false);
  });

  it("holds no key twice", () => {
    expect(validate([leaf(1, 1), undefined, leaf(2, 2)])).toBe(0);
    expect(validate([leaf(1, 1), undefined, leaf(1, 2)])).toBe(DETAIL.MlsDuplicateKey);
    expect(validate([leaf(1, 1), undefined, leaf(2, 1)])).toBe(DETAIL.MlsDuplicateKey);
  });

  it("holds signed leaves only", () => {
    expect(validate([leaf(1, 1), undefined, flipped(leaf(2, 2), -1)])).toBe(DETAIL.MlsLeafNode);
    expect(validate([flipped(leaf(1, 1), EXTENSIONS_AT - 1), undefined, leaf(2, 2)])).toBe(DETAIL.MlsLeafNode);
    expect(validate([leaf(1, 1), undefined, signed(2, () => {})])).toBe(0);
  });

  it("holds members that support each other's credentials", () => {
    const x509Only = signed(2, (part) => (part[CREDENTIALS_AT + 2] = 2));
    expect(validate([leaf(1, 1), undefined, x509Only])).toBe(DETAIL.MlsLeafNode);
  });

  it("holds leaves that list their extensions", () => {
    const extension = [5, 0x0a, 0x0a, 2, 1, 2];
    const extended = signed(2, (part) => part.splice(EXTENSIONS_AT, 1, ...extension));
    expect(validate([leaf(1, 1), undefined, extended])).toBe(DETAIL.MlsLeafNode);
    const listed = signed(2, (part) => {
      part.splice(EXTENSIONS_AT, 1, ...extension);
      part.splice(EXTENSION_TYPES_AT, 1, 2, 0x0a, 0x0a);
    });
    expect(validate([leaf(1, 1), undefined, listed])).toBe(0);
    const torn = signed(2, (part) => part.splice(EXTENSIONS_AT, 1, 4, 0, 1, 2, 1));
    expect(validate([leaf(1, 1), undefined, torn])).toBe(DETAIL.MlsLeafNode);
  });

  it("has parents that somebody set", () => {
    expect(validate([leaf(1, 1), parent(9), leaf(2, 2)])).toBe(DETAIL.MlsParentHash);
  });

  it("has unmerged leaves in order, present, and below their node", () => {
    const four = (unmerged: number[], inner: number[] = []): number =>
      validate(
        [leaf(1, 1), parent(8, inner), leaf(2, 2), parent(9, unmerged), leaf(3, 3), undefined, undefined].slice(0, 5),
      );
    expect(four([2])).toBe(DETAIL.MlsParentHash);
    expect(four([3])).toBe(DETAIL.MlsRatchetTree);
    expect(four([9])).toBe(DETAIL.MlsRatchetTree);
    expect(four([2, 2])).toBe(DETAIL.MlsRatchetTree);
    expect(four([], [2])).toBe(DETAIL.MlsRatchetTree);
    expect(four([1], [])).toBe(DETAIL.MlsRatchetTree);
    expect(four([1], [1])).toBe(DETAIL.MlsParentHash);
    expect(four([1, 0], [0, 1])).toBe(DETAIL.MlsRatchetTree);
  });
});
