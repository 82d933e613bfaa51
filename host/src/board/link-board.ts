// A board behind the link: what the emulated board and a real one have in common.
import { OffleafError } from "../errors.ts";
import { linkRequest } from "../link/core-calls.ts";
import { LINK_VERSION, Request, Status } from "../link/frame.ts";
import type { LinkClient, LinkReply } from "../link/link-client.ts";
import {
  FAULT_KINDS,
  Unsupported,
  type BoardHello,
  type BoardStats,
  type CallOutcome,
  type CoreCall,
  type Fault,
} from "./board.ts";
import { tooLong } from "./mailbox.ts";

/** Longest wait for a call of the core; the board's own watchdog ends it after 10 s of board time. */
export const CALL_TIMEOUT_MS = 60_000;
/** Longest wait for a request that does not reach the core. */
export const QUICK_TIMEOUT_MS = 10_000;

const IMAGES = ["baseline", "leaf", "leaf-interp", "floor"];
const SHA256_BYTES = 32;
const STATS_BYTES = 40;
/** Link version, ABI version, image, length of the name. */
const HELLO_HEADER_BYTES = 4;
const FRAME_BYTES_BYTES = 4;

const garbled = (what: string): OffleafError => new OffleafError("E-LINK-03", { why: what });

/** Reads a HELLO answer. Throws E-LINK-03 and E-LINK-04. */
export function readHello(bytes: Uint8Array): BoardHello {
  const answer = Buffer.from(bytes);
  const [version, abi, image, nameBytes] = answer;
  if (version !== LINK_VERSION)
    throw new OffleafError("E-LINK-04", { why: `the board has version ${version}, offleaf ${LINK_VERSION}` });
  const shaAt = HELLO_HEADER_BYTES + (nameBytes ?? 0);
  if (answer.length !== shaAt + SHA256_BYTES + FRAME_BYTES_BYTES) throw garbled(`a HELLO of ${answer.length} bytes`);
  return {
    image: IMAGES[image!] ?? `image ${image}`,
    boardName: answer.toString("utf8", HELLO_HEADER_BYTES, shaAt),
    abi: abi!,
    coreSha256: answer.toString("hex", shaAt, shaAt + SHA256_BYTES),
    frameBytes: answer.readUInt32LE(shaAt + SHA256_BYTES),
  };
}

/** Reads a STATS answer. Throws E-LINK-03. */
function readStats(bytes: Uint8Array): BoardStats {
  if (bytes.length !== STATS_BYTES) throw garbled(`a STATS of ${bytes.length} bytes`);
  const answer = Buffer.from(bytes);
  return {
    flashPrograms: answer.readUInt32LE(0),
    flashErases: answer.readUInt32LE(4),
    flashBytes: answer.readUInt32LE(8),
    arena: answer.readUInt32LE(12),
    pool: answer.readUInt32LE(16),
    stack: answer.readUInt32LE(20),
    instructions: Number(answer.readBigUInt64LE(24)),
    linkBadCrc: answer.readUInt32LE(32),
    linkBadLength: answer.readUInt32LE(36),
  };
}

/** The reply of a request that only an incapable board refuses. Throws Unsupported and E-LINK-03. */
function expectDone(reply: LinkReply, what: string): LinkReply {
  if (reply.status === Status.Unsupported) throw new Unsupported(`this image cannot do ${what}`);
  if (reply.status !== Status.Ok) throw garbled(`status ${reply.status} to ${what}`);
  return reply;
}

/** Requests on a link, as the methods of a board. */
export class LinkBoard {
  /** @param frameBytes longest frame that the board says it takes; 0 for a board without a core */
  constructor(
    private readonly link: LinkClient,
    private frameBytes = 0,
  ) {}

  async hello(timeoutMs: number = QUICK_TIMEOUT_MS): Promise<BoardHello> {
    const reply = await this.link.request(Request.Hello, new Uint8Array(), timeoutMs);
    const hello = readHello(expectDone(reply, "HELLO").answer);
    this.frameBytes = hello.frameBytes;
    return hello;
  }

  async call(call: CoreCall): Promise<CallOutcome> {
    const refused = this.frameBytes > 0 ? tooLong(call, this.frameBytes) : undefined;
    if (refused) return refused;
    const { type, payload } = linkRequest(call);
    const reply = await this.link.request(type, payload, CALL_TIMEOUT_MS);
    if (reply.status === Status.Unsupported) throw new Unsupported(`this image cannot do ${call.call}: it has no core`);
    if (reply.status === Status.Short) throw garbled(`the board finds the payload of ${call.call} too short`);
    if (reply.status === Status.Ok) return reply;
    // A trap may come after some of the frames of its call; none of them exists.
    return { ...reply, frames: [], events: [] };
  }

  async fault({ after, kind, bits }: Fault): Promise<void> {
    const payload = Buffer.alloc(9);
    payload.writeUInt32LE(after, 0);
    payload.writeUInt8(FAULT_KINDS.indexOf(kind), 4);
    payload.writeUInt32LE(bits, 5);
    expectDone(await this.link.request(Request.Fault, payload, QUICK_TIMEOUT_MS), "FAULT");
  }

  async stats(): Promise<BoardStats> {
    return readStats(
      expectDone(await this.link.request(Request.Stats, new Uint8Array(), QUICK_TIMEOUT_MS), "STATS").answer,
    );
  }

  /** The board answers and starts again; the reply to its hello comes by itself. */
  async reset(): Promise<void> {
    expectDone(await this.link.request(Request.Reset, new Uint8Array(), QUICK_TIMEOUT_MS), "RESET");
  }
}
