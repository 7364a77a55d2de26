import * as v from "valibot";
import { parseNumber } from "../../domain/application.ts";
import {
  APPLICATION_REPLICAS_MAX,
  APPLICATION_START_MAX,
  APPLICATIONS_PER_PAGE_DEFAULT,
  APPLICATIONS_PER_PAGE_MAX,
  POOLS_PER_REQUEST_MAX,
} from "../../domain/limits.ts";
import {
  flag,
  interfaceName,
  kindName,
  namespaceName,
  poolsMeant,
  readable,
  resourceName,
  unique,
  whole,
} from "../schema/field.ts";
import { fields, list, rule } from "../schema/schema.ts";
import { interfaceList } from "./interfaces.ts";
import { pageEntries } from "./query.ts";

const number = readable(parseNumber, {
  description:
    "The number of addresses that Plat holds for each interface and family: `5`, or `+2` for two more than the replicas",
  examples: ["5", "+1"],
});

const pools = v.pipe(
  list(
    poolsMeant,
    { min: 1, max: POOLS_PER_REQUEST_MAX },
    {
      type: "must be an array of names, CIDRs or patterns of pools",
      min: "must name a pool",
      max: `must name at most ${POOLS_PER_REQUEST_MAX} pools`,
    },
  ),
  unique<string>("must name each pool once"),
);

const interfaces = interfaceList(fields({ name: interfaceName, pools }), "its pools");

const addresses = v.pipe(
  fields({
    number: v.optional(number, "+1"),
    pools: v.optional(pools),
    interfaces: v.optional(interfaces),
    keep: v.optional(flag, false),
  }),
  rule((wanted) => {
    const given = [wanted.pools, wanted.interfaces].filter((each) => each !== undefined).length;
    if (given === 1) return [];
    const problem =
      given === 0
        ? "is missing, and so is interfaces; send the pools of the addresses"
        : "excludes interfaces; send one list of pools, or those of each interface";
    return [{ field: "pools", problem }];
  }),
);

export const applicationBody = fields({
  replicas: whole(0, APPLICATION_REPLICAS_MAX),
  start: v.optional(whole(0, APPLICATION_START_MAX), 0),
  addresses: v.optional(addresses),
  // A caller can change the answer of a GET and PUT it back.
  namespace: v.optional(namespaceName),
  kind: v.optional(kindName),
  name: v.optional(resourceName),
  state: v.optional(v.unknown()),
  members: v.optional(v.unknown()),
  complete: v.optional(v.unknown()),
  refusal: v.optional(v.unknown()),
});

export const applicationQuery = pageEntries(
  APPLICATIONS_PER_PAGE_DEFAULT,
  APPLICATIONS_PER_PAGE_MAX,
);
