// The sealed layer against values made here with independent code.
import { ed25519 } from "@noble/curves/ed25519.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOfHash, addressOfKey, controlPayload, type JsonFrame, Peer } from "../leaf/peer.ts";
import { toHex } from "../room.ts";
import { type EnvelopeVector, SealedRoom } from "./sealed-room.ts";

const room = new SealedRoom();
const PREFIXES = ["__MLS_KEY_PKG__", "__MLS_WELCOME__", "__MLS_ENC__", "__MLS_CONFIRM_PROBE__", "__MLS_CONFIRM_ACK__"];
const seedOf = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

describe("prefixes", () => {
  it("are told apart by their bytes, with and without a body", () => {
    PREFIXES.forEach((prefix, index) => {
      expect([room.classify(prefix), room.classify(`${prefix}{}`)]).toEqual([index, index]);
      expect(room.classify(prefix.slice(0, -1))).toBe(PREFIXES.length);
      expect(room.classify(prefix.toLowerCase())).toBe(PREFIXES.length);
      expect(room.classify(` ${prefix}`)).toBe(PREFIXES.length);
    });
    for (const other of ["", "_", "hello", "__MLS_ENC_CONFIRM__", "__GRP_MLS_MSG__{}"])
      expect(room.classify(other)).toBe(PREFIXES.length);
  });

  it("the confirm marker is the whole text or nothing", () => {
    expect(room.isConfirmMarker("__MLS_ENC_CONFIRM__")).toBe(true);
    for (const other of ["", "__MLS_ENC_CONFIRM__ ", "__MLS_ENC_CONFIRM_", "x__MLS_ENC_CONFIRM__"])
      expect(room.isConfirmMarker(other)).toBe(false);
  });

  it("reserved texts start with two underscores and a capital letter", () => {
    for (const text of [...PREFIXES, "__RICH_V1__", "__A", "__Z"]) expect(room.isReserved(text)).toBe(true);
    for (const text of ["", "__", "__a", "__@", "__[", "_A_", "A__", " __MLS_"])
      expect(room.isReserved(text)).toBe(false);
  });
});

describe("session ids", () => {
  it("order addresses by hash, whichever side asks", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        (a, b) => {
          const [low, high] = Buffer.compare(a, b) <= 0 ? [a, b] : [b, a];
          const expected = `session:${addressOfHash(low)}:${addressOfHash(high)}`;
          expect(room.sessionId(addressOfHash(a), addressOfHash(b))).toBe(expected);
          expect(room.sessionId(addressOfHash(b), addressOfHash(a))).toBe(expected);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("order nicknames as bytes", () => {
    const address = addressOfHash(new Uint8Array(20));
    expect(room.sessionId("bob", "alice")).toBe("session:alice:bob");
    expect(room.sessionId("ab", "a")).toBe("session:a:ab");
    expect(room.sessionId("zoe", address)).toBe(`session:${address}:zoe`);
    expect(room.sessionId("caf\u00e9", "cafz")).toBe("session:cafz:caf\u00e9");
  });
});

describe("group ids", () => {
  it("every segment stands on its own", () => {
    for (const good of ["a", ".a", "a.", "...", "a:..b", "caf\u00e9", "a b", "a".repeat(4096)])
      expect(room.groupIdValid(good)).toBe(true);
    for (const bad of [
      "",
      ":",
      "a:",
      ":a",
      "a::b",
      ".",
      "..",
      "a:.",
      "..:a",
      "a/b",
      "a\\b",
      "a\u0000",
      "a\u001f",
      "a\u007f",
      "a".repeat(4097),
    ]) {
      expect(room.groupIdValid(bad)).toBe(false);
    }
  });
});

describe("freshness", () => {
  const window = 172_800_000n;
  it("both edges are inside, and no stamp wraps around", () => {
    const least = -(2n ** 63n);
    const most = 2n ** 63n - 1n;
    const cases: [bigint, bigint, boolean][] = [
      [0n, 0n, true],
      [window, 0n, true],
      [window + 1n, 0n, false],
      [0n, window, true],
      [0n, window + 1n, false],
      [0n, least, false],
      [0n, most, false],
      [most, least, false],
      [least, most, false],
      [most, most - window, true],
      [1n, least, false],
    ];
    for (const [now, stamp, fresh] of cases) expect(room.isFresh(now, stamp), `${now} ${stamp}`).toBe(fresh);
  });
});

describe("control signatures", () => {
  const peer = new Peer(seedOf(0x22));
  const vector = (frame: JsonFrame) => ({ ...frame, timestamp_ms: String(frame.timestamp) });

  it("cover domain, sender, id, recipient, content, and the stamp in version 2", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (content, timestamp) => {
        const frame = peer.frame("bob", content, { timestamp });
        expect(toHex(room.controlPayload(vector(frame), false))).toBe(toHex(controlPayload(frame, 1)));
        expect(toHex(room.controlPayload(vector(frame), true))).toBe(toHex(controlPayload(frame, 2)));
      }),
      { numRuns: 60 },
    );
  });

  it("are made as noble makes them", () => {
    const frame = peer.frame("bob", "__MLS_CONFIRM_ACK__", { timestamp: 5n });
    expect(room.controlSign(vector(frame), peer.seed, peer.publicKey)).toEqual(
      ed25519.sign(controlPayload(frame, 2), peer.seed),
    );
  });

  it("pass the gate in its order", () => {
    const now = 1_700_000_000_000n;
    const gate = (edit: Partial<JsonFrame>, undated = true, version: 1 | 2 = 2) => {
      const signed = peer.sign(peer.frame("bob", "__MLS_KEY_PKG__{}", { timestamp: now }), version);
      return room.gate(
        vector({ ...signed, ...edit, metadata: { ...signed.metadata, ...edit.metadata } }),
        undated,
        now,
      );
    };
    expect(gate({})).toEqual({ kind: "OK", dated: true });
    expect(gate({}, true, 1)).toEqual({ kind: "OK", dated: false });
    expect(gate({}, false, 1).kind).toBe("ControlFrameRefused");
    expect(gate({ timestamp: 0n }, true, 1)).toEqual({ kind: "OK", dated: false });
    expect(gate({ sender: "alice" }).kind).toBe("IdentityBinding");
    expect(gate({ metadata: { __ctrl_sig: "!!" }, sender: "alice" }).kind).toBe("ControlFrameRefused");
    expect(gate({ metadata: { __ctrl_pk: "AAAA" } }).kind).toBe("Sealed");
    expect(gate({ metadata: { __ctrl_pk: "AAAA" }, sender: "alice" }).kind).toBe("IdentityBinding");
    expect(gate({ metadata: { __ctrl_pk: Buffer.from(seedOf(7)).toString("base64") } }).kind).toBe("IdentityBinding");
    expect(gate({ metadata: { __ctrl_sig: "AAAA" } }).kind).toBe("ControlFrameRefused");
    expect(gate({ metadata: { __ctrl_sig: "A".repeat(1028) } }).kind).toBe("ControlFrameRefused");
    expect(room.gate(vector(peer.sign(peer.frame("bob", "x", { timestamp: 0n }))), true, now).kind).toBe(
      "StaleControlFrame",
    );
  });
});

describe("envelopes", () => {
  const TYPES = ["Application", "Welcome", "Commit", "Proposal"];
  const u64 = fc.bigInt(0n, 2n ** 64n - 1n);

  it("read what they write, in all three forms", () => {
    const arbitrary = fc.record({
      type: fc.nat(3),
      epoch: u64,
      time: u64,
      ciphertext: fc.uint8Array({ maxLength: 400 }),
      sender: fc.stringMatching(/^[a-z0-9]{0,44}$/),
    });
    fc.assert(
      fc.property(arbitrary, ({ type, epoch, time, ciphertext, sender }) => {
        const vector: EnvelopeVector = {
          group_id: "session:a:b",
          message_type_code: type,
          epoch: String(epoch),
          timestamp_ms: String(time),
          sender_id: sender,
          ciphertext_hex: toHex(ciphertext),
        };
        const json = `{"group_id":"session:a:b","message_type":"${TYPES[type]}","epoch":${epoch},"ciphertext":[${[...ciphertext].join()}],"sender_id":"${sender}","timestamp_ms":${time}}`;
        expect(room.envelopeJson(vector)).toBe(json);
        const compact = Buffer.from(room.envelopeCompact(vector)).toString("base64");
        for (const body of [json, compact, Buffer.from(json).toString("base64")]) {
          expect(room.envelope(body)).toEqual({
            groupId: "session:a:b",
            messageType: type,
            epoch: String(epoch),
            timestampMs: String(time),
            senderId: sender,
            ciphertext: toHex(ciphertext),
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it("arbitrary bodies are refused or read, never more", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (body) => {
        const got = room.envelope(body);
        expect(typeof got === "string" ? got : "OK").toMatch(/^(MalformedFrame|OK)$/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("key package bodies", () => {
  it("are written as sealed.md section 8 prints them", () => {
    const address = addressOfKey(new Uint8Array(32));
    const list = '"remaining_lifetime_ms":2419200000,"timestamp_ms":0,"session_reset":false,';
    const versions =
      '"wire_versions":[1],"env_versions":[1],"rich_versions":[],"data_versions":[],"ctrl_versions":[2],"svc_versions":[],"ack_versions":[]}';
    const head = `__MLS_KEY_PKG__{"user_id":"${address}","key_package_data":[0,9,255],`;
    const bytes = new Uint8Array([0, 9, 255]);
    expect(room.keyPackageText(address, bytes)).toBe(`${head}${list}${versions}`);
    expect(room.keyPackageText(address, bytes, true)).toBe(`${head}${list}"no_session":true,${versions}`);
  });
});

describe("invites", () => {
  const seed = seedOf(0x33);
  const publicKey = ed25519.getPublicKey(seed);

  it("are signed over what they say, and read back", () => {
    const { text, payload } = room.invite(seed, "Front door", true);
    const raw = Buffer.from(text, "base64url");
    expect(ed25519.verify(raw.subarray(-64), payload, publicKey)).toBe(true);
    expect(raw.subarray(35, 79).toString()).toBe(addressOfKey(publicKey));
    expect(room.inviteParse(`\n ${text}\t`)).toEqual({ kind: "OK", signed: true, petname: "Front door" });
  });

  it("any changed character is refused", () => {
    const { text } = room.invite(seed, "Door", true);
    for (let at = 0; at < text.length; at += 3) {
      const other = text[at] === "A" ? "B" : "A";
      expect(room.inviteParse(`${text.slice(0, at)}${other}${text.slice(at + 1)}`).kind).not.toBe("OK");
    }
    expect(room.inviteParse(text.slice(0, -1)).kind).toBe("MalformedFrame");
    expect(room.inviteParse("").kind).toBe("MalformedFrame");
    expect(room.inviteParse("A".repeat(5000)).kind).toBe("MalformedFrame");
  });

  it("petnames are short text without control or format characters", () => {
    for (const good of [
      "a",
      "Porte d\u2019entr\u00e9e",
      "\u{1f6aa}",
      "x".repeat(64),
      "\u00a0",
      "\u200a",
      "\u2065",
      "\ufff8",
    ])
      expect(room.petnameValid(good)).toBe(true);
    const characters = [
      "\u0000",
      "\n",
      "\u007f",
      "\u009f",
      "\u00ad",
      "\u0600",
      "\u061c",
      "\u200b",
      "\u202e",
      "\u2064",
      "\u2066",
      "\ufeff",
      "\ufffb",
      "\u{110bd}",
      "\u{e0001}",
      "\u{e0041}",
    ];
    for (const bad of ["", "x".repeat(65), ...characters.map((character) => `a${character}b`)])
      expect(room.petnameValid(bad)).toBe(false);
    expect(room.petnameValid(new Uint8Array([0xc3]))).toBe(false);
    // The runtime's own table of Unicode is the oracle for every code point of the planes that have such characters.
    const wrong: number[] = [];
    for (const [from, to] of [
      [0, 0x3000],
      [0xfe00, 0x10000],
      [0x11000, 0x11100],
      [0x13400, 0x13460],
      [0x1bc00, 0x1bcb0],
      [0x1d100, 0x1d200],
      [0xe0000, 0xe0100],
    ]) {
      for (let point = from!; point < to!; point++) {
        const character = String.fromCodePoint(point);
        if (room.petnameValid(character) === /\p{Cc}|\p{Cf}/u.test(character)) wrong.push(point);
      }
    }
    expect(wrong).toEqual([]);
  });
});
