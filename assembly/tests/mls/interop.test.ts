// Our leaf and the independent implementation ts-mls: what honest traffic does.
import { mlsExporter } from "ts-mls";
import { describe, expect, it } from "vitest";
import { DETAIL } from "./details.ts";
import { ascii, exported, PARTS, refusedDetail } from "./device.ts";
import { GROUP, newDevice, pair, PHONE, text } from "./pair.ts";
import { Phone, strangerPackage, suiteOne } from "./phone.ts";

describe("join", () => {
  it("finds itself named and joins epoch 1", async () => {
    const device = newDevice();
    const phone = await Phone.found(GROUP, PHONE);
    const welcome = await phone.add([device.keyPackage]);
    expect(device.names(welcome)).toBe(true);
    const stored = device.join(welcome);
    expect(device.epoch()).toBe(1n);
    expect(Object.values(stored).reduce((sum, bytes) => sum + bytes)).toBeLessThan(321);
  });

  it("joins as third member and says so", async () => {
    const device = newDevice();
    const phone = await Phone.found(GROUP, PHONE);
    device.join(await phone.add([await strangerPackage("third"), device.keyPackage]));
    expect(device.members).toBe(3);
    expect(device.parts.size).toBe(0);
  });

  it("takes the lower leaf of a pair", async () => {
    const device = newDevice();
    const founder = await Phone.found(GROUP, "off1founder");
    const second = await founder.addMember(PHONE);
    await second.open(await founder.seal("hello"));
    const welcome = await second.commitWelcome(
      [{ proposalType: "remove", remove: { removed: 0 } }],
      [device.keyPackage],
    );
    device.join(welcome);
    expect(device.members).toBe(2);
    expect(text(device.open(await second.seal("up")).text)).toBe("up");
    expect(await second.open(device.seal(ascii("down")))).toBe("down");
    expect(device.open(await second.commit()).epoch).toBe(second.epoch);
    expect(text(device.open(await second.seal("up again")).text)).toBe("up again");
  });
});

describe("messages", () => {
  it("open both ways, with and without padding and authenticated data", async () => {
    for (const padding of [0, 1, 300]) {
      const { device, phone } = await pair(padding);
      for (const message of ["", "unlock", "x".repeat(5000)]) {
        expect(await phone.open(device.seal(ascii(message)))).toBe(message);
        const opened = device.open(await phone.seal(message, ascii("data")));
        expect(text(opened.text)).toBe(message);
        expect(opened).toMatchObject({ type: "application", sender: 0, members: 2, epoch: 1n });
      }
    }
  });

  it("write a record that fits a message", async () => {
    const { device, phone } = await pair();
    expect(device.open(await phone.seal("one")).stored).toEqual({ Handshake: 32, Receive: 33 });
    expect(device.open(await phone.seal("two")).stored).toEqual({ Receive: 33 });
  });

  it("pad as leaf.md 3.3 says", async () => {
    const { device } = await pair();
    expect(device.seal(ascii("unlocked")).length).toBe(256);
    // 136 bytes around a ciphertext shorter than 16384, 16 of tag, 66 of signature and a header before the text.
    const sizes = [0, 23, 29, 30, 188, 189, 190, 300, 1000].map((bytes) => device.seal(new Uint8Array(bytes)).length);
    const expected = [0, 23, 29, 30, 188, 189, 190, 300, 1000].map((bytes) => {
      const plain = (bytes < 64 ? 1 : 2) + bytes + 66;
      let block = 256;
      while (block < plain + 1) block *= 2;
      const padded = (plain | (block / 8 - 1)) + 1;
      return 4 + 99 + 8 + 1 + 1 + 29 + 2 + padded + 16;
    });
    expect(sizes).toEqual(expected);
  });

  it("open in any order, each once", async () => {
    const { device, phone } = await pair();
    const sealed = [];
    for (let i = 0; i < 5; i++) sealed.push(await phone.seal(`${i}`));
    for (const i of [2, 0, 4, 3, 1]) expect(text(device.open(sealed[i]!).text)).toBe(`${i}`);
    for (const message of sealed) expect(refusedDetail(() => device.open(message))).toBe(DETAIL.MlsReplay);
  });

  it("open 1024 generations ahead and not 1025, and keep the 32 newest that were skipped", async () => {
    const { device, phone } = await pair();
    const early = phone.fork();
    phone.skip(991);
    const sealed = new Map<number, Uint8Array>();
    for (let i = 991; i <= 1025; i++) sealed.set(i, await phone.seal(`${i}`));
    const open = (i: number): string => text(device.open(sealed.get(i)!).text);
    expect(refusedDetail(() => open(1025))).toBe(DETAIL.MlsTooFarAhead);
    expect(open(1024)).toBe("1024");
    expect(refusedDetail(() => open(991))).toBe(DETAIL.MlsReplay);
    for (const i of [992, 1023, 1000]) expect(open(i)).toBe(`${i}`);
    expect(refusedDetail(() => open(1000))).toBe(DETAIL.MlsReplay);
    expect(open(1025)).toBe("1025");
    const first = await early.seal("0");
    expect(refusedDetail(() => device.open(first))).toBe(DETAIL.MlsReplay);
  });

  it("keep 32 skipped keys in all, the oldest give way", async () => {
    const { device, phone } = await pair();
    const sealed: Uint8Array[] = [];
    for (let i = 0; i < 42; i++) sealed.push(await phone.seal(`${i}`));
    device.open(sealed[20]!);
    expect(device.open(sealed[41]!).stored).toEqual({ Receive: 33, Skipped: 1024 });
    expect(refusedDetail(() => device.open(sealed[7]!))).toBe(DETAIL.MlsReplay);
    for (const i of [8, 19, 21, 40]) expect(text(device.open(sealed[i]!).text)).toBe(`${i}`);
    expect(device.open(sealed[30]!).stored).toEqual({ Skipped: 27 * 32 });
  });
});

describe("commits", () => {
  it("with an update path renew the session, as often as they come", async () => {
    const { device, phone } = await pair();
    for (let round = 2n; round < 8n; round++) {
      const opened = device.open(await phone.commit());
      expect(opened).toMatchObject({ type: "commit", sender: 0, members: 2, removed: false, epoch: round });
      const impl = await suiteOne();
      const theirs = await mlsExporter(phone.state.keySchedule.exporterSecret, "label", ascii("context"), 16, impl);
      expect(exported(opened.exporterSecret, "label", ascii("context"), 16)).toEqual(new Uint8Array(theirs));
      expect(text(device.open(await phone.seal("up")).text)).toBe("up");
      expect(await phone.open(device.seal(ascii("down")))).toBe("down");
    }
  });

  it("write less than 236 bytes", async () => {
    const { device, phone } = await pair();
    device.open(await phone.seal("one"));
    const { stored } = device.open(await phone.commit());
    expect(Object.values(stored).reduce((sum, bytes) => sum + bytes)).toBeLessThan(236);
    expect(stored).toMatchObject({ Handshake: 0, Skipped: 0 });
  });

  it("leave three epochs that still open, in any order", async () => {
    const { device, phone } = await pair();
    const late: Uint8Array[][] = [];
    for (let epoch = 1; epoch <= 5; epoch++) {
      late.push([await phone.seal(`${epoch} a`), await phone.seal(`${epoch} b`), await phone.seal(`${epoch} c`)]);
      if (epoch > 1) device.open(late[epoch - 1]![1]!);
      if (epoch < 5) device.open(await phone.commit());
    }
    expect(refusedDetail(() => device.open(late[0]![0]!))).toBe(DETAIL.MlsEpoch);
    for (const epoch of [2, 4, 3, 5]) {
      for (const [index, name] of [
        [2, "c"],
        [0, "a"],
      ] as const) {
        const opened = device.open(late[epoch - 1]![index]!);
        expect(text(opened.text)).toBe(`${epoch} ${name}`);
        expect(Object.keys(opened.stored)).not.toContain("Head");
      }
      expect(refusedDetail(() => device.open(late[epoch - 1]![0]!))).toBe(DETAIL.MlsReplay);
    }
    expect(await phone.open(device.seal(ascii("still here")))).toBe("still here");
  });

  it("open a late message of an epoch in which nothing was opened", async () => {
    const { device, phone } = await pair();
    const late = await phone.seal("late");
    device.open(await phone.commit());
    expect(text(device.open(late).text)).toBe("late");
    expect(device.open(await phone.commit()).epoch).toBe(3n);
  });

  it("that add a member, with and without others, are applied and reported", async () => {
    const { device, phone } = await pair();
    const one = device.clone().open(await phone.dishonest({}).addCommit([await strangerPackage("third")]));
    expect(one).toMatchObject({ type: "commit", members: 3, epoch: 2n, stored: {} });
    const three = device
      .clone()
      .open(
        await phone
          .dishonest({})
          .addCommit([await strangerPackage("3"), await strangerPackage("4"), await strangerPackage("5")]),
      );
    expect(three).toMatchObject({ type: "commit", members: 5, epoch: 2n, stored: {} });
    device.open(await phone.seal("the pair itself is untouched"));
  });

  it("that remove us are reported, and change nothing", async () => {
    const { device, phone } = await pair();
    const before = new Map(device.parts);
    const opened = device.open(
      await phone.commit({ extraProposals: [{ proposalType: "remove", remove: { removed: 1 } }] }),
    );
    expect(opened).toMatchObject({ type: "commit", removed: true, stored: {} });
    expect(device.parts).toEqual(before);
  });
});

describe("parts", () => {
  it("are refused when they have another length", async () => {
    const { device, phone } = await pair();
    device.open(await phone.seal("0"));
    for (const [key, data] of device.parts) {
      const copy = device.clone();
      copy.parts.set(key, data.slice(0, 20));
      expect(() => copy.epoch(), `part ${key} of ${PARTS}`).toThrow("unreadable");
    }
  });
});
