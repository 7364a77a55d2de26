import { UNTOLD_EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { lookAtSet } from "../../../kernel/blocks/look-at-set.ts";
import { answer, RETRY, type Step } from "../../../kernel/core/compare-and-swap.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import {
  knownOutcome,
  type Precondition,
  unchanged,
  unmet,
  type Written,
} from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { formatAddress } from "../../../net/address.ts";
import { type AddressSet, NO_ADDRESSES, subtract, unionOf } from "../../../net/address-set.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { shrinkJobId } from "../../job/job.ts";
import { beginShrink } from "../../job/operations/begin-job.ts";
import { takenWithin } from "../../utilization/used-in.ts";
import { isForApplications } from "../application-pools.ts";
import { noneUnread, type SpaceConfiguration } from "../configuration.ts";
import { lostByInner, outsideOfOuter } from "../overlap.ts";
import { assignsPrefixes, isRanged, type Pool, type PoolSpec } from "../pool.ts";
import { addressSetOf, isShrinking } from "../set.ts";
import { cutCheck, rejectShared } from "./cut-check.ts";

/** Assigned addresses that the rejection of a change names, which would take them out of a pool. */
const IN_USE_ADDRESSES_MAX = 256;
/** Runs of addresses that a pool keeps until a job frees them: with two IPv6 addresses each, 94 KB. */
const POOL_RETIRING_RUNS_MAX = 1_024;

/**
 * Changes an active pool as it was seen, if the precondition holds. What it adds to a ranged pool belongs to it before it serves. What it
 * takes out stays with the pool (`retiring`) until a job has proven it unused.
 */
export async function changePool(
  context: Context,
  { seen, configuration }: { readonly seen: Pool; readonly configuration: SpaceConfiguration },
  spec: PoolSpec,
  precondition: Precondition,
): Promise<Step<Written<Pool> | Rejection>> {
  const { space, name, id, state, revision, subnetId, parentId, adding, retiring, ...current } =
    seen;
  const isSame = same(current, spec);
  const wanted = { act: "change", precondition, isSame } as const;
  const rejection = unmet({ kind: "pool", name, revision }, wanted);
  if (rejection) return answer(rejection);
  // A change that was cut off can have left what it was about to add. Then the same content is written once more.
  if (isSame && !adding) {
    if (retiring) await beginShrink(context, seen);
    const lacking = outsideOfOuter(seen, addressSetOf(seen), configuration);
    if (lacking) return answer(lacking);
    return answer(unchanged(context, seen, revision, UNTOLD_EFFECTIVE_MS_MAX));
  }
  const fixed = immutableIn(seen, spec);
  if (fixed) return answer(fixed);
  const [set, wantedSet] = [addressSetOf(seen), addressSetOf(spec)];
  const left = subtract(unionOf(retiring ?? NO_ADDRESSES, set), wantedSet);
  const out = subtract(set, wantedSet);
  const kept =
    lostByInner(seen, out, configuration) ??
    outsideOfOuter(seen, wantedSet, configuration) ??
    (await takenOut(context, seen, { out, left }));
  if (kept) return answer(kept);
  const added = subtract(wantedSet, set);
  const before = added.length > 0 ? await addAddresses(context, seen, added) : seen;
  if (before instanceof Rejection) return answer(before);
  if (!before) return RETRY;
  const subnet = subnetId !== undefined && { subnetId };
  const next: Pool = {
    ...spec,
    space,
    name,
    id,
    ...subnet,
    ...(parentId !== undefined && { parentId }),
    ...(left.length > 0 && { retiring: left }),
    state,
    revision: fresh(context),
  };
  const put = await knownOutcome(context.store.putPool(next, before));
  if (put.outcome === "lost") return RETRY;
  const undone = await undoneForInner(context, { seen, next, out, added });
  if (undone === "lost") return RETRY;
  const effectiveAtMs = await announceChange(context, space);
  const last = undone?.pool ?? next;
  if (isShrinking(last)) await beginShrink(context, last);
  return answer(undone?.rejection ?? { value: next, created: false, effectiveAtMs });
}

/** A change of a pool that is written. */
interface Changed {
  readonly seen: Pool;
  readonly next: Pool;
  readonly out: AddressSet;
  readonly added: AddressSet;
}

/**
 * Undoes a change that took addresses out of an Applications pool, if a pool inside of it has got one of them since the change read the
 * pools. That one writes its item before it reads the Applications pool, so at least one of both sees the other. What the change added
 * may be in use by now, so it stays until a job has freed it. If this is cut off, later changes are rejected until they take the
 * addresses back.
 *
 * @returns "lost" if another change came between
 */
async function undoneForInner(
  context: Context,
  { seen, next, out, added }: Changed,
): Promise<{ readonly pool: Pool; readonly rejection: Rejection } | "lost" | undefined> {
  if (!isForApplications(next) || out.length === 0) return undefined;
  const rejection = lostByInner(next, out, await context.store.readSpace(next.space));
  if (!rejection) return undefined;
  const retiring = unionOf(seen.retiring ?? NO_ADDRESSES, added);
  const pool: Pool = {
    ...seen,
    ...(retiring.length > 0 && { retiring }),
    revision: fresh(context),
  };
  const put = await knownOutcome(context.store.putPool(pool, next));
  return put.outcome === "lost" ? "lost" : { pool, rejection };
}

/** Returns the rejection if the change touches an immutable field; otherwise nothing. */
function immutableIn(seen: Pool, spec: PoolSpec): Rejection | undefined {
  const fixed = {
    cidr: ({ cidr }: PoolSpec) => formatCidr(cidr),
    parent: ({ parent }: PoolSpec) => parent,
    assign: (pool: PoolSpec) => (assignsPrefixes(pool) ? "prefixes" : "addresses"),
    blockSize: ({ blockSize }: PoolSpec) => blockSize,
  };
  for (const [field, valueIn] of Object.entries(fixed)) {
    const [is, value] = [valueIn(seen), valueIn(spec)];
    if (is !== value) return fieldRejection(field, `cannot change; it is ${is ?? "absent"}`, value);
  }
  const isForBalancers = ({ allowedUses }: PoolSpec) => allowedUses.includes("LoadBalancer");
  if (isForBalancers(seen) !== isForBalancers(spec))
    return fieldRejection(
      "allowedUses",
      `cannot gain or lose LoadBalancer; it is ${seen.allowedUses.join(", ")}`,
      spec.allowedUses.join(", "),
    );
  if (isForApplications(seen) !== isForApplications(spec))
    return fieldRejection(
      "assignmentMode",
      `cannot become or cease to be Applications; it is ${seen.assignmentMode}`,
      spec.assignmentMode,
    );
  if (isRanged(seen) !== isRanged(spec))
    return fieldRejection(
      "ranges",
      isRanged(seen)
        ? "cannot be dropped; send the ranges of the pool"
        : "cannot be added to a pool that was created without them; create another pool",
    );
  return undefined;
}

/** The addresses that a change takes out of a ranged pool, and those that the pool then keeps outside of its set. */
interface TakenOut {
  readonly out: AddressSet;
  readonly left: AddressSet;
}

/**
 * Returns the rejection if a change takes addresses out of a pool that are assigned, or leaves more runs than its item can keep. The check is
 * for the operator: what is assigned after it stays with the pool until it is released.
 */
async function takenOut(
  context: Context,
  seen: Pool,
  { out, left }: TakenOut,
): Promise<Rejection | undefined> {
  if (left.length > Math.max(POOL_RETIRING_RUNS_MAX, seen.retiring?.length ?? 0))
    return fieldRejection(
      "ranges",
      `would leave ${left.length} separate runs to free, more than ${POOL_RETIRING_RUNS_MAX}; take out or take back fewer, or wait for job ${shrinkJobId(seen.id)}`,
    );
  if (out.length === 0) return undefined;
  const { blocks, groups, groupsLooked } = await lookAtSet(context, seen, out);
  const taken = blocks.flatMap((block) => takenWithin(block, out));
  if (taken.length === 0) return undefined;
  const addresses = taken.slice(0, IN_USE_ADDRESSES_MAX).map(formatAddress);
  return new Rejection(
    "pool_in_use",
    `${groupsLooked === groups ? "" : "At least "}${taken.length} of the addresses that would leave pool ${seen.name} are assigned, such as ${addresses[0]}; release them first, or keep them in the pool.`,
    { taken: taken.length, addresses, groups, groupsLooked },
  );
}

function fieldRejection(field: string, problem: string, value?: string | number): Rejection {
  return new Rejection("invalid_request", `${field} ${problem}.`, {
    fields: [{ field, ...(value !== undefined && { value }), problem }],
  });
}

/**
 * Keeps addresses for a ranged pool that is about to get them: its item says so → then all pools are read. If another pool has one
 * of them, the first step is undone. Of two pools that want one address at once, at least one sees the other, so one or none gets it.
 * After a crash the pool keeps the addresses from others until its next change, or until a job frees them.
 *
 * @returns the pool as its item is then; nothing if another request changed it meanwhile
 */
async function addAddresses(
  context: Context,
  seen: Pool,
  added: AddressSet,
): Promise<Pool | Rejection | undefined> {
  const { store } = context;
  const { adding: _, ...before } = seen;
  const adding: Pool = { ...before, adding: added, revision: fresh(context) };
  const put = await knownOutcome(store.changePool("add-addresses", seen, adding));
  if (put.outcome === "lost") return undefined;
  const configuration = await store.readSpace(seen.space);
  // The set of a pool that cannot be read is not known.
  noneUnread(configuration);
  const shared =
    (await rejectShared(context, seen, added, configuration.pools)) ??
    (await cutCheck(context, seen, added, configuration));
  if (shared) await store.changePool("add-undo", adding, { ...before, revision: fresh(context) });
  return shared ?? adding;
}
