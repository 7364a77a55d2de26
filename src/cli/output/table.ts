import Table from "cli-table3";
import type { Style } from "../shell/style.ts";
import type { Column } from "./column.ts";

/** The layout of a table. */
export interface Layout {
  /** Are columns shown that are only for `-o wide`? Such a table is as wide as it must be. */
  readonly isWide: boolean;
  /** The columns of the terminal; `undefined` where the output is no terminal. */
  readonly columns: number | undefined;
  readonly style: Style;
}

const NONE = "<none>";
const GAP = "   ";
/** As wide as a table is where no terminal says otherwise. */
const WIDTH = 80;
/** No column becomes narrower than this. */
const COLUMN_WIDTH_MIN = 16;
const NO_BORDERS = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right"],
    ...["bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
  ].map((name) => [name, ""]),
);

/**
 * Returns rows under headers, without borders, as kubectl prints them: easy to read, and to cut and grep. In a table that
 * would be wider than the terminal, or than 80 columns, sentences go over several lines. Long names are shortened on a
 * terminal only: what a program reads is whole.
 */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  layout: Layout,
): string {
  const { isWide, style } = layout;
  const shown = isWide ? columns : columns.filter(({ wide }) => !wide);
  const groups = rows.map((row) => shown.map(({ value }) => `${value(row) ?? NONE}`));
  const widths = shown.map(({ header }, at) =>
    Math.max(header.length, ...groups.map((row) => row[at]?.length ?? 0)),
  );
  const narrowed = isWide ? widths : narrow(shown, widths, layout.columns);
  const table = new Table({
    head: shown.map(({ header }) => style.strong(header)),
    chars: { ...NO_BORDERS, middle: GAP },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of groups)
    table.push(
      row.map((text, at) => {
        const { isState, long } = shown[at] as Column<Row>;
        const width = narrowed[at] as number;
        if (text.length > width) return long === "wrap" ? wrapped(text, width) : cut(text, width);
        return isState ? painted(text, style) : text;
      }),
    );
  return `${table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}

/** Takes from the columns that may have less room as much as the table is too wide, as far as that goes. */
function narrow<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  terminal: number | undefined,
): readonly number[] {
  const narrowed = [...widths];
  const gaps = GAP.length * (widths.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, gaps) - (terminal ?? WIDTH);
  for (const how of terminal === undefined ? ["wrap"] : ["wrap", "cut"])
    for (const [at, { long }] of columns.entries()) {
      const width = narrowed[at] as number;
      if (long !== how || excess <= 0) continue;
      narrowed[at] = Math.max(Math.min(width, COLUMN_WIDTH_MIN), width - excess);
      excess -= width - narrowed[at];
    }
  return narrowed;
}

/** Breaks a text at blanks into lines of at most so many characters, and a word that is longer within. */
const wrapped = (text: string, width: number): string =>
  [...text.matchAll(new RegExp(`.{1,${width}}(?:\\s|$)|\\S{${width}}`, "gs"))]
    .map(([line]) => line.trimEnd())
    .join("\n");

const cut = (text: string, width: number): string => `${text.slice(0, width - 1)}…`;

const GOOD = ["done", "released", "claimed", "confirmed", "deleted", "disowned"];
const BAD = ["failed", "cancelled", "conflict", "contended", "unreadable", "not_owned"];

/** A state by whether it is as it was wished, is not, or is under way. */
function painted(state: string, { good, bad, warning }: Style): string {
  if (GOOD.includes(state)) return good(state);
  if (BAD.includes(state)) return bad(state);
  return state === NONE ? state : warning(state);
}
