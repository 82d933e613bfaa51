// `exporter_check` of the transcript: the member build's exporter in the two epochs that were recorded.
import { strict as assert } from "node:assert";
import { Device, ascii, exported } from "../mls/device.ts";
import { hex, toHex } from "../room.ts";
import { type CaseResult, judge } from "../vectors/family.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the shape of the file is checked by what is read from it
export function exporterCases(transcript: any): CaseResult[] {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const named = (name: string): any => transcript.steps.find((step: { step: string }) => step.step.startsWith(name));
  const [made, welcome, commit, after] = ["leaf key package", "welcome", "commit 0", "exporter after commit"].map(
    named,
  );
  const { label, context_hex: context, length, value_hex: first } = welcome.exporter_check;
  const device = new Device(
    hex(transcript.device_seed_hex),
    transcript.device_address,
    ascii(transcript.session_id),
    transcript.phone_address,
  );
  const value = (secret: Uint8Array): string => toHex(exported(secret, label, hex(context), length));
  return [
    judge("transcript exporter_check", () => {
      const secret = device.joinWith(hex(welcome.welcome_hex), {
        keyPackage: hex(made.key_package_hex),
        initPrivate: hex(made.init_private_hex),
        leafPrivate: hex(made.leaf_private_hex),
        notBefore: BigInt(made.now_unix_secs - 3600),
      });
      assert.equal(value(secret), first);
    }),
    judge("transcript exporter after commit", () =>
      assert.equal(value(device.open(hex(commit.commit_hex)).exporterSecret), after.value_hex),
    ),
  ];
}
