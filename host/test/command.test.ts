// The command itself: exit codes, errors for people and programs, and a device that outlives SIGKILL.
import { spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/root.ts";
import { EXIT_CODES } from "../src/cli/exit-codes.ts";
import { ERRORS } from "../src/errors.ts";
import { bundle, lines, run, start } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "offleaf-command-"));
afterAll(() => rmSync(folder, { recursive: true }));
let offleaf = "";
beforeAll(async () => {
  offleaf = await bundle("command");
});

const file = (name: string): string => join(folder, name);
const sim = (flash: string): string[] => ["device", "--board", "sim", "--stdio", "--flash", flash];

describe("docs/cli.md", () => {
  const text = readFileSync(join(root, "docs/cli.md"), "utf8");

  it("has the table of exit codes", () => {
    const table = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    expect(text).toContain(`| code | meaning |\n|---|---|\n${table.join("\n")}\n`);
  });

  it("has the table of errors", () => {
    const table = Object.entries(ERRORS).map(
      ([code, { exit, what }]) => `| ${code} | ${EXIT_CODES[exit].code} | ${what} |`,
    );
    expect(text).toContain(`| code | exit | what happened |\n|---|---|---|\n${table.join("\n")}\n`);
  });
});

describe("usage", () => {
  it.each(["device", "pair", "footprint", "doctor"])("%s --help ends with 0 and shows an example", (command) => {
    const { code, out } = run(offleaf, [command, "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`$ offleaf ${command}`);
  });

  it.each([
    [["nonsense"]],
    [["device"]],
    [["device", "--board"]],
    [["device", "--board", "sim", "--fast"]],
    [["device", "--board", "sim", "extra"]],
    [["device", "--board", "qemu", "--test-entropy"]],
    [["device", "--board", "sim", "--image", "leaf"]],
    [["pair", "--board", "/dev/null"]],
    [["pair", "--board", "sim", "--commits", "many"]],
  ])("%j ends with 2 and says what is wrong", (args) => {
    const { code, out, err } = run(offleaf, args);
    expect(code).toBe(2);
    expect(err).toMatch(/^error\[E-USE-01\]: .*\n {2}why [^]*\n {2}next /);
    expect(out).toBe("");
  });

  it("without a command the help goes to stderr and the code is 2", () => {
    expect(run(offleaf, []).code).toBe(2);
  });
});

describe("what is missing or in the way", () => {
  const empty = { OFFLEAF_BUILD: folder };
  const shown = (args: string[], env: NodeJS.ProcessEnv = {}): string => {
    const { code, err } = run(offleaf, args, { env });
    return `${code} ${/^error\[(E-[A-Z]+-\d\d)\]/.exec(err)?.[1] ?? err}`;
  };

  it("no core, no image, no phone, no emulator: one message each, code 3", () => {
    expect(shown(["device", "--board", "sim"], empty)).toBe("3 E-TOOL-04");
    expect(shown(["device", "--board", "qemu"], empty)).toBe("3 E-TOOL-03");
    expect(shown(["pair", "--board", "sim"], empty)).toBe("3 E-TOOL-02");
    expect(shown(["footprint"], empty)).toBe("3 E-TOOL-04");
    expect(shown(["device", "--board", "qemu"], { PATH: folder })).toBe("3 E-TOOL-01");
    expect(shown(["doctor"], empty)).toBe("3 E-TOOL-06");
  });

  it("no port: code 4", () => {
    expect(shown(["device", "--board", file("no-port")])).toBe("4 E-PORT-01");
  });

  it("a flash file of the wrong size, a folder, a device, a place that is not there: code 4, and nothing is changed", () => {
    writeFileSync(file("short"), "x");
    expect(shown(sim(file("short")))).toBe("4 E-FLASH-02");
    expect(readFileSync(file("short"), "utf8")).toBe("x");
    expect(shown(sim(folder))).toBe("4 E-FLASH-01");
    expect(shown(sim("/dev/null"))).toBe("4 E-FLASH-01");
    expect(existsSync("/dev/null")).toBe(true);
    expect(shown(sim(file("nowhere/flash")))).toBe("4 E-FLASH-01");
  });

  it("a disk that does not take the flash file: code 4, and no half file is left", () => {
    // A limit of 4 KiB on files stands for the full disk.
    const command = `ulimit -f 8; exec "$0" "$@"`;
    const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, offleaf, ...sim(file("limited"))], {
      encoding: "utf8",
      input: "",
    });
    expect(stderr).toContain("error[E-FLASH-01]: the flash file cannot be written");
    expect(status).toBe(4);
    expect(existsSync(file("limited"))).toBe(false);
  });

  it("with --json the error is the last line of stdout too", () => {
    const { out, code } = run(offleaf, ["pair", "--board", "sim", "--json"], { env: empty });
    expect(code).toBe(3);
    expect(lines(out).at(-1)).toMatchObject({ schema: 1, ok: false, error: { code: "E-TOOL-02" } });
  });

  it("the doctor names what is missing with the line that mends it", () => {
    const { out } = run(offleaf, ["doctor", "--json"], { env: empty });
    const report = lines(out).at(-1) as { ok: boolean; checks: { name: string; ok: boolean; next?: string }[] };
    expect(report.ok).toBe(false);
    for (const name of ["core", "phone", "image leaf"]) {
      expect(report.checks.find((check) => check.name === name)).toMatchObject({ ok: false, next: expect.any(String) });
    }
  });
});

/** A device process with one reply a request. */
class Talk {
  readonly child: ChildProcessWithoutNullStreams;
  private readonly replies: AsyncIterator<string>;

  constructor(flash: string) {
    this.child = start(offleaf, sim(flash));
    this.replies = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async ask(request: object): Promise<{ ok: boolean; r?: Record<string, unknown>; error?: { kind: string } }> {
    this.child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value } = await this.replies.next();
    return JSON.parse(value as string) as { ok: boolean };
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await gone;
  }
}

describe("device --stdio", () => {
  it("answers everything before the end of input, the last line without its newline too, and ends with 0", () => {
    const requests = ['{"op":"hello","id":1}', "bad", '{"op":"open","appId":"a.b","id":3}'];
    const { code, out } = run(offleaf, sim(file("end")), { input: requests.join("\n") });
    expect(code).toBe(0);
    expect(lines(out).map(({ id, ok }) => [id, ok])).toEqual([
      [1, true],
      [undefined, false],
      [3, true],
    ]);
  });

  it("without --flash the part ends with the command", () => {
    const address = (): unknown =>
      (
        lines(run(offleaf, ["device", "--board", "sim", "--stdio"], { input: '{"op":"open","appId":"a.b"}' }).out)[0]!
          .r as { address: string }
      ).address;
    expect(address()).not.toBe(address());
  });

  it("an empty file is an erased part", () => {
    writeFileSync(file("empty"), "");
    expect(
      lines(run(offleaf, sim(file("empty")), { input: '{"op":"open","appId":"a.b","mode":"provision"}' }).out)[0]!.ok,
    ).toBe(true);
  });

  it("what was answered outlives SIGKILL, and the file can be used again at once", async () => {
    const flash = file("killed");
    const peers = ["off1qyzgsef8rynlsyfw04g4vj5lapjvcrzmtud7parh", "off1q9ga83pe0z60kxm5u68sduuhawzs7pmhvsduznpp"];
    let address: unknown;
    for (const [round, peer] of peers.entries()) {
      const talk = new Talk(flash);
      const opened = await talk.ask({ op: "open", appId: "a.b", mode: round === 0 ? "provision" : "resume" });
      address ??= opened.r!.address;
      expect(opened.r!.address).toBe(address);
      expect((await talk.ask({ op: "peers" })).r!.peers).toEqual(peers.slice(0, round));
      expect((await talk.ask({ op: "advertise", peer, now: 1_800_000_000 })).ok).toBe(true);
      await talk.kill();
    }
    const talk = new Talk(flash);
    await talk.ask({ op: "open", appId: "a.b", mode: "resume" });
    expect((await talk.ask({ op: "peers" })).r!.peers).toEqual(peers);
    await talk.kill();
  });

  it("a copy of the file is a copy of the part, key and all", async () => {
    const flash = file("original");
    const input = '{"op":"open","appId":"a.b"}';
    const [first] = lines(run(offleaf, sim(flash), { input }).out);
    writeFileSync(file("copy"), readFileSync(flash));
    expect(lines(run(offleaf, sim(file("copy")), { input }).out)[0]).toEqual(first);
  });
});
