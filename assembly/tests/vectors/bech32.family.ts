// BIP-173 and BIP-350: checksums of either code, and SegWit addresses as a user of both.
import { strict as assert } from "node:assert";
import { Room, hex, loadRoom, toHex } from "../room.ts";
import { type Family, judge } from "./family.ts";

const BECH32 = 1;
const BECH32M = 0x2bc830a3;

interface Bech32Case {
  type: "bech32" | "bech32m" | "segwit";
  hex: string;
  valid: boolean;
  scriptPubKey?: string;
  reason?: string;
}

/** BIPs 173 and 350 limit a whole string to 90 characters; the code itself does not. */
const MOST_CHARACTERS = 90;

function residue(room: Room, text: Uint8Array): number {
  return text.length > MOST_CHARACTERS ? 0 : room.scope(() => room.call("bech32Residue", room.put(text), text.length));
}

/** scriptPubKey of a SegWit address (BIP-173, BIP-350), or undefined. */
function scriptPubKey(room: Room, text: Uint8Array): string | undefined {
  const code = residue(room, text);
  const prefixBytes = room.scope(() => room.call("bech32PrefixBytes", room.put(text), text.length));
  const prefix = Buffer.from(text.subarray(0, prefixBytes)).toString("latin1").toLowerCase();
  if ((code !== BECH32 && code !== BECH32M) || (prefix !== "bc" && prefix !== "tb")) return undefined;
  const groups = text.length - prefixBytes - 1 - 6 - 1;
  if (groups < 0) return undefined;
  const version = room.call("bech32Value", text[prefixBytes + 1]!);
  if (version > 16 || (version === 0) !== (code === BECH32)) return undefined;
  const program = room.scope(() => {
    const out = room.alloc(64);
    const canonical = room.call("bech32Bytes", room.put(text.subarray(prefixBytes + 2)), groups, out);
    return canonical ? room.read(out, (groups * 5) >> 3) : undefined;
  });
  if (!program || program.length < 2 || program.length > 40) return undefined;
  if (version === 0 && program.length !== 20 && program.length !== 32) return undefined;
  return toHex(Uint8Array.of(version ? 0x50 + version : 0, program.length)) + toHex(program);
}

function check(room: Room, test: Bech32Case): void {
  const text = hex(test.hex);
  if (test.type === "segwit") assert.equal(scriptPubKey(room, text), test.valid ? test.scriptPubKey : undefined);
  else assert.equal(residue(room, text) === (test.type === "bech32" ? BECH32 : BECH32M), test.valid);
}

export const families: Family[] = [
  {
    name: "bech32",
    matches: (path) => path.startsWith("bech32/"),
    run: (json) => {
      const room = loadRoom("bytes");
      return (json as { cases: Bech32Case[] }).cases.map((test) =>
        judge(`${test.hex.slice(0, 24)} ${test.reason ?? ""}`, () => check(room, test)),
      );
    },
  },
];
