import { stringify } from "yaml";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { styleOf } from "../shell/style.ts";
import { type Column, type Layout, rowsText, tableText } from "./table.ts";
import { parsePath, parseTemplate, type Template, valueText } from "./template.ts";

/** The output of a command: a table for people, and the API's answer for programs. */
export interface Listing<Row> {
  /** The first column has the name of the object, as the commands take it. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The names for `-o name`, if the first column does not have them. */
  readonly names?: readonly string[];
  /** The document for `-o json` and `-o yaml`. */
  readonly document: unknown;
  /** Print the JSON in one line, for a log. */
  readonly inOneLine?: true;
}

/** A result that does not fit one table: text for people, with its line ends. */
export interface Prose {
  readonly text: (layout: Layout) => string;
  /** The document for `-o json`, `-o yaml` and `-o jsonpath`; also for `-o custom-columns` if there are no rows. */
  readonly document: unknown;
  readonly rows?: readonly unknown[];
  /** The names for `-o name`: the objects in the text, as the commands take them. */
  readonly names: readonly string[];
}

export const FORMAT_HELP =
  "wide, name, json, yaml, jsonpath={.path} or custom-columns=NAME:.path,…";

const CUSTOM = "custom-columns=";
const JSON_PATH = "jsonpath=";
const WORDS = ["table", "wide", "name", "json", "yaml"] as const;

/** The formats that completion can list. */
export const FORMATS = ["wide", "name", "json", "yaml", JSON_PATH, CUSTOM];

/**
 * YAML as kubectl prints it. It quotes texts that a reader of YAML 1.1 would take for another type: times, and words
 * such as `on`.
 */
export const YAML = { version: "1.1", indentSeq: false, lineWidth: 0 } as const;

/** The output format of a command. The user sets `columns` and `template`. */
export type Format =
  | (typeof WORDS)[number]
  | { readonly columns: readonly Column<unknown>[] }
  | { readonly template: Template };

/**
 * Parses the value of `-o`, before anything is sent.
 *
 * @throws CommandError (usage) the format is unknown
 */
export function formatOf(text: string): Format {
  if (text.startsWith(CUSTOM)) return { columns: customColumns(text.slice(CUSTOM.length)) };
  if (text.startsWith(JSON_PATH)) return { template: parseTemplate(text.slice(JSON_PATH.length)) };
  const word = WORDS.find((one) => one === text);
  if (word !== undefined) return word;
  throw usageError(`-o is "${text}"; it must be ${FORMAT_HELP}.`);
}

/** Prints a result in a format. */
export function print<Row>(
  { out, terminal }: Io,
  format: Format,
  said: Listing<Row> | Prose,
): void {
  const { document } = said;
  const layout = layoutOf(terminal, format);
  const indent = "inOneLine" in said ? undefined : 2;
  if (format === "json") out(`${JSON.stringify(document, null, indent)}\n`);
  else if (format === "yaml") out(stringify(document, YAML));
  else if (format === "name")
    out(
      namesOf(said)
        .map((name) => `${name}\n`)
        .join(""),
    );
  else if (typeof format === "object")
    out(
      "template" in format
        ? format.template(document)
        : tableText(format.columns, said.rows ?? [document], layout),
    );
  else out("text" in said ? said.text(layout) : tableText(said.columns, said.rows, layout));
}

const layoutOf = (terminal: Io["terminal"], format: Format): Layout => ({
  isWide: format === "wide" || typeof format === "object",
  columns: terminal.columns,
  style: styleOf(terminal.outHasColors),
});

/** Prints some rows of a list, by their places; all of them by default. */
export type PrintRows = <Row>(said: Listing<Row>, places?: readonly number[]) => void;

/**
 * Returns the function that prints rows as they come. A table has its header once. In JSON each row is one line, and in YAML a document
 * of its own.
 */
export function rowsPrinter({ out, terminal }: Io, format: Format): PrintRows {
  const layout = layoutOf(terminal, format);
  let hasHead = false;
  return (said, places = [...said.rows.keys()]) => {
    const rows = places.map((place) => said.rows[place]);
    if (format === "json") for (const row of rows) out(`${JSON.stringify(row)}\n`);
    else if (format === "yaml") for (const row of rows) out(`---\n${stringify(row, YAML)}`);
    else if (format === "name") {
      const names = namesOf(said);
      for (const place of places) out(`${names[place]}\n`);
    } else if (typeof format === "object" && "template" in format)
      for (const row of rows) out(format.template(row));
    else {
      const columns = (typeof format === "object" ? format.columns : said.columns) as Columns<
        typeof said
      >;
      out(
        hasHead
          ? rowsText(columns, said.rows, layout, places)
          : tableText(columns, said.rows, layout),
      );
      hasHead = true;
    }
  };
}

type Columns<Said> = Said extends Listing<infer Row> ? readonly Column<Row>[] : never;

function namesOf<Row>(said: Listing<Row> | Prose): readonly string[] {
  if ("text" in said || said.names) return said.names ?? [];
  const [first] = said.columns;
  return said.rows.map((row) => `${first?.value(row)}`);
}

/**
 * Parses `NAME:.cidr,HOST:.host`: columns by paths into the answer of the API, as in kubectl.
 *
 * @throws CommandError (usage) if the text is no such list
 */
function customColumns(text: string): readonly Column<unknown>[] {
  return text.split(",").map((one) => {
    const [, header, path] = /^([^:]+):(.+)$/.exec(one) ?? [];
    if (header === undefined || path === undefined) throw notColumns(one, "NAME:.path");
    const lookup = lookupOf(one, path);
    return {
      header,
      value: (row) => {
        const values = lookup(row);
        return values.length === 0 ? undefined : values.map(valueText).join(",");
      },
    };
  });
}

function lookupOf(one: string, path: string) {
  try {
    return parsePath(path);
  } catch (error) {
    throw notColumns(
      one,
      `a path such as .cidr or .addresses[0].host (${(error as Error).message})`,
    );
  }
}

const notColumns = (one: string, right: string) =>
  usageError(`-o custom-columns has "${one}"; it must be ${right}.`);
