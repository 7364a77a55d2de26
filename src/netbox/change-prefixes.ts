import type * as v from "valibot";
import { parseBody } from "../api/http/body.ts";
import { type Event, type HttpAnswer, withTenant } from "../api/http/event.ts";
import { parseSpace } from "../api/http/parameters.ts";
import { attributes } from "../api/schema/attributes.ts";
import { cidr } from "../api/schema/field.ts";
import { invalid } from "../api/schema/problem.ts";
import { fields } from "../api/schema/schema.ts";
import { formatCidr, sameCidr } from "../net/cidr.ts";
import type { prefixesRead } from "../nouns/prefix/contract/answer.ts";
import type { PrefixAmendment } from "../nouns/prefix/operations/amend-prefix.ts";
import { netboxDeletes, netboxPrefixChange, netboxPrefixChanges } from "./contract/bodies.ts";
import { isMadeHere, releasePrefix } from "./create-prefixes.ts";
import { changesOf, saidIn } from "./fields.ts";
import type { PoolBody } from "./networks.ts";
import type { Plat } from "./plat.ts";
import {
  currentOfPrefix,
  isNetboxPool,
  netboxPrefixBody,
  type PrefixItem,
  statusOf,
} from "./prefix-item.ts";
import { prefixWith } from "./prefixes.ts";
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
  const item = await prefixWith(asked, plat);
  const change = await readyChange(item, items[0] ?? {}, plat);
  return { status: 200, body: netboxPrefixBody(await change(), asked.base) ?? {} };
};

/** Changes several prefixes, after all of the changes are found to be possible. */
export const changePrefixes: Operation = async (asked, plat) => {
  const ready: (() => Promise<PrefixItem>)[] = [];
  for (const change of parseNetboxList(asked, netboxPrefixChanges)) {
    const item = await prefixWith({ ...asked, id: change.id }, plat).catch(ofBody);
    ready.push(await readyChange(item, change, plat));
  }
  const body: object[] = [];
  for (const change of ready) body.push(netboxPrefixBody(await change(), asked.base) ?? {});
  return { status: 200, body };
};

/**
 * Checks a change of a prefix, and returns what makes it. What stays the same is not written.
 *
 * @throws {Problem} if the prefix cannot change so
 */
async function readyChange(
  item: PrefixItem,
  { prefix, status, is_pool: isPool, vrf, ...others }: Change,
  plat: Plat,
): Promise<() => Promise<PrefixItem>> {
  const { network, held } = item;
  const current = currentOfPrefix(item);
  const said = saidIn(others, current);
  const space = vrf === undefined ? network.space : await spaceOfBody(vrf, plat);
  const changes = changesOf(current, said.attributes);
  const { description, tags, ...more } = changes;
  const fixed = [
    ...(prefix && !sameCidr(prefix, item.cidr) ? ["prefix"] : []),
    ...(space === network.space ? [] : ["vrf"]),
    ...(status === undefined || status === statusOf(item) ? [] : ["status"]),
    ...(isPool === undefined || isPool === isNetboxPool(item) ? [] : ["is_pool"]),
    ...(said.handle === undefined || said.handle === held?.handle ? [] : ["custom_fields.handle"]),
    ...(held ? [] : Object.keys(more)),
  ];
  const problem = held
    ? "cannot change: release the prefix, and assign another"
    : "cannot change here; use PUT /v1/pools for a pool";
  if (fixed.length > 0) throw invalid(...fixed.map((field) => ({ field, problem })));
  if (Object.keys(changes).length === 0) return async () => item;
  return held ? () => changeHeld(item, changes, plat) : changeOfPool(item, changes, plat);
}

async function changeHeld(
  item: PrefixItem,
  changes: Readonly<Record<string, string>>,
  plat: Plat,
): Promise<PrefixItem> {
  const { network, cidr, held } = item;
  const active = { ...held?.owner?.active, ...changes };
  await plat.call(AMEND_PREFIX, {
    ...{ space: network.space, body: { cidr: formatCidr(cidr), active } },
    roleOf: "PATCH /v1/addresses/{ip}",
  });
  return { ...item, held: { handle: "", ...held, owner: { ...held?.owner, active } } };
}

/** Returns what changes the one pool of a network. */
function changeOfPool(
  item: PrefixItem,
  { description, tags }: Readonly<Record<string, string>>,
  plat: Plat,
): () => Promise<PrefixItem> {
  const { network } = item;
  const { space, pools } = network;
  const [{ name } = { name: "" }, ...others] = pools;
  if (others.length > 0) {
    const names = pools.map((pool) => pool.name).join(", ");
    const problem = `is that of several pools, ${names}: change them by PUT /v1/pools`;
    throw invalid({ field: "id", problem });
  }
  return async () => {
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

/** Releases an assigned prefix, or deletes the pools of a network. */
export const deletePrefix: Operation = async (asked, plat) => {
  await remove(await prefixWith(asked, plat), plat);
  return GONE;
};

/** Releases and deletes several prefixes, after all of them are found. */
export const deletePrefixes: Operation = async (asked, plat) => {
  const items: PrefixItem[] = [];
  for (const { id } of parseNetboxList(asked, netboxDeletes))
    items.push(await prefixWith({ ...asked, id }, plat).catch(ofBody));
  for (const item of items) await remove(item, plat);
  return GONE;
};

const GONE: HttpAnswer = { status: 204, body: undefined };

async function remove(item: PrefixItem, plat: Plat): Promise<void> {
  if (item.held) return releasePrefix(plat, item);
  const { space, cidr, pools } = item.network;
  for (const { name } of pools) {
    await plat.call("DELETE /v1/pools/{name}", {
      ...{ space, path: { name }, headers: { "if-match": "*" } },
    });
  }
  if (!pools.some(isMadeHere)) return;
  // The dialect made the pool for the addresses of an assigned prefix. It goes with its pool, which a job deletes.
  const query = { cidr: formatCidr(cidr) };
  const read = await plat.call<v.InferOutput<typeof prefixesRead>>("GET /v1/prefixes", {
    ...{ space, query },
  });
  const [held] = read.prefixes;
  if (held) await releasePrefix(plat, { ...item, held });
}
