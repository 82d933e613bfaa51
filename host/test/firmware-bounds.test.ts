// Every access of the core outside of its memory traps, inside it works: with the bound check of firmware/wamr/aot/bounds.c, on
// the emulated board, for every size, offset and alignment at the edges.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Request, Status } from "../src/link/frame.ts";
import { buildTestImages, Emulator, flashFile, testImages } from "./firmware/emulator.ts";
import { type Access, ACCESSES, EDGE, frame, MEMORY_BYTES, Op } from "./firmware/probe-core.ts";

const WRAP = 2 ** 32;

beforeAll(buildTestImages, 300_000);

/** Addresses around everything that could be confused: both ends of memory, the wrap of address and offset, signs. */
function addresses({ touches }: Access): number[] {
  const around = [0, MEMORY_BYTES, 2 ** 31, WRAP];
  for (const { bytes, offset } of touches)
    around.push(MEMORY_BYTES - offset - bytes, MEMORY_BYTES - offset, WRAP - offset, WRAP - offset - bytes);
  const near = around.flatMap((address) => [address - 1, address, address + 1]);
  return [...new Set(near)].filter((address) => address >= 0 && address < WRAP);
}

/** In unbounded integers, which is what WebAssembly says. */
const inside = (access: Access, address: number): boolean =>
  access.touches.every(({ bytes, offset }) => address + offset + bytes <= MEMORY_BYTES);

/** What a load at `at` sees, as the module's bytes say; the low part of memory is zero but for the mailbox. */
function expected(at: number, bytes: number): bigint | undefined {
  const from = at - (MEMORY_BYTES - EDGE.length);
  if (from < 0) return undefined;
  return [...EDGE.subarray(from, from + bytes)].reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

const isUnsignedLoad = ({ name }: Access): boolean => /^i64\.load(8_u|16_u|32_u)? /.test(name);

describe.each(["leaf", "leaf-interp"])("%s image", (name) => {
  it("traps outside and only there", async () => {
    const board = Emulator.start(join(testImages, `${name}.elf`), flashFile());
    await board.booted();
    const open = (): Promise<unknown> => board.request(Request.Open, Buffer.from("\0app"));
    const call = (access: number, address: number) =>
      board.request(Request.Receive, Buffer.concat([Buffer.alloc(8), frame(Op.Access, access, address)]));
    await open();
    const counts = { trapped: 0, worked: 0, seen: 0 };
    for (const [number, access] of ACCESSES.entries()) {
      for (const address of addresses(access)) {
        const reply = await call(number, address);
        const where = `${access.name} at ${address}`;
        if (inside(access, address)) {
          expect(reply.status, where).toBe(Status.Ok);
          counts.worked++;
          const { bytes, offset } = access.touches[0]!;
          const value = expected(address + offset, bytes);
          if (isUnsignedLoad(access) && value !== undefined) {
            expect(Buffer.from(reply.answer).readBigUInt64LE(), where).toBe(value);
            counts.seen++;
          }
        } else {
          expect(reply.status, where).toBe(Status.Trap);
          expect(reply.trap, where).toMatch(/out of bounds memory access/);
          counts.trapped++;
          await open();
        }
        if (inside(access, address) && access.store) {
          // A fresh core, so that later loads see what the module says.
          await board.request(Request.Receive, Buffer.concat([Buffer.alloc(8), frame(Op.Unreachable)]));
          await open();
        }
      }
    }
    expect(counts.trapped).toBeGreaterThan(1000);
    expect(counts.worked).toBeGreaterThan(300);
    expect(counts.seen).toBeGreaterThan(20);
  });
});
