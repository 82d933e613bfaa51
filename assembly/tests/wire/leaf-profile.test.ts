// The device's build of the room: its limits refuse by name, each at its edge, and no input exhausts 28 KiB.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type CoreBuild, buildCore, coreBuild } from "../../../scripts/build-core.ts";
import { type Room, hex, loadRoom } from "../room.ts";
import { FULL, bytes, decode, jsonFrame, room, verdict } from "./frames.ts";

/** The room as its test build has it, assertions on, but with the profile and the memory of the device. */
const MEMBER = coreBuild("test:wire");
const LEAF: CoreBuild = {
  ...MEMBER,
  name: "test:wire-leaf",
  outFile: "build/test/wire-leaf.wasm",
  options: MEMBER.options.map((option) => (option === "LEAF=0" ? "LEAF=1" : option)),
};
/** Compiling may share the machine with other tests. */
const BUILD_TIMEOUT_MS = 120_000;

let leaf: Room;
beforeAll(async () => {
  await buildCore(LEAF);
  leaf = loadRoom("wire-leaf");
}, BUILD_TIMEOUT_MS);

const entries = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":"v"`).join();
const media = (bytesOfName: number): string =>
  `,"media_metadata":{"mime_type":"a","file_name":"${"n".repeat(bytesOfName)}","file_size":1}`;
const nested = (depth: number): string => `,"z":${"[".repeat(depth)}${"]".repeat(depth)}`;
/** The smallest binary frame with `count` ext entries of an unknown tag. */
const ext = (count: number): Uint8Array => {
  const plain = decode(bytes(jsonFrame())) as { binary: string };
  return hex(plain.binary.slice(0, -2) + count.toString(16).padStart(2, "0") + "0700".repeat(count));
};

/** A binary frame whose media metadata is `length` bytes of JSON. */
const blob = (length: number): Uint8Array => {
  const json = JSON.stringify({ mime_type: "a", file_name: "", file_size: 1 });
  const whole = Buffer.from(json.replace('"file_name":"', '"file_name":"' + "n".repeat(length - json.length)));
  const plain = (decode(bytes(jsonFrame())) as { binary: string }).binary;
  // Behind the option byte of the media: no metadata, ack wanted, no reply, no forward, no ext.
  const behind = "0001000000";
  const size = Buffer.of((length & 0x7f) | 0x80, length >> 7).toString("hex");
  return hex(plain.slice(0, plain.length - behind.length - 2) + "01" + size + whole.toString("hex") + behind);
};

describe("leaf profile", () => {
  it("refuses what is over a limit, takes what is at it, and the member build takes both", () => {
    const edges: [string, Uint8Array, Uint8Array][] = [
      [
        "LimitMetadata",
        bytes(jsonFrame(`,"metadata":{${entries(64)}}`)),
        bytes(jsonFrame(`,"metadata":{${entries(65)}}`)),
      ],
      [
        "LimitMetadataKey",
        bytes(jsonFrame(`,"metadata":{"${"k".repeat(256)}":""}`)),
        bytes(jsonFrame(`,"metadata":{"${"k".repeat(257)}":""}`)),
      ],
      [
        "LimitMetadataValue",
        bytes(jsonFrame(`,"metadata":{"k":"${"v".repeat(4096)}"}`)),
        bytes(jsonFrame(`,"metadata":{"k":"${"v".repeat(4097)}"}`)),
      ],
      ["LimitDepth", bytes(jsonFrame(nested(64))), bytes(jsonFrame(nested(65)))],
      ["LimitExt", ext(16), ext(17)],
      ["LimitBlob", blob(4096), blob(4097)],
      ["LimitFrame", bytes(jsonFrame().padEnd(8192)), bytes(jsonFrame().padEnd(8193))],
    ];
    for (const [limit, at, over] of edges) {
      expect(verdict(leaf, at), `${limit} at its edge`).toBe("");
      expect(verdict(leaf, over), limit).toBe(limit);
      expect(verdict(room, over), `${limit} in the member build`).toBe("");
    }
  });

  it("refuses array spelling and object priorities, and says no more of them", () => {
    const array = bytes('["0f1e2d3c-4b5a-4697-8877-665544332211","a","b","c","low",1,0,0,0,"text",""]');
    const object = bytes(jsonFrame().replace('"medium"', '{"high":null}'));
    for (const input of [array, object]) {
      expect(verdict(room, input)).toBe("");
      expect(verdict(leaf, input)).not.toBe("");
    }
  });

  it("agrees with the member build on every other mutated frame, and never runs out of memory", () => {
    const full = decode(bytes(FULL)) as { json: string; binary: string };
    const seeds = [bytes(full.json), hex(full.binary)];
    const mutant = fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 3 }));
    fc.assert(
      fc.property(mutant, ([seed, at, drop, insert]) => {
        const data = [...seed];
        data.splice(at % (data.length + 1), drop, ...insert);
        const input = Uint8Array.from(data);
        const fromLeaf = verdict(leaf, input);
        const allowed = fromLeaf.startsWith("Limit") || data[0] === 0x5b;
        if (!allowed) expect(fromLeaf === "").toBe(verdict(room, input) === "");
      }),
      { numRuns: 3000 },
    );
  });

  it("holds the fullest frames of a mailbox", () => {
    const fullest = [
      bytes(jsonFrame("", "x".repeat(7900))),
      bytes(jsonFrame(`,"metadata":{${entries(64)}}`, "y".repeat(6000))),
      bytes(jsonFrame(`,"binary_content":[${"1,".repeat(3900)}1]`)),
      bytes(jsonFrame(media(3900), "\n".repeat(1900))),
    ];
    for (const input of fullest) {
      expect(input.length).toBeLessThanOrEqual(8192);
      expect(verdict(leaf, input)).toBe("");
    }
  });
});
