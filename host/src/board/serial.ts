// A board on a serial port.
import { existsSync } from "node:fs";
import type { SerialPort } from "serialport";
import { OffleafError } from "../errors.ts";
import { LinkClient } from "../link/link-client.ts";
import {
  PowerLost,
  Unsupported,
  type Board,
  type BoardHello,
  type BoardStats,
  type CallOutcome,
  type CoreCall,
  type Fault,
} from "./board.ts";
import { LinkBoard, readHello } from "./link-board.ts";

const BAUD = 115_200;
/** How often a board that may be in the middle of noise is asked for its hello, and how long each time. */
const HELLO_TRIES = 3;
const HELLO_TIMEOUT_MS = 2_000;
const RESET_TIMEOUT_MS = 10_000;

/** `serialport` is loaded when a port is used: it is native code that the other boards can do without. */
async function loadSerialPort(): Promise<typeof SerialPort> {
  try {
    return (await import("serialport")).SerialPort;
  } catch (error) {
    throw new OffleafError("E-TOOL-05", { why: (error as Error).message, cause: error });
  }
}

function openError(path: string, error: Error): OffleafError {
  const facts = { port: path };
  const details = { facts, why: error.message, cause: error };
  if (/lock port|busy|in use/i.test(error.message)) return new OffleafError("E-PORT-02", details);
  if (/permission|access/i.test(error.message)) return new OffleafError("E-PORT-03", details);
  return new OffleafError("E-PORT-01", { ...details, what: "the port cannot be opened" });
}

async function openPort(path: string): Promise<SerialPort> {
  if (!existsSync(path)) throw new OffleafError("E-PORT-01", { facts: { port: path }, why: "there is no such file" });
  const Port = await loadSerialPort();
  const port = new Port({ path, baudRate: BAUD, autoOpen: false });
  await new Promise<void>((resolve, reject) => {
    port.open((error) => (error ? reject(openError(path, error)) : resolve()));
  });
  return port;
}

export class SerialBoard implements Board {
  readonly name = "serial";

  private constructor(
    private readonly port: SerialPort,
    private link: LinkClient,
    private board: LinkBoard,
    private lastHello: BoardHello,
    private readonly onLog: (text: string) => void,
  ) {
    port.once("close", () =>
      this.link.fail(new OffleafError("E-LINK-02", { facts: { port: port.path }, why: "the port went away" })),
    );
  }

  /** A board that has said hello. Throws E-TOOL-05, E-PORT-01 to 03, E-LINK-01 to 04. */
  static async open(path: string, onLog: (text: string) => void = () => {}): Promise<SerialBoard> {
    const port = await openPort(path);
    for (let left = HELLO_TRIES; ; left--) {
      const link = new LinkClient(port, port, onLog);
      const board = new LinkBoard(link);
      try {
        return new SerialBoard(port, link, board, await board.hello(HELLO_TIMEOUT_MS), onLog);
      } catch (error) {
        link.detach();
        if (left > 1 && error instanceof OffleafError && error.code === "E-LINK-01") continue;
        port.close(() => {});
        throw error;
      }
    }
  }

  async hello(): Promise<BoardHello> {
    return this.lastHello;
  }

  call(call: CoreCall): Promise<CallOutcome> {
    return this.withLink(() => this.board.call(call));
  }

  /** A reset is what a host can do to a board on a port: RAM is lost as it is with power. */
  async power(): Promise<void> {
    this.link.detach();
    this.link = new LinkClient(this.port, this.port, this.onLog);
    this.board = new LinkBoard(this.link, this.lastHello.frameBytes);
    await this.withLink(async () => {
      await this.board.reset();
      this.lastHello = readHello(await this.link.booted(RESET_TIMEOUT_MS));
    });
  }

  fault(_fault: Fault): Promise<void> {
    return this.cannot("faults are for sim and qemu");
  }

  stats(): Promise<BoardStats> {
    return this.withLink(() => this.board.stats());
  }

  readFlash(): Promise<Uint8Array> {
    return this.cannot("the flash of a board on a port cannot be read");
  }

  writeFlash(): Promise<void> {
    return this.cannot("the flash of a board on a port cannot be written");
  }

  seedEntropy(): Promise<void> {
    return this.cannot("the image takes its entropy from the hardware source only");
  }

  async close(): Promise<void> {
    if (this.port.isOpen) await new Promise<void>((resolve) => this.port.close(() => resolve()));
  }

  private async cannot(why: string): Promise<never> {
    throw new Unsupported(why);
  }

  private async withLink<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      if (error instanceof OffleafError) throw new PowerLost(`${error.message}; send power`);
      throw error;
    }
  }
}
