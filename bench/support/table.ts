/** Rows as one aligned table for people; the same rows go to JSON. */
import type { Row } from "./bench.ts";

function number(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function goalOf(row: Row): string {
  if (row.goal === undefined) return "";
  const ratio = row.ratios[row.goal.against];
  if (ratio === undefined) return `≤ ${row.goal.atMost} × ${row.goal.against}: not measured`;
  return `${ratio.toFixed(2)} × ${row.goal.against} (goal ${row.goal.atMost}): ${ratio <= row.goal.atMost ? "reached" : "MISSED"}`;
}

function cells(row: Row): string[] {
  const against = row.note === undefined && Object.entries(row.ratios).find(([name]) => name === "bare");
  const value = row.note === undefined ? `${number(row.value)} ${row.unit}` : "-";
  return [row.what, row.runner, value, against ? `${against[1].toFixed(2)} ×` : "", row.note ?? goalOf(row)];
}

export function table(rows: readonly Row[]): string {
  const lines = [["what", "runner", "median", "to bare", "goal"], ...rows.map(cells)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = lines.map((line) =>
    line.map((cell, i) => (i === 2 || i === 3 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))),
  );
  return padded.map((line) => line.join("  ").trimEnd()).join("\n");
}
