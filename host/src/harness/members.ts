// Members of a request: each is read with a check that names what is wrong.

/** The line, the op or a member is not what docs/harness.md says. */
export class BadRequest extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BadRequest";
  }
}

export type Members = Record<string, unknown>;

const U64_MAX = (1n << 64n) - 1n;
const U32_MAX = 2 ** 32 - 1;

const shown = (value: unknown): string =>
  value === undefined ? "missing" : typeof value === "bigint" ? `${value}` : JSON.stringify(value).slice(0, 40);

/** Text that has an encoding in UTF-8 (no lone surrogate), as its bytes. */
export function utf8(members: Members, name: string): Uint8Array {
  const value = members[name];
  if (typeof value !== "string") throw new BadRequest(`${name} is text, not ${shown(value)}`);
  // Half of a surrogate pair has no UTF-8: with the `u` flag only those match.
  if (/\p{Surrogate}/u.test(value)) throw new BadRequest(`${name} holds half of a surrogate pair`);
  return Buffer.from(value, "utf8");
}

/** Text that may be left out; then it is empty. */
export const optionalUtf8 = (members: Members, name: string): Uint8Array =>
  members[name] === undefined ? new Uint8Array() : utf8(members, name);

/** Bytes as hex of an even number of digits. */
export function hex(members: Members, name: string): Uint8Array {
  const value = members[name];
  if (typeof value !== "string") throw new BadRequest(`${name} is hex, not ${shown(value)}`);
  if (value.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(value)) throw new BadRequest(`${name} is not hex of whole bytes`);
  return Buffer.from(value, "hex");
}

/** Unix seconds: a whole number from 0 to 2^64 - 1. */
export function seconds(members: Members, name: string): bigint {
  const value = members[name];
  const whole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
  if (!whole) throw new BadRequest(`${name} is a whole number of seconds, not ${shown(value)}`);
  const exact = BigInt(value);
  if (exact < 0n || exact > U64_MAX) throw new BadRequest(`${name} is 0 to 2^64 - 1, not ${shown(value)}`);
  return exact;
}

/** A whole number from 0 to 2^32 - 1. `otherwise` stands for a missing one. */
export function count(members: Members, name: string, otherwise?: number): number {
  const value = members[name] === undefined ? otherwise : members[name];
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > U32_MAX) {
    throw new BadRequest(`${name} is a whole number from 0 to ${U32_MAX}, not ${shown(value)}`);
  }
  return value;
}

export function flag(members: Members, name: string): boolean {
  const value = members[name];
  if (typeof value !== "boolean") throw new BadRequest(`${name} is true or false, not ${shown(value)}`);
  return value;
}

/** One of a list of words. `otherwise` stands for a missing one. */
export function word<W extends string>(members: Members, name: string, words: readonly W[], otherwise?: W): W {
  const value = members[name] === undefined ? otherwise : members[name];
  const found = words.find((one) => one === value);
  if (found === undefined) throw new BadRequest(`${name} is one of ${words.join(", ")}, not ${shown(value)}`);
  return found;
}
