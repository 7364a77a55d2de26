import * as v from "valibot";
import { type Address, BITS, formatAddress } from "../../domain/address.ts";
import { holds, subtract } from "../../domain/address-set.ts";
import { formatCidr } from "../../domain/cidr.ts";
import type { Labels } from "../../domain/labels.ts";
import {
  DNS_SERVERS_MAX,
  MTU_BYTES_MAX,
  MTU_BYTES_MIN,
  POOL_LABELS_CHARACTERS_MAX,
  POOL_LABELS_MAX,
  POOL_ROUTES_MAX,
  VLAN_ID_MAX,
} from "../../domain/limits.ts";
import {
  isBound,
  isReached,
  keptOutOf,
  type NetworkOfAddress,
  type NetworkSettings,
  networkAround,
  POOL_KINDS,
  type PoolKind,
  type Route,
  settingsOf,
} from "../../domain/pool-network.ts";
import { setOf } from "../../domain/pool-set.ts";
import { address, cidr, resourceName, whole } from "./field.ts";
import { labelsUpTo } from "./labels.ts";
import { type SetFields, setSpec } from "./pool-ranges.ts";
import type { FieldProblem } from "./problem.ts";
import { fields, list } from "./schema.ts";

/** The fields of a pool that a workload needs beside its address to configure its interface. */
export const NETWORK_FIELDS = {
  kind: v.optional(v.picklist(POOL_KINDS, `must be ${POOL_KINDS.join(" or ")}`)),
  prefixLength: v.optional(whole(1, BITS[6])),
  gateway: v.optional(address),
  routes: v.optional(
    list(
      fields({ dst: cidr, gw: address }),
      { max: POOL_ROUTES_MAX },
      {
        type: "must be an array of objects with dst and gw",
        max: `must have at most ${POOL_ROUTES_MAX} entries`,
      },
    ),
  ),
  dns: v.optional(
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
  domain: v.optional(resourceName),
  vlan: v.optional(whole(1, VLAN_ID_MAX)),
  mtu: v.optional(whole(MTU_BYTES_MIN[4], MTU_BYTES_MAX)),
  labels: v.optional(labelsUpTo(POOL_LABELS_MAX, POOL_LABELS_CHARACTERS_MAX)),
};

/** These fields after each of them is valid on its own. */
export interface NetworkInputs extends SetFields {
  readonly kind?: PoolKind | undefined;
  readonly prefixLength?: number | undefined;
  readonly gateway?: Address | undefined;
  readonly routes?: readonly Route[] | undefined;
  readonly dns?: readonly Address[] | undefined;
  readonly domain?: string | undefined;
  readonly vlan?: number | undefined;
  readonly mtu?: number | undefined;
  readonly labels?: Labels | undefined;
}

/** Returns the part of a pool that these fields say. */
export const networkSpec = (pool: NetworkInputs) => ({
  ...(pool.kind === "subnet" && { kind: pool.kind }),
  ...settingsOf({
    ...(pool.prefixLength !== undefined && { prefixLength: pool.prefixLength }),
    ...(pool.gateway && { gateway: pool.gateway }),
    // Empty ones are kept: they keep out those of the pool around this one.
    ...(pool.routes && { routes: pool.routes }),
    ...(pool.dns && { dns: pool.dns }),
    ...(pool.domain !== undefined && { domain: pool.domain }),
    ...(pool.vlan !== undefined && { vlan: pool.vlan }),
    ...(pool.mtu !== undefined && { mtu: pool.mtu }),
    ...(pool.labels && { labels: pool.labels }),
  }),
});

export function networkProblems(pool: NetworkInputs): FieldProblem[] {
  const problems = [...lengthProblems(pool), ...mtuProblems(pool)];
  if (problems.length > 0) return problems;
  const ofRoutes = routeProblems(pool);
  return ofRoutes.length > 0 ? ofRoutes : gatewayProblems(pool);
}

function lengthProblems({ cidr, kind, prefixLength }: NetworkInputs): FieldProblem[] {
  if (prefixLength === undefined || prefixLength <= cidr.prefix) return [];
  const alone = BITS[cidr.family];
  if (prefixLength === alone && kind !== "subnet") return [];
  const or = kind === "subnet" ? "" : `, or ${alone} if each address has a network of its own`;
  return [
    {
      field: "prefixLength",
      value: prefixLength,
      problem: `must be at most ${cidr.prefix}, because one network has all of cidr ${formatCidr(cidr)}${or}`,
    },
  ];
}

/** The least that each version of IP needs: RFC 791, section 3.2, and RFC 8200, section 5. */
function mtuProblems({ cidr: { family }, mtu }: NetworkInputs): FieldProblem[] {
  const least = MTU_BYTES_MIN[family];
  return mtu === undefined || mtu >= least
    ? []
    : [{ field: "mtu", value: mtu, problem: `must be at least ${least} for IPv${family}` }];
}

function routeProblems(pool: NetworkInputs): FieldProblem[] {
  const { cidr, routes = [] } = pool;
  const seen = new Set<string>();
  return routes.flatMap(({ dst, gw }, i): FieldProblem[] => {
    const text = formatCidr(dst);
    const isRepeated = seen.has(text);
    seen.add(text);
    const problem =
      dst.family !== cidr.family
        ? `must be an IPv${cidr.family} network, as cidr is`
        : dst.prefix === 0
          ? "must not be the default route, which is that of gateway"
          : isRepeated
            ? "must be in one route only"
            : undefined;
    return [
      ...(problem === undefined ? [] : [{ field: `routes[${i}].dst`, value: text, problem }]),
      ...unreached(pool, `routes[${i}].gw`, gw),
    ];
  });
}

function gatewayProblems(pool: NetworkInputs): FieldProblem[] {
  const { gateway } = pool;
  const made = { cidr: pool.cidr, ...setSpec(pool), ...networkSpec(pool) };
  const set = setOf(made);
  if (gateway) {
    const value = formatAddress(gateway);
    const outside = unreached(pool, "gateway", gateway);
    if (outside.length > 0) return outside;
    if (pool.kind === "subnet" && isBound(made, gateway))
      return [{ field: "gateway", value, problem: "is no address that a router can have" }];
    if (pool.kind !== "subnet" && holds(set, gateway)) {
      const or = pool.ranges
        ? "take it out of ranges, or put it into excludes"
        : "or ranges without it";
      const problem = `is an address that the pool assigns; send kind subnet, which keeps it out, ${or}`;
      return [{ field: "gateway", value, problem }];
    }
  }
  const isLeft = set.length === 0 || subtract(set, keptOutOf(made)).length > 0;
  return isLeft
    ? []
    : [
        {
          field: "kind",
          value: pool.kind,
          problem: "leaves no address: the network, broadcast and gateway addresses are all",
        },
      ];
}

/** Returns the problem of a router that a host of the pool does not reach. */
function unreached(pool: NetworkInputs, field: string, router: Address): FieldProblem[] {
  const made = { cidr: pool.cidr, ...networkSpec(pool) };
  if (isReached(made, router)) return [];
  const around = formatCidr(networkAround(made));
  const named = pool.prefixLength === undefined ? `cidr ${around}` : `the network ${around}`;
  return [{ field, value: formatAddress(router), problem: `is not inside of ${named}` }];
}

/** Returns the kind and the length of the network of a pool, and its other fields, as answers write them. */
export const poolNetwork = (pool: NetworkSettings & { readonly kind?: "subnet" }) => ({
  kind: pool.kind ?? ("pods" as const),
  ...(pool.prefixLength !== undefined && { prefixLength: pool.prefixLength }),
  ...networkAnswer(pool),
});

/** Returns the network of an address as answers write it; nothing if it is not known. */
export const addressNetwork = (address: string, network: NetworkOfAddress | undefined) =>
  network && { cidr: `${address}/${network.prefixLength}`, ...networkAnswer(network) };

const networkAnswer = ({ gateway, routes, dns, labels, ...more }: NetworkSettings) => ({
  ...(gateway && { gateway: formatAddress(gateway) }),
  ...(routes && {
    routes: routes.map(({ dst, gw }) => ({ dst: formatCidr(dst), gw: formatAddress(gw) })),
  }),
  ...(dns && { dns: dns.map(formatAddress) }),
  ...(more.domain !== undefined && { domain: more.domain }),
  ...(more.vlan !== undefined && { vlan: more.vlan }),
  ...(more.mtu !== undefined && { mtu: more.mtu }),
  ...(labels && { labels }),
});
