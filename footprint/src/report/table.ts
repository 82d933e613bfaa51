// The footprint report as text.
import type { FootprintReport } from "./report.ts";

const bytes = (count: number): string => count.toLocaleString("en-US");

/** Columns aligned to the right but for the first. */
function align(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  "),
  );
}

/** Lines of the report for people, bytes throughout. */
export function footprintTable(report: FootprintReport): string {
  const lines = align([
    [`image (${report.board})`, "flash", "over baseline", "static RAM", "over baseline"],
    ...report.images.map((row) => [
      row.image,
      bytes(row.flash),
      bytes(row.overBaseline),
      bytes(row.ram),
      bytes(row.ramOverBaseline),
    ]),
  ]);
  lines.push("", `core  wasm ${bytes(report.core.wasm)}, compiled for the board ${bytes(report.core.aot)}`);
  if (report.run) {
    const { linearMemory, arena, pool, stack } = report.run;
    lines.push(
      `run   linear memory ${bytes(linearMemory)}, arena peak ${bytes(arena)}, runtime pool peak ${bytes(pool)}, stack peak ${bytes(stack)}`,
    );
  }
  return lines.join("\n");
}
