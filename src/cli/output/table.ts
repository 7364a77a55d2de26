import Table from "cli-table3";
import type { Column } from "./column.ts";

const NONE = "<none>";
const GAP = "   ";
const NO_BORDERS = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right"],
    ...["bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
  ].map((name) => [name, ""]),
);

/** Rows under headers, one line each, without borders, as kubectl prints them: easy to read, and to cut and grep. */
export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const table = new Table({
    head: columns.map(({ header }) => header),
    chars: { ...NO_BORDERS, middle: GAP },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push(columns.map(({ value }) => `${value(row) ?? NONE}`));
  return `${table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}
