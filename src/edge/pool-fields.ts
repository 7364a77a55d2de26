import * as v from "valibot";
import { type Cidr, formatCidr, intervalOf, overlaps, parseCidr } from "../domain/cidr.ts";
import { BLOCK_SIZES } from "../domain/limits.ts";
import {
  ASSIGNMENT_MODES,
  type AssignmentMode,
  type Borrowing,
  type PoolSpec,
  USES,
  type Use,
} from "../domain/pool.ts";
import { cidr, flag, text, unique, whole } from "./field.ts";
import type { FieldProblem } from "./problem.ts";
import { list } from "./schema.ts";

/** What Calico and Plat both say of a pool, under the same rules. */

/**
 * Node and namespace selectors narrow whom a pool serves. As long as they are not followed, a pool that has one is
 * refused: it would serve the very hosts that its owner excluded.
 */
const selector = v.pipe(
  text,
  v.check(
    (selector) => ["", "all()"].includes(selector.trim()),
    'must be empty or "all()": selectors are not supported yet, and the pool would serve hosts that its owner excluded',
  ),
);

export const POOL_FIELDS = {
  cidr,
  blockSize: v.optional(whole(BLOCK_SIZES[4].min, BLOCK_SIZES[6].max)),
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
    ["Workload", "Tunnel"],
  ),
  nodeSelector: v.optional(selector),
  namespaceSelector: v.optional(selector),
};

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

/** The fields of a pool once each of them is right by itself. */
interface PoolFields {
  readonly cidr: Cidr;
  readonly blockSize?: number | undefined;
  readonly disabled: boolean;
  readonly assignmentMode: AssignmentMode;
  readonly allowedUses: readonly Use[];
  readonly borrowing?: Borrowing | undefined;
}

interface Routing {
  readonly ipipMode?: string | undefined;
  readonly vxlanMode?: string | undefined;
  readonly natOutgoing?: boolean | undefined;
  readonly disableBGPExport?: boolean | undefined;
}

export function poolProblems({ cidr, blockSize }: PoolFields): FieldProblem[] {
  const value = formatCidr(cidr);
  const linkLocal = LINK_LOCAL.find((range) => overlaps(intervalOf(cidr), intervalOf(range)));
  if (linkLocal) {
    const problem = `overlaps ${formatCidr(linkLocal)}, which is link-local`;
    return [{ field: "cidr", value, problem }];
  }
  const { min, max, default: usual } = BLOCK_SIZES[cidr.family];
  const size = blockSize ?? usual;
  const largest = Math.max(min, cidr.prefix);
  if (largest <= size && size <= max) return [];
  const problem = `must be from ${largest} to ${max} for the pool ${value}`;
  return blockSize === undefined
    ? [
        {
          field: "blockSize",
          problem: `${problem}, which is smaller than a usual block (/${usual})`,
        },
      ]
    : [{ field: "blockSize", value: blockSize, problem }];
}

export function routingProblems(
  { cidr, allowedUses }: PoolFields,
  { ipipMode = "Never", vxlanMode = "Never", disableBGPExport = false }: Routing,
): FieldProblem[] {
  const ipip = ipipMode !== "Never";
  const vxlan = vxlanMode !== "Never";
  if (ipip && vxlan)
    return [
      { field: "vxlanMode", value: vxlanMode, problem: "must be Never when ipipMode is not" },
    ];
  if (ipip && cidr.family === 6)
    return [{ field: "ipipMode", value: ipipMode, problem: "must be Never for an IPv6 pool" }];
  if (allowedUses.includes("LoadBalancer") && (ipip || vxlan || disableBGPExport))
    return [
      {
        field: "allowedUses",
        value: "LoadBalancer",
        problem: "may not be LoadBalancer with encapsulation or disableBGPExport",
      },
    ];
  return [];
}

export function poolSpec(
  { cidr, blockSize, disabled, assignmentMode, allowedUses, borrowing }: PoolFields,
  routing: Routing,
): PoolSpec {
  const said = Object.entries(routing).filter(([, value]) => value !== undefined);
  return {
    cidr,
    blockSize: blockSize ?? BLOCK_SIZES[cidr.family].default,
    disabled,
    assignmentMode,
    allowedUses,
    borrowing: borrowing ?? "allowed",
    ...(said.length > 0 && {
      routing: Object.fromEntries(said) as Record<string, string | boolean>,
    }),
  };
}

const LINK_LOCAL = ["169.254.0.0/16", "fe80::/10"].map((text) => {
  const range = parseCidr(text);
  if (!range.ok) throw new Error(`${text} ${range.problem}`);
  return range.value;
});
