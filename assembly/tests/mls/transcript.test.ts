// A recorded session of the reference leaf and phone (`../shared/spec/vectors`), replayed with the leaf's keys.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../scripts/root.ts";
import { hex, toHex } from "../room.ts";
import { DETAIL } from "./details.ts";
import { ascii, Device, exported, refusedDetail } from "./device.ts";

const path = join(root, "../shared/spec/vectors/sealed.json");
/** The device backdates its packages by an hour. */
const BACKDATE_S = 3600;

interface Step {
  step: string;
  ciphertext_hex?: string;
  commit_hex?: string;
  plaintext_utf8?: string;
  deliveries?: Step[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [field: string]: any;
}

describe.skipIf(!existsSync(path))("the recorded session", () => {
  const { transcript } = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { transcript: { steps: [] } };
  const steps: Step[] = transcript.steps;
  const named = (name: string): Step => steps.find(({ step }) => step.startsWith(name))!;
  const device = (): Device =>
    new Device(
      hex(transcript.device_seed_hex),
      transcript.device_address,
      ascii(transcript.session_id),
      transcript.phone_address,
    );
  const made = () => {
    const step = named("leaf key package");
    return {
      keyPackage: hex(step.key_package_hex),
      initPrivate: hex(step.init_private_hex),
      leafPrivate: hex(step.leaf_private_hex),
      notBefore: BigInt(step.now_unix_secs - BACKDATE_S),
    };
  };
  const exporter = (secret: Uint8Array): string => {
    const { label, context_hex: context, length } = named("welcome").exporter_check;
    return toHex(exported(secret, label, hex(context), length));
  };

  it("has a key package that ours equals but for keys, and signatures", () => {
    const own = device();
    const { keyPackage, notBefore } = made();
    const ours = own.mint(new Uint8Array(32).fill(3), notBefore);
    // Keys: init 5 to 37, encryption 38 to 70. Signatures: 181 to 245, 248 to 312.
    const masked = (data: Uint8Array): string =>
      toHex(
        data.map((byte, at) =>
          (at >= 5 && at < 37) || (at >= 38 && at < 70) || (at >= 181 && at < 245) || at >= 248 ? 0 : byte,
        ),
      );
    expect(masked(ours)).toBe(masked(keyPackage));
  });

  it("opens in order, part by part", () => {
    const leaf = device();
    const welcome = named("welcome");
    const secret = leaf.joinWith(hex(welcome.welcome_hex), made());
    expect(toHex(leaf.reference)).toBe(named("leaf key package").key_package_ref_hex);
    expect(exporter(secret)).toBe(welcome.exporter_check.value_hex);

    const opens = (step: Step, expected: string): void => {
      expect(new TextDecoder().decode(leaf.open(hex(step.ciphertext_hex!)).text), step.step).toBe(expected);
    };
    let commits = 0;
    for (const step of steps.slice(steps.indexOf(welcome) + 1)) {
      if (step.commit_hex) {
        const opened = leaf.open(hex(step.commit_hex));
        expect(opened).toMatchObject({ type: "commit", members: 2, epoch: BigInt(step.envelope_epoch) });
        if (commits++ === 0) expect(exporter(opened.exporterSecret)).toBe(named("exporter after commit").value_hex);
      } else if (step.step === "late message from the prior epoch") {
        opens(step, "sealed before commit");
      } else if (step.plaintext_utf8 !== undefined) {
        opens(step, step.plaintext_utf8);
      } else if (step.deliveries) {
        for (const delivery of step.deliveries) {
          if (delivery.result.ok) opens(delivery as Step, delivery.result.events[0].text);
          else expect(refusedDetail(() => leaf.open(hex(delivery.ciphertext_hex!)))).toBe(DETAIL.MlsReplay);
        }
      }
    }
    expect(commits).toBe(5);
    for (const { name, ciphertext_hex: ciphertext, result } of named("edge cases").cases) {
      const event = result.events?.[0];
      if (!result.ok || event.type === "Ignored") refusedDetail(() => leaf.open(hex(ciphertext)));
      else if (event.text !== undefined && !event.text.includes("\ufffd"))
        opens({ step: name, ciphertext_hex: ciphertext }, event.text);
      else leaf.open(hex(ciphertext));
    }
  });
});
