import * as v from "valibot";
import type { NameInBody } from "../../../api/names.ts";
import { type Inputs, kept, type RequestFields, readsOf, specOf } from "../../../api/noun.ts";
import { DRY_RUN } from "../../../api/query.ts";
import {
  address,
  cidr,
  flag,
  flagText,
  namespaceName,
  networkName,
  nodeName,
  readable,
  resourceName,
  text,
  unique,
  whole,
} from "../../../api/schema/field.ts";
import { descriptionText, tagList } from "../../../api/schema/labelling.ts";
import { labelsUpTo } from "../../../api/schema/labels.ts";
import {
  blockSizeOf,
  type PoolInput,
  poolProblems,
  type Routing,
  routingProblems,
  setFrom,
  usesOf,
} from "../../../api/schema/pool-rules.ts";
import { principalName } from "../../../api/schema/principal-name.ts";
import { checked, fields, list, rule } from "../../../api/schema/schema.ts";
import { selector } from "../../../api/schema/selector.ts";
import { COOLDOWN_SECONDS_MAX, MTU_BYTES_MIN, POOL_ROUTES_MAX } from "../../../base/limits.ts";
import { BITS, formatAddress } from "../../../net/address.ts";
import { parseCidr } from "../../../net/cidr.ts";
import { parsePlainInterval } from "../../../net/plain-form.ts";
import {
  CONDITION_NAMES_MAX,
  POOL_PRINCIPALS_MAX,
  POOL_RANGES_MAX,
  PREFIX_LENGTHS,
  VLAN_ID_MAX,
} from "../limits.ts";
import { POOL_KINDS } from "../network.ts";
import {
  ASSIGNMENT_MODES,
  ASSIGNS,
  assignsPrefixes,
  BORROWING,
  type PoolSpec,
  USES,
  type Use,
} from "../pool.ts";

/** The cooldown of a prefix. Routes to it leave a cluster later than an address leaves a host. */
const PREFIX_COOLDOWN_SECONDS_DEFAULT = 300;
/** DNS servers of a pool. The resolver of the GNU C library reads three, and systemd's takes more. */
export const DNS_SERVERS_MAX = 8;
/** Labels of a pool, and their characters in all. Every answer repeats them for each address. */
export const POOL_LABELS_MAX = 32;
export const POOL_LABELS_CHARACTERS_MAX = 2_048;
export const MTU_BYTES_MAX = 65_535;

const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, `must be ${options.join(" or ")}`);

const names = (name: v.GenericSchema<string, string>, of: string, max = CONDITION_NAMES_MAX) =>
  v.optional(
    v.pipe(
      list(
        name,
        { min: 1, max },
        {
          type: `must be an array of names of ${of}`,
          min: `must name at least one of the ${of}; leave it out for all of them`,
          max: `must have at most ${max} names`,
        },
      ),
      unique<string>("must have each name once"),
    ),
  );

const runs = list(
  readable(parsePlainInterval, {
    description: "An address, a range of addresses, or a CIDR, inside of `cidr`",
    examples: ["10.0.0.7", "10.0.0.10-10.0.0.99", "10.0.0.128/28"],
  }),
  { max: POOL_RANGES_MAX },
  {
    type: "must be an array of addresses, ranges and CIDRs",
    max: `must have at most ${POOL_RANGES_MAX} entries`,
  },
);

const encapsulation = v.picklist(
  ["Never", "Always", "CrossSubnet"],
  "must be Never, Always or CrossSubnet",
);

/** Fields of a manifest that only concern routing: checked, kept, and otherwise ignored. */
export const ROUTING_FIELDS = {
  ipipMode: v.optional(encapsulation),
  vxlanMode: v.optional(encapsulation),
  natOutgoing: v.optional(flag),
  disableBGPExport: v.optional(flag),
};

/** The fields of a pool that its operator sets. */
export const POOL = {
  cidr: {
    // As written. If it has IPv4-mapped addresses, the rejection names the IPv4 range.
    read: readable(parseCidr, {
      description:
        "A network of unicast addresses, with no bits set below its prefix. It never changes",
      examples: ["10.0.0.0/16", "2001:db8::/48"],
    }),
    flag: { value: "<cidr>", help: "Range of the pool", required: true },
  },
  assign: {
    ...kept(v.optional(oneOf(ASSIGNS), "addresses"), (assign) =>
      assign === "prefixes" ? assign : undefined,
    ),
    words:
      "`addresses`, or `prefixes`, each of which one node or handle has as a whole. It never changes.",
    flag: {
      value: "<what>",
      help: "What the pool assigns: addresses, or prefixes to nodes and handles",
      as: ASSIGNS,
    },
  },
  parent: {
    read: v.optional(resourceName),
    words:
      "The pool of prefixes of which `cidr` is one. A handle must have the prefix, and keeps it as long as this pool exists. It never changes.",
    flag: { value: "<pool>", help: "Pool of prefixes of which --cidr is one that a handle has" },
  },
  blockSize: {
    ...kept(v.optional(whole(PREFIX_LENGTHS[4].min, PREFIX_LENGTHS[6].max)), (_, pool: PoolInput) =>
      blockSizeOf(pool),
    ),
    words:
      "The prefix length of the pool's blocks. It never changes. Default: 26 for IPv4 and 122 for IPv6, and 24 and 64 for prefixes; a smaller pool is one block.",
    flag: {
      value: "<prefix>",
      help: "Prefix length of the blocks; default: 26, for IPv6 122; of prefixes 24, for IPv6 64",
      as: "count",
    },
  },
  ranges: {
    ...kept(v.optional(runs), (said) => said && setFrom(said)),
    words:
      "The addresses of the pool, all inside of its `cidr`. Pools with ranges may share one `cidr` and `blockSize`. Answers have them merged and in order, as `a` or `a-b`.",
    flag: {
      value: "<ranges>",
      help: "Addresses, ranges and CIDRs inside of --cidr that the pool has alone; with commas or repeatable",
      as: "texts",
    },
  },
  excludes: {
    ...kept(v.optional(runs), (said) => (said?.length ? setFrom(said) : undefined)),
    words:
      "Addresses of the ranges that the pool does not have. Answers have them merged and in order, as `a` or `a-b`.",
    flag: { value: "<ranges>", help: "What the pool leaves out of --ranges", as: "texts" },
  },
  kind: {
    ...kept(v.optional(oneOf(POOL_KINDS)), (kind) => (kind === "subnet" ? kind : undefined)),
    words: {
      request:
        "`pods`, the default, assigns every address. `subnet` leaves out the network address, the broadcast address, the anycast address of IPv6 routers, and the gateway.",
      answer:
        "Whether the pool leaves out what no host of its network can have (`subnet`), or nothing (`pods`).",
    },
    flag: {
      value: "<kind>",
      help: "Use of the pool: pods assigns every address, subnet leaves out network, broadcast and gateway",
      as: POOL_KINDS,
    },
  },
  prefixLength: {
    read: v.optional(whole(1, BITS[6])),
    flag: {
      value: "<n>",
      help: "Prefix length of the network that the addresses are used in; default: that of --cidr",
      as: "count",
    },
  },
  gateway: {
    read: v.optional(address),
    flag: { value: "<address>", help: "Gateway of the workloads" },
  },
  routes: {
    read: v.optional(
      list(
        fields({ dst: cidr, gw: address }),
        { max: POOL_ROUTES_MAX },
        {
          type: "must be an array of objects with dst and gw",
          max: `must have at most ${POOL_ROUTES_MAX} entries`,
        },
      ),
    ),
    flag: {
      name: "route",
      value: "<dst=10.0.0.0/8,gw=10.9.0.1>",
      help: "Route of the workloads: a network and its gateway; repeatable",
      as: "routes",
    },
  },
  dns: {
    read: v.optional(
      v.pipe(
        list(
          address,
          { max: DNS_SERVERS_MAX },
          {
            type: "must be an array of addresses",
            max: `must have at most ${DNS_SERVERS_MAX} addresses`,
          },
        ),
        v.check(
          (servers) => new Set(servers.map(formatAddress)).size === servers.length,
          "must have each address once",
        ),
      ),
    ),
    flag: {
      value: "<addresses>",
      help: "DNS servers of the workloads; with commas or repeatable",
      as: "texts",
    },
  },
  domain: {
    read: v.optional(resourceName),
    flag: { value: "<name>", help: "DNS domain of the workloads" },
  },
  vlan: {
    read: v.optional(whole(1, VLAN_ID_MAX)),
    flag: { value: "<id>", help: "VLAN of the network, from 1 to 4094", as: "count" },
  },
  mtu: {
    read: v.optional(whole(MTU_BYTES_MIN[4], MTU_BYTES_MAX)),
    flag: { value: "<bytes>", help: "Size of the largest packet on the network", as: "count" },
  },
  labels: {
    read: v.optional(labelsUpTo(POOL_LABELS_MAX, POOL_LABELS_CHARACTERS_MAX)),
    words: { own: "Labels that every assigned address of the pool carries." },
    flag: {
      value: "<key=value>",
      help: "Label that every address of the pool carries; repeatable",
      as: "keyValue",
    },
  },
  disabled: {
    read: v.optional(flag, false),
    words: "The pool assigns no new address.",
    flag: { help: "Assign nothing from the pool until it is enabled" },
  },
  assignmentMode: {
    read: v.optional(oneOf(ASSIGNMENT_MODES), "Automatic"),
    words:
      "`Manual` pools serve only requests that name them, and `Applications` pools only applications.",
    flag: {
      value: "<mode>",
      help: "Manual: only requests that name the pool",
      as: ASSIGNMENT_MODES,
    },
  },
  allowedUses: {
    ...kept(
      v.optional(
        v.pipe(
          list(
            v.picklist(USES, `must be one of ${USES.join(", ")}`),
            { min: 1, max: USES.length },
            {
              type: "must be an array of uses",
              min: `must name at least one of ${USES.join(", ")}`,
              max: "must name each use once",
            },
          ),
          unique<Use>("must name each use once"),
          v.check(
            (uses) => uses.length === 1 || !uses.includes("LoadBalancer"),
            "must name LoadBalancer alone or not at all",
          ),
        ),
      ),
      (_, pool: PoolInput) => usesOf(pool),
    ),
    words:
      "The uses that the pool allows. Default: Workload and Tunnel, or Workload alone for a pool with ranges. A pool of prefixes has none.",
    flag: {
      value: "<uses>",
      help: `Uses that the pool serves: ${USES.join(", ")}; with commas or repeatable`,
      as: "texts",
    },
  },
  nodeSelector: {
    read: v.optional(selector),
    words: {
      request: "Which hosts the pool serves: a selector of Calico's language, or a LabelSelector.",
      answer: "Which hosts the pool serves, in Calico's language.",
    },
    flag: { value: "<selector>", help: "Hosts that the pool serves, by their labels" },
  },
  namespaceSelector: {
    read: v.optional(selector),
    words: {
      request:
        "Which namespaces the pool serves: a selector of Calico's language, or a LabelSelector.",
      answer: "Which namespaces the pool serves, in Calico's language.",
    },
    flag: { value: "<selector>", help: "Namespaces that the pool serves, by their labels" },
  },
  podSelector: {
    read: v.optional(selector),
    words: {
      request:
        "Which workloads the pool serves, by the `labels` of the request: a selector of Calico's language, or a LabelSelector.",
      answer:
        "Which workloads the pool serves, by the `labels` of the request, in Calico's language.",
    },
    flag: { value: "<selector>", help: "Workloads that the pool serves, by their labels" },
  },
  nodeNames: {
    read: names(nodeName, "hosts"),
    words: "The hosts that the pool serves, in place of `nodeSelector`.",
    flag: {
      value: "<hosts>",
      help: "Hosts that the pool serves; with commas or repeatable",
      as: "texts",
    },
  },
  namespaceNames: {
    read: names(namespaceName, "namespaces"),
    words: "The namespaces that the pool serves, in place of `namespaceSelector`.",
    flag: {
      value: "<namespaces>",
      help: "Namespaces that the pool serves; with commas or repeatable",
      as: "texts",
    },
  },
  networks: {
    read: names(networkName, "networks"),
    words: "The networks that the pool serves. A request without one gets nothing from it.",
    flag: {
      value: "<networks>",
      help: "Networks that the pool serves; with commas or repeatable",
      as: "texts",
    },
  },
  principals: {
    read: names(principalName, "principals", POOL_PRINCIPALS_MAX),
    words:
      "The callers that the pool serves. Any other caller that names it gets `pool_forbidden`, and automatic selection leaves it out.",
    flag: {
      value: "<principals>",
      help: "Callers that the pool serves; with commas or repeatable",
      as: "texts",
    },
  },
  borrowing: {
    ...kept(
      v.optional(oneOf(BORROWING)),
      (borrowing, pool: PoolInput) =>
        borrowing ?? (assignsPrefixes(pool) ? "forbidden" : "allowed"),
    ),
    words: "Whether hosts may take addresses from blocks of this pool that they do not own.",
    flag: {
      value: "<rule>",
      help: "Whether a host may take addresses from blocks of other hosts",
      as: BORROWING,
    },
  },
  cooldownSeconds: {
    // That of the space is the usual one for addresses. Prefixes have a longer one.
    ...kept(
      v.optional(whole(0, COOLDOWN_SECONDS_MAX)),
      (seconds, pool: PoolInput) =>
        seconds ?? (assignsPrefixes(pool) ? PREFIX_COOLDOWN_SECONDS_DEFAULT : undefined),
    ),
    flag: {
      value: "<n>",
      help: "How long a released address is not assigned again",
      as: "count",
    },
  },
  routing: {
    ...kept(v.optional(fields(ROUTING_FIELDS), {}), (routing: Routing = {}) => {
      const said = Object.entries(routing).filter(([, value]) => value !== undefined);
      return said.length > 0
        ? (Object.fromEntries(said) as Record<string, string | boolean>)
        : undefined;
    }),
    words:
      "Fields of a Calico manifest for routing. Plat stores and returns them, and ignores them otherwise.",
  },
  description: {
    ...kept(descriptionText, (description) => description || undefined),
    words: "A description, for people.",
    flag: { value: "<text>", help: "Description of the pool, for people" },
  },
  tags: {
    ...kept(tagList, (tags) => (tags?.length ? tags : undefined)),
    words: "Words by which people group and find objects.",
    flag: { value: "<tags>", help: "Tags of the pool; with commas or repeatable", as: "texts" },
  },
} satisfies RequestFields<PoolSpec, PoolInput>;

const READS = readsOf(POOL);

/** Returns the problems over several fields of a pool, each of which is valid on its own. */
export const problemsAcross = (pool: PoolInput & { readonly routing: Routing }) => [
  ...poolProblems(pool),
  ...routingProblems(pool, pool.routing).map((problem) => ({ ...problem, field: "routing" })),
];

export const poolBody = v.pipe(
  fields({
    ...READS,
    // A caller can change the answer of a GET and PUT it back.
    name: v.optional(resourceName),
    state: v.optional(text),
    job: v.optional(text),
  }),
  rule((pool) => problemsAcross(pool)),
);

/** Selects the blocks of a pool whose affinities are released. */
export const poolReleaseQuery = { ...DRY_RUN, mustBeEmpty: v.optional(flagText, "false") };

/** The content of the body of a PUT, in either of its forms. */
export interface PoolDocument {
  readonly name?: NameInBody | undefined;
  readonly spec: PoolSpec;
}

/** Returns the pool that a body or a manifest says. */
export const poolSpec = (pool: Inputs<typeof POOL> & PoolInput): PoolSpec =>
  specOf<PoolSpec, PoolInput>(POOL, pool);

/** Parses a pool in Plat's own form. */
export function parsePool(value: unknown): PoolDocument {
  const input = checked(poolBody, value);
  const { name } = input;
  return {
    ...(name !== undefined && { name: { field: "name", value: name } }),
    spec: poolSpec(input),
  };
}
