import { CsvError, type Info, parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import type { PlatClient } from "../../client/index.ts";
import { type AffinityType, hostId } from "../../kernel/values/host.ts";
import { type Parsed, parsed, unreadable } from "../../net/address.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";
import type { Desired, DesiredAddress } from "../import/desired.ts";
import { desiredInPools } from "../import/in-pools.ts";
import { usageError } from "../shell/exit.ts";
import type { OwnedBlocks } from "../space/space.ts";
import { readEntries } from "./entries.ts";

const COLUMNS = ["address", "handle", "host", "attributes", "affinityType"] as const;
const REQUIRED = COLUMNS.slice(0, 3);
/** The shortest first line of a table. */
export const HEADER = REQUIRED.join(",");
/** The columns, for people. */
const COLUMNS_NEEDED = `${COLUMNS.join(",")}, of which attributes and affinityType may be left out`;
const HOST_TYPES: readonly AffinityType[] = ["host", "virtual"];

/** Returns the desired state of tables, in existing pools. Errors: lines that cannot be read, each with its number. */
export const desiredFromCsv = (
  client: PlatClient,
  texts: ReadonlyMap<string, string>,
): Promise<Desired> =>
  desiredInPools(
    client,
    [...texts].flatMap(([file, text]) => addressesInTable(file, text)),
  );

/** Parses the lines of a table; its first line names the columns in any order, in any case. */
export const addressesInTable = (file: string, text: string): DesiredAddress[] =>
  readEntries(
    linesOf(file, text).map(({ record, info }) => ({
      line: record,
      where: `${file}, line ${info.lines}`,
    })),
    ({ line, where }) => lineOf(line, where),
  );

type Line = Readonly<Record<string, string | undefined>>;

/**
 * Reads a table. The library determines the names of the members. A text without a line is an error: a table without addresses has
 * its first line, and an export that failed leaves nothing.
 */
function linesOf(file: string, text: string): { readonly record: Line; readonly info: Info }[] {
  if (text.trim() === "")
    throw usageError(`${file} is empty; its first line must name the columns ${COLUMNS_NEEDED}.`);
  try {
    return parse(text, {
      skip_empty_lines: true,
      info: true,
      columns: (header: string[]) => columnsOf(file, header),
    }) as unknown as { record: Line; info: Info }[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw usageError(`${file} cannot be read as CSV: ${error.message}`);
  }
}

function columnsOf(file: string, header: readonly string[]): string[] {
  const names = header.map((name) => {
    const plain = name.trim().toLowerCase();
    return COLUMNS.find((known) => known.toLowerCase() === plain);
  });
  const known = names.filter((name) => name !== undefined);
  const isWhole = REQUIRED.every((name) => known.includes(name));
  if (isWhole && known.length === names.length && new Set(known).size === known.length)
    return known;
  throw usageError(
    `${file} begins with the columns ${JSON.stringify(header.join(",").slice(0, 200))}; they must be ${COLUMNS_NEEDED}, each once.`,
  );
}

/** Reads a line, or returns its error. */
function lineOf(
  { address = "", handle = "", host = "", attributes = "", affinityType = "" }: Line,
  where: string,
): DesiredAddress | string {
  const read = parsePlainAddress(address);
  if (!read.ok) return `address "${address.slice(0, 80)}" ${read.problem}`;
  if (handle === "") return "handle is missing";
  if (host === "") return "host is missing";
  const set = parseAttributes(attributes);
  if (!set.ok) return `attributes ${set.problem}`;
  const type = HOST_TYPES.find((known) => known === (affinityType || "host"));
  if (type === undefined)
    return `affinityType is "${affinityType.slice(0, 80)}"; it must be ${HOST_TYPES.join(" or ")}, and is host if it is empty`;
  return {
    address: read.value,
    handle,
    host: hostId(type, host),
    attributes: set.value,
    where,
  };
}

/**
 * Formats attributes as one cell of the table, in the order of names: `pod=web-0;namespace=shop`. A backslash escapes
 * `;`, `=`, a backslash, or a blank around a name; in a value, `=` and blanks need no escape.
 */
export function attributesText(attributes: Readonly<Record<string, string>>): string {
  const escaped = (text: string, what: RegExp) => text.replaceAll(what, "\\$&");
  return Object.entries(attributes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escaped(name, /[\\;=]|^\s|\s$/g)}=${escaped(value, /[\\;]/g)}`)
    .join(";");
}

/** Parses attributes. Inverse of `attributesText`. */
export function parseAttributes(text: string): Parsed<Readonly<Record<string, string>>> {
  if (endsInBackslash(text))
    return unreadable(
      "ends with a backslash, which stands before what it means as it is; \\\\ means one",
    );
  const entries: [string, string][] = [];
  // Each entry with its escapes: the text up to an unescaped semicolon.
  for (const entry of text.match(/(?:\\.|[^;\\])+/gs) ?? []) {
    const [, name = "", value = ""] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(entry) ?? [];
    const key = plain(trimmed(name));
    if (key === "") return unreadable(`has "${entry}", which is not name=value`);
    if (entries.some(([before]) => before === key)) return unreadable(`names ${key} twice`);
    entries.push([key, plain(value)]);
  }
  return parsed(Object.fromEntries(entries));
}

/** Removes the blanks without a backslash around a name. */
function trimmed(name: string): string {
  const begun = name.trimStart();
  const text = begun.trimEnd();
  return endsInBackslash(text) ? begun.slice(0, text.length + 1) : text;
}

const endsInBackslash = (text: string) => /^(?:\\.|[^\\])*\\$/s.test(text);

const plain = (text: string) => text.replaceAll(/\\(.)/gs, "$1");

/**
 * Formats the addresses of some blocks as a table, one line each.
 *
 * @param escapesFormulas true to put an apostrophe before each value that a spreadsheet would execute
 * (https://owasp.org/www-community/attacks/CSV_Injection). An import would take the apostrophe for a part of the name
 */
export function csvOf({ blocks, owners }: OwnedBlocks, escapesFormulas: boolean): string {
  const lines = blocks.flatMap(({ addresses }) =>
    addresses
      .filter(({ state }) => state === "assigned")
      .map(({ address, handle, host }) => ({
        address,
        handle,
        host,
        attributes: attributesText(owners.get(address)?.owner?.active ?? {}),
        // A host is what a line without a type names.
        affinityType: owners.get(address)?.affinityType === "virtual" ? "virtual" : "",
      })),
  );
  return stringify(lines, {
    header: true,
    columns: [...COLUMNS],
    escape_formulas: escapesFormulas,
  });
}
