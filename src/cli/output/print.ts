import { stringify } from "yaml";
import { usageError } from "../exit.ts";
import type { Io } from "../io.ts";
import { customColumns } from "./custom-columns.ts";
import { tableText } from "./table.ts";

/** A column of a table: what stands in it of a row; nothing shows as `<none>`, as kubectl does. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number | boolean | undefined;
  /** Only with `-o wide`. */
  readonly wide?: true;
}

/** What a command has to say: as a table for people, and as the API said it for programs. */
export interface Listing<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** For `-o json` and `-o yaml`. */
  readonly document: unknown;
}

export const FORMAT_HELP = "wide, json, yaml or custom-columns=NAME:.path,…";

const CUSTOM = "custom-columns=";

/** What may be said of a format, as far as it can be listed. */
export const FORMATS = ["wide", "json", "yaml", CUSTOM];

/** Prints a listing. Errors: a format that is none. */
export function print<Row>({ out }: Io, format: string, listing: Listing<Row>): void {
  const { columns, rows, document } = listing;
  if (format === "json") out(`${JSON.stringify(document, null, 2)}\n`);
  else if (format === "yaml") out(stringify(document));
  else if (format.startsWith(CUSTOM))
    out(tableText(customColumns(format.slice(CUSTOM.length)), rows));
  else if (format === "wide") out(tableText(columns, rows));
  else if (format === "table")
    out(
      tableText(
        columns.filter(({ wide }) => !wide),
        rows,
      ),
    );
  else throw usageError(`-o is "${format}"; it must be ${FORMAT_HELP}.`);
}
