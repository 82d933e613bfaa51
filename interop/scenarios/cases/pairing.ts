// How a device and a phone come to a session, in either order, with frames lost and power cut on the way.
import assert from "node:assert/strict";
import { addressFromKey } from "../address.ts";
import { PREFIX, signerOf } from "../person.ts";
import type { Scenario } from "../scenario.ts";
import { reasonsIn, typesOf, type PhoneEnd, type Stage } from "../stage.ts";
import { encodingOf, readFrame, writeFrame, type Frame } from "../wire.ts";

/** Frames of a peer that a device remembers having acknowledged. */
const REMEMBERED_ACKNOWLEDGEMENTS = 4;
/** Longer than a phone without a session waits before it sends its own package again. */
const PACKAGE_RETRY_SECONDS = 40;
/** Virtual time between two ticks of the phone. */
const TICK_SECONDS = 4;
/** Longer than a phone waits before it sends an unconfirmed Welcome again. */
const WELCOME_RETRY_SECONDS = 40;

const is = (prefix: string) => (frame: Frame) => frame.content.startsWith(prefix);

/** A pairing in which the phone's probe and the confirmation get lost. The probe. */
async function unconfirmed(stage: Stage, phone: PhoneEnd): Promise<Frame> {
  const probes: Frame[] = [];
  await stage.beginPairing(phone);
  await stage.settle({
    lose: (frame, to) => {
      if (is(PREFIX.probe)(frame)) probes.push(frame);
      return is(PREFIX.probe)(frame) || (to === "phone" && is(PREFIX.encrypted)(frame));
    },
  });
  const { r } = await stage.ask(phone, { op: "status", peer: stage.address });
  assert.equal(r.confirmed, false, "the phone is confirmed although it heard nothing");
  assert(probes[0], "the phone did not probe");
  return probes[0];
}

export const pairing: Scenario[] = [
  {
    name: "pairing-device-first",
    holds: "the device offers itself, the phone joins, a message each way is opened exactly",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      assert(typesOf(stage.takeEvents()).includes("SessionEstablished"));
      await stage.talk(phone, "open the door, \u00e9\u4e16\u{1f511}");
    },
  },
  {
    name: "pairing-phone-first",
    holds: "the phone discovers the device with a JSON frame that it signs without a date; binary frames follow",
    async play(stage) {
      const phone = await stage.addPhone();
      const { frames } = await stage.ask(phone, { op: "link", peer: stage.address, announce: true });
      const [first] = frames;
      assert.equal(encodingOf(first!.data), "json");
      assert.equal(signerOf(readFrame(first!.data), 1), phone.publicKey, "the first frame is not signed undated");
      await stage.settle();
      await stage.expectSession(phone);
      const { frames: later } = await stage.ask(phone, { op: "send", to: stage.address, text: "x" });
      assert.equal(encodingOf(later[0]!.data), "binary");
      await stage.settle();
      await stage.talk(phone, "hello");
    },
  },
  ...(["device", "phone"] as const).map((first): Scenario => ({
    name: `pairing-${first}-first-power-cut-everywhere`,
    holds: "power goes off and on after every frame that the device gets during a pairing, and it completes",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone, first, { between: () => stage.powerCycle() });
      await stage.talk(phone, "after the cuts");
    },
  })),
  {
    name: "pairing-two-phones",
    holds: "two phones each have a session of their own with the device",
    async play(stage) {
      const [anna, bert] = [await stage.addPhone("anna"), await stage.addPhone("bert")];
      await stage.pair(anna, "device");
      await stage.pair(bert, "phone");
      await stage.talk(anna, "anna");
      await stage.talk(bert, "bert");
      await stage.talk(anna, "anna again");
      assert.deepEqual(new Set((await stage.do({ op: "peers" })).r!.peers), new Set([anna.address, bert.address]));
    },
  },
  {
    name: "power-cycle-after-pairing",
    holds: "after power off and on the device has the same address and still opens",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.powerCycle();
      await stage.talk(phone, "still there");
    },
  },
  {
    name: "one-package-a-pairing",
    holds: "the phone's key package after the device's own brings PeerAdvertised and no second package",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      assert(typesOf(stage.takeEvents()).includes("PeerAdvertised"));
      assert.equal(stage.sent.filter(is(PREFIX.keyPackage)).length, 1);
    },
  },
  {
    name: "json-envelope-for-the-silent",
    holds: "a peer that advertised nothing gets the JSON envelope, and opens it; one that did gets the compact one",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone, "device", { lose: (frame, to) => to === "device" && is(PREFIX.keyPackage)(frame) });
      await stage.talk(phone, "json");
      const envelopes = stage.sent.filter(is(PREFIX.encrypted));
      assert(envelopes.length >= 2 && envelopes.every(is(`${PREFIX.encrypted}{`)), "an envelope was not JSON");

      const other = await stage.addPhone("other");
      await stage.pair(other, "phone");
      await stage.talk(other, "compact");
      const compact = stage.sent.filter((frame) => frame.recipient === other.address && is(PREFIX.encrypted)(frame));
      assert(compact.length >= 2 && !compact.some(is(`${PREFIX.encrypted}{`)), "an envelope was JSON");
    },
  },
  {
    name: "probe-with-a-session",
    holds: "a probe of an unconfirmed phone gets one confirm ack with an empty body, signed by the device's own key",
    async play(stage) {
      const phone = await stage.addPhone();
      const probe = await unconfirmed(stage, phone);
      const { frames, events } = await stage.give(probe);
      assert.deepEqual(typesOf(events), []);
      const answers = frames.filter(({ content }) => content !== "");
      assert.deepEqual(
        answers.map(({ content }) => content),
        [PREFIX.confirmAck],
      );
      const signer = signerOf(answers[0]!, 2);
      assert.equal(signer, stage.publicKey);
      assert.equal(addressFromKey(Buffer.from(signer, "hex")), stage.address);
    },
  },
  {
    name: "probe-confirms-the-phone",
    holds: "a phone that missed the confirmation is confirmed by the answer to its probe, and can talk",
    async play(stage) {
      const phone = await stage.addPhone();
      const probe = await unconfirmed(stage, phone);
      await stage.powerCycle();
      stage.air.push({ to: "device", data: writeFrame(probe), link: phone });
      await stage.settle();
      await stage.expectSession(phone);
      await stage.talk(phone, "confirmed");
    },
  },
  {
    name: "welcome-again",
    holds:
      "a phone that heard nothing repeats its Welcome; the device does not join twice, and they talk when the phone has something to say",
    set: { virtual: true },
    async play(stage) {
      const phone = await stage.addPhone();
      await unconfirmed(stage, phone);
      stage.takeEvents();
      const again = () => stage.air.some(({ data }) => is(PREFIX.welcome)(readFrame(data)));
      for (let waited = 0; !again(); waited += TICK_SECONDS) {
        assert(waited < WELCOME_RETRY_SECONDS, "the phone did not send its Welcome again");
        await stage.passTime(TICK_SECONDS);
        await stage.ask(phone, { op: "tick" });
      }
      await stage.settle();
      assert(!typesOf(stage.takeEvents()).includes("SessionEstablished"), "the device joined twice");
      await stage.talk(phone, "confirmed");
      await stage.expectSession(phone);
    },
  },
  {
    name: "spent-welcome",
    holds:
      "a Welcome that comes again when nobody remembers it joins nothing; the device confirms under a fresh key, and both go on",
    async play(stage) {
      const phone = await stage.addPhone();
      let welcome: Frame | undefined;
      const watch = (frame: Frame) => {
        if (is(PREFIX.welcome)(frame)) welcome = frame;
        return false;
      };
      await stage.pair(phone, "device", { lose: watch });
      for (let i = 0; i <= REMEMBERED_ACKNOWLEDGEMENTS; i++) await stage.talk(phone, `message ${i}`);
      await stage.powerCycle();
      stage.air.push({ to: "device", data: writeFrame(welcome!), link: phone });
      await stage.settle();
      assert.deepEqual(stage.refusals, []);
      assert.deepEqual(reasonsIn(stage.events), ["welcome-spent"]);
      await stage.talk(phone, "afterwards");
    },
  },
  {
    name: "package-lost",
    holds: "a phone whose copy of the device's package was lost says that it has no session, and gets one again",
    set: { virtual: true },
    async play(stage) {
      const phone = await stage.addPhone();
      let lost = 0;
      await stage.beginPairing(phone, "phone");
      await stage.settle({ lose: (frame, to) => to === "phone" && is(PREFIX.keyPackage)(frame) && lost++ === 0 });
      assert.equal(lost, 1);
      // The phone asks again once, half a minute later, when it has something to say.
      for (let i = 0; i < 4; i++) {
        await stage.passTime(PACKAGE_RETRY_SECONDS);
        await stage.ask(phone, { op: "send", to: stage.address, text: "hello?" });
        await stage.settle();
      }
      await stage.expectSession(phone);
      await stage.talk(phone, "at last");
    },
  },
];
