import { CsvError, type Info, parse } from "csv-parse/sync";
import type { PlatClient } from "../../client/index.ts";
import { formatAddress } from "../../net/address.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";
import type { Desired } from "../import/desired.ts";
import { desiredFromSystem, type ForeignAddress } from "../import/in-pools.ts";
import { usageError } from "../shell/exit.ts";
import { inUseOfVrf, readEntries } from "./entries.ts";

/*
 * The tables of addresses of phpIPAM, saved as CSV: the export of addresses, the export of one subnet, and the table that its
 * import takes. Each names its columns in its own way, and people take columns of their own along:
 * https://github.com/phpipam/phpipam/blob/master/app/admin/import-export/export-ipaddr.php
 * https://github.com/phpipam/phpipam/blob/master/app/subnets/addresses/export-subnet.php
 */

/** The names of each column, in small letters and with blanks. */
const COLUMNS = {
  address: ["ip address", "ip addr", "ip"],
  state: ["tag", "ip state", "state"],
  hostname: ["hostname", "dns name"],
  description: ["description"],
  vrf: ["vrf"],
  section: ["section"],
  subnet: ["subnet"],
  mac: ["mac"],
  owner: ["owner"],
  device: ["device", "switch"],
  port: ["port"],
  note: ["note"],
  location: ["location"],
  gateway: ["gateway", "is gateway"],
} as const;

type Column = keyof typeof COLUMNS;
type Line = Readonly<Partial<Record<Column, string>>>;

/** The columns that become attributes as they are. */
const ATTRIBUTES = [
  "hostname",
  "description",
  "section",
  "mac",
  "owner",
  "port",
  "note",
  "location",
] as const satisfies readonly Column[];

/** The states of phpIPAM by their numbers. An administrator can add others. */
const STATES: Readonly<Record<string, string>> = {
  "": "used",
  0: "offline",
  1: "offline",
  2: "used",
  3: "reserved",
  4: "dhcp",
  // The name of `used` before phpIPAM 1.2.
  active: "used",
};
/** The states of addresses that nothing uses, or that a DHCP server gives out. */
const NOT_IN_USE: readonly string[] = ["reserved", "dhcp"];

const VRF_OF_NONE = "default";

/**
 * Returns the desired state of the addresses in use of one VRF, in existing pools. It notes what it leaves out. Errors: a file
 * without a header of phpIPAM, and lines that cannot be read, each with its number.
 *
 * @param vrf the name of the VRF; addresses of none if absent
 */
export async function desiredFromPhpipam(
  client: PlatClient,
  texts: ReadonlyMap<string, string>,
  vrf: string = VRF_OF_NONE,
): Promise<Desired> {
  const tables = [...texts].map(([file, text]) => tableOf(file, text));
  const all = tables.flatMap(({ lines }) => lines);
  const { used, notes } = inUseOfVrf(
    all,
    ({ line }) => (line.vrf || VRF_OF_NONE) === vrf,
    ({ line }) => !NOT_IN_USE.includes(stateOf(line)),
    "their tag is Reserved or DHCP",
  );
  const addresses = readEntries(used, ({ line, where }) => addressOf(line, where));
  const unknown = new Set(tables.flatMap((table) => table.unknown));
  return desiredFromSystem(client, "phpipam", addresses, [
    ...notes,
    ...(unknown.size > 0
      ? [`Left out, because phpIPAM has no such columns: ${[...unknown].join(", ")}.`]
      : []),
  ]);
}

interface Table {
  readonly lines: readonly { readonly line: Line; readonly where: string }[];
  /** The columns that are none of phpIPAM's. */
  readonly unknown: readonly string[];
}

/**
 * Reads a table. Its header is the first line with an address among its columns: the export of a subnet has the name of the
 * subnet above it. A program for tables may separate columns by semicolons, and keep lines of separators only.
 */
function tableOf(file: string, text: string): Table {
  const rows = rowsOf(file, text);
  const at = rows.findIndex(({ record }) => record.some((name) => columnOf(name) === "address"));
  const header = rows[at]?.record.map((name) => ({ name: name.trim(), column: columnOf(name) }));
  if (!header)
    throw usageError(
      `${file} has no line with the columns of phpIPAM: one of them must be "IP Address", ip_addr or ip.`,
    );
  const known = header.flatMap(({ column }) => column ?? []);
  const twice = known.find((column, i) => known.indexOf(column) !== i);
  if (twice !== undefined)
    throw usageError(
      `${file} has two columns for the ${twice}: ${header.flatMap(({ name, column }) => (column === twice ? [name] : [])).join(" and ")}.`,
    );
  const lines = rows.slice(at + 1).map(({ record, info }) => ({
    line: Object.fromEntries(
      header.flatMap(({ column }, i) => (column ? [[column, (record[i] ?? "").trim()]] : [])),
    ),
    where: `${file}, line ${info.lines}`,
  }));
  return {
    lines,
    unknown: header.flatMap(({ name, column }) => (column || name === "" ? [] : [name])),
  };
}

function rowsOf(file: string, text: string) {
  try {
    return parse(text, {
      delimiter: separatorOf(text),
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      relax_column_count: true,
      info: true,
    }) as unknown as { readonly record: readonly string[]; readonly info: Info }[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw usageError(`${file} cannot be read as CSV: ${error.message}`);
  }
}

const SEPARATORS = [",", ";", "\t"] as const;

/** Returns the separator of the columns: the one that the header has most often. */
function separatorOf(text: string): string {
  const header = text
    .split("\n")
    .find((line) => /(^|[,;\t"])\W*ip([ _]addr(ess)?)?\W*([,;\t"]|$)/i.test(line));
  const count = (separator: string) => (header ?? text).split(separator).length;
  return SEPARATORS.reduce((most, one) => (count(one) > count(most) ? one : most));
}

function columnOf(text: string): Column | undefined {
  const name = text.trim().toLowerCase().replaceAll("_", " ");
  const found = Object.entries(COLUMNS).find(([, names]) => names.some((one) => one === name));
  return found?.[0] as Column | undefined;
}

function stateOf({ state = "" }: Line): string {
  const said = state.toLowerCase();
  return STATES[said] ?? said;
}

/** Reads a line, or returns its error. */
function addressOf(line: Line, where: string): ForeignAddress | string {
  const { address: text = "" } = line;
  const read = parsePlainAddress(text.replace(/\/\d+$/, ""));
  if (!read.ok) return `address "${text.slice(0, 80)}" ${read.problem}`;
  const state = stateOf(line);
  return {
    address: read.value,
    handle: `phpipam/${formatAddress(read.value)}`,
    machine: line.device || undefined,
    attributes: {
      ...Object.fromEntries(ATTRIBUTES.map((name) => [name, line[name]])),
      state: state === "used" ? undefined : state,
      gateway: /^(1|yes)$/i.test(line.gateway ?? "") ? "true" : undefined,
    },
    where,
  };
}
