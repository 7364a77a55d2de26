import { CsvError, type Info, parse } from "csv-parse/sync";
import type { PlatClient } from "../../client/index.ts";
import { type Address, formatAddress } from "../../domain/address.ts";
import { type Cidr, cidrOf, contains, formatCidr, parseCidr } from "../../domain/cidr.ts";
import { hostId } from "../../domain/host.ts";
import { parsePlainAddress } from "../../domain/plain-form.ts";
import type { Pool } from "../import/current.ts";
import {
  addressConflicts,
  type Conflict,
  type Desired,
  type DesiredAddress,
  type DesiredBlock,
} from "../import/desired.ts";
import { POOL } from "../resource/kind.ts";
import { listAll } from "../resource/list.ts";
import { usageError, usageErrors } from "../shell/exit.ts";
import { parseAttributes } from "./attributes-text.ts";

const COLUMNS = ["address", "handle", "host", "attributes"] as const;
const REQUIRED = COLUMNS.slice(0, 3);

/**
 * Returns the desired state of tables, in existing pools. An existing block keeps its owner; a new one belongs to the
 * host of its first line. Errors: lines that cannot be read, each with its number.
 */
export async function desiredFromCsv(
  client: PlatClient,
  texts: ReadonlyMap<string, string>,
): Promise<Desired> {
  const addresses = [...texts].flatMap(([file, text]) => addressesOf(file, text));
  const current = await listAll<Pool>(client, POOL);
  const pools = current.flatMap(({ cidr, blockSize }) => {
    const read = parseCidr(cidr);
    return read.ok ? [{ cidr: read.value, blockSize }] : [];
  });
  const blocks = new Map<string, DesiredBlock>();
  for (const { address, host } of addresses) {
    const cidr = blockAround(pools, address);
    if (cidr && !blocks.has(formatCidr(cidr)))
      blocks.set(formatCidr(cidr), { cidr, owner: host, orAnyones: true });
  }
  return {
    pools: [],
    reservations: [],
    labelled: [],
    blocks: [...blocks.values()],
    addresses,
    conflicts: [...twice(addresses), ...addresses.flatMap(addressConflicts)],
    notes: [],
  };
}

function blockAround(
  pools: readonly { readonly cidr: Cidr; readonly blockSize: number }[],
  address: Address,
): Cidr | undefined {
  const pool = pools.find(({ cidr }) => contains(cidr, address));
  return pool && cidrOf(address, pool.blockSize);
}

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

function twice(addresses: readonly DesiredAddress[]): Conflict[] {
  const seen = new Map<string, string>();
  return addresses.flatMap(({ address, where }): Conflict[] => {
    const name = formatAddress(address);
    const before = seen.get(name);
    seen.set(name, where);
    if (before === undefined) return [];
    return [{ kind: "address", name, problem: `is there twice: ${before}, and ${where}` }];
  });
}
