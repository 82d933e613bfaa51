// The board `sim`: the core's module inside this process, on the flash model.
import { existsSync, readFileSync } from "node:fs";
import { sha256Hex } from "../build-info.ts";
import { OffleafError } from "../errors.ts";
import { corePath } from "../paths.ts";
import {
  PowerLost,
  TRAPPED,
  Unsupported,
  type Board,
  type BoardHello,
  type BoardStats,
  type CallOutcome,
  type CoreCall,
  type Fault,
} from "./board.ts";
import { CoreInstance, type CoreImports } from "./core-instance.ts";
import { seededEntropy, systemEntropy, type EntropySource } from "./entropy.ts";
import { flashFileError, newPart, openPart, type Part } from "./flash-file.ts";
import { FlashMisuse, PowerLost as FlashPowerLost } from "./flash-model.ts";
import { tooLong } from "./mailbox.ts";

const IMPORT_OK = 0;
const IMPORT_FAILED = 1;

export interface SimOptions {
  /** The flash file; without one the part is in memory and ends with the board. */
  flash?: string;
  /** Lets `seedEntropy` replace the system's generator. For tests only. */
  testEntropy?: boolean;
  /** The core's module; the one of the build when left out. */
  core?: Uint8Array;
}

const readCore = (): Uint8Array => {
  if (!existsSync(corePath))
    throw new OffleafError("E-TOOL-04", { facts: { file: corePath }, why: "there is no such file" });
  return readFileSync(corePath);
};

export class SimBoard implements Board {
  readonly name = "sim";
  private readonly wasm: Uint8Array;
  private readonly module: WebAssembly.Module;
  private readonly part: Part;
  private instance: CoreInstance;
  private entropy: EntropySource = systemEntropy;
  private frames: Uint8Array[] = [];
  private events: Uint8Array[] = [];
  private arenaPeak = 0;
  /** Why there is no power. */
  private lost: string | undefined;

  /** Throws E-TOOL-04, E-FLASH-01, E-FLASH-02. */
  constructor(private readonly options: SimOptions = {}) {
    this.wasm = options.core ?? readCore();
    this.module = new WebAssembly.Module(this.wasm as BufferSource);
    this.part = options.flash === undefined ? newPart() : openPart(options.flash);
    this.instance = this.newInstance();
  }

  async hello(): Promise<BoardHello> {
    const { abi, mailboxBytes } = this.instance;
    return { image: "sim", boardName: "sim", abi, coreSha256: sha256Hex(this.wasm), frameBytes: mailboxBytes };
  }

  async call(call: CoreCall): Promise<CallOutcome> {
    this.needPower();
    const refused = tooLong(call, this.instance.mailboxBytes);
    if (refused) return refused;
    const refusal = { answer: new Uint8Array(), frames: [], events: [], trap: undefined };
    this.frames = [];
    this.events = [];
    try {
      const { result, detail, arenaPeak, answer } = this.instance.run(call);
      this.arenaPeak = Math.max(this.arenaPeak, arenaPeak);
      if (result < 0) return { ...refusal, status: -result, detail };
      return { status: 0, detail: 0, answer, frames: this.frames, events: this.events, trap: undefined };
    } catch (error) {
      return { ...refusal, status: TRAPPED, detail: 0, trap: this.recover(error) };
    }
  }

  async power(): Promise<void> {
    this.lost = undefined;
    this.part.flash.plan();
    this.part.flash.powerOn();
    this.instance = this.newInstance();
  }

  async fault({ after, kind, bits }: Fault): Promise<void> {
    this.needPower();
    this.part.flash.plan(kind === "none" ? undefined : { kind, after, bits });
  }

  async stats(): Promise<BoardStats> {
    this.needPower();
    const { programs, erases, bytes } = this.part.flash.takeCounters();
    const arena = this.arenaPeak;
    this.arenaPeak = 0;
    return {
      flashPrograms: programs,
      flashErases: erases,
      flashBytes: bytes,
      arena,
      pool: null,
      stack: null,
      instructions: null,
      linkBadCrc: null,
      linkBadLength: null,
    };
  }

  async readFlash(): Promise<Uint8Array> {
    this.needPower();
    return this.part.flash.dump();
  }

  async writeFlash(at: number, bytes: Uint8Array): Promise<void> {
    this.needPower();
    const { size } = this.part.flash;
    if (at + bytes.length > size)
      throw new RangeError(`bytes ${at} to ${at + bytes.length} are not in a part of ${size}`);
    this.part.flash.write(at, bytes);
  }

  async seedEntropy(seed: Uint8Array): Promise<void> {
    if (!this.options.testEntropy) throw new Unsupported("seeded entropy needs offleaf device --test-entropy");
    this.needPower();
    this.entropy = seededEntropy(seed);
  }

  async close(): Promise<void> {
    this.part.flash.close();
  }

  private needPower(): void {
    if (this.lost !== undefined) throw new PowerLost(this.lost);
  }

  /** After the core died: a new one, and the reason in words. Throws PowerLost when power went. */
  private recover(error: unknown): string {
    this.instance = this.newInstance();
    if (error instanceof FlashPowerLost) this.lost = "a fault cut the power; send power";
    else if (isSystemError(error)) this.lost = `${flashFileError(this.options.flash ?? "", error).message}; send power`;
    this.needPower();
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error instanceof FlashMisuse)
      return error.message;
    throw error;
  }

  private newInstance(): CoreInstance {
    const { flash, deviceKey } = this.part;
    const status = (done: boolean): number => (done ? IMPORT_OK : IMPORT_FAILED);
    const imports: CoreImports = {
      entropy: (into) => {
        this.entropy(into);
        return IMPORT_OK;
      },
      flashRead: (at, into) => status(flash.read(at, into)),
      flashProgram: (at, data) => status(flash.program(at, data)),
      flashErase: (page) => status(flash.erase(page)),
      flashGeometry: () => (Math.log2(flash.geometry.pageBytes) << 16) | flash.geometry.pages,
      deviceKey: (into) => {
        into.set(deviceKey);
        return IMPORT_OK;
      },
      transmit: (frame) => void this.frames.push(frame),
      event: (event) => void this.events.push(event),
    };
    return new CoreInstance(this.module, imports);
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;
