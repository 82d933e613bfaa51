// The constants of the sealed layer: each is read back from what the core does, or is not the leaf's.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/root.ts";
import { type CaseResult, judge, skip } from "../vectors/family.ts";
import type { FrameJson, SealedRoom } from "./sealed-room.ts";

/** Value of `NAME` in a source of the core, for a limit that nothing shows at a reasonable price. */
function sourceConstant(path: string, name: string): number {
  const source = readFileSync(join(root, "assembly", path), "utf8");
  const value = new RegExp(`\\b${name}: [a-z0-9]+ = ([0-9a-fx_]+);`).exec(source)?.[1];
  if (value === undefined) throw new Error(`${path} has no ${name}`);
  return Number(value.replaceAll("_", ""));
}

const FRAME: FrameJson = {
  id: "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  sender: "a",
  recipient: "b",
  app_id: "c",
  priority: "low",
  ttl: 8,
  hop_count: 0,
  timestamp_ms: "0",
  content: "x",
};
const PHONE = "a phone's, or between phones: the leaf neither writes nor judges it (sealed.md sections 3, 10, 11, 12)";
/** Constants that are not the leaf's. */
const NOT_THE_LEAFS = new Set([
  "ack_coalesced_v1",
  "ack_undecryptable_v1",
  "corroboration_label",
  "corroboration_nonce_len",
  "corroboration_tag_len",
  "ctrl_freshness_past_ms_phone",
  "domain_gateway",
  "max_accepted_key_package_lifetime_s",
  "max_forward_phone",
  "out_of_order_tolerance_phone",
  "svc_sealed_v1",
]);

type Check = (room: SealedRoom, value: unknown) => void;

const startsWith = (data: Uint8Array, text: unknown): void =>
  assert.equal(Buffer.from(data).toString("latin1", 0, String(text).length), text);
const says = (room: SealedRoom, member: string, value: unknown): void => {
  const body = JSON.parse(
    room.keyPackageText(room.addressFormat(new Uint8Array(20)), new Uint8Array([1])).slice(15),
  ) as Record<string, unknown>;
  assert.deepEqual(body[member], [value]);
};
const edge = (room: SealedRoom, side: 1n | -1n, value: unknown): void => {
  const limit = BigInt(value as number);
  assert.deepEqual([room.isFresh(side * limit, 0n), room.isFresh(side * (limit + 1n), 0n)], [true, false]);
};
const metadata = (room: SealedRoom, key: unknown, other: string): void => {
  const half = room.gate({ ...FRAME, metadata: { [String(key)]: "" } }, true, 0n);
  const both = room.gate({ ...FRAME, metadata: { [String(key)]: "", [other]: "" } }, true, 0n);
  // Half signed is refused as such; with both the gate goes on to the sender, which is no address.
  assert.deepEqual([half.kind, both.kind], ["ControlFrameRefused", "IdentityBinding"]);
};

const CHECKS: Record<string, Check> = {
  ack_for: (_, value) =>
    assert.ok(readFileSync(join(root, "assembly/sealed/text.ts"), "utf8").includes(`: ${String(value)}\n`)),
  ctrl_freshness_future_ms: (room, value) => edge(room, -1n, value),
  ctrl_freshness_past_ms_leaf: (room, value) => edge(room, 1n, value),
  ctrl_sign_v2: (room, value) => says(room, "ctrl_versions", value),
  domain_invite: (room, value) => startsWith(room.invite(new Uint8Array(32), "", false).payload, value),
  domain_v1: (room, value) => startsWith(room.controlPayload(FRAME, false), value),
  domain_v2: (room, value) => startsWith(room.controlPayload(FRAME, true), value),
  group_id_max_len: (room, value) =>
    assert.deepEqual(
      [room.groupIdValid("a".repeat(value as number)), room.groupIdValid("a".repeat((value as number) + 1))],
      [true, false],
    ),
  identity_assertion_min_len: (_, value) => assert.equal(value, 32 + 64),
  leaf_key_package_lifetime_s: (_, value) =>
    assert.equal(sourceConstant("mls/key-package.ts", "LIFETIME_SECONDS"), value),
  leaf_not_before_backdate_s: (_, value) => assert.equal(sourceConstant("leaf/limits.ts", "PACKAGE_BACKDATE_S"), value),
  max_forward_leaf: (_, value) => assert.equal(sourceConstant("mls/limits.ts", "MAX_AHEAD"), value),
  max_id_len: (_, value) => assert.equal(sourceConstant("wire/limits.ts", "IDENTIFIER_MOST_BYTES"), value),
  meta_pk: (room, value) => metadata(room, value, "__ctrl_sig"),
  meta_sig: (room, value) => metadata(room, value, "__ctrl_pk"),
  mls_ciphersuite: (_, value) => assert.equal(sourceConstant("mls/limits.ts", "CIPHER_SUITE"), value),
  mls_envelope_compact_v1: (room, value) => says(room, "env_versions", value),
  prefixes: (room, value) => {
    const { encrypted_confirm_inner: marker, ...bare } = value as Record<string, string>;
    const order = ["key_package", "welcome", "encrypted", "confirm_probe", "confirm_ack"];
    assert.deepEqual(Object.keys(bare).sort(), [...order].sort());
    order.forEach((name, index) => assert.equal(room.classify(bare[name]!), index));
    assert.equal(room.classify(marker!), order.length);
    assert.equal(room.isConfirmMarker(marker!), true);
  },
  wire_v1_magic: (room, value) =>
    assert.equal(
      room.frame(Buffer.from(JSON.stringify({ ...FRAME, timestamp: 0 })))!.binary.slice(0, 2),
      (value as number).toString(16),
    ),
  wire_version_v1: (room, value) => says(room, "wire_versions", value),
};

export function constantCases(room: SealedRoom, constants: Record<string, unknown>): CaseResult[] {
  return Object.entries(constants).map(([name, value]) => {
    if (NOT_THE_LEAFS.has(name)) return skip(`constants ${name}`, PHONE);
    return judge(`constants ${name}`, () => {
      const check = CHECKS[name];
      assert.ok(check, "a constant that nothing checks");
      check(room, value);
    });
  });
}
