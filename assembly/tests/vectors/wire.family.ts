// Families of wire.md: frames both ways, rejects, truncations, addresses, identifiers, service ids; and raw JSON documents.
import { strict as assert } from "node:assert";
import { DETAILS } from "../../../interop/src/abi.ts";
import { Room, hex, loadRoom, toHex } from "../room.ts";
import { type CaseResult, type Family, judge, skip } from "./family.ts";

const FRAME_BYTES = 256;

/** `UnexpectedEnd` as the vectors spell it: `unexpected_end`. */
const snake = (name: string): string => name.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase();
const detailName = new Map(Object.entries(DETAILS).map(([name, code]) => [code as number, name]));

/** What the room made of an input: its two encodings, or why it refused. */
interface Outcome {
  json?: string;
  wire?: string;
  detail?: string;
}

const text = new TextDecoder();

function decode(room: Room, input: Uint8Array): Outcome {
  return room.scope(() => {
    const frame = room.alloc(FRAME_BYTES);
    const at = room.put(input);
    const kind = room.call("frameDecode", at, input.length, frame);
    if (kind !== 0 || room.call("frameContent", frame) !== 0)
      return { detail: detailName.get(room.call("takeDetail")) ?? "None" };
    return {
      json: text.decode(encode(room, "frameEncodeJson", frame, input.length)),
      wire: toHex(encode(room, "frameEncodeBinary", frame, input.length)),
    };
  });
}

/** Writes the frame with one of the encoders, into a buffer that no encoding of such an input outgrows. */
function encode(room: Room, encoder: string, frame: number, inputBytes: number): Uint8Array {
  return room.scope(() => {
    const writer = room.alloc(16);
    const capacity = 6 * inputBytes + 1024;
    const buffer = room.alloc(capacity);
    const view = new DataView(room.memory.buffer);
    [buffer, buffer, buffer + capacity].forEach((word, index) => view.setUint32(writer + 4 * index, word, true));
    room.call(encoder, frame, writer);
    assert.equal(view.getUint8(writer + 12), 0, "the encoder ran out of room");
    return room.read(buffer, view.getUint32(writer + 4, true) - buffer);
  });
}

interface FrameCase {
  name: string;
  json_in?: string;
  json_in_hex?: string;
  wire_in?: string;
  wire?: string;
  wire_out?: string;
  json_out: string;
}

const jsonInput = (test: { json_in?: string; json_in_hex?: string }): Uint8Array =>
  test.json_in_hex === undefined ? new TextEncoder().encode(test.json_in) : hex(test.json_in_hex);

/** Decodes `json_in` or `wire_in`, and what comes of that, and compares both encodings each time. */
function checkFrame(room: Room, test: FrameCase): void {
  const wire = test.wire ?? test.wire_out!;
  const inputs = [
    test.wire_in === undefined ? jsonInput(test) : hex(test.wire_in),
    hex(wire),
    new TextEncoder().encode(test.json_out),
  ];
  for (const input of inputs) {
    const outcome = decode(room, input);
    assert.equal(outcome.detail, undefined);
    assert.equal(outcome.wire, wire);
    assert.equal(outcome.json, test.json_out);
  }
}

/** The detail without the member that the vectors name before or behind it. */
const bare = (detail: string): string => detail.replace(/^blob:[a-z_]+:/, "").replace(/:.*/, "");

function checkReject(room: Room, input: Uint8Array, detail: string): void {
  const outcome = decode(room, input);
  assert.notEqual(outcome.detail, undefined, "accepted");
  // A first byte from F6 on is refused for its version, which the reference calls a syntax error of JSON (wire.md section 2).
  if (input.length === 0) assert.equal(outcome.detail, "Eof");
  else if (input[0]! > 0xf5) assert.equal(outcome.detail, "UnsupportedVersion");
  else assert.equal(snake(outcome.detail!), bare(detail));
}

interface WireJson {
  frames?: FrameCase[];
  large?: FrameCase[];
  binary_frames?: FrameCase[];
  width_dependent?: {
    name: string;
    wire_in: string;
    width32: { accepted: boolean; wire_out?: string; detail?: string };
  }[];
  dependency_dependent?: { name: string; message_id_text: string; accepted_with_uuid_1_18_1: boolean }[];
  operations?: { op: string }[];
  binary_rejects?: { name: string; wire_in: string; detail: string }[];
  json_rejects?: { name: string; json_in?: string; json_in_hex?: string; detail: string }[];
  binary_truncation?: { frame: string; rejected_prefixes: [number, string, string][] };
  json_truncation?: { frame: string; rejected_prefixes: [number, string, string, string][] };
  address?: {
    valid: { name: string; hash: string; address: string }[];
    rejected: { name: string; input?: string; input_hex?: string; kind: string }[];
  };
  identifiers?: {
    name: string;
    input?: string;
    input_hex?: string;
    characters_only: string;
    user_id: string | { detail: string };
  }[];
  service_ids?: { name: string; input?: string; input_hex?: string; result: string }[];
  usernames?: { name?: string }[];
}

const inputOf = (test: { input?: string; input_hex?: string }): Uint8Array =>
  test.input_hex === undefined ? new TextEncoder().encode(test.input) : hex(test.input_hex);

function frameCases(file: WireJson): CaseResult[] {
  const room = loadRoom("wire");
  return [
    ...[...(file.frames ?? []), ...(file.large ?? []), ...(file.binary_frames ?? [])].map((test) =>
      judge(test.name, () => checkFrame(room, test)),
    ),
    ...(file.width_dependent ?? []).map((test) =>
      judge(test.name, () => {
        const outcome = decode(room, hex(test.wire_in));
        assert.equal(outcome.detail === undefined, test.width32.accepted);
        if (test.width32.wire_out !== undefined) assert.equal(outcome.wire, test.width32.wire_out);
        else assert.equal(snake(outcome.detail!), bare(test.width32.detail!));
      }),
    ),
    ...(file.dependency_dependent ?? []).map((test) =>
      judge(test.name, () => {
        const json = `{"id":"${test.message_id_text}","sender":"a","recipient":"b","app_id":"c","priority":"low","ttl":1,"hop_count":0,"timestamp":0,"content":""}`;
        assert.equal(decode(room, new TextEncoder().encode(json)).detail === undefined, test.accepted_with_uuid_1_18_1);
      }),
    ),
    ...(file.operations ?? []).map((test) =>
      skip(test.op, "counters of a relaying node: a leaf neither relays nor merges clocks"),
    ),
  ];
}

function rejectCases(file: WireJson): CaseResult[] {
  const room = loadRoom("wire");
  const cut = (
    truncation: { frame: string; rejected_prefixes: [number, string, string, string?][] } | undefined,
    form: "hex" | "text",
  ): CaseResult[] =>
    (truncation?.rejected_prefixes ?? []).map(([length, , third, fourth]) =>
      judge(`${form} prefix of ${length}`, () => {
        const whole = form === "hex" ? hex(truncation!.frame) : new TextEncoder().encode(truncation!.frame);
        checkReject(room, whole.slice(0, length), fourth ?? third);
      }),
    );
  return [
    ...(file.binary_rejects ?? []).map((test) =>
      judge(test.name, () => {
        const input = hex(test.wire_in);
        // The vectors hand these to the binary decoder; a frame reaches it by its byte 0 alone.
        if (input[0] === 0xf5) checkReject(room, input, test.detail);
        else
          assert.equal(
            snake(
              detailName.get(
                room.scope(() => room.call("decodeBinary", room.put(input), input.length, room.alloc(FRAME_BYTES))),
              )!,
            ),
            test.detail,
          );
      }),
    ),
    ...(file.json_rejects ?? []).map((test) => judge(test.name, () => checkReject(room, jsonInput(test), test.detail))),
    ...cut(file.binary_truncation, "hex"),
    ...cut(file.json_truncation, "text"),
  ];
}

function policyCases(file: WireJson): CaseResult[] {
  const room = loadRoom("wire");
  const parse = (input: Uint8Array): { detail: string; hash: string } =>
    room.scope(() => {
      const hash = room.alloc(20);
      const code = room.call("addressParse", room.put(input), input.length, hash);
      return { detail: detailName.get(code) ?? "", hash: toHex(room.read(hash, 20)) };
    });
  const policy = (name: string, input: Uint8Array, wanted: string): void => {
    const code = room.scope(() => room.call(name, room.put(input), input.length));
    assert.equal(code === 0 ? "ok" : snake(detailName.get(code)!), bare(wanted));
  };
  return [
    ...(file.address?.valid ?? []).map((test) =>
      judge(test.name, () => {
        assert.deepEqual(parse(new TextEncoder().encode(test.address)), { detail: "", hash: test.hash });
        room.scope(() => {
          const out = room.alloc(44);
          room.call("addressFormat", room.put(hex(test.hash)), out);
          assert.equal(text.decode(room.read(out, 44)), test.address);
        });
      }),
    ),
    ...(file.address?.rejected ?? []).map((test) =>
      judge(test.name, () => assert.equal(parse(inputOf(test)).detail, test.kind)),
    ),
    ...(file.identifiers ?? []).flatMap((test) => [
      judge(`${test.name} user_id`, () =>
        policy("identifierFault", inputOf(test), typeof test.user_id === "string" ? test.user_id : test.user_id.detail),
      ),
      judge(`${test.name} characters`, () => policy("identifierCharacters", inputOf(test), test.characters_only)),
    ]),
    ...(file.service_ids ?? []).map((test) =>
      judge(test.name, () => policy("serviceIdFault", inputOf(test), test.result)),
    ),
    ...(file.usernames ?? []).map((test) =>
      skip(test.name ?? "username", "usernames need Unicode tables and are out of scope for the leaf (wire.md 9.2)"),
    ),
  ];
}

/** JSONTestSuite: documents that nobody keeps. */
function documentCases(file: {
  cases: { name: string; expect: "accept" | "reject" | "either"; b64: string }[];
}): CaseResult[] {
  const room = loadRoom("wire");
  return file.cases.map(({ name, expect, b64 }) =>
    judge(name, () => {
      const input = new Uint8Array(Buffer.from(b64, "base64"));
      const fault = room.scope(() => room.call("jsonDocument", room.put(input), input.length));
      if (expect === "accept") assert.equal(fault, 0);
      else if (expect === "reject") assert.notEqual(fault, 0);
    }),
  );
}

const from = (name: string, run: (file: never) => CaseResult[]): Family => ({
  name: `wire/${name}`,
  matches: (path) => path === `vectors/${name}.json`,
  run: (json) => run(json as never),
});

export const families: Family[] = [
  from("wire", frameCases),
  from("wire-large", frameCases),
  from("wire-binary", frameCases),
  from("wire-reject", rejectCases),
  from("wire-policy", policyCases),
  {
    name: "json/jsontestsuite",
    matches: (path) => path === "json/jsontestsuite.json",
    run: (json) => documentCases(json as never),
  },
];
