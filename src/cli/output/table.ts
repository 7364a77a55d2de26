import Table from "cli-table3";
import stringWidth from "string-width";
import type { Style } from "../shell/style.ts";
import { printable } from "../shell/text.ts";

/** A column of a table. An undefined value shows as `<none>`, as in kubectl. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number | boolean | undefined;
  /** Shown only with `-o wide`; `if empty`, also without it where a row has a value. */
  readonly wide?: true | "if empty";
  /** The layout of long values: a sentence or a list wraps, and a name is cut on a terminal. */
  readonly long?: "wrap" | "cut";
  /** Marks a state, such as `done`. A terminal shows it in color. */
  readonly isState?: true;
}

/** The layout of a table. */
export interface Layout {
  /** Shows all columns, without a limit of the width. */
  readonly isWide: boolean;
  /** The width of the terminal in characters; `undefined` if the output is no terminal. */
  readonly columns: number | undefined;
  readonly style: Style;
}

const NONE = "<none>";
const GAP = "   ";
/** The width of a table if the output is no terminal. */
const WIDTH = 80;
/** The smallest width of a narrowed column. */
const COLUMN_WIDTH_MIN = 16;
/**
 * The rows that are laid out together. The library passes its rows as arguments of one call, for which the stack has limited room, and
 * many rows at once take it longer than the same rows in parts.
 */
const PART_ROWS = 500;
const NO_BORDERS = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right"],
    ...["bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
  ].map((name) => [name, ""]),
);

/**
 * Returns rows below headers, without borders, as kubectl prints them. In a table that exceeds the terminal, or 80 columns,
 * sentences wrap over lines. Long names are cut on a terminal only, so that programs read them whole.
 */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  layout: Layout,
): string {
  return tableOf(columns, rows, layout, rows.keys(), true);
}

/** Returns some rows of a table without its header, by their places. They are as wide as the whole table. */
export const rowsText = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  layout: Layout,
  places: Iterable<number>,
): string => tableOf(columns, rows, layout, places, false);

function tableOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  layout: Layout,
  places: Iterable<number>,
  hasHead: boolean,
): string {
  const { isWide, style } = layout;
  const shown = columns.filter(
    ({ wide, value }) =>
      isWide ||
      wide === undefined ||
      (wide === "if empty" && rows.some((row) => value(row) !== undefined)),
  );
  const texts = rows.map((row) => shown.map(({ value }) => printable(`${value(row) ?? NONE}`)));
  const widths = shown.map(({ header }, at) =>
    texts.reduce((width, row) => Math.max(width, widthOf(row[at] ?? "")), header.length),
  );
  const narrowed = isWide ? widths : narrow(shown, widths, layout.columns);
  const partOf = (some: readonly number[], head: readonly string[]) => {
    const table = new Table({
      ...(head.length > 0 && { head: [...head] }),
      colWidths: [...narrowed],
      chars: { ...NO_BORDERS, middle: GAP },
      style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    });
    for (const place of some)
      table.push(
        (texts[place] ?? []).map((text, at) => {
          const { isState, long } = shown[at] as Column<Row>;
          const width = narrowed[at] as number;
          if (widthOf(text) > width)
            return long === "wrap" ? wrapped(text, width) : cut(text, width);
          return isState ? painted(text, style) : text;
        }),
      );
    return table.toString();
  };
  const all = [...places];
  const head = hasHead ? shown.map(({ header }) => style.strong(header)) : [];
  const parts = [partOf(all.slice(0, PART_ROWS), head)];
  for (let at = PART_ROWS; at < all.length; at += PART_ROWS)
    parts.push(partOf(all.slice(at, at + PART_ROWS), []));
  return `${parts
    .join("\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}

/** Returns the widths after the long columns gave up the excess width, as far as `COLUMN_WIDTH_MIN` allows. */
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

/** Wraps a sentence below a table as wide as the table can be. */
export const sentenceText = (sentence: string, { columns }: Layout): string =>
  `${wrapped(sentence, columns ?? WIDTH)}\n`;

const ONE_WIDE = /^[ -~]*$/;

/** Returns the number of columns that a text takes in a terminal, as the library measures it: two for each Chinese character. */
const widthOf = (text: string): number => (ONE_WIDE.test(text) ? text.length : stringWidth(text));

/** Wraps a text at blanks into lines of at most `width` columns; longer words are split. */
function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (widthOf(line) > width) {
      const start = startOf(line, width);
      lines.push(start);
      line = line.slice(start.length);
    }
  }
  return [...lines, line].join("\n");
}

const cut = (text: string, width: number): string => `${startOf(text, width - 1)}…`;

const CHARACTERS = new Intl.Segmenter();

/** Returns the start of a text that fits a width, in whole characters, and at least one of them. */
function startOf(text: string, width: number): string {
  let start = "";
  for (const { segment } of CHARACTERS.segment(text)) {
    if (start !== "" && widthOf(start + segment) > width) break;
    start += segment;
  }
  return start;
}

const GOOD = ["done", "released", "claimed", "confirmed", "deleted", "disowned"];
const BAD = ["failed", "cancelled", "conflict", "contended", "unreadable", "not_owned"];

/** Colors a state: success, failure, or in progress. */
function painted(state: string, { good, bad, warning }: Style): string {
  if (GOOD.includes(state)) return good(state);
  if (BAD.includes(state)) return bad(state);
  return state === NONE ? state : warning(state);
}
