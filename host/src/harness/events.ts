// Events of the core (docs/abi.md) as the harness shows them.
import { EVENTS, REASONS, type LeafEvent } from "@offleaf/interop";

const ADDRESS_BYTES = 44;
const FRAME_ID_BYTES = 16;

const nameOf = <T extends string>(table: Record<T, number>, code: number): T => {
  const found = (Object.keys(table) as T[]).find((name) => table[name] === code);
  if (found === undefined) throw new Error(`the core reported code ${code}, which docs/abi.md does not know`);
  return found;
};

/** 16 bytes as lower-case UUID text. */
const uuid = (bytes: Buffer): string => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Throws on bytes that are no event of the ABI. */
export function decodeEvent(bytes: Uint8Array): LeafEvent {
  const fields = Buffer.from(bytes.subarray(1));
  const type = nameOf(EVENTS, bytes[0] ?? 0);
  const peer = fields.toString("latin1", 0, ADDRESS_BYTES);
  switch (type) {
    case "MessageReceived": {
      const idEnd = ADDRESS_BYTES + FRAME_ID_BYTES;
      return { type, peer, text: fields.toString("utf8", idEnd), frameId: uuid(fields.subarray(ADDRESS_BYTES, idEnd)) };
    }
    case "CommitApplied":
      return { type, peer, epoch: Number(fields.readBigUInt64LE(ADDRESS_BYTES)) };
    case "Ignored":
      return { type, reason: nameOf(REASONS, fields[0] ?? 0) };
    default:
      return { type, peer };
  }
}
