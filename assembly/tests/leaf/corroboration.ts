// `session_corroboration` of the vectors: the device does not read what a probe carries and answers with the prefix alone.
import { strict as assert } from "node:assert";
import { type CaseResult, judge } from "../vectors/family.ts";
import { decodeFrame } from "./frames.ts";
import { Replay } from "./transcript-replay.ts";

interface Section {
  bodies: { name: string; body: string }[];
  frames: { ack_from_leaf: string; confirm_inner_plaintext: string; probe_from_phone: string; probe_legacy: string };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the shape of the file is checked by what is read from it
export function corroborationCases(section: Section, transcript: any): CaseResult[] {
  const replay = new Replay(transcript);
  for (const step of transcript.steps.slice(0, 3)) replay.step(step);
  const answers = (content: string): void => {
    const frame = replay.phone.sign(replay.phone.frame(replay.address, content, { timestamp: replay.now * 1000n }));
    const { frames } = replay.receive(frame, { ok: true, outbound: ["__MLS_CONFIRM_ACK__", "ack"] });
    assert.equal(decodeFrame(frames[0]!).content, section.frames.ack_from_leaf);
  };
  return [
    ...section.bodies.map(({ name, body }) =>
      judge(`session_corroboration ${name}`, () => answers(`${section.frames.probe_legacy}${body}`)),
    ),
    judge("session_corroboration probe from phone", () => answers(section.frames.probe_from_phone)),
    judge("session_corroboration legacy probe", () => answers(section.frames.probe_legacy)),
  ];
}
