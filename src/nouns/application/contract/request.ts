import * as v from "valibot";
import { type Inputs, kept, part, type RequestFields, readsOf, specOf } from "../../../api/noun.ts";
import { pageEntries } from "../../../api/query.ts";
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
} from "../../../api/schema/field.ts";
import { fields, list, rule } from "../../../api/schema/schema.ts";
import {
  APPLICATION_REPLICAS_MAX,
  APPLICATIONS_PER_PAGE_MAX,
  POOLS_PER_REQUEST_MAX,
} from "../../../base/limits.ts";
import { interfaceList } from "../../address/contract/interfaces.ts";
import { type AddressesWanted, type ApplicationSpec, parseNumber } from "../application.ts";

/** Kubernetes counts ordinals in 32 bits. */
const APPLICATION_START_MAX = 2 ** 31 - 1 - APPLICATION_REPLICAS_MAX;
/** Applications on a page of a list, unless the request has a limit; with all their addresses they take 2.5 MB. */
const APPLICATIONS_PER_PAGE_DEFAULT = 25;

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

export interface AddressesInput extends Omit<AddressesWanted, "interfaces"> {
  readonly pools?: readonly string[] | undefined;
  readonly interfaces?: AddressesWanted["interfaces"] | undefined;
}

/** The fields of the addresses that an application wants. Its value has the pools of the only interface as one without a name. */
const ADDRESSES = {
  number: { read: v.optional(number, "+1") },
  pools: part(v.optional(pools)),
  interfaces: kept(
    v.optional(interfaces),
    (said, { pools = [] }: AddressesInput) => said ?? [{ name: "", pools }],
  ),
  keep: { read: v.optional(flag, false) },
} satisfies RequestFields<AddressesWanted, AddressesInput>;

const addresses = v.pipe(
  fields(readsOf(ADDRESSES)),
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

interface ApplicationInput {
  readonly replicas: number;
  readonly start: number;
}

/** The fields of an application that its operator sets. */
export const APPLICATION = {
  replicas: {
    read: whole(0, APPLICATION_REPLICAS_MAX),
    words: "The number of instances that run at once.",
  },
  start: {
    read: v.optional(whole(0, APPLICATION_START_MAX), 0),
    words: { own: "The ordinal of the first instance of a StatefulSet." },
  },
  addresses: {
    ...kept(
      v.optional(addresses),
      (said) => said && specOf<AddressesWanted, AddressesInput>(ADDRESSES, said),
    ),
    words: {
      request: "The addresses that Plat holds for the instances. Never added or dropped.",
      answer: "The addresses that the application wants.",
    },
  },
} satisfies RequestFields<ApplicationSpec, ApplicationInput>;

export const applicationBody = fields({
  ...readsOf(APPLICATION),
  // A caller can change the answer of a GET and PUT it back.
  namespace: v.optional(namespaceName),
  kind: v.optional(kindName),
  name: v.optional(resourceName),
  state: v.optional(v.unknown()),
  members: v.optional(v.unknown()),
  complete: v.optional(v.unknown()),
  refusal: v.optional(v.unknown()),
});

/** Returns the application that a body says. */
export const applicationSpec = (
  input: Inputs<typeof APPLICATION> & ApplicationInput,
): ApplicationSpec => specOf<ApplicationSpec, ApplicationInput>(APPLICATION, input);

export const applicationQuery = pageEntries(
  APPLICATIONS_PER_PAGE_DEFAULT,
  APPLICATIONS_PER_PAGE_MAX,
);
