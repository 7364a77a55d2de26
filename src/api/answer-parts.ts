import * as v from "valibot";
import { RULES } from "../selection/acquire-pools.ts";
import { UNFIT } from "../selection/unfit.ts";
import { affinityType } from "./schema/field.ts";
import { PROBLEMS, type ProblemCode } from "./schema/problem.ts";

/** Parts that the answers of more than one resource share. */

export const requestId = v.pipe(v.string(), v.description("Finds the request in the log"));

/** The caller of a request, as the answers name it. */
export const CALLER = "an ARN of IAM, `ISSUER#SUBJECT` or `token:NAME`";

/** The author of a change, and the request by which it came. */
export const actor = v.strictObject({
  principal: v.pipe(
    v.string(),
    v.description(`The caller (${CALLER}), or the name of a function of Plat that acts by itself`),
  ),
  requestId,
  sourceIp: v.optional(v.pipe(v.string(), v.description("Absent if Plat acts by itself"))),
});

export const family = v.picklist([4, 6]);

export const time = v.pipe(v.string(), v.isoTimestamp());

export const effectiveAt = v.pipe(
  time,
  v.description("When the change is in force on every function"),
);

export const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

export const count = v.union([
  whole,
  v.pipe(v.string(), v.regex(/^\d{16,39}$/), v.description("A count beyond 2^53 - 1")),
]);

export const next = v.optional(
  v.pipe(v.string(), v.description("Send it as `?cursor=` to get the next page")),
);

const dryRun = v.optional(v.literal(true));

/** A route of the workloads of a pool. */
const route = v.strictObject({ dst: v.string(), gw: v.string() });

/** The fields of a pool that a workload needs beside its address. */
export const networkSettings = {
  gateway: v.optional(v.string()),
  routes: v.optional(v.array(route)),
  dns: v.optional(v.array(v.string())),
  domain: v.optional(v.string()),
  vlan: v.optional(whole),
  mtu: v.optional(whole),
  labels: v.optional(v.record(v.string(), v.string())),
};

/** The network of an address. A prefix of a node has none. */
export const network = {
  cidr: v.optional(
    v.pipe(
      v.string(),
      v.description("The address with the prefix length of its network, such as `10.1.0.7/24`"),
    ),
  ),
  ...networkSettings,
};

export const problemCode = v.picklist(Object.keys(PROBLEMS) as ProblemCode[]);

export const maxBlocksPerHost = v.pipe(v.nullable(whole), v.description("`null` means no limit"));

export const poolRule = v.pipe(
  v.picklist(RULES),
  v.description("The rule that gives the request its pools"),
);

export const interfaceOf = v.optional(
  v.pipe(v.string(), v.description("The interface, if the request named interfaces")),
);

export const missingOfFamily = v.strictObject({
  family,
  count: whole,
  code: problemCode,
  interface: interfaceOf,
});

export const missing = v.array(missingOfFamily);

export const candidate = {
  family: v.pipe(family, v.description("The family for which the pool was considered")),
  pool: v.pipe(
    v.string(),
    v.description("The name of the pool, or the text of the request if no such pool exists"),
  ),
  cidr: v.optional(v.string()),
  kept: v.pipe(v.boolean(), v.description("Whether the pool can serve the request")),
  order: v.optional(
    v.pipe(
      whole,
      v.description(
        "The place of the pool in the order of search, from 1: by score, then as the request names the pools, then by name",
      ),
    ),
  ),
  score: v.optional(
    v.pipe(
      whole,
      v.description("The sum over the conditions of the pool. Plat tries the highest first"),
    ),
  ),
  code: v.optional(
    v.pipe(v.picklist(UNFIT), v.description("The filter that drops the pool, for programs")),
  ),
  reason: v.optional(v.pipe(v.string(), v.description("Why the pool cannot serve, for people"))),
};

export const unreadableItem = v.strictObject({
  item: v.pipe(v.string(), v.description("The kind and the name of the item, such as `pool main`")),
  format: v.optional(v.pipe(v.number(), v.description("The format of the item"))),
  reads: v.optional(v.pipe(v.number(), v.description("The format that this version reads"))),
  reason: v.string(),
});

export const unreadableItems = v.optional(
  v.pipe(v.array(unreadableItem), v.description("Items of the list that this version cannot read")),
);

export const hostReserved = v.strictObject({
  start: whole,
  end: whole,
  handle: v.optional(v.string()),
  note: v.optional(v.string()),
});

export const host = { host: v.string(), affinityType };

export const attributes = v.record(v.string(), v.string());

/** The fields of an address that concern its owner. */
export const ownership = {
  state: v.picklist(["assigned", "kept", "held", "cooling", "quarantined", "free", "hostReserved"]),
  prefix: v.optional(
    v.pipe(
      v.string(),
      v.description("The prefix that the address lies in, which a node or a handle has"),
    ),
  ),
  handle: v.optional(v.string()),
  workload: v.optional(
    v.pipe(
      v.strictObject({
        namespace: v.string(),
        kind: v.string(),
        name: v.string(),
        instance: v.string(),
        uid: v.string(),
      }),
      v.description("The instance of a workload that has the address, under its last uid"),
    ),
  ),
  host: v.optional(v.string()),
  generation: v.optional(v.string()),
  borrowed: v.optional(v.boolean()),
  interface: interfaceOf,
  assignedAt: v.optional(time),
  expiresAt: v.optional(time),
  availableAt: v.optional(time),
  quarantinedUntil: v.optional(time),
};

/** Fields that a write adds to the resource in its answer. */
export const written = { effectiveAt: v.optional(effectiveAt), dryRun };

export const ignored = v.optional(
  v.pipe(
    v.array(v.string()),
    v.description("The other manifests of the body, by kind and name, which are not applied"),
  ),
);
