import type * as v from "valibot";
import { shortDigest } from "../api/http/body.ts";
import { type HttpAnswer, withTenant } from "../api/http/event.ts";
import { invalid, PROBLEMS, Problem, thrownProblem } from "../api/schema/problem.ts";
import { ADDRESSES_PER_PAGE_MAX } from "../base/limits.ts";
import { addressAt, type Cidr, formatCidr, parseCidr, sameCidr } from "../net/cidr.ts";
import type {
  prefixAssignment,
  prefixesRead,
  prefixesReleased,
} from "../nouns/prefix/contract/answer.ts";
import { dryRunFirst, keptOf, keptUnderKey, problemFrom, told } from "./all-or-none.ts";
import { keysIn } from "./assign.ts";
import { netboxAvailablePrefix, netboxPrefix, oneOrMore } from "./contract/bodies.ts";
import {
  HANDLE_FIELD,
  inWordsOfNetbox,
  NETBOX_HANDLES,
  type Said,
  saidOfPrefix,
  sentIn,
  toAssign,
  withOwnTenant,
} from "./fields.ts";
import { afterJob } from "./job.ts";
import { type Network, networksOf, networkWith, type PoolBody } from "./networks.ts";
import { inPlaceOf, type Plat, pagesOf } from "./plat.ts";
import { isIn } from "./prefix-filter.ts";
import { itemOf, netboxPrefixBody, type PrefixItem } from "./prefix-item.ts";
import { networkOf } from "./prefixes.ts";
import { type DialectRequest, type Operation, parseNetboxBody } from "./request.ts";
import { spaceOfBody } from "./vrfs.ts";

const AVAILABLE = oneOrMore(netboxAvailablePrefix);
const NEW = { one: netboxPrefix, list: netboxPrefix };
const LOCATION = "/api/ipam/prefixes/";

/**
 * Assigns the next free prefixes of a pool of prefixes, one for each object of the body: all, or none. A handle that the client names has
 * one prefix of the pool, so a repeat returns it. One object is safe to repeat under a key too.
 */
export const createAvailablePrefixes: Operation = async (asked, plat) => {
  const { items: wanted, isList } = parseNetboxBody(asked, AVAILABLE);
  const { network } = await networkOf(asked, plat);
  const keys = keysIn(asked.event, wanted.length);
  const all = wanted.map(({ prefix_length: length, status: _, ...fields }, n) => ({
    ...{ said: saidOfPrefix(fields), size: { family: network.cidr.family, prefixLength: length } },
    ...(keys[n] !== undefined && { key: keys[n] }),
  }));
  rejectTwice(all.map(({ said: { handle } }) => handle));
  const assign = (there: Plat) => assignPrefixes(asked, there, network, all);
  if (all.length > 1) await dryRunFirst(plat, assign);
  return created(await assign(plat), isList, asked);
};

async function assignPrefixes(
  asked: DialectRequest,
  plat: Plat,
  network: Network,
  all: readonly PrefixWanted[],
): Promise<readonly PrefixItem[]> {
  const items: PrefixItem[] = [];
  const made: PrefixItem[] = [];
  for (const each of all) {
    const before = await heldBefore(plat, network.space, each.said);
    const item = await assignPrefix(asked, plat, network, each).catch(problemFrom);
    if (item instanceof Problem) {
      // A dry run keeps nothing.
      if (all.length === 1 || !plat.dryRun) throw item;
      // An earlier request under the key may have got some of them.
      if (each.key !== undefined)
        throw told(item, keptUnderKey(items.length, all.length, "prefixes"));
      let isLeft = PROBLEMS[item.code].status >= 429;
      for (const one of made)
        isLeft = (await releasePrefix(plat, one).catch(problemFrom)) !== undefined || isLeft;
      throw told(item, keptOf("prefixes", isLeft));
    }
    const had = before.get(formatCidr(item.cidr));
    items.push(had ? { ...item, held: had } : item);
    if (!had) made.push(item);
  }
  return items;
}

/** Returns the prefixes that a handle of the client has before the request: it changes none of them, and no failure releases one. */
async function heldBefore(
  plat: Plat,
  space: string,
  { handle }: Said,
): Promise<ReadonlyMap<string, Prefixes["prefixes"][number]>> {
  const held = new Map<string, Prefixes["prefixes"][number]>();
  if (handle === undefined) return held;
  const wanted = { space, query: { handle, limit: String(ADDRESSES_PER_PAGE_MAX) } };
  try {
    for await (const { prefixes } of pagesOf<Prefixes>(plat, "GET /v1/prefixes", wanted))
      for (const prefix of prefixes) held.set(prefix.cidr, prefix);
  } catch (error) {
    if (thrownProblem(error).code !== "not_found") inWordsOfNetbox(error);
  }
  return held;
}

type Prefixes = v.InferOutput<typeof prefixesRead>;

function rejectTwice(handles: readonly (string | undefined)[]): void {
  const named = handles.filter((handle) => handle !== undefined);
  if (new Set(named).size === named.length) return;
  const problem = "must differ in all objects of one request: a handle has one prefix of a pool";
  throw invalid({ field: "custom_fields.handle", problem });
}

/**
 * Creates a prefix. Inside a pool of prefixes it is assigned to a handle. Elsewhere it is a pool of its CIDR: one of a subnet, unless it
 * is a pool in NetBox's sense, or one of prefixes for a container.
 */
export const createPrefix: Operation = async (asked, plat) => {
  const { items } = parseNetboxBody(asked, NEW);
  const [key] = keysIn(asked.event, 1);
  const [{ prefix, status = "active", is_pool: isPool = false, vrf, ...fields } = NONE] = items;
  if (!prefix) throw invalid({ field: "prefix", problem: "is required" });
  const said = saidOfPrefix(fields);
  const space = await spaceOfBody(vrf, plat);
  const networks = await networksOf(plat, space);
  const staying = networks.filter((network) => !isGoing(network));
  if (staying.some(({ cidr }) => sameCidr(cidr, prefix))) throw exists(formatCidr(prefix));
  const containers = staying.filter(
    ({ cidr, pools }) => isIn(prefix, cidr) && pools.some(({ assign }) => assign === "prefixes"),
  );
  // Plat assigns from the innermost one, and the id is a place in it.
  const container = networkWith(containers, addressAt(prefix, 0));
  if (container) {
    rejectOther("status", status, ["active"], "inside a container");
    rejectOther("is_pool", isPool, [false], "inside a container: its first address makes it one");
    const size = { cidr: formatCidr(prefix) };
    const wanted = { said, size, ...(key !== undefined && { key }) };
    const item = await assignPrefix(asked, plat, container, wanted).catch(
      inPlaceOf("already_assigned", () => exists(size.cidr)),
    );
    return created([item], false, asked);
  }
  const { description, tags, ...more } = toAssign(said.attributes);
  const { handle } = said;
  const unkept = sentIn({ ...more, ...(handle !== undefined && { [HANDLE_FIELD]: handle }) });
  if (unkept.length > 0) {
    const problem =
      "must be empty: a pool has a description and tags, and no other texts of NetBox";
    throw invalid(...unkept.map((each) => ({ ...each, problem })));
  }
  rejectOther("status", status, ["active", "container"], "for a new pool");
  if (status === "container") rejectOther("is_pool", isPool, [false], "for a container");
  const kind = status === "container" ? { assign: "prefixes" } : isPool ? {} : { kind: "subnet" };
  const labelled = { ...(description && { description }), ...(tags && { tags: tags.split(",") }) };
  await createPool(plat, space, prefix, { ...kind, ...labelled })
    .catch(inPlaceOf("precondition_failed", () => exists(formatCidr(prefix))))
    .catch(afterJob(plat, space));
  return created([itemOf(await networkAt(plat, space, prefix))], false, asked);
};

const NONE: Partial<v.InferOutput<typeof netboxPrefix>> = {};

function rejectOther<T>(field: string, value: T, possible: readonly T[], where: string): void {
  if (possible.includes(value)) return;
  throw invalid({ field, value, problem: `must be ${possible.join(" or ")} ${where}` });
}

/** Returns true for a network whose pools are all being deleted. */
const isGoing = ({ pools }: Network): boolean => pools.every(({ state }) => state === "deleting");

const exists = (cidr: string): Problem =>
  invalid({ field: "prefix", value: cidr, problem: "exists already" });

/** Returns the network of an assigned prefix. The first request for an address in it makes a pool of the prefix. */
export async function networkIn(plat: Plat, item: PrefixItem): Promise<Network> {
  const { network, cidr } = item;
  const { space, pools } = network;
  const parent = pools.find(({ assign }) => assign === "prefixes")?.name;
  const pool = { ...(parent !== undefined && { parent }), kind: "subnet" };
  // Another request may have made it meanwhile.
  const made = await createPool(plat, space, cidr, pool).catch(problemFrom);
  if (made instanceof Problem && made.code !== "precondition_failed")
    return afterJob(plat, space)(made);
  return networkAt(plat, space, cidr);
}

/** The start of the names of the pools that the dialect makes. */
const POOL_NAMES = "netbox-";

/** Returns true for a pool that the dialect made of an assigned prefix. */
export const isMadeHere = ({ name, parent }: PoolBody): boolean =>
  parent !== undefined && name.startsWith(POOL_NAMES);

function createPool(plat: Plat, space: string, prefix: Cidr, pool: object): Promise<unknown> {
  const cidr = formatCidr(prefix);
  const name = `${POOL_NAMES}${cidr.replaceAll(/[.:/]/g, "-")}`;
  return plat.call("PUT /v1/pools/{name}", {
    ...{ space, path: { name }, headers: { "if-none-match": "*" }, body: { cidr, ...pool } },
  });
}

async function networkAt(plat: Plat, space: string, cidr: Cidr): Promise<Network> {
  const networks = await networksOf(plat, space);
  const network = networks.find((each) => sameCidr(each.cidr, cidr));
  if (network) return network;
  const detail = `Another request is making the pool of ${formatCidr(cidr)}: send the request again.`;
  throw new Problem("unavailable", detail);
}

function created(
  items: readonly PrefixItem[],
  isList: boolean,
  { base }: DialectRequest,
): HttpAnswer {
  const bodies = items.map((item) => netboxPrefixBody(item, base) ?? {});
  return { status: 201, location: LOCATION, body: isList ? bodies : (bodies[0] ?? {}) };
}

/** A prefix to assign: a specific one, or the next free one. */
interface PrefixWanted {
  readonly said: Said;
  readonly size:
    | { readonly cidr: string }
    | { readonly family: 4 | 6; readonly prefixLength: number };
  readonly key?: string;
}

async function assignPrefix(
  { event }: DialectRequest,
  plat: Plat,
  network: Network,
  { said, size, key }: PrefixWanted,
): Promise<PrefixItem> {
  const { space, pools } = network;
  const attributes = withTenant(event, withOwnTenant(plat, toAssign(said.attributes)), "tenant");
  // A repeat under a key has the same handle.
  const made = key === undefined ? plat.fresh() : shortDigest(key);
  const handle = said.handle ?? `${NETBOX_HANDLES}${made}`;
  const isNext = "family" in size;
  const body = {
    ...{ handle, attributes, ...size },
    ...(isNext && { pools: pools.map(({ name }) => name) }),
    ...(isNext && said.handle !== undefined && { limitPerHandle: 1 }),
  };
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const done = await plat
    .call<v.InferOutput<typeof prefixAssignment>>("POST /v1/prefixes", { space, headers, body })
    .catch(inWordsOfNetbox);
  const read = parseCidr(done.prefixes[0]?.cidr ?? "");
  if (!read.ok) throw new Problem("pool_exhausted", "No prefix was assigned.");
  if (isNext && (read.value.prefix !== size.prefixLength || !isIn(read.value, network.cidr)))
    throw invalid({
      field: "custom_fields.handle",
      value: handle,
      problem: `has ${formatCidr(read.value)} already, and a handle has one prefix of the family`,
    });
  const item = { network, cidr: read.value, held: { handle, attributes } };
  if (netboxPrefixBody(item, "")) return item;
  await releasePrefix(plat, item);
  throw WITHOUT_ID;
}

const WITHOUT_ID = new Problem(
  "invalid_request",
  "The prefix has no id, because it is not among the first 2^24 of its IPv6 pool. Use POST /v1/prefixes there.",
);

/** Releases an assigned prefix. */
export async function releasePrefix(
  plat: Plat,
  { network, cidr, held }: PrefixItem,
): Promise<void> {
  const { space } = network;
  const body = { handle: held?.handle ?? "", cidr: formatCidr(cidr) };
  const done = await plat.call<v.InferOutput<typeof prefixesReleased>>(
    "POST /v1/prefixes/release",
    { space, body },
  );
  if (done.complete) return;
  throw new Problem("unavailable", `${body.cidr} is not released yet: send the request again.`);
}
