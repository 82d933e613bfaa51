// Link frames over a byte stream: SLIP and CRC. What is damaged is dropped and counted.
import { SlipDecoder, SlipEncoder } from "@serialport/parser-slip-encoder";
import type { Readable, Writable } from "node:stream";
import { decodeFrame, encodeFrame, MAX_FRAME_BYTES, type LinkFrame } from "./frame.ts";

const END = 0xc0;
const ESC = 0xdb;
/** Raw bytes that the longest frame may take when each byte is escaped. */
const MAX_RAW_BYTES = 2 * MAX_FRAME_BYTES;

export interface Dropped {
  badCrc: number;
  badLength: number;
}

export class SlipChannel {
  readonly dropped: Dropped = { badCrc: 0, badLength: 0 };
  private readonly encoder = new SlipEncoder({ bluetoothQuirk: true }); // an END before and after each frame
  private decoder = this.newDecoder();
  /** Raw bytes since the last END. */
  private rawBytes = 0;
  private lastByte: number | undefined;
  /** Skipping to the next END after a piece that can be no frame. */
  private skipping = false;
  private readonly onData = (chunk: Buffer): void => this.take(chunk);

  /**
   * @param readable the board's bytes
   * @param onFrame  gets each whole frame
   */
  constructor(
    private readonly readable: Readable,
    private readonly writable: Writable,
    private readonly onFrame: (frame: LinkFrame) => void,
  ) {
    this.encoder.pipe(writable);
    readable.on("data", this.onData);
  }

  /** Lets go of the streams; they stay open. */
  detach(): void {
    this.encoder.unpipe(this.writable);
    this.readable.off("data", this.onData);
  }

  /** Queues a frame; the stream holds it back while the board is not reading. */
  send(frame: LinkFrame): void {
    this.encoder.write(encodeFrame(frame));
  }

  /** The decoder has no limit of its own, so each piece between two ENDs is measured before it gets there. */
  private take(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(END, from);
      const to = end < 0 ? chunk.length : end + 1;
      this.takePiece(chunk.subarray(from, to), end >= 0);
      from = to;
    }
  }

  private takePiece(piece: Buffer, ends: boolean): void {
    this.rawBytes += piece.length;
    // An END inside an escape is an END: a sender that was cut off must not cost the next frame.
    const halfEscape = ends && (piece.length > 1 ? piece.at(-2) : this.lastByte) === ESC;
    if (!this.skipping && (halfEscape || this.rawBytes > MAX_RAW_BYTES)) {
      this.skipping = true;
      this.dropped[halfEscape ? "badCrc" : "badLength"]++;
      this.decoder = this.newDecoder();
    }
    if (!this.skipping) this.decoder.write(piece);
    this.lastByte = piece.at(-1);
    if (!ends) return;
    this.rawBytes = 0;
    this.skipping = false;
  }

  private newDecoder(): SlipDecoder {
    const decoder = new SlipDecoder();
    decoder.on("data", (bytes: Buffer) => {
      if (decoder === this.decoder) this.takeFrame(bytes);
    });
    return decoder;
  }

  private takeFrame(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const frame = decodeFrame(bytes);
    if (frame === "crc") this.dropped.badCrc++;
    else if (frame === "length") this.dropped.badLength++;
    else this.onFrame(frame);
  }
}
