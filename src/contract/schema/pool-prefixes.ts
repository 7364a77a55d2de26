import type { AssignmentMode } from "../../domain/pool.ts";
import type { FieldProblem } from "./problem.ts";

/** The fields that a pool of prefixes must not have: they are about addresses, workloads or the hosts of blocks. */
const ABOUT_ADDRESSES = [
  "allowedUses",
  "borrowing",
  "dns",
  "domain",
  "excludes",
  "gateway",
  "kind",
  "mtu",
  "namespaceNames",
  "namespaceSelector",
  "networks",
  "podSelector",
  "prefixLength",
  "ranges",
  "routes",
  "vlan",
] as const;

/** These fields after each of them is valid on its own. */
export type FieldsAboutAddresses = {
  readonly [field in (typeof ABOUT_ADDRESSES)[number]]?: unknown;
} & { readonly assignmentMode: AssignmentMode };

/** Returns the problems of a pool of prefixes that has fields of a pool of addresses. */
export function prefixProblems(pool: FieldsAboutAddresses): FieldProblem[] {
  const { assignmentMode } = pool;
  const problems: FieldProblem[] = ABOUT_ADDRESSES.filter((field) => pool[field] !== undefined).map(
    (field) => ({
      field,
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
