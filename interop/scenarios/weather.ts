// What a bad radio does to frames, by a seeded die, so that a run can be repeated.
import type { Flight } from "./stage.ts";

/** Chances, 0 to 1, that something happens to a frame. */
export interface Weather {
  lost: number;
  doubled: number;
  delayed: number;
  corrupted: number;
}

/** Numbers from 0 to 1 from a seed (mulberry32). */
export function die(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the air makes of the frames that are on it. */
export function weathered(flights: Flight[], weather: Weather, roll: () => number): Flight[] {
  const out: Flight[] = [];
  for (const flight of flights) {
    if (roll() < weather.lost) continue;
    const copies = roll() < weather.doubled ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      const data = roll() < weather.corrupted ? corrupt(flight.data, roll) : flight.data;
      if (roll() < weather.delayed) out.push({ ...flight, data });
      else out.unshift({ ...flight, data });
    }
  }
  return out;
}

/** The frame with one byte changed. */
export function corrupt(data: string, roll: () => number): string {
  const bytes = Buffer.from(data, "hex");
  bytes[Math.floor(roll() * bytes.length)]! ^= 1 + Math.floor(roll() * 255);
  return bytes.toString("hex");
}
