// `transcript` of the vectors: one recorded session of the reference, replayed in order with the device's recorded keys.
import { strict as assert } from "node:assert";
import { hex } from "../room.ts";
import { type CaseResult, judge } from "../vectors/family.ts";
import type { LeafDevice } from "./device.ts";
import { decodeFrame, envelopeOf, type SeenFrame } from "./frames.ts";
import { deviceOf, type Expected, expectOutcome } from "./gate-replay.ts";
import { encodeFrame, hashOfKey, type JsonFrame, Peer } from "./peer.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the shape of the file is checked by what is read from it
type Step = any;

/** Where leaf.md section 13 decides otherwise than the reference: what this device does, and by which decision. */
const DECISIONS: Record<string, Expected & { decision: string }> = {
  "MLSMessage key package": { decision: "D1", ok: false, error_kind: "Mls" },
  "MLSMessage welcome": { decision: "D1", ok: false, error_kind: "Mls" },
  "plaintext that is not UTF-8": { decision: "D8", ok: false, error_kind: "MalformedFrame" },
  "the spent Welcome again under a new id": {
    decision: "D5",
    ok: true,
    events: [{ type: "Ignored", reason: "welcome-spent" }],
    outbound: ["__MLS_ENC__", "ack"],
  },
};

/** The device and phone of the recording, up to the point that the replay has reached. */
export class Replay {
  readonly device: LeafDevice;
  readonly phone: Peer;
  readonly address: string;
  readonly hash: Uint8Array;
  readonly now: bigint;
  private welcome: JsonFrame | undefined;
  private last: Uint8Array = new Uint8Array(0);
  private serial = 0;

  constructor(private readonly transcript: Step) {
    this.device = deviceOf(transcript.device_seed_hex, transcript.device_address, transcript.app_id);
    this.phone = new Peer(hex(transcript.phone_seed_hex));
    assert.equal(this.phone.address, transcript.phone_address);
    this.address = transcript.device_address;
    this.hash = hashOfKey(this.device.open(transcript.app_id).answer.slice(44));
    this.now = BigInt(transcript.steps[0].now_unix_secs);
  }

  /** Puts the recorded package in place of the one that the device minted. */
  private importPackage(step: Step): void {
    const record = Buffer.alloc(44 + 108);
    record.write(this.phone.address, 0, "latin1");
    record.set(hex(step.key_package_ref_hex), 44);
    record.writeBigUInt64LE(this.now - 3600n, 76);
    record.set(hex(step.init_private_hex), 88);
    record.set(hex(step.leaf_private_hex), 120);
    assert.equal(this.device.call("importPackage", record).kind, "OK");
  }

  /** A frame like `recorded` but for its content, which is fresh in every run, and what was signed over it. */
  private sameFrame(seen: SeenFrame, recorded: Step): void {
    const { id, sender, recipient, app_id, priority, ttl, hop_count, requires_ack, reply_to_msg } = seen;
    assert.deepEqual(
      {
        id,
        sender,
        recipient,
        app_id,
        priority,
        ttl,
        hop_count,
        requires_ack,
        reply_to_msg,
        keys: Object.keys(seen.metadata).sort(),
      },
      {
        id: recorded.id,
        sender: recorded.sender,
        recipient: recorded.recipient,
        app_id: recorded.app_id,
        priority: recorded.priority,
        ttl: recorded.ttl,
        hop_count: recorded.hop_count,
        requires_ack: recorded.requires_ack,
        reply_to_msg: recorded.reply_to_msg,
        keys: Object.keys(recorded.metadata).sort(),
      },
    );
    assert.deepEqual(
      [seen.timestamp, seen.lamport_clock],
      [BigInt(recorded.timestamp), BigInt(recorded.lamport_clock)],
    );
  }

  private wholeFrame(seen: SeenFrame, recorded: Step): void {
    this.sameFrame(seen, recorded);
    assert.deepEqual([seen.content, seen.metadata], [recorded.content, recorded.metadata]);
  }

  receive(frame: JsonFrame, expected: Expected): ReturnType<LeafDevice["receive"]> {
    this.last = encodeFrame(frame);
    return expectOutcome(this.device, this.last, this.now, expected);
  }

  private nextId(): string {
    this.serial += 1;
    return `cc000000-0000-0000-0000-${this.serial.toString(16).padStart(12, "0")}`;
  }

  private sealed(ciphertext: string, form: "compact" | "sealed", expected: Expected, id = this.nextId()): void {
    this.receive(this.phone[form](this.address, this.hash, hex(ciphertext), { id }), expected);
  }

  private reset(stamp: bigint, version: 1 | 2, expected: Expected): void {
    const body = { session_reset: true, env_versions: [1], wire_versions: [] };
    this.receive(this.phone.keyPackage(this.address, stamp, body, version), expected);
  }

  /** Carries out one step. */
  step(step: Step): void {
    const { step: name, result } = step;
    const stamp = this.now * 1000n;
    if (name === "leaf key package") {
      const seen = decodeFrame(this.device.advertise(this.phone.address, this.now).frames[0]!);
      this.sameFrame(seen, step.frame);
      const digits = /\[[\d,]+\]/;
      assert.equal(seen.content.replace(digits, ""), step.frame.content.replace(digits, ""));
      this.importPackage(step);
    } else if (name === "welcome") {
      this.welcome = step.frame as JsonFrame;
      const { frames } = this.receive(this.welcome, result);
      const { form, groupId, messageType, epoch } = envelopeOf(decodeFrame(frames[0]!));
      assert.deepEqual([form, groupId, messageType, epoch], ["compact", step.confirm_envelope.group_id, 0, 1n]);
    } else if (name === "probe") {
      const { frames } = this.receive(step.frame as JsonFrame, result);
      this.wholeFrame(decodeFrame(frames[0]!), step.ack_frame);
      this.wholeFrame(decodeFrame(frames[1]!), step.delivery_ack);
    } else if (name.startsWith("leaf seals")) {
      const seen = decodeFrame(this.device.seal(this.phone.address, step.opened_by_phone_utf8, this.now).frames[0]!);
      if (step.frame) this.sameFrame(seen, step.frame);
      const { ciphertext } = envelopeOf(seen);
      // All but what the reuse guard makes different: length, group, epoch, content type.
      const head = 4 + 2 + 97 + 8 + 1;
      assert.equal(ciphertext.length, step.ciphertext_hex.length / 2);
      assert.deepEqual(ciphertext.slice(0, head), hex(step.ciphertext_hex).slice(0, head));
    } else if (name === "same frame again") expectOutcome(this.device, this.last, this.now, result);
    else if (name === "phone application message, JSON form") this.sealed(step.ciphertext_hex, "sealed", result);
    else if (step.deliveries)
      for (const delivery of step.deliveries) this.sealed(delivery.ciphertext_hex, "compact", delivery.result);
    else if (step.ciphertext_hex) this.sealed(step.ciphertext_hex, "compact", result, step.message_id);
    else if (step.commit_hex) this.sealed(step.commit_hex, "compact", result);
    else if (name.startsWith("the spent Welcome")) {
      this.receive(this.phone.sign({ ...this.welcome!, id: this.nextId() }), DECISIONS[name] ?? result);
    } else if (name === "reset under the undated payload") this.reset(stamp, 1, result);
    else if (name === "reset under v2" || name.startsWith("reset with the same")) this.reset(stamp, 2, result);
    else if (name === "reset with an older stamp") this.reset(stamp - 1n, 2, result);
    else if (name === "reset one ms newer") this.reset(stamp + 1n, 2, result);
    else if (step.frame) this.receive(step.frame as JsonFrame, result);
    else throw new Error("a step that nothing replays");
  }

  /** One case of the edge step. */
  edge(test: Step): void {
    const decided = DECISIONS[test.name];
    this.sealed(test.ciphertext_hex, "compact", decided ?? test.result);
    // The refused text has spent its generation.
    if (decided?.decision === "D8") this.sealed(test.ciphertext_hex, "compact", { ok: false, error_kind: "Mls" });
  }
}

const title = (name: string): string => (DECISIONS[name] ? `${name} (by ${DECISIONS[name].decision})` : name);

/** All steps in order; a step that fails leaves the later ones to fail with it. */
export function transcriptCases(transcript: Step): CaseResult[] {
  const replay = new Replay(transcript);
  return transcript.steps
    .filter((step: Step) => step.step !== "exporter after commit")
    .flatMap((step: Step): CaseResult[] => {
      if (!step.cases) return [judge(`transcript ${title(step.step)}`, () => replay.step(step))];
      return step.cases.map((test: Step) =>
        judge(`transcript ${step.step}: ${title(test.name)}`, () => replay.edge(test)),
      );
    });
}
