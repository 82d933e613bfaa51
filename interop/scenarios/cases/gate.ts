// The gate of control frames: who signed, what was signed, when.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { LeafErrorKind } from "../../src/index.ts";
import { PREFIX, Person } from "../person.ts";
import type { Scenario } from "../scenario.ts";
import { reasonsIn, typesOf, type Stage } from "../stage.ts";
import type { Frame } from "../wire.ts";

const HOUR_SECONDS = 3600;
const TWO_DAYS_SECONDS = 48 * HOUR_SECONDS;
/** More than the time between making a frame and judging it. */
const MARGIN_SECONDS = 120;
/** Bytes that are no Welcome; what is wrong with the frame has to be found before them. */
const NO_WELCOME = Uint8Array.of(0, 1, 0, 3);

/** A Welcome that is well formed and for nobody: one entry of random bytes in the sizes of a real one. */
function someWelcome(): Uint8Array {
  const vector = (bytes: number) =>
    Buffer.concat([bytes < 64 ? Buffer.of(bytes) : Buffer.of(0x40 | (bytes >> 8), bytes & 255), randomBytes(bytes)]);
  const entry = Buffer.concat([vector(32), vector(32), vector(84)]);
  const entries = Buffer.concat([Buffer.of(0x40 | (entry.length >> 8), entry.length & 255), entry]);
  return Buffer.concat([Buffer.of(0, 1, 0, 3, 0, 1), entries, vector(700)]);
}

/** The device refuses the frame with `kind`, answers nothing, and knows nobody new. */
async function expectRefusal(stage: Stage, frame: Frame, kind: LeafErrorKind): Promise<void> {
  const known = (await stage.do({ op: "peers" })).r!.peers;
  const { error, frames } = await stage.give(frame);
  assert.equal(error, kind, frame.content.slice(0, 24));
  assert.deepEqual(frames, []);
  assert.deepEqual((await stage.do({ op: "peers" })).r!.peers, known, "a refused frame left a record");
}

/** The same frame, honest, is accepted: what was refused was refused for the right reason. */
async function expectAccepted(stage: Stage, frame: Frame): Promise<void> {
  const { error, events } = await stage.give(frame);
  assert.equal(error, undefined);
  assert(typesOf(events).includes("PeerAdvertised"), typesOf(events).join(" "));
}

const without = (frame: Frame, key: string): Frame => ({
  ...frame,
  metadata: Object.fromEntries(Object.entries(frame.metadata).filter(([name]) => name !== key)),
});

export const gate: Scenario[] = [
  {
    name: "unsigned",
    holds: "a control frame without signature metadata is refused",
    async play(stage) {
      const anna = new Person();
      const now = stage.now();
      const plain = anna.keyPackage(stage.address, now);
      await expectRefusal(stage, plain, "ControlFrameRefused");
      await expectRefusal(stage, anna.welcome(stage.address, now, NO_WELCOME), "ControlFrameRefused");
      await expectRefusal(stage, anna.control(PREFIX.probe, stage.address, now), "ControlFrameRefused");
      await expectAccepted(stage, anna.sign(plain));
    },
  },
  {
    name: "half-signed",
    holds: "a key without a signature, and a signature without a key, are refused",
    async play(stage) {
      const anna = new Person();
      const signed = anna.sign(anna.keyPackage(stage.address, stage.now()));
      await expectRefusal(stage, without(signed, "__ctrl_sig"), "ControlFrameRefused");
      await expectRefusal(stage, without(signed, "__ctrl_pk"), "ControlFrameRefused");
      await expectAccepted(stage, signed);
    },
  },
  {
    name: "signed-by-another-key",
    holds: "a valid signature by a key that does not derive to the sender is an identity error",
    async play(stage) {
      const [anna, mallory] = [new Person(), new Person()];
      const frame = anna.keyPackage(stage.address, stage.now());
      await expectRefusal(stage, mallory.sign(frame), "IdentityBinding");
      await expectAccepted(stage, anna.sign(frame));
    },
  },
  {
    name: "nickname",
    holds: "a sender that is a nickname and no address is an identity error",
    async play(stage) {
      const anna = new Person();
      const frame = anna.keyPackage(stage.address, stage.now(), { user_id: "anna" }, { sender: "anna" });
      await expectRefusal(stage, anna.sign(frame), "IdentityBinding");
    },
  },
  {
    name: "foreign-body",
    holds: "a key package body owned by someone other than the signer is an identity error",
    async play(stage) {
      const anna = new Person();
      const frame = anna.keyPackage(stage.address, stage.now(), { user_id: new Person().address });
      await expectRefusal(stage, anna.sign(frame), "IdentityBinding");
    },
  },
  {
    name: "relayed-welcome",
    holds: "a stranger's Welcome under the signature of somebody else is an identity error",
    async play(stage) {
      const [anna, stranger] = [new Person(), new Person()];
      const now = stage.now();
      const inviter = anna.welcome(stage.address, now, NO_WELCOME, { inviter_id: stranger.address });
      await expectRefusal(stage, anna.sign(inviter), "IdentityBinding");
      const group = anna.welcome(stage.address, now, NO_WELCOME, {
        group_id: `session:${anna.address}:${stranger.address}`,
      });
      await expectRefusal(stage, anna.sign(group), "IdentityBinding");
    },
  },
  {
    name: "tampered",
    holds: "a signed frame that was changed afterwards is an error, without an answer, whatever was changed",
    async play(stage) {
      const anna = new Person();
      const signed = anna.sign(anna.keyPackage(stage.address, stage.now()));
      const changes: Partial<Frame>[] = [
        { content: signed.content.replace('"wire_versions":[1]', '"wire_versions":[2]') },
        { id: "00000000-0000-4000-8000-000000000000" },
        { timestamp: signed.timestamp + 1 },
      ];
      for (const change of changes) await expectRefusal(stage, { ...signed, ...change }, "ControlFrameRefused");
      await expectAccepted(stage, signed);
    },
  },
  {
    name: "stale-past",
    holds: "a frame more than two days old is stale; a fresh one, and one almost two days old, pass",
    async play(stage) {
      const anna = new Person();
      const at = (seconds: number) => anna.sign(anna.keyPackage(stage.address, seconds));
      await expectRefusal(stage, at(stage.now() - TWO_DAYS_SECONDS - MARGIN_SECONDS), "StaleControlFrame");
      await expectAccepted(stage, at(stage.now() - TWO_DAYS_SECONDS + MARGIN_SECONDS));
      await expectAccepted(stage, at(stage.now()));
    },
  },
  {
    name: "stale-future",
    holds: "a frame more than two days ahead is stale; one 30 s ahead, and one almost two days ahead, pass",
    async play(stage) {
      const anna = new Person();
      const at = (seconds: number) => anna.sign(anna.keyPackage(stage.address, seconds));
      await expectRefusal(stage, at(stage.now() + TWO_DAYS_SECONDS + MARGIN_SECONDS), "StaleControlFrame");
      await expectAccepted(stage, at(stage.now() + TWO_DAYS_SECONDS - MARGIN_SECONDS));
      await expectAccepted(stage, at(stage.now() + 30));
    },
  },
  {
    name: "undated-key-package",
    holds: "an undated first key package is admitted and answered with one package",
    async play(stage) {
      const anna = new Person();
      const hello = anna.sign(anna.keyPackage(stage.address, stage.now(), { no_session: true }), 1);
      const { error, frames, events } = await stage.give(hello);
      assert.equal(error, undefined);
      assert.deepEqual(typesOf(events), ["PeerAdvertised"]);
      assert.deepEqual(
        frames.map(({ content }) => content.slice(0, PREFIX.keyPackage.length)),
        [PREFIX.keyPackage, ""],
      );
    },
  },
  {
    name: "undated-welcome",
    holds: "an undated Welcome is refused and makes no session",
    async play(stage) {
      const anna = new Person();
      await stage.give(anna.sign(anna.keyPackage(stage.address, stage.now())));
      await expectRefusal(
        stage,
        anna.sign(anna.welcome(stage.address, stage.now(), NO_WELCOME), 1),
        "ControlFrameRefused",
      );
      assert.equal((await stage.do({ op: "session", peer: anna.address })).r!.session, false);
    },
  },
  {
    name: "undated-probe",
    holds: "an undated probe is refused, from a stranger and from a known peer",
    async play(stage) {
      const anna = new Person();
      const probe = () => anna.control(PREFIX.probe, stage.address, stage.now());
      await expectRefusal(stage, anna.sign(probe(), 1), "ControlFrameRefused");
      await expectAccepted(stage, anna.sign(anna.keyPackage(stage.address, stage.now())));
      await expectRefusal(stage, anna.sign(probe(), 1), "ControlFrameRefused");
    },
  },
  {
    name: "probe-without-a-session",
    holds: "a probe without a session is ignored and nothing is sent",
    async play(stage) {
      const anna = new Person();
      const { error, frames, events } = await stage.give(
        anna.sign(anna.control(PREFIX.probe, stage.address, stage.now())),
      );
      assert.deepEqual([error, frames, reasonsIn(events)], [undefined, [], ["probe-without-session"]]);
    },
  },
  {
    name: "confirm-ack-of-a-stranger",
    holds: "a signed confirm ack from a stranger makes no session; sealing to him is NoSession",
    async play(stage) {
      const anna = new Person();
      await stage.give(anna.sign(anna.control(PREFIX.confirmAck, stage.address, stage.now())));
      assert.equal((await stage.do({ op: "session", peer: anna.address })).r!.session, false);
      assert.equal(await stage.refused({ op: "seal", peer: anna.address, text: "x", now: stage.now() }), "NoSession");
    },
  },
  {
    name: "unsolicited-welcome",
    holds: "a Welcome from a peer that no package was minted for is unsolicited",
    async play(stage) {
      const anna = new Person();
      const frame = () => anna.sign(anna.welcome(stage.address, stage.now(), someWelcome()));
      await expectRefusal(stage, frame(), "UnsolicitedWelcome");
      // Nor from one whose package is another.
      await expectAccepted(stage, anna.sign(anna.keyPackage(stage.address, stage.now())));
      await expectRefusal(stage, frame(), "UnsolicitedWelcome");
    },
  },
];
