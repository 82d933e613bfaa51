// Where the simulated board takes entropy from.
import { createCipheriv, createHash, randomFillSync } from "node:crypto";

/** Fills its argument with fresh bytes. */
export type EntropySource = (into: Uint8Array) => void;

/** The system's generator. */
export const systemEntropy: EntropySource = (into) => void randomFillSync(into);

const COUNTER_BYTES = 16;

/** A stream that depends on `seed` alone: AES-256-CTR under SHA-256(seed). For tests. */
export function seededEntropy(seed: Uint8Array): EntropySource {
  const stream = createCipheriv("aes-256-ctr", createHash("sha256").update(seed).digest(), Buffer.alloc(COUNTER_BYTES));
  return (into) => into.set(stream.update(new Uint8Array(into.length)));
}
