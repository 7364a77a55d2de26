import { MTU_BYTES_MIN } from "../../base/limits.ts";
import { type Address, BITS, formatAddress } from "../../net/address.ts";
import { type AddressSet, includesAddress, NO_ADDRESSES, subtract } from "../../net/address-set.ts";
import { type Cidr, formatCidr, includes, intervalOf, merged } from "../../net/cidr.ts";
import { whyNoPool } from "../../net/special-ranges.ts";
import {
  isBound,
  isReached,
  keptOutOf,
  type NetworkRoute,
  networkAround,
  type PoolKind,
} from "../../nouns/pool/network.ts";
import {
  type ASSIGNS,
  type AssignmentMode,
  assignsPrefixes,
  type Borrowing,
  blockSizesOf,
  narrows,
  type PoolSelector,
  type PoolSpec,
  type Use,
} from "../../nouns/pool/pool.ts";
import { addressSetOf } from "../../nouns/pool/set.ts";
import type { FieldProblem } from "./problem.ts";

/** Rules over several fields of a pool, in its own form and in that of any manifest. */

type Runs = readonly { readonly text: string; readonly interval: AddressSet[number] }[];

/** The fields of a pool that have rules, after each of them is valid on its own. */
export interface PoolInput {
  readonly cidr: Cidr;
  readonly assign?: (typeof ASSIGNS)[number] | undefined;
  readonly parent?: string | undefined;
  readonly blockSize?: number | undefined;
  readonly disabled: boolean;
  readonly assignmentMode: AssignmentMode;
  readonly allowedUses?: readonly Use[] | undefined;
  readonly borrowing?: Borrowing | undefined;
  readonly nodeSelector?: PoolSelector | undefined;
  readonly namespaceSelector?: PoolSelector | undefined;
  readonly ranges?: Runs | undefined;
  readonly excludes?: Runs | undefined;
  readonly kind?: PoolKind | undefined;
  readonly prefixLength?: number | undefined;
  readonly gateway?: Address | undefined;
  readonly routes?: readonly NetworkRoute[] | undefined;
  readonly mtu?: number | undefined;
}

/** The fields of a manifest that concern routing. */
export interface Routing {
  readonly ipipMode?: string | undefined;
  readonly vxlanMode?: string | undefined;
  readonly natOutgoing?: boolean | undefined;
  readonly disableBGPExport?: boolean | undefined;
}

export function poolProblems(pool: PoolInput): FieldProblem[] {
  const problems = assignsPrefixes(pool)
    ? prefixProblems(pool)
    : [...selectorProblems(pool), ...setProblems(pool), ...networkProblems(pool)];
  return [...rangeProblems(pool), ...problems, ...parentProblems(pool)];
}

/** Returns the prefix length of the blocks. A pool that is smaller than the default is one block, or two if a prefix is its parent's block. */
export const blockSizeOf = (pool: PoolInput): number =>
  pool.blockSize ??
  Math.max(blockSizesOf(pool).default, pool.cidr.prefix + (pool.parent === undefined ? 0 : 1));

/**
 * Returns the uses of a pool, and those of one whose fields name none: Calico's default, Workload alone for a ranged pool, and none
 * for a pool of prefixes.
 */
export const usesOf = (
  pool: Pick<PoolInput, "allowedUses" | "ranges" | "assign">,
): readonly Use[] =>
  assignsPrefixes(pool)
    ? []
    : (pool.allowedUses ?? (pool.ranges ? ["Workload"] : ["Workload", "Tunnel"]));

/** Returns the addresses of runs, in intervals that do not touch. */
export const setFrom = (runs: Runs): AddressSet =>
  runs.length === 0 ? NO_ADDRESSES : merged(runs.map(({ interval }) => interval));

function rangeProblems(pool: PoolInput): FieldProblem[] {
  const { cidr, blockSize, disabled } = pool;
  const value = formatCidr(cidr);
  const unfit = whyNoPool(cidr);
  if (unfit !== undefined) return [{ field: "cidr", value, problem: unfit }];
  if (blockSize === undefined) return [];
  const { min, max } = blockSizesOf(pool);
  // A pool that serves nobody can be smaller than one of its blocks, as in Calico; then it can never be enabled.
  const largest = disabled && !assignsPrefixes(pool) ? min : Math.max(min, cidr.prefix);
  if (largest <= blockSize && blockSize <= max) return [];
  const problem = `must be from ${largest} to ${max} for the pool ${value}`;
  return [{ field: "blockSize", value: blockSize, problem }];
}

function selectorProblems(pool: PoolInput): FieldProblem[] {
  const { nodeSelector, namespaceSelector } = pool;
  const allowedUses = usesOf(pool);
  const problems: FieldProblem[] = [];
  if (narrows(nodeSelector) && allowedUses.includes("LoadBalancer"))
    problems.push({
      field: "nodeSelector",
      value: nodeSelector.text,
      problem: "must be all() or absent for the use LoadBalancer, which has no host",
    });
  const isSaid = namespaceSelector !== undefined && namespaceSelector.text.trim() !== "";
  if (isSaid && allowedUses.includes("Tunnel"))
    problems.push({
      field: "namespaceSelector",
      value: namespaceSelector.text,
      problem:
        "must be absent for the use Tunnel, which has no namespace; allowedUses is Workload and Tunnel unless it says otherwise",
    });
  return problems;
}

export function routingProblems(
  pool: PoolInput,
  { ipipMode = "Never", vxlanMode = "Never", disableBGPExport = false }: Routing,
): FieldProblem[] {
  const { cidr } = pool;
  const ipip = ipipMode !== "Never";
  const vxlan = vxlanMode !== "Never";
  if (ipip && vxlan)
    return [
      { field: "vxlanMode", value: vxlanMode, problem: "must be Never when ipipMode is not" },
    ];
  if (ipip && cidr.family === 6)
    return [{ field: "ipipMode", value: ipipMode, problem: "must be Never for an IPv6 pool" }];
  if (usesOf(pool).includes("LoadBalancer") && (ipip || vxlan || disableBGPExport))
    return [
      {
        field: "allowedUses",
        value: "LoadBalancer",
        problem: "must not be LoadBalancer with encapsulation or disableBGPExport",
      },
    ];
  return [];
}

/**
 * Returns the problems of a pool that is made of a prefix. A block as large as the prefix would be the block of the prefix itself.
 */
function parentProblems({ cidr, parent, blockSize, ranges }: PoolInput): FieldProblem[] {
  if (parent === undefined) return [];
  const value = formatCidr(cidr);
  if (cidr.prefix === BITS[cidr.family])
    return [{ field: "cidr", value, problem: "is one address, of which no pool is made" }];
  const problems: FieldProblem[] = [];
  if (ranges !== undefined)
    problems.push({
      field: "ranges",
      value: ranges,
      problem: "must be absent beside parent; the pool has all of its prefix",
    });
  if (blockSize !== undefined && blockSize <= cidr.prefix)
    problems.push({
      field: "blockSize",
      value: blockSize,
      problem: `must be ${cidr.prefix + 1} or more beside parent: a block is a part of the prefix ${value}`,
    });
  return problems;
}

/** True for each field that a pool of prefixes must not have: it is about addresses, workloads or the hosts of blocks. */
const IS_ABOUT_ADDRESSES = {
  allowedUses: true,
  assign: false,
  assignmentMode: false,
  blockSize: false,
  borrowing: true,
  cidr: false,
  cooldownSeconds: false,
  description: false,
  disabled: false,
  dns: true,
  domain: true,
  excludes: true,
  gateway: true,
  kind: true,
  labels: false,
  mtu: true,
  namespaceNames: true,
  namespaceSelector: true,
  networks: true,
  nodeNames: false,
  nodeSelector: false,
  parent: false,
  podSelector: true,
  prefixLength: true,
  principals: false,
  ranges: true,
  routes: true,
  routing: false,
  tags: false,
  vlan: true,
} as const satisfies Readonly<Record<keyof PoolSpec, boolean>>;
const ABOUT_ADDRESSES = (Object.keys(IS_ABOUT_ADDRESSES) as (keyof PoolSpec)[]).filter(
  (field) => IS_ABOUT_ADDRESSES[field],
);

/** Returns the problems of a pool of prefixes that has fields of a pool of addresses. */
function prefixProblems(
  pool: PoolInput & { readonly [field in keyof PoolSpec]?: unknown },
): FieldProblem[] {
  const { assignmentMode } = pool;
  const problems: FieldProblem[] = ABOUT_ADDRESSES.filter((field) => pool[field] !== undefined).map(
    (field) => ({
      field,
      value: pool[field],
      problem: "must be absent beside assign prefixes; it is for a pool of addresses",
    }),
  );
  if (assignmentMode === "Applications")
    problems.push({
      field: "assignmentMode",
      value: assignmentMode,
      problem:
        "must be Automatic or Manual beside assign prefixes, because applications have addresses",
    });
  return problems;
}

function setProblems(pool: PoolInput): FieldProblem[] {
  const { cidr, ranges, excludes, borrowing, assignmentMode } = pool;
  const problems = [...outside("ranges", ranges, cidr), ...outside("excludes", excludes, cidr)];
  if (excludes && !ranges)
    problems.push({
      field: "excludes",
      problem: "is only for a pool with ranges; send ranges too, such as the whole cidr",
    });
  if (assignmentMode === "Applications" && !ranges)
    problems.push({
      field: "assignmentMode",
      value: assignmentMode,
      problem: "is only for a pool with ranges; send ranges too, such as the whole cidr",
    });
  if (ranges && borrowing === "forbidden")
    problems.push({
      field: "borrowing",
      value: borrowing,
      problem:
        "must be allowed or absent beside ranges, because the blocks of the pool have no host",
    });
  return problems;
}

const outside = (field: string, runs: Runs = [], cidr: Cidr): FieldProblem[] =>
  runs.flatMap(({ text, interval }, i) =>
    includes(intervalOf(cidr), interval)
      ? []
      : [
          {
            field: `${field}[${i}]`,
            value: text,
            problem: `is not inside of cidr ${formatCidr(cidr)}`,
          },
        ],
  );

function networkProblems(pool: PoolInput): FieldProblem[] {
  const problems = [...lengthProblems(pool), ...mtuProblems(pool)];
  if (problems.length > 0) return problems;
  const ofRoutes = routeProblems(pool);
  return ofRoutes.length > 0 ? ofRoutes : gatewayProblems(pool);
}

function lengthProblems({ cidr, kind, prefixLength }: PoolInput): FieldProblem[] {
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
function mtuProblems({ cidr: { family }, mtu }: PoolInput): FieldProblem[] {
  const least = MTU_BYTES_MIN[family];
  return mtu === undefined || mtu >= least
    ? []
    : [{ field: "mtu", value: mtu, problem: `must be at least ${least} for IPv${family}` }];
}

function routeProblems(pool: PoolInput): FieldProblem[] {
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

function gatewayProblems(pool: PoolInput): FieldProblem[] {
  const { gateway } = pool;
  if (!gateway && pool.kind !== "subnet") return [];
  const made = networkOf(pool);
  const set = addressSetOf(made);
  if (gateway) {
    const value = formatAddress(gateway);
    const outside = unreached(pool, "gateway", gateway);
    if (outside.length > 0) return outside;
    if (pool.kind === "subnet" && isBound(made, gateway))
      return [{ field: "gateway", value, problem: "is no address that a router can have" }];
    if (pool.kind !== "subnet" && includesAddress(set, gateway)) {
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
function unreached(pool: PoolInput, field: string, router: Address): FieldProblem[] {
  const made = networkOf(pool);
  if (isReached(made, router)) return [];
  const around = formatCidr(networkAround(made));
  const named = pool.prefixLength === undefined ? `cidr ${around}` : `the network ${around}`;
  return [{ field, value: formatAddress(router), problem: `is not inside of ${named}` }];
}

/** Returns the part of a pool that says where its addresses are used. */
const networkOf = ({ cidr, kind, prefixLength, gateway, ranges, excludes }: PoolInput) => ({
  cidr,
  ...(kind === "subnet" && { kind }),
  ...(prefixLength !== undefined && { prefixLength }),
  ...(gateway && { gateway }),
  ...(ranges && { ranges: setFrom(ranges) }),
  ...(excludes?.length && { excludes: setFrom(excludes) }),
});
