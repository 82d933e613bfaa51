// The families of spec/vectors/sealed.json: the sealed layer function by function, then a device that replays whole frames.
import { strict as assert } from "node:assert";
import { SealedRoom } from "../sealed/sealed-room.ts";
import { constantCases } from "../sealed/constants.ts";
import { gateCases } from "../leaf/gate-replay.ts";
import { corroborationCases } from "../leaf/corroboration.ts";
import { transcriptCases } from "../leaf/transcript-replay.ts";
import { exporterCases } from "../leaf/exporter-replay.ts";
import { hex, toHex } from "../room.ts";
import { type CaseResult, type Family, judge } from "./family.ts";

interface NamedBlob {
  name: string;
  blob: string;
  ok?: boolean;
  error_kind?: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the shape of the file is checked by what is read from it
type Json = any;

/** Detail of the core for each kind of address error. */
const ADDRESS_ERRORS: Record<string, string> = {
  NotLowercase: "NotLowercase",
  InvalidBech32m: "InvalidBech32m",
  HrpMismatch: "HrpMismatch",
  PayloadLength: "PayloadLength",
  VersionMismatch: "VersionMismatch",
  NonCanonical: "NonCanonical",
};

function addresses(room: SealedRoom, section: Json): CaseResult[] {
  return [
    ...section.derive.map((test: Json) =>
      judge(`derive ${test.name}`, () => {
        assert.equal(room.addressFromKey(hex(test.public_key_hex)), test.address);
        assert.equal(toHex(room.addressParse(test.address).hash!), test.payload_hex.slice(2));
      }),
    ),
    ...section.derive_reject.map((test: Json) =>
      judge(`derive_reject ${test.key_len} bytes`, () => {
        assert.equal(room.gateWithKeyOf(test.key_len), "Sealed");
      }),
    ),
    ...section.encode.map((test: Json) =>
      judge(`encode ${test.name}`, () => assert.equal(room.addressFormat(hex(test.hash_hex)), test.address)),
    ),
    ...section.reject.map((test: Json) =>
      judge(`reject ${test.name}`, () =>
        assert.equal(room.addressParse(test.input).detail, ADDRESS_ERRORS[test.error_kind]),
      ),
    ),
  ];
}

function sessionIds(room: SealedRoom, section: Json): CaseResult[] {
  return section.map((test: Json, index: number) =>
    judge(`session_ids ${index}`, () => {
      assert.equal(room.sessionId(test.a, test.b), test.session_id);
      assert.equal(room.sessionId(test.b, test.a), test.session_id);
    }),
  );
}

function groupIds(room: SealedRoom, section: Json): CaseResult[] {
  return section.map((test: Json, index: number) => {
    const repeated = /^'a' repeated (\d+)$/.exec(test.input_note ?? "")?.[1];
    const input = repeated === undefined ? test.input : "a".repeat(Number(repeated));
    return judge(`group_ids ${index}`, () => assert.equal(room.groupIdValid(input), test.accepted));
  });
}

function controlSigning(room: SealedRoom, section: Json): CaseResult[] {
  return section.map((test: Json) =>
    judge(`control_signing ${test.name}`, () => {
      const frame = { ...test, app_id: "a", priority: "low", ttl: 8, hop_count: 0 };
      assert.equal(toHex(room.controlPayload(frame, false)), test.v1_payload_hex);
      assert.equal(toHex(room.controlPayload(frame, true)), test.v2_payload_hex);
      assert.equal(
        toHex(room.controlSign(frame, hex(test.secret_seed_hex), hex(test.public_key_hex))),
        test.v2_signature_hex,
      );
      assert.equal(Buffer.from(test.v2_signature_hex, "hex").toString("base64"), test.meta_ctrl_sig_v2);
      for (const version of [1, 2]) {
        const signed = {
          ...frame,
          metadata: { __ctrl_sig: test[`meta_ctrl_sig_v${version}`], __ctrl_pk: test.meta_ctrl_pk },
        };
        assert.deepEqual(room.gate(signed, true, BigInt(test.timestamp_ms)), { kind: "OK", dated: version === 2 });
        assert.equal(
          room.gate(signed, false, BigInt(test.timestamp_ms)).kind,
          version === 2 ? "OK" : "ControlFrameRefused",
        );
      }
    }),
  );
}

function freshness(room: SealedRoom, section: Json): CaseResult[] {
  return section.map((test: Json, index: number) =>
    judge(`freshness ${index}`, () =>
      assert.equal(room.isFresh(BigInt(test.now_ms), BigInt(test.signed_ms)), test.leaf.verdict === "fresh"),
    ),
  );
}

function envelopes(room: SealedRoom, section: Json): CaseResult[] {
  const compact = Object.fromEntries(section.parse.map((test: Json) => [test.name, test]));
  return [
    ...section.encode.map((test: Json) =>
      judge(`envelopes.encode ${test.name}`, () => {
        assert.equal(toHex(room.envelopeCompact(test)), test.compact_hex);
        assert.equal(room.envelopeJson(test), test.form_json);
        for (const form of ["form_json", "form_compact_base64", "form_base64_json"]) {
          assert.deepEqual(room.envelope(test[form]), {
            groupId: test.group_id,
            messageType: test.message_type_code,
            epoch: test.epoch,
            timestampMs: test.timestamp_ms,
            senderId: test.sender_id,
            ciphertext: test.ciphertext_hex,
          });
        }
      }),
    ),
    ...section.parse.map((test: Json) =>
      judge(`envelopes.parse ${test.name}`, () => {
        const got = room.envelope(test.body);
        if (!test.ok) return assert.equal(got, test.leaf_error_kind);
        assert.notEqual(typeof got, "string");
        const { groupId, epoch, senderId, ciphertext } = got as Exclude<typeof got, string>;
        assert.deepEqual(
          [groupId, epoch, senderId, ciphertext],
          [test.group_id, test.epoch, test.sender_id, test.ciphertext_hex],
        );
      }),
    ),
    ...section.compact_decoder_errors.map((test: Json) =>
      judge(`envelopes.compact_decoder_errors ${test.name}`, () => {
        const { body } = compact[test.name];
        assert.equal(room.compactAccepted(new Uint8Array(Buffer.from(body, "base64"))), false);
      }),
    ),
  ];
}

function keyPackages(room: SealedRoom, section: Json): CaseResult[] {
  return [
    ...section.emit.map((test: Json, index: number) =>
      judge(`key_package_payload.emit ${test.name}`, () => {
        const body = JSON.parse(test.emitted);
        if (index === 0)
          assert.equal(
            room.keyPackageText(body.user_id, new Uint8Array(body.key_package_data)),
            `__MLS_KEY_PKG__${test.emitted}`,
          );
        assert.deepEqual(room.keyPackageBody(test.emitted), {
          user: body.user_id,
          sessionReset: body.session_reset,
          noSession: body.no_session ?? false,
          wireVersions: body.wire_versions,
          envVersions: body.env_versions,
        });
      }),
    ),
    ...section.parse.map((test: Json) =>
      judge(`key_package_payload.parse ${test.name}`, () =>
        assert.equal(room.keyPackageBody(test.json) !== undefined, test.ok),
      ),
    ),
  ];
}

function messages(room: SealedRoom, section: Json): CaseResult[] {
  return [
    ...section.frames.map((test: Json) =>
      judge(`messages.frames ${test.name}`, () => {
        const fromJson = room.frame(Buffer.from(test.json));
        const fromBinary = room.frame(hex(test.wire_v1_hex));
        assert.deepEqual(fromJson, fromBinary);
        assert.equal(fromJson!.binary, test.wire_v1_hex);
        assert.deepEqual(JSON.parse(fromBinary!.json), JSON.parse(test.json));
      }),
    ),
    ...section.parse.map((test: Json) =>
      judge(`messages.parse ${test.name}`, () => {
        const got = room.frame(Buffer.from(test.json));
        assert.equal(got !== undefined, test.ok);
        if (!got) return;
        const { id, requires_ack: requiresAck } = JSON.parse(got.json);
        assert.deepEqual([id, requiresAck], [test.id, test.requires_ack]);
      }),
    ),
  ];
}

function invites(room: SealedRoom, section: Json): CaseResult[] {
  const seed = hex(section.secret_seed_hex);
  /** Kinds of the core for those of the reference. */
  const kinds: Record<string, string> = { InvalidMessage: "MalformedFrame", VerificationFailed: "IdentityBinding" };
  return [
    ...section.encode.map((test: Json) =>
      judge(`invite.encode ${test.name}`, () => {
        const made = room.invite(seed, test.petname ?? "", test.signed);
        assert.equal(made.text, test.blob);
        assert.equal(toHex(made.payload), test.signing_payload_hex);
        assert.deepEqual(room.inviteParse(test.blob), {
          kind: "OK",
          signed: test.parsed_signed,
          petname: test.petname ?? "",
        });
      }),
    ),
    ...section.parse.map((test: NamedBlob) =>
      judge(`invite.parse ${test.name}`, () =>
        assert.equal(room.inviteParse(test.blob).kind, test.ok ? "OK" : kinds[test.error_kind!]),
      ),
    ),
  ];
}

/** The device never writes or reads one; the layout and its signature are checked against the core's Ed25519. */
function identityAssertion(room: SealedRoom, section: Json): CaseResult[] {
  const split = (data: Uint8Array): [Uint8Array, Uint8Array, Uint8Array] | undefined =>
    data.length < 96 ? undefined : [data.slice(0, 32), data.slice(32, 96), data.slice(96)];
  return [
    judge("identity_assertion layout and signature", () => {
      const [key, signature, data] = split(hex(section.assertion_hex))!;
      assert.equal(toHex(data), section.signed_data_hex);
      assert.equal(room.verify(key, data, signature), true);
    }),
    judge("identity_assertion too short", () => assert.equal(split(hex(section.too_short_hex)), undefined)),
  ];
}

export const families: Family[] = [
  {
    name: "spec/sealed",
    matches: (path) => path.endsWith("/sealed.json") || path === "sealed.json",
    async run(json) {
      const file = json as Json;
      const room = new SealedRoom();
      return [
        ...constantCases(room, file.constants),
        ...addresses(room, file.addresses),
        ...sessionIds(room, file.session_ids),
        ...groupIds(room, file.group_ids),
        ...controlSigning(room, file.control_signing),
        ...freshness(room, file.freshness),
        ...envelopes(room, file.envelopes),
        ...keyPackages(room, file.key_package_payload),
        ...messages(room, file.messages),
        ...invites(room, file.invite),
        ...identityAssertion(room, file.identity_assertion),
        ...gateCases(file.leaf_gate),
        ...transcriptCases(file.transcript),
        ...corroborationCases(file.session_corroboration, file.transcript),
        ...exporterCases(file.transcript),
      ];
    },
  },
];
