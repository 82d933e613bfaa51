// The main job on a board of a given kind: an erased part, a fresh phone, every call measured.
import { LineProcessError, type Crossing } from "@offleaf/interop";
import { openBoard } from "../board/open-board.ts";
import { OffleafError } from "../errors.ts";
import { Device } from "../harness/device.ts";
import { startPhone } from "../phone.ts";
import { runMainJob, type Order, type Step } from "./main-job.ts";
import { MeasuredLeaf, type OperationCost, type Peaks } from "./measured-leaf.ts";

export interface PairingRun {
  order: Order;
  address: string;
  /** What ran: image and SHA-256 of the core's module, as the board itself says. */
  image: string;
  coreSha256: string;
  steps: Step[];
  ok: boolean;
  operations: OperationCost[];
  peaks: Peaks;
  crossings: Crossing[];
}

export interface PairingOptions {
  board: string;
  image?: string;
  order: Order;
  commits: number;
  onStep: (step: Step) => void;
  onLog: (text: string) => void;
}

/** Throws what the start of the board or of the phone throws; a step that fails is in the result. */
export async function runPairing({
  board: name,
  image,
  order,
  commits,
  onStep,
  onLog,
}: PairingOptions): Promise<PairingRun> {
  const phone = startPhone();
  try {
    const board = await openBoard({ board: name, ...(image !== undefined && { image }), onLog });
    try {
      const hello = await board.hello();
      const leaf = new MeasuredLeaf(new Device(board, (error) => onLog(String(error))));
      const { steps, address, conversation } = await runMainJob(leaf, phone, { order, commits, onStep });
      return {
        order,
        address,
        image: hello.image,
        coreSha256: hello.coreSha256,
        steps,
        ok: steps.every(({ ok }) => ok),
        operations: leaf.operations(),
        peaks: leaf.peaks,
        crossings: conversation?.crossings ?? [],
      };
    } finally {
      await board.close();
    }
  } catch (error) {
    if (!(error instanceof LineProcessError)) throw error;
    throw new OffleafError("E-PHONE-01", { why: `${error.message}\n${error.log}`.trim(), cause: error });
  } finally {
    await phone.close();
  }
}
