import { describe, expect, it } from "vitest";
import wabtInit from "wabt";
import { coreFaults } from "../src/index.ts";

const surface = {
  imports: ["board.event"],
  exports: ["__data_end", "__heap_base", "memory", "open"],
  memoryBytes: 32768,
};

const HEAD = `(import "board" "event" (func (param i32 i32))) (memory (export "memory") 1 1)
  (global (mut i32) (i32.const 0))
  (global (export "__data_end") i32 (i32.const 1000)) (global (export "__heap_base") i32 (i32.const 28672))
  (data (i32.const 16) "f64.add memory.grow")`;
const OPEN = `(func (export "open") (result i32) i32.const 0)`;

async function faults(text: string): Promise<string[]> {
  const wabt = await wabtInit();
  return coreFaults(wabt.parseWat("core.wat", `(module ${text})`).toBinary({}).buffer, surface);
}

describe("core check", () => {
  it("passes a module with the exact surface", async () => {
    expect(await faults(HEAD + OPEN)).toEqual([]);
  });

  const controls: [string, string, RegExp][] = [
    ["a foreign import", HEAD.replace('"board" "event"', '"env" "abort"') + OPEN, /import env.abort is not in the ABI/],
    ["a missing export", HEAD, /export open is missing/],
    ["a surplus export", `${HEAD}${OPEN}(func (export "debug"))`, /export debug is not in the ABI/],
    ["memory.grow", `${HEAD}(func (export "open") (result i32) i32.const 1 memory.grow)`, /memory.grow/],
    ["memory.size", `${HEAD}(func (export "open") (result i32) memory.size)`, /memory.size/],
    ["a float", `${HEAD}(func (export "open") (result i32) f32.const 1 i32.trunc_f32_s)`, /f32/],
    ["too much memory", HEAD.replace("28672", "40000") + OPEN, /40000 bytes is over/],
    ["data beyond the heap base", HEAD.replace("1000", "28673") + OPEN, /beyond __heap_base/],
    [
      "a global taken for a stack pointer",
      HEAD.replace("(mut i32) (i32.const 0)", "(mut i32) (i32.const 8)") + OPEN,
      /does not start at zero/,
    ],
  ];
  for (const [name, text, fault] of controls) {
    it(`catches ${name}`, async () => {
      expect((await faults(text)).join("\n")).toMatch(fault);
    });
  }
});
