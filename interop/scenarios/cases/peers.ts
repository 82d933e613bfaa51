// Whom the device knows: provisioning, limits, unpairing.
import assert from "node:assert/strict";
import { PREFIX, Person } from "../person.ts";
import { Skip, type Scenario } from "../scenario.ts";
import { messagesIn } from "../stage.ts";
import { readFrame } from "../wire.ts";
import { mustDo } from "../../src/index.ts";

const STRANGERS = 24;
const MAX_PEERS = 16;
/** More flash operations than a provisioning takes. */
const MAX_OPERATIONS = 2000;

export const peers: Scenario[] = [
  {
    name: "provision-once",
    holds: "a device is provisioned once; a second time is refused, and open resumes it",
    set: { open: false },
    async play(stage) {
      const appId = "com.example.lock";
      assert.equal(await stage.refused({ op: "open", appId, mode: "resume" }), "NotProvisioned");
      await stage.open("provision");
      const { address } = stage;
      assert.equal(await stage.refused({ op: "open", appId, mode: "provision" }), "AlreadyProvisioned");
      await stage.open("open");
      assert.equal(stage.address, address);
      await stage.powerCycle();
    },
  },
  {
    name: "power-cut-while-provisioning",
    holds: "power goes at each flash operation of the first open: the next open works, and its identity stays",
    set: { open: false },
    async play(stage) {
      if (!(await stage.can({ op: "fault", after: 0, kind: "none" })))
        throw new Skip("this board cannot lose power on request");
      const { r } = await mustDo(stage.device, { op: "flash", read: true });
      const erased = "ff".repeat((r as { flash: string }).flash.length / 2);
      let survived = false;
      // Operations next to each other are alike; every fifth keeps the emulated board quick.
      for (let after = 0; !survived; after += after < 8 ? 1 : 5) {
        assert(after < MAX_OPERATIONS);
        await mustDo(stage.device, { op: "flash", write: erased, at: 0 });
        await mustDo(stage.device, { op: "power" });
        await mustDo(stage.device, { op: "fault", after, kind: after % 2 === 0 ? "cut" : "tear", bits: after });
        const first = await stage.device.request({ op: "open", appId: "com.example.lock" });
        survived = first.ok;
        if (!first.ok) assert.equal(first.error.kind, "PowerLost");
        await mustDo(stage.device, { op: "power" });
        await stage.open();
        await stage.powerCycle();
      }
    },
  },
  {
    name: "flash-write-fails",
    holds: "a failing flash write never lets a frame out whose state is not durable",
    async play(stage) {
      if (!(await stage.can({ op: "fault", after: 0, kind: "none" })))
        throw new Skip("this board cannot fail on request");
      const phone = await stage.addPhone();
      await stage.pair(phone);
      let sealed = 0;
      for (let after = 0; after < 12; after++) {
        await stage.do({ op: "fault", after, kind: "error", bits: after });
        const reply = await stage.device.request({
          op: "seal",
          peer: phone.address,
          text: `try ${after}`,
          now: stage.now(),
        });
        await stage.powerCycle();
        if (!reply.ok) {
          assert.equal(reply.error.kind, "Storage");
          assert.deepEqual(reply.frames, []);
          continue;
        }
        sealed++;
        for (const data of reply.frames) stage.air.push({ to: phone, data, link: phone });
        await stage.settle();
      }
      // Each message opened, so no key and nonce was used twice.
      assert.equal(phone.heard.length, sealed);
      await stage.talk(phone, "after the failures");
    },
  },
  {
    name: "peers",
    holds: "a phone that was paired by its Welcome is among the peers; unpairing empties the list",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      assert.deepEqual((await stage.do({ op: "peers" })).r!.peers, [phone.address]);
      await stage.do({ op: "unpair", peer: phone.address });
      assert.deepEqual((await stage.do({ op: "peers" })).r!.peers, []);
    },
  },
  {
    name: "unpair",
    holds: "unpairing clears session, past epochs and record; a power cycle brings none back; the phone can pair again",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone, "phone");
      await stage.ask(phone, { op: "send", to: stage.address, text: "old epoch" });
      const [late] = stage.intercept();
      await stage.ask(phone, { op: "commit", peer: stage.address });
      await stage.settle();
      await stage.do({ op: "unpair", peer: phone.address });
      await stage.powerCycle();
      assert.deepEqual((await stage.do({ op: "session", peer: phone.address })).r, { session: false, envVersions: [] });
      assert.equal(await stage.refused({ op: "seal", peer: phone.address, text: "x", now: stage.now() }), "NoSession");
      assert.equal((await stage.give(late!)).error, "NoSession");
      await stage.ask(phone, { op: "rekey", peer: stage.address });
      await stage.settle();
      await stage.expectSession(phone);
      await stage.talk(phone, "again");
    },
  },
  {
    name: "unpair-erases-the-package",
    holds: "unpairing erases the unspent package: the Welcome that spends it is unsolicited",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.beginPairing(phone);
      for (const { data } of stage.air.splice(0)) await stage.ask(phone, { op: "frame", from: stage.address, data });
      const welcome = stage.intercept().find((data) => readFrame(data).content.startsWith(PREFIX.welcome));
      assert(welcome, "the phone sent no Welcome");
      await stage.do({ op: "unpair", peer: phone.address });
      assert.equal((await stage.give(welcome)).error, "UnsolicitedWelcome");
      assert.equal((await stage.do({ op: "session", peer: phone.address })).r!.session, false);
    },
  },
  {
    name: "sixteen-peers",
    holds: `${STRANGERS} strangers leave at most ${MAX_PEERS} records, and the paired phone still works`,
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      for (let i = 0; i < STRANGERS; i++) {
        const stranger = new Person();
        assert.equal(
          (await stage.give(stranger.sign(stranger.keyPackage(stage.address, stage.now())))).error,
          undefined,
        );
      }
      const known = (await stage.do({ op: "peers" })).r!.peers;
      assert.equal(known.length, MAX_PEERS);
      assert(known.includes(phone.address));
      await stage.talk(phone, "still yours");
    },
  },
  {
    name: "not-with-itself",
    holds: "the device offers itself to addresses only, and not to its own",
    async play(stage) {
      for (const peer of [stage.address, "anna", "", stage.address.toUpperCase(), `${stage.address.slice(0, -1)}x`]) {
        assert.notEqual(await stage.refused({ op: "advertise", peer, now: stage.now() }), "Trap", peer);
      }
      assert.deepEqual((await stage.do({ op: "peers" })).r!.peers, []);
    },
  },
  {
    name: "pairing-window",
    holds: "a closed window keeps new peers out and lets known ones through; an open one closes by itself",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      await stage.do({ op: "pairing", open: false, now: stage.now() });
      const stranger = new Person();
      const hello = () => stranger.sign(stranger.keyPackage(stage.address, stage.now()));
      const { frames } = await stage.give(hello());
      assert.deepEqual(frames, []);
      assert.deepEqual((await stage.do({ op: "peers" })).r!.peers, [phone.address]);
      await stage.talk(phone, "known");
      await stage.do({ op: "pairing", open: true, seconds: 60, now: stage.now() });
      assert.notDeepEqual((await stage.give(hello())).frames, []);
    },
  },
  {
    name: "unknown-peer",
    holds: "sealing to, and frames from, a peer without a session are NoSession, and unpairing a stranger is harmless",
    async play(stage) {
      const phone = await stage.addPhone();
      await stage.pair(phone);
      const stranger = new Person();
      assert.equal(
        await stage.refused({ op: "seal", peer: stranger.address, text: "x", now: stage.now() }),
        "NoSession",
      );
      await stage.do({ op: "unpair", peer: stranger.address });
      await stage.ask(phone, { op: "send", to: stage.address, text: "x" });
      const [data] = stage.intercept();
      const forged = await stage.give({ ...readFrame(data!), sender: stranger.address });
      assert.equal(forged.error, "IdentityBinding");
      assert.deepEqual(messagesIn((await stage.give(data!)).events), [{ peer: phone.address, text: "x" }]);
    },
  },
];
