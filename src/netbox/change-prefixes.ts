import type * as v from "valibot";
import { parseBody } from "../api/http/body.ts";
import { type Event, type HttpAnswer, withTenant } from "../api/http/event.ts";
import { parseSpace } from "../api/http/parameters.ts";
import { attributes } from "../api/schema/attributes.ts";
import { cidr } from "../api/schema/field.ts";
import { invalid, Problem } from "../api/schema/problem.ts";
import { fields, shortened } from "../api/schema/schema.ts";
import { formatCidr, sameCidr } from "../net/cidr.ts";
import type { jobBegun } from "../nouns/job/contract/answer.ts";
import type { prefixesRead } from "../nouns/prefix/contract/answer.ts";
import type { PrefixAmendment } from "../nouns/prefix/operations/amend-prefix.ts";
import { allOrNone, problemFrom } from "./all-or-none.ts";
import { netboxDeletes, netboxPrefixChange, netboxPrefixChanges } from "./contract/bodies.ts";
import { isMadeHere, releasePrefix } from "./create-prefixes.ts";
import {
  changesOf,
  HANDLE_FIELD,
  inWordsOfNetbox,
  saidOfPrefix,
  sentIn,
  withOwnTenant,
} from "./fields.ts";
import { type JobBody, waitsFor } from "./job.ts";
import { networksToDelete, type PoolBody } from "./networks.ts";
import { inPlaceOf, type Plat } from "./plat.ts";
import {
  currentOfPrefix,
  isNetboxPool,
  netboxPrefixBody,
  type PrefixItem,
  statusOf,
} from "./prefix-item.ts";
import { ownedPrefix, prefixWith } from "./prefixes.ts";
import { type Operation, ofBody, parseNetboxBody, parseNetboxList } from "./request.ts";
import { spaceOfBody } from "./vrfs.ts";

const CHANGE = { one: netboxPrefixChange, list: netboxPrefixChange };

type Change = v.InferOutput<typeof netboxPrefixChange>;

/** The key of a write that Plat's own routes do not have: a change of the owner of the prefix that a handle has. */
export const AMEND_PREFIX = "PATCH /v1/prefixes";

const AMENDMENT = fields({ cidr, active: attributes });

/** Parses a change that the dialect makes of the owner of a prefix. */
export function parsePrefixAmendment(event: Event): PrefixAmendment {
  const { cidr, active } = parseBody(event, AMENDMENT);
  withTenant(event, active, "tenant");
  return { space: parseSpace(event), cidr, owner: { active } };
}

/** Changes the description and the tags of a pool, or the fields of an assigned prefix. */
export const changePrefix: Operation = async (asked, plat) => {
  const { items } = parseNetboxBody(asked, CHANGE);
  const item = await ownedPrefix(asked, plat);
  const change = await readyChange(item, items[0] ?? {}, plat);
  return { status: 200, body: netboxPrefixBody(await change(plat), asked.base) ?? {} };
};

/** Changes several prefixes: all, or none. */
export const changePrefixes: Operation = async (asked, plat) => {
  const ready: { readonly id: number; readonly change: ReadyChange }[] = [];
  for (const change of parseNetboxList(asked, netboxPrefixChanges)) {
    const { id } = change;
    const item = await ownedPrefix({ id }, plat).catch(ofBody);
    ready.push({ id, change: await readyChange(item, change, plat) });
  }
  const body = await allOrNone(plat, async (there, written) => {
    const changed: object[] = [];
    for (const { id, change } of ready) {
      changed.push(netboxPrefixBody(await change(there), asked.base) ?? {});
      written(id);
    }
    return changed;
  });
  return { status: 200, body };
};

/** Makes a change that was found to be possible. */
type ReadyChange = (plat: Plat) => Promise<PrefixItem>;

/**
 * Checks a change of a prefix, and returns what makes it. What stays the same is not written.
 *
 * @throws {Problem} if the prefix cannot change so
 */
async function readyChange(
  item: PrefixItem,
  { prefix, status, is_pool: isPool, vrf, ...others }: Change,
  plat: Plat,
): Promise<ReadyChange> {
  const { network } = item;
  const owner = item.held ?? item.madeOf;
  const current = currentOfPrefix(item);
  const said = saidOfPrefix(others, current);
  const space = vrf === undefined ? network.space : await spaceOfBody(vrf, plat);
  const changes = changesOf(current, withOwnTenant(plat, said.attributes));
  const { description, tags, ...more } = changes;
  const fixed = [
    ...(prefix && !sameCidr(prefix, item.cidr)
      ? [{ field: "prefix", value: formatCidr(prefix) }]
      : []),
    ...(space === network.space ? [] : [{ field: "vrf", value: shortened(vrf) }]),
    ...(status === undefined || status === statusOf(item)
      ? []
      : [{ field: "status", value: status }]),
    ...(isPool === undefined || isPool === isNetboxPool(item)
      ? []
      : [{ field: "is_pool", value: isPool }]),
    ...(said.handle === undefined || said.handle === owner?.handle
      ? []
      : sentIn({ [HANDLE_FIELD]: said.handle })),
    ...(owner ? [] : sentIn(more)),
  ];
  const problem = owner
    ? "cannot change: release the prefix, and assign another"
    : "cannot change here; use PUT /v1/pools for a pool";
  if (fixed.length > 0) throw invalid(...fixed.map((each) => ({ ...each, problem })));
  if (Object.keys(changes).length === 0) return async () => item;
  return owner ? (there) => changeOwner(item, changes, there) : changeOfPool(item, changes);
}

/** Changes the owner of a prefix, also of one of which a pool is made. */
async function changeOwner(
  item: PrefixItem,
  changes: Readonly<Record<string, string>>,
  plat: Plat,
): Promise<PrefixItem> {
  const { network, cidr, held, madeOf } = item;
  const { owner } = held ?? madeOf ?? {};
  const active = { ...owner?.active, ...changes };
  const body = { cidr: formatCidr(cidr), active };
  await plat
    .call(AMEND_PREFIX, { space: network.space, body, roleOf: "PATCH /v1/addresses/{ip}" })
    .catch(inWordsOfNetbox);
  const next = { owner: { ...owner, active } };
  return {
    ...item,
    ...(held && { held: { ...held, ...next } }),
    ...(madeOf && { madeOf: { ...madeOf, ...next } }),
  };
}

/** Returns what changes the one pool of a network. */
function changeOfPool(
  item: PrefixItem,
  { description, tags }: Readonly<Record<string, string>>,
): ReadyChange {
  const { network } = item;
  const { space, pools } = network;
  const [{ name } = { name: "" }, ...others] = pools;
  if (others.length > 0) {
    const names = pools.map((pool) => pool.name).join(", ");
    const problem = `is that of several pools, ${names}: change them by PUT /v1/pools`;
    throw invalid({ field: "id", problem });
  }
  return async (plat) => {
    const path = { name };
    const { body: seen, etag } = await plat.read<PoolBody>("GET /v1/pools/{name}", { space, path });
    const body = {
      ...seen,
      ...(description !== undefined && { description }),
      ...(tags !== undefined && { tags: tags.split(",").filter(Boolean) }),
    };
    const headers = { "if-match": etag };
    const pool = await plat.call<PoolBody>("PUT /v1/pools/{name}", { space, path, headers, body });
    return { ...item, network: { ...network, pools: [pool] } };
  };
}

/** Releases an assigned prefix, or deletes the pools of a network. The prefix of which a pool is made is released after its pool. */
export const deletePrefix: Operation = async (asked, plat) => {
  const item = await prefixWith(asked, plat, networksToDelete);
  const isOne = item.held !== undefined || item.network.pools.length === 1;
  const jobs = isOne
    ? await remove(item, plat, () => undefined)
    : await allOrNone(plat, (there, written) => remove(item, there, () => written(asked.id)));
  const [job] = jobs;
  if (!job || !standsForPrefix(item)) return GONE;
  const { space, cidr } = item.network;
  const text = formatCidr(cidr);
  const read = await plat
    .call<v.InferOutput<typeof prefixesRead>>("GET /v1/prefixes", {
      ...{ space, query: { cidr: text } },
    })
    .catch(problemFrom);
  // A prefix of which half a pool is made may be released before.
  if (read instanceof Problem && read.code === "not_found") return GONE;
  if (read instanceof Problem) throw read;
  const [held] = read.prefixes;
  const detail = `The pool of ${text} is being deleted, and ${text} can be released when job ${job.id} is done.`;
  if (held)
    await releasePrefix(plat, { ...item, held }).catch(
      inPlaceOf("prefix_in_use", () =>
        waitsFor(job, new Problem("pool_deleting", detail), plat.now()),
      ),
    );
  return GONE;
};

/** Releases and deletes several prefixes: all, or none. */
export const deletePrefixes: Operation = async (asked, plat) => {
  const items: { readonly id: number; readonly item: PrefixItem }[] = [];
  for (const { id } of parseNetboxList(asked, netboxDeletes))
    items.push({ id, item: await prefixWith({ id }, plat, networksToDelete).catch(ofBody) });
  const withPool = items.find(({ item }) => !item.held && standsForPrefix(item));
  if (withPool) {
    const text = formatCidr(withPool.item.cidr);
    throw new Problem(
      "prefix_in_use",
      `${text} has a pool, which a job deletes before the prefix is released: delete it alone first. This request changed nothing.`,
      { cidr: text },
    );
  }
  await allOrNone(plat, async (there, written) => {
    for (const { id, item } of items) {
      await remove(item, there, () => written(id));
    }
  });
  return GONE;
};

/** Returns true for a network that the dialect shows as the assigned prefix of which it is made. A DELETE releases that too. */
const standsForPrefix = ({ network: { pools } }: PrefixItem): boolean =>
  pools.some(isMadeHere) ||
  pools.every(({ parent, state }) => parent !== undefined && state === "pending");

const GONE: HttpAnswer = { status: 204, body: undefined };

/**
 * Releases a prefix, or begins to delete the pools of a network.
 *
 * @param written is called after each write
 * @returns the jobs of the pools
 */
async function remove(
  item: PrefixItem,
  plat: Plat,
  written: () => void,
): Promise<readonly JobBody[]> {
  const { space, pools } = item.network;
  const jobs: JobBody[] = [];
  if (item.held) await releasePrefix(plat, item);
  else
    for (const { name } of pools) {
      const { job } = await plat.call<v.InferOutput<typeof jobBegun>>("DELETE /v1/pools/{name}", {
        ...{ space, path: { name }, headers: { "if-match": "*" } },
      });
      jobs.push(job);
      written();
    }
  written();
  return jobs;
}
