// Secrets steer neither branches nor addresses: runs that differ in secrets only must look the same to the tracer. This
// shows the module as compiled to wasm; that its AOT form counts the same is shown on the emulated board.
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../../scripts/root.ts";
import { flipped } from "./damage.ts";
import { Seeded, gcmSeal, hpkeKeyPair, hpkeSeal } from "./reference.ts";
import { type Trace, TracedRoom } from "./trace.ts";

const traced = await TracedRoom.load(readFileSync(join(root, "build/test/crypto.wasm")));

/** Inputs of one run, and the lengths of outputs. */
type Run = (Uint8Array | number)[];

/** Places every byte string, calls and traces; `want` is the result that shows that the call did its work. */
function events(name: string, run: Run, want?: number): Trace {
  return traced.room.scope(() => {
    const args = run.map((value) => (typeof value === "number" ? value : traced.room.put(value)));
    const { result, events } = traced.trace(name, ...args);
    if (want !== undefined) expect(result).toBe(want);
    expect(events.length).toBeGreaterThan(1000);
    return events;
  });
}

/** The first difference between the first run and any other. */
function leak(name: string, runs: Run[], want?: number): string | undefined {
  events(name, runs[0]!, want); // the arena's high-water mark rises once and is no secret
  const [first, ...rest] = runs.map((run) => events(name, run, want));
  return rest.map((other) => traced.difference(first!, other)).find((difference) => difference !== undefined);
}

const out = (bytes: number): Uint8Array => new Uint8Array(bytes);

/** Secrets at both ends of their range, and some between. */
function secrets(label: string, bytes: number): Uint8Array[] {
  const source = new Seeded(label);
  return [out(bytes), out(bytes).fill(255), source.bytes(bytes), source.bytes(bytes)];
}

describe("no secret is seen", () => {
  const source = new Seeded("public values");
  const point = x25519.getPublicKey(source.bytes(32));
  const message = source.bytes(70);
  const nonce = source.bytes(12);

  test("X25519 scalar", () => {
    const runs = secrets("x25519", 32).map((scalar) => [out(32), scalar, point]);
    expect(leak("x25519", runs, 1)).toBeUndefined();
  });

  test("X25519 scalar on the base point", () => {
    expect(
      leak(
        "x25519Base",
        secrets("base", 32).map((scalar) => [out(32), scalar]),
      ),
    ).toBeUndefined();
  });

  test("Ed25519 seed, making a key and signing", () => {
    const seeds = secrets("ed25519", 32);
    expect(
      leak(
        "ed25519PublicKey",
        seeds.map((seed) => [seed, out(32)]),
      ),
    ).toBeUndefined();
    const runs = seeds.map((seed) => [seed, ed25519.getPublicKey(seed), message, message.length, out(64)]);
    expect(leak("ed25519Sign", runs)).toBeUndefined();
  });

  test("AES-GCM key and plaintext, sealing and opening", () => {
    const [keys, plains] = [secrets("gcm key", 16), secrets("gcm plain", 37)];
    const sealing = keys.map((key, i) => [key, nonce, message, message.length, plains[i]!, 37, out(53)]);
    expect(leak("aes128GcmSeal", sealing)).toBeUndefined();
    const opening = keys.map((key, i) => {
      const cipher = gcmSeal(key, nonce, message, plains[i]!);
      return [key, nonce, message, message.length, cipher, cipher.length, out(37)];
    });
    expect(leak("aes128GcmOpen", opening, 1)).toBeUndefined();
  });

  test("a wrong tag looks the same wherever it is wrong", () => {
    const [key] = secrets("tag", 16);
    const cipher = gcmSeal(key!, nonce, message, message);
    const runs = [0, 7, 64, 127].map((bit): Run => {
      const wrong = flipped(cipher, (cipher.length - 16) * 8 + bit);
      return [key!, nonce, message, message.length, wrong, wrong.length, out(70)];
    });
    expect(leak("aes128GcmOpen", runs, 0)).toBeUndefined();
  });

  test("HMAC and HKDF keys", () => {
    const keys = secrets("hmac", 32);
    expect(
      leak(
        "hmacSha256",
        keys.map((key) => [key, 32, message, message.length, out(32)]),
      ),
    ).toBeUndefined();
    expect(
      leak(
        "hkdfExpand",
        keys.map((key) => [key, message, message.length, out(80), 80]),
      ),
    ).toBeUndefined();
  });

  test("HPKE seed and secret key", () => {
    const seeds = secrets("hpke", 32);
    expect(
      leak(
        "hpkeDeriveKeyPair",
        seeds.map((seed) => [seed, 32, out(32), out(32)]),
      ),
    ).toBeUndefined();
    const runs = seeds.map((seed): Run => {
      const { secretKey, publicKey } = hpkeKeyPair(seed);
      const { enc, cipher } = hpkeSeal(publicKey, message, nonce, message, source.bytes(32));
      return [enc, secretKey, publicKey, message, 70, nonce, 12, cipher, cipher.length, out(70)];
    });
    expect(leak("hpkeOpenBase", runs, 1)).toBeUndefined();
  });
});

describe("the tracer sees what there is to see", () => {
  // Verification works on public values and says so: its trace depends on them.
  test("Ed25519 verification differs between signatures", () => {
    const seed = out(32).fill(7);
    const publicKey = ed25519.getPublicKey(seed);
    const runs = [1, 2].map((value): Run => {
      const message = Uint8Array.of(value);
      return [publicKey, message, 1, ed25519.sign(message, seed)];
    });
    expect(leak("ed25519Verify", runs, 1)).toBeDefined();
  });

  // One leaking instruction each; the last function leaks nothing.
  const LEAKS = `(module (memory (export "memory") 1)
    (func (export "mark") (result i32) i32.const 0) (func (export "release") (param i32))
    (func (export "branch") (param i32) (result i32) (if (result i32) (local.get 0) (then (i32.const 1)) (else (i32.const 2))))
    (func (export "loop") (param i32) (result i32)
      (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.const 0))
    (func (export "select") (param i32) (result i32) (select (i32.const 1) (i32.const 2) (local.get 0)))
    (func (export "load") (param i32) (result i32) (i32.load8_u offset=8 (local.get 0)))
    (func (export "store") (param i32) (result i32) (i64.store offset=8 (local.get 0) (i64.const 1)) (i32.const 0))
    (func (export "copy") (param i32) (result i32)
      (memory.copy (i32.const 0) (i32.const 64) (local.get 0)) (i32.const 0))
    (func (export "fill") (param i32) (result i32)
      (memory.fill (local.get 0) (i32.const 0) (i32.const 4)) (i32.const 0))
    (func (export "arithmetic") (param i32) (result i32)
      (memory.fill (i32.const 0) (local.get 0) (i32.const 4)) (i32.mul (local.get 0) (i32.load (i32.const 64)))))`;

  test.each(["branch", "loop", "select", "load", "store", "copy", "fill"])("%s on a secret", async (name) => {
    const module = await TracedRoom.load(LEAKS);
    const seen = [0, 1].map((secret) => module.trace(name, name === "loop" ? secret + 1 : secret).events);
    expect(module.difference(seen[0]!, seen[1]!)).toContain("saw");
  });

  test("arithmetic on a secret is no leak", async () => {
    const module = await TracedRoom.load(LEAKS);
    const seen = [3, 4].map((secret) => module.trace("arithmetic", secret).events);
    expect(seen[0]!.length).toBeGreaterThan(0);
    expect(module.difference(seen[0]!, seen[1]!)).toBeUndefined();
  });

  test("instructions it cannot judge are refused", async () => {
    const division = `(module (memory (export "memory") 1)
      (func (export "divide") (param i32) (result i32) (i32.div_u (i32.const 9) (local.get 0))))`;
    await expect(TracedRoom.load(division)).rejects.toThrow("does not know i32.div_u");
  });
});
