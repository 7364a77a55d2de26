import * as v from "valibot";
import { formatCidr, parseCidr } from "../../domain/cidr.ts";
import { CONDITION_NAMES_MAX, POOL_PRINCIPALS_MAX, PREFIX_LENGTHS } from "../../domain/limits.ts";
import {
  ASSIGNMENT_MODES,
  type ASSIGNS,
  type AssignmentMode,
  assignsPrefixes,
  blockSizesOf,
  narrows,
  type PoolSelector,
  type PoolSpec,
  USES,
  type Use,
} from "../../domain/pool.ts";
import { whyNoPool } from "../../domain/special-ranges.ts";
import {
  flag,
  namespaceName,
  networkName,
  nodeName,
  principalName,
  readable,
  unique,
  whole,
} from "./field.ts";
import { type NetworkInputs, networkProblems, networkSpec } from "./pool-network.ts";
import { type FieldsAboutAddresses, prefixProblems } from "./pool-prefixes.ts";
import { setProblems, setSpec } from "./pool-ranges.ts";
import type { FieldProblem } from "./problem.ts";
import { list } from "./schema.ts";
import { selector } from "./selector.ts";

/** Fields of a pool that Calico and Plat share, with the same rules. */

/** The range of a pool as written. If it has IPv4-mapped addresses, the rejection names the IPv4 range. */
const range = readable(parseCidr, {
  description:
    "A network of unicast addresses, with no bits set below its prefix. It never changes",
  examples: ["10.0.0.0/16", "2001:db8::/48"],
});

export const POOL_FIELDS = {
  cidr: range,
  blockSize: v.optional(whole(PREFIX_LENGTHS[4].min, PREFIX_LENGTHS[6].max)),
  disabled: v.optional(flag, false),
  assignmentMode: v.optional(
    v.picklist(ASSIGNMENT_MODES, `must be ${ASSIGNMENT_MODES.join(" or ")}`),
    "Automatic",
  ),
  allowedUses: v.optional(
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
  nodeSelector: v.optional(selector),
  namespaceSelector: v.optional(selector),
};

/**
 * Returns the uses of a pool whose fields name none: Calico's default, Workload alone for a ranged pool, and none for a pool of
 * prefixes.
 */
const usesOf = (pool: Pick<PoolFields, "allowedUses" | "ranges" | "assign">): readonly Use[] =>
  assignsPrefixes(pool)
    ? []
    : (pool.allowedUses ?? (pool.ranges ? ["Workload"] : ["Workload", "Tunnel"]));

const conditionNames = (
  name: v.GenericSchema<string, string>,
  of: string,
  max = CONDITION_NAMES_MAX,
) =>
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
  );

/** The callers that the pool serves. */
export const PRINCIPALS = v.optional(
  conditionNames(principalName, "principals", POOL_PRINCIPALS_MAX),
);

/** Conditions that Calico does not have. */
export const CONDITION_FIELDS = {
  podSelector: v.optional(selector),
  nodeNames: v.optional(conditionNames(nodeName, "hosts")),
  namespaceNames: v.optional(conditionNames(namespaceName, "namespaces")),
  networks: v.optional(conditionNames(networkName, "networks")),
};

interface Conditions {
  readonly podSelector?: PoolSelector | undefined;
  readonly nodeNames?: readonly string[] | undefined;
  readonly namespaceNames?: readonly string[] | undefined;
  readonly networks?: readonly string[] | undefined;
}

/** Returns the conditions that a body sets. */
export const conditionsOf = ({ podSelector, nodeNames, namespaceNames, networks }: Conditions) => ({
  ...(podSelector && { podSelector }),
  ...(nodeNames && { nodeNames }),
  ...(namespaceNames && { namespaceNames }),
  ...(networks && { networks }),
});

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

/** The fields of a pool after each of them is valid on its own. */
interface PoolFields extends NetworkInputs {
  readonly assign?: (typeof ASSIGNS)[number] | undefined;
  readonly parent?: string | undefined;
  readonly blockSize?: number | undefined;
  readonly disabled: boolean;
  readonly assignmentMode: AssignmentMode;
  readonly allowedUses?: readonly Use[] | undefined;
  readonly nodeSelector?: PoolSelector | undefined;
  readonly namespaceSelector?: PoolSelector | undefined;
}

interface Routing {
  readonly ipipMode?: string | undefined;
  readonly vxlanMode?: string | undefined;
  readonly natOutgoing?: boolean | undefined;
  readonly disableBGPExport?: boolean | undefined;
}

export function poolProblems(pool: PoolFields & FieldsAboutAddresses): FieldProblem[] {
  const problems = assignsPrefixes(pool)
    ? prefixProblems(pool)
    : [...selectorProblems(pool), ...setProblems(pool), ...networkProblems(pool)];
  return [...rangeProblems(pool), ...problems];
}

function rangeProblems(pool: PoolFields): FieldProblem[] {
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

function selectorProblems(pool: PoolFields): FieldProblem[] {
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
  pool: PoolFields,
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

export function poolSpec(pool: PoolFields, routing: Routing): PoolSpec {
  const { cidr, blockSize, disabled, assignmentMode, nodeSelector, namespaceSelector } = pool;
  const { assign } = pool;
  const said = Object.entries(routing).filter(([, value]) => value !== undefined);
  return {
    cidr,
    ...(assign === "prefixes" && { assign }),
    ...(pool.parent !== undefined && { parent: pool.parent }),
    // A pool that is smaller than the default is one block, or two if a prefix is its parent's block.
    blockSize:
      blockSize ??
      Math.max(blockSizesOf(pool).default, cidr.prefix + (pool.parent === undefined ? 0 : 1)),
    disabled,
    assignmentMode,
    allowedUses: usesOf(pool),
    ...(nodeSelector && { nodeSelector }),
    ...(namespaceSelector && { namespaceSelector }),
    borrowing: pool.borrowing ?? (assign === "prefixes" ? "forbidden" : "allowed"),
    ...setSpec(pool),
    ...networkSpec(pool),
    ...(said.length > 0 && {
      routing: Object.fromEntries(said) as Record<string, string | boolean>,
    }),
  };
}
