// Field, scalars, comb table and X25519: integers of any size, published answers, then @noble/curves.
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { describe, expect, test } from "vitest";
import { COMBS, ENTRIES, combEntries } from "./comb.ts";
import { locate, withDamage } from "./damage.ts";
import { hex, toHex } from "../room.ts";
import { Primitives } from "./primitives.ts";
import { Seeded } from "./reference.ts";

const core = new Primitives();
const { room } = core;

/** 2^255 - 19. */
const P = 2n ** 255n - 19n;
/** Order of the base point. */
const L = ed25519.Point.Fn.ORDER;
const FE_BYTES = 40;

const number = (data: Uint8Array): bigint => data.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
const encode = (value: bigint, bytes = 32): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));

/** Values where carries, borrows and the final subtraction go wrong first. */
const EDGES = [0n, 1n, 2n, 18n, 19n, 20n, P - 20n, P - 2n, P - 1n, P, P + 1n, P + 18n, 2n ** 254n, 2n ** 255n - 1n];
/** Every limb at the border where it rounds up, just below it, and full: the largest limbs of either sign. */
const FULL = [(bits: number) => 1n << BigInt(bits - 1), (bits: number) => (1n << BigInt(bits - 1)) - 1n].map((limb) =>
  Array.from({ length: 10 }, (_, i) => limb(26 - (i & 1)) << BigInt((51 * i + 1) >> 1)).reduce(
    (sum, part) => sum + part,
  ),
);

/** An element in the arena. */
function element(value: bigint): number {
  const at = room.alloc(FE_BYTES);
  room.call("feDecode", at, room.put(encode(value)));
  return at;
}

/** The value of an element by its encoding, which has to be the one below p. */
function valueOf(at: number): bigint {
  const out = room.alloc(32);
  room.call("feEncode", out, at);
  return number(room.read(out, 32));
}

describe("field", () => {
  const source = new Seeded("field");
  const values = [...EDGES, ...FULL, ...Array.from({ length: 12 }, () => number(source.bytes(32)) & (2n ** 255n - 1n))];
  const mod = (value: bigint): bigint => ((value % P) + P) % P;

  test("products, squares, sums and differences", () => {
    for (const a of values)
      for (const b of values)
        room.scope(() => {
          const [x, y, h] = [element(a), element(b), room.alloc(FE_BYTES)];
          room.call("feMultiply", h, x, y);
          expect(valueOf(h)).toBe(mod(a * b));
          room.call("feAdd", h, x, y);
          expect(valueOf(h)).toBe(mod(a + b));
          room.call("feSubtract", h, x, y);
          expect(valueOf(h)).toBe(mod(a - b));
        });
    for (const a of values)
      room.scope(() => {
        const [x, h] = [element(a), room.alloc(FE_BYTES)];
        expect(valueOf(x)).toBe(mod(a));
        room.call("feSquare", h, x);
        expect(valueOf(h)).toBe(mod(a * a));
        room.call("feScale", h, x, 121665);
        expect(valueOf(h)).toBe(mod(a * 121665n));
        expect(room.call("feIsZero", x)).toBe(mod(a) === 0n ? 1 : 0);
        expect(room.call("feIsOdd", x)).toBe(Number(mod(a) & 1n));
        room.call("feInvert", h, x);
        expect(valueOf(h)).toBe(ed25519.Point.Fp.create(mod(a) === 0n ? 0n : ed25519.Point.Fp.inv(mod(a))));
      });
  });

  // The widest operands that the point formulae hand to a product: sums of sums of full products.
  test("products of unreduced operands", () => {
    for (const a of values)
      for (const b of values.slice(-14))
        room.scope(() => {
          const [x, y] = [element(a), element(b)];
          const [wide, sum, out] = [room.alloc(FE_BYTES), room.alloc(FE_BYTES), room.alloc(FE_BYTES)];
          room.call("feMultiply", x, x, x);
          room.call("feMultiply", y, y, y);
          room.call("feAdd", sum, x, y);
          room.call("feAdd", wide, sum, sum);
          room.call("feMultiply", out, wide, sum);
          const total = a * a + b * b;
          expect(valueOf(out)).toBe(mod(2n * total * total));
        });
  });

  test("swap and negation by a bit", () => {
    room.scope(() => {
      const [x, y] = [element(5n), element(7n)];
      room.call("feConditionalSwap", x, y, 0);
      expect([valueOf(x), valueOf(y)]).toEqual([5n, 7n]);
      room.call("feConditionalSwap", x, y, 1);
      expect([valueOf(x), valueOf(y)]).toEqual([7n, 5n]);
      room.call("feConditionalNegate", x, 0);
      expect(valueOf(x)).toBe(7n);
      room.call("feConditionalNegate", x, 1);
      expect(valueOf(x)).toBe(P - 7n);
    });
  });
});

describe("scalars modulo L", () => {
  const source = new Seeded("scalars");
  const edges = [0n, 1n, L - 1n, L, L + 1n, 2n * L - 1n, 2n * L, 2n ** 252n, 2n ** 253n - 1n, 2n ** 256n - 1n];
  const values = [...edges, ...Array.from({ length: 12 }, () => number(source.bytes(32)))];

  test("reduction of 64 bytes", () => {
    const wide = [
      ...values,
      ...values.map((value) => value * L),
      ...values.map((value) => value * L + L - 1n),
      2n ** 512n - 1n,
      ...Array.from({ length: 50 }, () => number(source.bytes(64))),
    ];
    for (const value of wide)
      room.scope(() => {
        const out = room.alloc(32);
        room.call("scalarReduce", out, room.put(encode(value % 2n ** 512n, 64)));
        expect(number(room.read(out, 32))).toBe((value % 2n ** 512n) % L);
      });
  });

  test("a b + c", () => {
    for (const a of values)
      for (const b of values)
        room.scope(() => {
          const c = values[Number((a ^ b) & 15n)]!;
          const out = room.alloc(32);
          room.call("scalarMultiplyAdd", out, room.put(encode(a)), room.put(encode(b)), room.put(encode(c)));
          expect(number(room.read(out, 32))).toBe((a * b + c) % L);
        });
  });

  test("what is below L", () => {
    for (const value of values)
      room.scope(() => expect(room.call("scalarIsReduced", room.put(encode(value)))).toBe(value < L ? 1 : 0));
  });
});

test("the comb table is what its definition gives", () => {
  const wanted = combEntries();
  expect(wanted).toHaveLength(COMBS * ENTRIES);
  const table = Buffer.concat(wanted);
  expect(locate(room, new Uint8Array(table))).toBeGreaterThan(0);
});

describe("X25519", () => {
  test("RFC 7748, 5.2 and 6.1", () => {
    const shared = core.x25519(
      hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
      hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"),
    );
    expect(toHex(shared!)).toBe("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    const alice = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    expect(toHex(core.x25519Base(alice))).toBe("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  });

  test("against @noble/curves", () => {
    const source = new Seeded("x25519");
    for (let round = 0; round < 20; round++) {
      const [scalar, point] = [source.bytes(32), source.bytes(32)];
      expect(core.x25519(scalar, point)).toEqual(x25519.getSharedSecret(scalar, point));
      expect(core.x25519Base(scalar)).toEqual(x25519.getPublicKey(scalar));
    }
    for (const scalar of [new Uint8Array(32), new Uint8Array(32).fill(255)])
      expect(core.x25519Base(scalar)).toEqual(x25519.getPublicKey(scalar));
  });

  test("points of small order give zero and are refused, in every encoding", () => {
    const scalar = new Seeded("small order").bytes(32);
    const order8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
    for (const u of [0n, 1n, P - 1n, P, P + 1n, number(hex(order8))])
      expect(core.x25519(scalar, encode(u))).toBeUndefined();
    expect(core.x25519(scalar, encode(2n))).toBeDefined();
  });

  test("a damaged comb table shows in the base point's multiples", () => {
    const first = combEntries()[0]!;
    const source = new Seeded("damage");
    // Sixteen keys of 52 selections each from 32 entries: the first entry is used.
    const scalars = Array.from({ length: 16 }, () => source.bytes(32));
    const wrong = withDamage(room, first, () =>
      scalars.filter((scalar) => toHex(core.x25519Base(scalar)) !== toHex(x25519.getPublicKey(scalar))),
    );
    expect(wrong.length).toBeGreaterThan(0);
  });
});
