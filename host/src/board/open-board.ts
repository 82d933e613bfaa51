// The board that a `--board` names.
import { OffleafError } from "../errors.ts";
import type { Board } from "./board.ts";
import { QemuBoard } from "./qemu.ts";
import { SerialBoard } from "./serial.ts";
import { SimBoard } from "./sim.ts";

export interface BoardChoice {
  /** `sim`, `qemu`, or the path of a port. */
  board: string;
  flash?: string;
  /** Image of the emulated board. */
  image?: string;
  testEntropy?: boolean;
  onLog?: (text: string) => void;
}

/** Starts a board. Throws what the board's own start throws, and E-USE-01 for options that the board does not have. */
export async function openBoard({ board, flash, image, testEntropy, onLog }: BoardChoice): Promise<Board> {
  const only = (option: string, boards: string): OffleafError =>
    new OffleafError("E-USE-01", { why: `--${option} is for ${boards}, not for ${board}` });
  if (image !== undefined && board !== "qemu") throw only("image", "qemu");
  if (testEntropy && board !== "sim") throw only("test-entropy", "sim");
  if (flash !== undefined && board !== "sim" && board !== "qemu") throw only("flash", "sim and qemu");
  const log = onLog ?? (() => {});
  if (board === "sim")
    return new SimBoard({ ...(flash !== undefined && { flash }), testEntropy: testEntropy ?? false });
  if (board === "qemu") {
    return QemuBoard.start({
      ...(flash !== undefined && { flash }),
      ...(image !== undefined && { image }),
      onLog: log,
    });
  }
  return SerialBoard.open(board, log);
}
