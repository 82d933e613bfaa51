// Loads the test build of one room of the core and moves bytes in and out of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/root.ts";

/** The imports of the core (docs/abi.md), as a test supplies them. */
export type BoardImports = Record<string, (...args: never[]) => number | undefined>;

/** An instance of a room, with helpers on its arena. Pointers are plain numbers. */
export class Room {
  readonly memory: WebAssembly.Memory;

  constructor(readonly exports: Record<string, CallableFunction>) {
    this.memory = (exports as unknown as { memory: WebAssembly.Memory }).memory;
  }

  /** A view of memory; made anew at each call so that it is never stale. */
  bytes(at: number, count: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, count);
  }

  /** A copy of memory. */
  read(at: number, count: number): Uint8Array {
    return this.bytes(at, count).slice();
  }

  /** Allocates `count` zeroed bytes of the arena. */
  alloc(count: number): number {
    return this.exports.alloc!(count) as number;
  }

  /** Allocates and fills. Never 0 long, so that the pointer is distinct. */
  put(data: Uint8Array): number {
    const at = this.alloc(Math.max(data.length, 1));
    this.bytes(at, data.length).set(data);
    return at;
  }

  /** Calls `body` and frees what it allocated. */
  scope<T>(body: () => T): T {
    const position = this.exports.mark!() as number;
    try {
      return body();
    } finally {
      this.exports.release!(position);
    }
  }

  /** Calls an export. */
  call<T = number>(name: string, ...args: (number | bigint)[]): T {
    const fn = this.exports[name];
    if (!fn) throw new Error(`the room exports no ${name}`);
    return fn(...args) as T;
  }
}

/** An import that a test did not supply fails loudly. */
const missing = (name: string) => (): never => {
  throw new Error(`the test supplies no board.${name}`);
};

const IMPORTS = [
  "entropy",
  "flash_read",
  "flash_program",
  "flash_erase",
  "flash_geometry",
  "device_key",
  "transmit",
  "event",
];

/** Instantiates `build/test/<name>.wasm`. */
export function loadRoom(name: string, board: BoardImports = {}): Room {
  const module = new WebAssembly.Module(readFileSync(join(root, `build/test/${name}.wasm`)));
  const imports = Object.fromEntries(IMPORTS.map((key) => [key, board[key] ?? missing(key)]));
  const abort = (_message: number, _file: number, line: number, column: number): never => {
    throw new Error(`assertion of the core failed at ${line}:${column}`);
  };
  const instance = new WebAssembly.Instance(module, { board: imports as WebAssembly.ModuleImports, env: { abort } });
  return new Room(instance.exports as Record<string, CallableFunction>);
}

/** Hex text to bytes. */
export const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));
/** Bytes to lower-case hex. */
export const toHex = (data: Uint8Array): string => Buffer.from(data).toString("hex");
