import { CsvError, type Info, parse } from "csv-parse/sync";
import type { PlatClient } from "../../client/index.ts";
import { hostId } from "../../kernel/values/host.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";
import type { Desired, DesiredAddress } from "../import/desired.ts";
import { desiredInPools } from "../import/in-pools.ts";
import { usageError, usageErrors } from "../shell/exit.ts";
import { parseAttributes } from "./attributes-text.ts";

const COLUMNS = ["address", "handle", "host", "attributes"] as const;
const REQUIRED = COLUMNS.slice(0, 3);

/** Returns the desired state of tables, in existing pools. Errors: lines that cannot be read, each with its number. */
export const desiredFromCsv = (
  client: PlatClient,
  texts: ReadonlyMap<string, string>,
): Promise<Desired> =>
  desiredInPools(
    client,
    [...texts].flatMap(([file, text]) => addressesOf(file, text)),
  );

/** Parses the lines of a table; its first line names the columns in any order. */
export function addressesOf(file: string, text: string): DesiredAddress[] {
  const lines = linesOf(file, text);
  const problems: string[] = [];
  const addresses: DesiredAddress[] = [];
  for (const { record: line, info } of lines) {
    const where = `${file}, line ${info.lines}`;
    const read = lineOf(line, where);
    if (typeof read === "string") problems.push(`${where}: ${read}`);
    else addresses.push(read);
  }
  if (problems.length > 0) throw usageErrors(problems);
  return addresses;
}

type Line = Readonly<Record<string, string | undefined>>;

/** Reads a table. The library determines the names of the members. */
function linesOf(file: string, text: string): { readonly record: Line; readonly info: Info }[] {
  try {
    return parse(text, {
      bom: true,
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
  const names = header.map((name) => name.trim().toLowerCase());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !COLUMNS.some((known) => known === name));
  if (missing.length === 0 && unknown.length === 0 && new Set(names).size === names.length)
    return names;
  throw usageError(
    `${file} begins with the columns ${JSON.stringify(header.join(",").slice(0, 200))}; they must be ${COLUMNS.join(",")}, each once, of which attributes may be left out.`,
  );
}

/** Reads a line, or returns its error. */
function lineOf(
  { address = "", handle = "", host = "", attributes = "" }: Line,
  where: string,
): DesiredAddress | string {
  const read = parsePlainAddress(address);
  if (!read.ok) return `address "${address.slice(0, 80)}" ${read.problem}`;
  if (handle === "") return "handle is missing";
  if (host === "") return "host is missing";
  const set = parseAttributes(attributes);
  if (!set.ok) return `attributes ${set.problem}`;
  return {
    address: read.value,
    handle,
    host: hostId("host", host),
    attributes: set.value,
    where,
  };
}
