import { formatSet, sharedBy, subtract } from "../../domain/address-set.ts";
import { formatCidr, sameCidr } from "../../domain/cidr.ts";
import { UNTOLD_EFFECTIVE_MS_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import { isRanged, type Pool, type PoolSpec } from "../../domain/pool.ts";
import { setOf } from "../../domain/pool-set.ts";
import { same } from "../../domain/same.ts";
import { announceChange } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { answer, RETRY, type Step } from "../core/step.ts";
import { addAddresses } from "./add-addresses.ts";
import { type Precondition, unchanged, unmet } from "./precondition.ts";
import { knownOutcome, type Written } from "./written.ts";

/** Changes an active pool as it was seen, if the precondition holds. What it adds to a ranged pool belongs to it before it serves. */
export async function changePool(
  context: Context,
  seen: Pool,
  spec: PoolSpec,
  precondition: Precondition,
): Promise<Step<Written<Pool> | Rejection>> {
  const { space, name, id, state, revision, subnetId, adding, ...current } = seen;
  const isSame = same(current, spec);
  const wanted = { act: "change", precondition, isSame } as const;
  const rejection = unmet({ kind: "pool", name, revision }, wanted);
  if (rejection) return answer(rejection);
  // A change that was cut off can have left what it was about to add. Then the same content is written once more.
  if (isSame && !adding) return answer(unchanged(context, seen, revision, UNTOLD_EFFECTIVE_MS_MAX));
  const fixed = immutableIn(seen, spec);
  if (fixed) return answer(fixed);
  const added = isRanged(seen) ? subtract(setOf(spec), setOf(seen)) : [];
  const before = added.length > 0 ? await addAddresses(context, seen, added) : seen;
  if (before instanceof Rejection) return answer(before);
  if (!before) return RETRY;
  const subnet = subnetId !== undefined && { subnetId };
  const next: Pool = { ...spec, space, name, id, ...subnet, state, revision: fresh(context) };
  const put = await knownOutcome(context.store.putPool(next, before));
  if (put.outcome === "lost") return RETRY;
  const effectiveAtMs = await announceChange(context, space);
  return answer({ value: next, created: false, effectiveAtMs });
}

/** Returns the rejection if the change touches an immutable field; otherwise nothing. */
function immutableIn(seen: Pool, spec: PoolSpec): Rejection | undefined {
  if (!sameCidr(seen.cidr, spec.cidr)) return immutable("cidr", formatCidr(seen.cidr));
  if (seen.blockSize !== spec.blockSize) return immutable("blockSize", seen.blockSize);
  const isForBalancers = ({ allowedUses }: PoolSpec) => allowedUses.includes("LoadBalancer");
  if (isForBalancers(seen) !== isForBalancers(spec))
    return fieldRejection(
      "allowedUses",
      `cannot gain or lose LoadBalancer; it is ${seen.allowedUses.join(", ")}`,
    );
  if (isRanged(seen) !== isRanged(spec))
    return fieldRejection(
      "ranges",
      isRanged(seen)
        ? "cannot be dropped; send the ranges of the pool"
        : "cannot be added to a pool that was created without them; create another pool",
    );
  return narrowedIn(seen, spec);
}

/** Returns the rejection if the change takes addresses out of a ranged pool. */
function narrowedIn(seen: Pool, spec: PoolSpec): Rejection | undefined {
  const gone = subtract(setOf(seen), setOf(spec));
  if (gone.length === 0) return undefined;
  const isExcluded = sharedBy(gone, spec.excludes ?? []).length > 0;
  const named = formatSet(gone).slice(0, RUNS_NAMED_MAX).join(", ");
  return fieldRejection(
    isExcluded ? "excludes" : "ranges",
    `cannot take addresses out of the pool; ${named} would go`,
  );
}

/** Runs of addresses that a rejection names. */
const RUNS_NAMED_MAX = 8;

const immutable = (field: string, value: string | number) =>
  fieldRejection(field, `cannot change; it is ${value}`);

function fieldRejection(field: string, problem: string): Rejection {
  return new Rejection("invalid_request", `${field} ${problem}.`, { fields: [{ field, problem }] });
}
