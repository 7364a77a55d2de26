import { Problem } from "../api/schema/problem.ts";
import { handleHash } from "../base/hash.ts";
import type { Page, PageWanted } from "../base/listed.ts";
import { configurationOf, poolAt } from "../kernel/core/configuration.ts";
import type { Context } from "../kernel/core/context.ts";
import { blockOf } from "../kernel/values/block-group.ts";
import { type Address, formatAddress } from "../net/address.ts";
import { contains, formatCidr } from "../net/cidr.ts";
import { assignsPrefixes } from "../nouns/pool/pool.ts";
import { daysOf, type ReadableHistory } from "../table/readable-history.ts";
import { type Entry, historyItems, type Subject } from "./history.ts";

/** A page of a history, the newest first. */
export interface HistoryPage extends Page<Entry, string> {
  readonly keptDays: number;
}

/** A page of the history of an address, with those of the prefixes around it. */
export interface AddressHistoryPage extends HistoryPage {
  readonly address: string;
  /** The smallest prefix around it; absent if it lies in no pool of prefixes. */
  readonly prefix?: string;
}

/** Reads a page of the history of an address. Events of a prefix are events of its addresses, also if a pool is made of the prefix. */
export async function readAddressHistory(
  context: Context,
  history: ReadableHistory | undefined,
  {
    space,
    address,
    ...page
  }: PageWanted<string> & { readonly space: string; readonly address: Address },
): Promise<AddressHistoryPage> {
  if (!history) throw noHistory();
  const prefixes = await prefixesAround(context, space, address);
  const [prefix] = prefixes;
  const text = formatAddress(address);
  const read = await readPage(
    history,
    [text, ...prefixes].map((subject) => ({ space, address: subject })),
    { ...page, nowMs: context.now() },
  );
  return { ...read, address: text, ...(prefix !== undefined && { prefix }) };
}

/** Returns the prefixes of pools around an address, the smallest first. */
async function prefixesAround(
  context: Context,
  space: string,
  address: Address,
): Promise<readonly string[]> {
  // It finds out whether the copy of the configuration is new enough.
  await poolAt(context, space, address);
  const { pools } = await configurationOf(context, space);
  const lengths = pools
    .filter((pool) => assignsPrefixes(pool) && contains(pool.cidr, address))
    .map(({ blockSize }) => blockSize);
  return [...new Set(lengths)]
    .sort((a, b) => b - a)
    .map((length) => formatCidr(blockOf(address, length)));
}

/** Reads a page of the history of a handle. */
export async function readHandleHistory(
  context: Context,
  history: ReadableHistory | undefined,
  {
    space,
    handle,
    ...page
  }: PageWanted<string> & { readonly space: string; readonly handle: string },
): Promise<HistoryPage> {
  if (!history) throw noHistory();
  const subject = { space, handleHash: handleHash(handle) };
  const read = await readPage(history, [subject], { ...page, nowMs: context.now() });
  // Another handle may have the same hash. An event whose owner is not known names none.
  return { ...read, items: read.items.filter((event) => (event.handle ?? handle) === handle) };
}

/** Reads a page of more than one partition. Their entries have one order, that of their keys. */
async function readPage(
  { table, keptMs }: ReadableHistory,
  subjects: readonly Subject[],
  wanted: PageWanted<string> & { readonly nowMs: number },
): Promise<HistoryPage> {
  const page = await historyItems(table).listEntries(subjects, wanted);
  return { ...page, keptDays: daysOf(keptMs) };
}

const noHistory = (): Problem =>
  new Problem(
    "not_published",
    "Nothing is published here, so there is no history. npm start keeps one without --dynamodb.",
  );
