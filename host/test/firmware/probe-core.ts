// A core for tests of the firmware: the surface of docs/abi.md, and a `receive` that does what its frame says.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import createWabt from "wabt";

export const MEMORY_BYTES = 28 * 1024;
export const MAILBOX = 1024;
export const MAILBOX_BYTES = 8192;

/** First byte of a frame; u32 arguments stand at 4, 8 and 12. */
export const Op = {
  Echo: 1,
  Program: 2,
  Erase: 3,
  Read: 4,
  Unreachable: 5,
  Recurse: 6,
  Entropy: 7,
  Transmit: 8,
  DeviceKey: 9,
  Spin: 10,
  Answer: 11,
  Access: 12,
} as const;

/** The frame of an operation. */
export function frame(op: number, ...args: number[]): Buffer {
  const bytes = Buffer.alloc(16);
  bytes[0] = op;
  args.forEach((value, i) => bytes.writeUInt32LE(value >>> 0, 4 + 4 * i));
  return bytes;
}

/** One way to touch memory: an instruction, or several from one base. `bytes` and `offset` say how far it reaches. */
export interface Access {
  name: string;
  store: boolean;
  /** Bytes that each instruction touches, and its offset; in order. */
  touches: { bytes: number; offset: number }[];
  body: string;
}

const LOADS: [string, number][] = [
  ["i32.load8_s", 1],
  ["i32.load8_u", 1],
  ["i32.load16_s", 2],
  ["i32.load16_u", 2],
  ["i32.load", 4],
  ["i64.load8_s", 1],
  ["i64.load8_u", 1],
  ["i64.load16_s", 2],
  ["i64.load16_u", 2],
  ["i64.load32_s", 4],
  ["i64.load32_u", 4],
  ["i64.load", 8],
];
const STORES: [string, number][] = [
  ["i32.store8", 1],
  ["i32.store16", 2],
  ["i32.store", 4],
  ["i64.store8", 1],
  ["i64.store16", 2],
  ["i64.store32", 4],
  ["i64.store", 8],
];
export const OFFSETS = [0, 1, 8, MEMORY_BYTES - 8, MEMORY_BYTES, 0x80000000, 0xffffffff];

/** What stores write. */
export const STORED = 0x1122334455667788n;

const isI32 = (instruction: string): boolean => instruction.startsWith("i32");
const address = "(local.get $a)";

function load(instruction: string, offset: number): string {
  const value = `(${instruction} offset=${offset} ${address})`;
  return isI32(instruction) ? `(i64.extend_i32_u ${value})` : value;
}

function store(instruction: string, offset: number): string {
  const value = isI32(instruction) ? `(i32.const ${STORED & 0xffffffffn})` : `(i64.const ${STORED})`;
  return `(${instruction} offset=${offset} ${address} ${value})`;
}

/** Several accesses from one base: the compiler merges their checks. */
function groups(): Access[] {
  const orders = [
    [0, 4, 8],
    [8, 4, 0],
  ];
  return orders.flatMap((offsets): Access[] => {
    const touches = offsets.map((offset) => ({ bytes: 4, offset }));
    const loads = offsets.map((offset) => load("i64.load32_u", offset));
    return [
      {
        name: `loads at ${offsets.join()}`,
        store: false,
        touches,
        body: `(i64.add (i64.add ${loads[0]} ${loads[1]}) ${loads[2]})`,
      },
      {
        name: `stores at ${offsets.join()}`,
        store: true,
        touches,
        body: `${offsets.map((offset) => store("i32.store", offset)).join(" ")} (i64.const 0)`,
      },
    ];
  });
}

const BULK_BYTES = 16;
const bulk: Access[] = [
  {
    name: "memory.fill",
    store: true,
    touches: [{ bytes: BULK_BYTES, offset: 0 }],
    body: `(memory.fill ${address} (i32.const 7) (i32.const ${BULK_BYTES})) (i64.const 0)`,
  },
  {
    name: "memory.copy to",
    store: true,
    touches: [{ bytes: BULK_BYTES, offset: 0 }],
    body: `(memory.copy ${address} (i32.const ${MAILBOX}) (i32.const ${BULK_BYTES})) (i64.const 0)`,
  },
  {
    name: "memory.copy from",
    store: false,
    touches: [{ bytes: BULK_BYTES, offset: 0 }],
    body: `(memory.copy (i32.const ${MAILBOX + 64}) ${address} (i32.const ${BULK_BYTES})) (i64.const 0)`,
  },
];

/** Every way, by its number as the argument of Op.Access. */
export const ACCESSES: Access[] = [
  ...OFFSETS.flatMap((offset): Access[] => [
    ...LOADS.map(([instruction, bytes]) => ({
      name: `${instruction} offset=${offset}`,
      store: false,
      touches: [{ bytes, offset }],
      body: load(instruction, offset),
    })),
    ...STORES.map(([instruction, bytes]) => ({
      name: `${instruction} offset=${offset}`,
      store: true,
      touches: [{ bytes, offset }],
      body: `${store(instruction, offset)} (i64.const 0)`,
    })),
  ]),
  ...groups(),
  ...bulk,
];

/** The last bytes of memory as the module sets them: what a load at the edge must see. */
export const EDGE = Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 37 + 129) & 0xff));

const argument = (index: number): string => `(i32.load (i32.const ${MAILBOX + 4 + 4 * index}))`;
const done = (call: string): string => `(return (i32.sub (i32.const 0) ${call}))`;
const when = (op: number, body: string): string => `(if (i32.eq (local.get $op) (i32.const ${op})) (then ${body}))`;
/** Runs access number $n at $a by halving the range: a chain of hundreds of comparisons would be slow. */
function choose(from: number, to: number): string {
  if (to - from === 1) return `(return (call $access_${from} (local.get $a)))`;
  const middle = (from + to) >> 1;
  return `(if (i32.lt_u (local.get $n) (i32.const ${middle})) (then ${choose(from, middle)}))\n${choose(middle, to)}`;
}

const bytesOf = (data: Uint8Array): string =>
  [...data].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");

function text(memory: string): string {
  return `(module
 (import "board" "entropy" (func $entropy (param i32 i32) (result i32)))
 (import "board" "flash_read" (func $flash_read (param i32 i32 i32) (result i32)))
 (import "board" "flash_program" (func $flash_program (param i32 i32 i32) (result i32)))
 (import "board" "flash_erase" (func $flash_erase (param i32) (result i32)))
 (import "board" "flash_geometry" (func $flash_geometry (result i32)))
 (import "board" "device_key" (func $device_key (param i32) (result i32)))
 (import "board" "transmit" (func $transmit (param i32 i32)))
 (import "board" "event" (func $event (param i32 i32)))
 ${memory}
 (global $heap_base i32 (i32.const ${MEMORY_BYTES}))
 (global $data_end i32 (i32.const 16))
 (global $opened (mut i32) (i32.const 0))
 (data (i32.const ${MEMORY_BYTES - EDGE.length}) "${bytesOf(EDGE)}")
 (export "memory" (memory 0))
 (export "__heap_base" (global $heap_base))
 (export "__data_end" (global $data_end))
 (func $abi_version (export "abi_version") (result i32) (i32.const 1))
 (func $mailbox (export "mailbox") (result i32) (i32.const ${MAILBOX}))
 (func $mailbox_bytes (export "mailbox_bytes") (result i32) (i32.const ${MAILBOX_BYTES}))
 (func $open (export "open") (param $mode i32) (param $n i32) (result i32)
  (global.set $opened (i32.const 1))
  (i32.store8 (i32.const ${MAILBOX}) (local.get $mode))
  (i32.store (i32.const ${MAILBOX + 1}) (call $flash_geometry))
  (i32.const 5))
 (func $advertise (export "advertise") (param $n i32) (param $now i64) (result i32)
  (i64.store (i32.const ${MAILBOX + 256}) (local.get $now))
  (i64.store (i32.const ${MAILBOX}) (i64.load (i32.const ${MAILBOX + 256})))
  (i32.const 8))
 (func $seal (export "seal") (param $peer i32) (param $text i32) (param $now i64) (result i32)
  (i32.store (i32.const ${MAILBOX + 4}) (local.get $text))
  (i32.store (i32.const ${MAILBOX}) (local.get $peer))
  (i64.store (i32.const ${MAILBOX + 8}) (local.get $now))
  (i32.const 16))
 (func $peers (export "peers") (result i32) (i32.const 0))
 (func $session (export "session") (param $n i32) (result i32) (local.get $n))
 (func $unpair (export "unpair") (param $n i32) (result i32)
  (i32.store (i32.const ${MAILBOX - 8}) (i32.const 77))
  (i32.const -10))
 (func $invite (export "invite") (param $n i32) (result i32) (local.get $n))
 (func $pairing (export "pairing") (param $open i32) (param $seconds i32) (param $now i64) (result i32)
  (i32.store (i32.const ${MAILBOX + 4}) (local.get $seconds))
  (i32.store (i32.const ${MAILBOX}) (local.get $open))
  (i64.store (i32.const ${MAILBOX + 8}) (local.get $now))
  (i32.const 16))
 (func $selftest (export "selftest") (result i32) (i32.const 0))
${ACCESSES.map(({ body }, i) => ` (func $access_${i} (param $a i32) (result i64) ${body})`).join("\n")}
 (func $access (param $n i32) (param $a i32) (result i64)
  ${choose(0, ACCESSES.length)})
 (func $recurse (param $depth i32) (result i32)
  (if (i32.eqz (local.get $depth)) (then (return (i32.const 1))))
  (i32.add (call $recurse (i32.sub (local.get $depth) (i32.const 1))) (i32.load (i32.const ${MAILBOX}))))
 (func $receive (export "receive") (param $n i32) (param $now i64) (result i32)
  (local $op i32)
  (i32.store (i32.const ${MAILBOX - 8}) (i32.const 0))
  (i32.store (i32.const ${MAILBOX - 4}) (local.get $n))
  (if (i32.eqz (global.get $opened)) (then
   (i32.store (i32.const ${MAILBOX - 8}) (i32.const 1))
   (return (i32.const -1))))
  (local.set $op (i32.load8_u (i32.const ${MAILBOX})))
  ${when(Op.Echo, `(call $transmit (i32.const ${MAILBOX}) (local.get $n)) (call $event (i32.const ${MAILBOX}) (local.get $n)) (return (i32.const 0))`)}
  ${when(Op.Program, done(`(call $flash_program ${argument(0)} (i32.const ${MAILBOX + 12}) ${argument(1)})`))}
  ${when(Op.Erase, done(`(call $flash_erase ${argument(0)})`))}
  ${when(Op.Read, `(local.set $n ${argument(1)}) (drop (call $flash_read ${argument(0)} (i32.const ${MAILBOX}) (local.get $n))) (return (local.get $n))`)}
  ${when(Op.Unreachable, "unreachable")}
  ${when(Op.Recurse, `(return (i32.and (call $recurse ${argument(0)}) (i32.const 0)))`)}
  ${when(Op.Entropy, `(local.set $n ${argument(1)}) (drop (call $entropy ${argument(0)} (local.get $n))) (return (local.get $n))`)}
  ${when(Op.Transmit, `(call $transmit ${argument(0)} ${argument(1)}) (return (i32.const 0))`)}
  ${when(Op.DeviceKey, `(drop (call $device_key ${argument(0)})) (return (i32.const 32))`)}
  ${when(Op.Spin, `(local.set $n ${argument(0)}) (loop $again (i32.store (i32.const ${MAILBOX + 64}) (i32.mul (i32.xor (i32.load (i32.const ${MAILBOX + 64})) (local.get $n)) (i32.const 0x9e3779b1))) (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (return (i32.const 0))`)}
  ${when(Op.Answer, `(return ${argument(0)})`)}
  ${when(Op.Access, `(i64.store (i32.const ${MAILBOX}) (call $access ${argument(0)} ${argument(1)})) (return (i32.const 8))`)}
  (i32.const -6)))
`;
}

/** Compiles the text form of a module. */
export async function compileWat(wat: string): Promise<Buffer> {
  const wabt = await createWabt();
  const module = wabt.parseWat("probe.wat", wat, { bulk_memory: true });
  const { buffer } = module.toBinary({ write_debug_names: false });
  module.destroy();
  return Buffer.from(buffer);
}

/** Writes the probe core to `path` and its text form beside it, if they are not there already. */
export async function writeProbeCore(path: string): Promise<void> {
  const wat = text("(memory 1 1)");
  const watPath = path.replace(/\.wasm$/, ".wat");
  if (existsSync(path) && existsSync(watPath) && readFileSync(watPath, "utf8") === wat) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await compileWat(wat));
  writeFileSync(watPath, wat);
}
