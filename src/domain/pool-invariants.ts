import { formatCidr, sameCidr } from "./cidr.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds what is wrong with pools: a range that the plan does not give, or a deletion without a job. */
export const poolViolations = (contents: Contents): Violation[] => [
  ...unplanned(contents),
  ...abandoned(contents),
];

/** Finds active pools whose range is not in the plan. A creator of another pool checks only the plan. */
function unplanned({ pools, plans }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "active")
    .filter(
      ({ space, id, subnetId, cidr }) =>
        !plans.some(
          (plan) =>
            plan.space === space &&
            plan.entries.some(
              (entry) =>
                entry.id === id && entry.subnetId === subnetId && sameCidr(entry.cidr, cidr),
            ),
        ),
    )
    .map(({ name, cidr }) =>
      violation("I1", `pool ${name} serves ${formatCidr(cidr)}, which the plan does not give it`),
    );
}

/** Finds pools in state `deleting` without a job that continues the deletion. */
function abandoned({ pools, jobs }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "deleting")
    .filter(
      (pool) =>
        !jobs.some(
          (job) => job.kind === "pool.delete" && job.poolId === pool.id && job.state === "running",
        ),
    )
    .map(({ name }) => violation("shape", `pool ${name} is being deleted, and no job does it`));
}
