// Frames for tests of the wire room: what goes in, and what the core makes of it.
import { DETAILS } from "../../../interop/src/abi.ts";
import { Room, loadRoom, toHex } from "../room.ts";

/** Not less than the core's `Frame`. */
const FRAME_BYTES = 256;
const WRITER_BYTES = 16;
/** A control character grows six-fold in JSON, and a frame has names besides. */
const GROWTH = 6;
const FIXED_BYTES = 1024;

const names = new Map<number, string>(Object.entries(DETAILS).map(([name, code]) => [code, name]));

/** Both encodings of an accepted frame, or the name of the detail of a refusal. */
export type Outcome = { detail: string } | { detail: undefined; json: string; binary: string };

export const room = loadRoom("wire");
export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

function encode(target: Room, encoder: string, frame: number, inputBytes: number): Uint8Array {
  const writer = target.alloc(WRITER_BYTES);
  const capacity = GROWTH * inputBytes + FIXED_BYTES;
  const buffer = target.alloc(capacity);
  const view = new DataView(target.memory.buffer);
  [buffer, buffer, buffer + capacity].forEach((word, index) => view.setUint32(writer + 4 * index, word, true));
  target.call(encoder, frame, writer);
  if (view.getUint8(writer + 12) !== 0) throw new Error("the encoder ran out of room");
  return target.read(buffer, view.getUint32(writer + 4, true) - buffer);
}

/** Decodes with canaries of `fill` on both sides of the input, which must survive. */
export function decode(input: Uint8Array, fill = 0xa5, target = room): Outcome {
  return target.scope(() => {
    const frame = target.alloc(FRAME_BYTES);
    const around = new Uint8Array(input.length + 64).fill(fill);
    around.set(input, 32);
    const at = target.put(around);
    const kind = target.call("frameDecode", at + 32, input.length, frame) || target.call("frameContent", frame);
    const canaries = [...target.read(at, 32), ...target.read(at + 32 + input.length, 32)];
    if (canaries.some((byte) => byte !== fill)) throw new Error("the decoder wrote outside its input");
    if (kind !== 0) return { detail: names.get(target.call("takeDetail")) ?? "None" };
    return {
      detail: undefined,
      json: Buffer.from(encode(target, "frameEncodeJson", frame, input.length)).toString(),
      binary: toHex(encode(target, "frameEncodeBinary", frame, input.length)),
    };
  });
}

/** Only whether and why a frame is refused: "" for an accepted one. For builds with little memory. */
export function verdict(target: Room, input: Uint8Array): string {
  return target.scope(() => {
    const frame = target.alloc(FRAME_BYTES);
    const at = target.put(input);
    return target.call("frameDecode", at, input.length, frame) === 0 && target.call("frameContent", frame) === 0
      ? ""
      : (names.get(target.call("takeDetail")) ?? "None");
  });
}

/** A JSON frame with the required members, and `more` in front of the closing brace. */
export const jsonFrame = (more = "", content = "hi"): string =>
  `{"id":"0f1e2d3c-4b5a-4697-8877-665544332211","sender":"alice","recipient":"bob","app_id":"app","priority":"medium","ttl":8,` +
  `"hop_count":0,"timestamp":1700000000000,"content":${JSON.stringify(content)}${more}}`;

/** A frame that uses every member. */
export const FULL = jsonFrame(
  ',"lamport_clock":300,"content_type":"image","binary_content":[222,173,190,239],"media_metadata":{"mime_type":"image/png",' +
    '"file_name":"a\\u0041.png","file_size":18446744073709551615,"width":640},"metadata":{"k2":"v2","k1":"v\\n1","k2":"last"},' +
    '"requires_ack":false,"reply_to_msg":"3f2504e0-4f89-11d3-9a0c-0305e82c3301","forwarded_from":{"original_sender":"carol",' +
    '"original_message_id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301","original_timestamp":-5,"forward_count":1},' +
    '"reply_context":{"sender":"dave","text":"q\\ud83d\\ude00","timestamp":-7},"future":{"a":[1,{"b":null}]}',
  "see " + Buffer.alloc(60, 0x5c).toString("base64"),
);
