import type * as v from "valibot";
import { type Answer, withTenant } from "../api/http/event.ts";
import { invalid, Problem, thrownProblem } from "../api/schema/problem.ts";
import { type Cidr, formatCidr, parseCidr, sameCidr } from "../net/cidr.ts";
import type { prefixAssignment, prefixesReleased } from "../nouns/prefix/contract/answer.ts";
import {
  netboxAvailablePrefix,
  netboxPrefix,
  netboxPrefixChange,
  oneOrMore,
} from "./contract/bodies.ts";
import { changesOf, NETBOX_HANDLES, saidIn, toAssign } from "./fields.ts";
import { type Network, networksOf } from "./networks.ts";
import { inPlaceOf, type Plat } from "./plat.ts";
import {
  descriptionOf,
  isPoolOf,
  itemOf,
  type PrefixItem,
  prefixBody,
  statusOf,
} from "./prefix-item.ts";
import { networkOf, prefixWith } from "./prefixes.ts";
import { type Asked, type Operation, readBody } from "./request.ts";
import { noSuch, spaceOfBody } from "./vrfs.ts";

const AVAILABLE = oneOrMore(netboxAvailablePrefix);
const NEW = { one: netboxPrefix, list: netboxPrefix };
const CHANGE = { one: netboxPrefixChange, list: netboxPrefixChange };
const LOCATION = "/api/ipam/prefixes/";

/** Assigns the next free prefixes of a pool of prefixes, one for each object of the body: all, or none. */
export const createAvailablePrefixes: Operation = async (asked, plat) => {
  const body = readBody(asked, AVAILABLE);
  const found = await networkOf(asked, plat);
  const { network } = found;
  const items: PrefixItem[] = [];
  for (const each of body.items) {
    const { prefix_length: length, status: _, ...fields } = each;
    const item = await assignPrefix(asked, plat, network, { fields, length }).catch(thrownProblem);
    if (!(item instanceof Problem)) {
      items.push(item);
      continue;
    }
    for (const made of items) await releasePrefix(plat, made).catch(thrownProblem);
    throw item;
  }
  const bodies = items.map((item) => prefixBody(item, asked.base) ?? {});
  return { status: 201, location: LOCATION, body: body.isList ? bodies : (bodies[0] ?? {}) };
};

/** Creates a pool of a CIDR: one of a subnet, unless it is a pool in NetBox's sense, or one of prefixes for a container. */
export const createPrefix: Operation = async (asked, plat) => {
  const body = readBody(asked, NEW);
  const [{ prefix, status = "active", is_pool: isPool = false, vrf, ...fields } = NONE] =
    body.items;
  if (!prefix) throw invalid({ field: "prefix", problem: "is required" });
  const said = saidIn(fields);
  const unkept = Object.entries(said.attributes).filter(([, value]) => value !== "");
  if (unkept.length > 0)
    throw invalid(
      ...unkept.map(([field]) => ({ field, problem: "must be empty: a pool keeps its name only" })),
    );
  if (status !== "active" && status !== "container")
    throw invalid({ field: "status", value: status, problem: "must be active or container" });
  const space = await spaceOfBody(vrf, plat);
  const cidr = formatCidr(prefix);
  const name = `netbox-${cidr.replaceAll(/[.:/]/g, "-")}`;
  const kind = status === "container" ? { assign: "prefixes" } : isPool ? {} : { kind: "subnet" };
  await plat
    .call("PUT /v1/pools/{name}", {
      ...{ space, path: { name }, headers: { "if-none-match": "*" }, body: { cidr, ...kind } },
    })
    .catch(inPlaceOf("precondition_failed", () => exists(cidr)));
  return createdIn(asked, plat, space, prefix);
};

/** Answers a change of a prefix that changes nothing, as clients send it after each create. Any other is rejected. */
export const changePrefix: Operation = async (asked, plat) => {
  const body = readBody(asked, CHANGE);
  const item = await prefixWith(asked, plat);
  const [{ prefix, status, is_pool: isPool, vrf, ...fields } = {}] = body.items;
  const said = saidIn(fields);
  const space = vrf === undefined ? item.network.space : await spaceOfBody(vrf, plat);
  const { held, cidr } = item;
  const { description = "", ...attributes } = said.attributes;
  const changed = [
    ...(prefix && !sameCidr(prefix, cidr) ? ["prefix"] : []),
    ...(space === item.network.space ? [] : ["vrf"]),
    ...(status === undefined || status === statusOf(item) ? [] : ["status"]),
    ...(isPool === undefined || isPool === isPoolOf(item) ? [] : ["is_pool"]),
    // A client that has no description sends none.
    ...(description === "" || description === descriptionOf(item) ? [] : ["description"]),
    ...Object.keys(changesOf(held?.attributes ?? {}, attributes)),
  ];
  if (changed.length === 0) return { status: 200, body: prefixBody(item, asked.base) ?? {} };
  const problem = "cannot change here; use PUT /v1/pools for a pool";
  throw invalid(...changed.map((field) => ({ field, problem })));
};

/** Releases an assigned prefix, or deletes the pools of a network. */
export const deletePrefix: Operation = async (asked, plat) => {
  const item = await prefixWith(asked, plat);
  if (item.held) {
    await releasePrefix(plat, item);
    return GONE;
  }
  const { space, pools } = item.network;
  for (const { name } of pools) {
    await plat.call("DELETE /v1/pools/{name}", {
      ...{ space, path: { name }, headers: { "if-match": "*" } },
    });
  }
  return GONE;
};

const GONE: Answer = { status: 204, body: undefined };
const NONE: Partial<v.InferOutput<typeof netboxPrefix>> = {};

const exists = (cidr: string): Problem =>
  invalid({ field: "prefix", value: cidr, problem: "exists already" });

async function createdIn({ base }: Asked, plat: Plat, space: string, cidr: Cidr): Promise<Answer> {
  const networks = await networksOf(plat, space);
  const network = networks.find((each) => sameCidr(each.cidr, cidr));
  if (!network) throw noSuch("prefix", 0);
  const body = prefixBody(itemOf(network), base) ?? {};
  return { status: 201, location: LOCATION, body };
}

/** A prefix to assign. */
interface PrefixWanted {
  readonly fields: Parameters<typeof saidIn>[0];
  readonly length: number;
}

async function assignPrefix(
  { event }: Asked,
  plat: Plat,
  network: Network,
  { fields, length }: PrefixWanted,
): Promise<PrefixItem> {
  const { space, cidr, pools } = network;
  const said = saidIn(fields);
  const attributes = withTenant(event, toAssign(said.attributes), "custom_fields");
  const handle = said.handle ?? `${NETBOX_HANDLES}${plat.fresh()}`;
  const body = {
    ...{ handle, attributes, family: cidr.family, prefixLength: length },
    pools: pools.map(({ name }) => name),
  };
  const done = await plat.call<v.InferOutput<typeof prefixAssignment>>("POST /v1/prefixes", {
    ...{ space, body },
  });
  const read = parseCidr(done.prefixes[0]?.cidr ?? "");
  if (!read.ok) throw new Problem("pool_exhausted", "No prefix was assigned.");
  const item = { network, cidr: read.value, held: { handle, attributes } };
  if (prefixBody(item, "")) return item;
  await releasePrefix(plat, item);
  throw WITHOUT_ID;
}

const WITHOUT_ID = new Problem(
  "invalid_request",
  "The prefix has no id, because it is not among the first 2^24 of its IPv6 pool. Use POST /v1/prefixes there.",
);

async function releasePrefix(plat: Plat, { network, cidr, held }: PrefixItem): Promise<void> {
  const { space } = network;
  const body = { handle: held?.handle ?? "", cidr: formatCidr(cidr) };
  const done = await plat.call<v.InferOutput<typeof prefixesReleased>>(
    "POST /v1/prefixes/release",
    {
      ...{ space, body },
    },
  );
  if (done.complete) return;
  throw new Problem("unavailable", `${body.cidr} is not released yet: send the request again.`);
}
