import { type AddressPlanEntry, nameBytes, planBytes, planned } from "../../domain/address-plan.ts";
import { type Cidr, formatCidr, sameCidr } from "../../domain/cidr.ts";
import { deleteJobId } from "../../domain/job.ts";
import {
  PLAN_BYTES_MAX,
  POOLS_PER_SPACE_MAX,
  RESERVATIONS_PER_SPACE_MAX,
  UNTOLD_EFFECTIVE_MS_MAX,
} from "../../domain/limits.ts";
import type { Listed } from "../../domain/listed.ts";
import { Rejection } from "../../domain/outcome.ts";
import {
  type Pool,
  type PoolSpec,
  poolNamed,
  type Reservation,
  reservationNamed,
  type Settings,
  type SpaceConfiguration,
} from "../../domain/pool.ts";
import { same } from "../../domain/same.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import { announceChange } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { notFound } from "../core/not-found.ts";
import { answer, RETRY, type Step } from "../core/step.ts";
import { type Precondition, unchanged, unmet } from "./precondition.ts";
import { knownOutcome, type Written } from "./written.ts";

/**
 * Creates a pool, or changes an existing one if the precondition holds. A new pool is written as `pending`, then its
 * range enters the address plan, then the pool becomes `active`. A crash in between leaves a pool that serves no
 * request, and a repeat of the PUT continues.
 */
export async function putPool(
  context: Context,
  space: string,
  name: string,
  spec: PoolSpec,
  precondition: Precondition,
): Promise<Written<Pool> | Rejection> {
  return compareAndSwap(`the pool ${name}`, async () => {
    const configuration = await context.store.readSpace(space);
    const current = poolNamed(configuration, name);
    if (current?.state === "deleting") return answer(beingDeleted(current));
    if (current?.state === "active") return changePool(context, current, spec, precondition);
    const unfit = unmet({ kind: "pool", name }, { act: "change", precondition });
    if (unfit) return answer(unfit);
    const count = configuration.pools.length + configuration.unreadablePools.length;
    return answer(await createPool(context, { space, name, spec, current, count }));
  });
}

async function createPool(
  context: Context,
  {
    space,
    name,
    spec,
    current,
    count,
  }: {
    readonly space: string;
    readonly name: string;
    readonly spec: PoolSpec;
    /** The pending pool that an interrupted attempt left. */
    readonly current: Pool | undefined;
    /** The number of pools in the space. */
    readonly count: number;
  },
): Promise<Written<Pool> | Rejection> {
  if (!current && count >= POOLS_PER_SPACE_MAX)
    return new Rejection("invalid_request", `A space has at most ${POOLS_PER_SPACE_MAX} pools.`);
  await registerSpace(context, space);
  const id = current?.id ?? fresh(context);
  const pending: Pool = { ...spec, space, name, id, state: "pending", revision: fresh(context) };
  const put = await knownOutcome(context.store.putPool(pending, current));
  if (put.outcome === "lost") return changedMeanwhile("pool", name);
  // A reclaim run that read the space while it had no pool may have removed it from the register. A run that reads it
  // now keeps it.
  await registerSpace(context, space);
  const rejection = await enterPlan(context, pending);
  if (rejection) {
    await context.store.deletePool(pending);
    return rejection;
  }
  const active: Pool = { ...pending, state: "active", revision: fresh(context) };
  const activated = await knownOutcome(context.store.putPool(active, pending));
  if (activated.outcome === "lost") return changedMeanwhile("pool", name);
  return { value: active, created: true, effectiveAtMs: await announceChange(context, space) };
}

async function changePool(
  context: Context,
  seen: Pool,
  spec: PoolSpec,
  precondition: Precondition,
): Promise<Step<Written<Pool> | Rejection>> {
  const { space, name, id, state, revision, ...current } = seen;
  const isSame = same(current, spec);
  const wanted = { act: "change", precondition, isSame } as const;
  const rejection = unmet({ kind: "pool", name, revision }, wanted);
  if (rejection) return answer(rejection);
  if (isSame) return answer(unchanged(context, seen, revision, UNTOLD_EFFECTIVE_MS_MAX));
  const fixed = immutableIn(seen, spec);
  if (fixed) return answer(fixed);
  const next: Pool = { ...spec, space, name, id, state, revision: fresh(context) };
  const put = await knownOutcome(context.store.putPool(next, seen));
  if (put.outcome === "lost") return RETRY;
  const effectiveAtMs = await announceChange(context, space);
  return answer({ value: next, created: false, effectiveAtMs });
}

/** Returns the rejection if the change touches an immutable field; otherwise nothing. */
function immutableIn(seen: Pool, spec: PoolSpec): Rejection | undefined {
  if (!sameCidr(seen.cidr, spec.cidr)) return immutable("cidr", formatCidr(seen.cidr));
  if (seen.blockSize !== spec.blockSize) return immutable("blockSize", seen.blockSize);
  const isForBalancers = ({ allowedUses }: PoolSpec) => allowedUses.includes("LoadBalancer");
  if (isForBalancers(seen) === isForBalancers(spec)) return undefined;
  return fieldRejection(
    "allowedUses",
    `cannot gain or lose LoadBalancer; it is ${seen.allowedUses.join(", ")}`,
  );
}

/**
 * Enters a pool's range into the address plan with a compare-and-swap. Every change of a range writes this one item, so
 * no two pools can overlap.
 */
async function enterPlan(context: Context, pool: Pool): Promise<Rejection | undefined> {
  const { store } = context;
  return compareAndSwap("the address plan", async () => {
    const plan = await store.readPlan(pool.space);
    const { name, id, cidr, blockSize } = pool;
    // The plan was read before the pool. If the pool still has the revision of this attempt, no other request has
    // entered its range since.
    const configuration = await store.readSpace(pool.space);
    const { pools } = configuration;
    const current = poolNamed(configuration, name);
    if (current?.revision !== pool.revision) return answer(changedMeanwhile("pool", name));
    const entries = plan.entries.filter((entry) => mayStand(configuration, entry.id));
    const change = planned({ ...plan, entries }, { pool: name, id, cidr, blockSize });
    if ("inTheWay" in change) {
      const other = change.inTheWay;
      // An interrupted attempt may have left this pool's former range in the plan.
      const others = entries.filter((entry) => entry.id !== id);
      if (others.length < plan.entries.length) await store.changePlan(plan, others, fresh(context));
      const owner = pools.find((candidate) => candidate.id === other.id);
      return answer(overlap(cidr, other, owner));
    }
    if (planBytes(change.entries) > PLAN_BYTES_MAX)
      return answer(noRoomInPlan(pool, change.entries));
    const changed = await store.changePlan(plan, change.entries, fresh(context));
    // After an unknown outcome, the next try reads the plan again. Entering the same range twice has the same effect as
    // once.
    return changed.outcome === "done" ? answer(undefined) : RETRY;
  });
}

/**
 * Returns true if the plan entry may belong to a pool. A pool's item is written before its range enters the plan, so an
 * entry without a pool is left from an interrupted attempt. If any pool is unreadable, every entry stays, because it
 * may belong to that pool.
 */
const mayStand = ({ pools, unreadablePools }: SpaceConfiguration, poolId: string): boolean =>
  unreadablePools.length > 0 || pools.some(({ id }) => id === poolId);

function noRoomInPlan({ space, name }: Pool, entries: readonly AddressPlanEntry[]): Rejection {
  const problem = `would make the address plan of space ${space} too large: ${entries.length} pools take ${planBytes(entries)} bytes, ${nameBytes(entries)} of them for their names; the maximum is ${PLAN_BYTES_MAX}`;
  return new Rejection(
    "invalid_request",
    `Pool ${name} ${problem}; use shorter pool names, or another space.`,
    { fields: [{ field: "name", value: name, problem }] },
  );
}

function overlap(cidr: Cidr, other: AddressPlanEntry, owner: Pool | undefined): Rejection {
  const field = { field: "cidr", value: formatCidr(cidr), problem: `overlaps ${other.pool}` };
  const going = owner?.state === "deleting";
  return new Rejection(
    "pool_overlap",
    `cidr ${formatCidr(cidr)} overlaps pool ${other.pool} (${formatCidr(other.cidr)}) of this space${going ? ", which is being deleted" : ""}.`,
    { fields: [field], ...(going && { retryable: true, job: deleteJobId(other.id) }) },
  );
}

/** Creates a reservation, or changes an existing one if the precondition holds. */
export async function putReservation(
  context: Context,
  space: string,
  name: string,
  spec: Pick<Reservation, "cidrs" | "intervals" | "reason">,
  precondition: Precondition,
): Promise<Written<Reservation> | Rejection> {
  const resource = { kind: "reservation", name };
  return compareAndSwap<Written<Reservation> | Rejection>(`the reservation ${name}`, async () => {
    const configuration = await context.store.readSpace(space);
    const seen = reservationNamed(configuration, name);
    const { reservations, unreadableReservations } = configuration;
    const count = reservations.length + unreadableReservations.length;
    const revision = seen?.revision;
    const isSame = same(seen, { ...spec, space, name, revision });
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ ...resource, revision }, wanted);
    if (rejection) return answer(rejection);
    if (seen && isSame)
      return answer(unchanged(context, seen, seen.revision, UNTOLD_EFFECTIVE_MS_MAX));
    if (!seen && count >= RESERVATIONS_PER_SPACE_MAX) {
      const detail = `A space has at most ${RESERVATIONS_PER_SPACE_MAX} reservations.`;
      return answer(new Rejection("invalid_request", detail));
    }
    await registerSpace(context, space);
    const next: Reservation = { ...spec, space, name, revision: fresh(context) };
    const put = await knownOutcome(context.store.putReservation(next, seen));
    if (put.outcome === "lost") return RETRY;
    const effectiveAtMs = await announceChange(context, space);
    return answer({ value: next, created: !seen, effectiveAtMs });
  });
}

/** Deletes a reservation if the precondition holds. */
export async function deleteReservation(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Written<undefined> | Rejection> {
  const resource = { kind: "reservation", name };
  return compareAndSwap<Written<undefined> | Rejection>(`the reservation ${name}`, async () => {
    const seen = await findReservation(context, space, name);
    if (!seen) return answer(notFound(space, "reservation", name));
    const { revision } = seen;
    const rejection = unmet({ ...resource, revision }, { act: "delete", precondition });
    if (rejection) return answer(rejection);
    const deleted = await knownOutcome(context.store.deleteReservation(seen));
    if (deleted.outcome === "lost") return RETRY;
    const effectiveAtMs = await announceChange(context, space);
    return answer({ value: undefined, created: false, effectiveAtMs });
  });
}

interface SettingsWithRevision {
  readonly settings: Settings;
  readonly revision: string;
}

/** Writes the settings of a space if the precondition holds. */
export async function putSettings(
  context: Context,
  space: string,
  settings: Settings,
  precondition: Precondition,
): Promise<Written<SettingsWithRevision> | Rejection> {
  const resource = { kind: "configuration", name: `of space ${space}` };
  const what = `the configuration of space ${space}`;
  return compareAndSwap<Written<SettingsWithRevision> | Rejection>(what, async () => {
    const { settings: current, settingsRevision: seen } = await context.store.readSpace(space);
    const isSame = seen !== undefined && same(current, settings);
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ ...resource, revision: seen }, wanted);
    if (rejection) return answer(rejection);
    if (isSame) {
      const value = { settings, revision: seen };
      return answer(unchanged(context, value, seen, UNTOLD_EFFECTIVE_MS_MAX));
    }
    await registerSpace(context, space);
    const revision = fresh(context);
    const put = await knownOutcome(context.store.putSettings(space, settings, revision, seen));
    if (put.outcome === "lost") return RETRY;
    const effectiveAtMs = await announceChange(context, space);
    return answer({ value: { settings, revision }, created: seen === undefined, effectiveAtMs });
  });
}

/** Returns a pool in its current state. A pool whose creation was interrupted is `pending`. */
export async function readPool(
  context: Context,
  space: string,
  name: string,
): Promise<Pool | Rejection> {
  return poolNamed(await context.store.readSpace(space), name) ?? notFound(space, "pool", name);
}

export async function listPools(context: Context, space: string): Promise<Listed<Pool>> {
  const { pools, unreadablePools } = await context.store.readSpace(space);
  return { items: pools, unreadable: unreadablePools.map(({ unreadable }) => unreadable) };
}

export async function readReservation(
  context: Context,
  space: string,
  name: string,
): Promise<Reservation | Rejection> {
  return (await findReservation(context, space, name)) ?? notFound(space, "reservation", name);
}

export async function listReservations(
  context: Context,
  space: string,
): Promise<Listed<Reservation>> {
  const { reservations, unreadableReservations } = await context.store.readSpace(space);
  const unreadable = unreadableReservations.map((each) => each.unreadable);
  return { items: reservations, unreadable };
}

/** Returns the settings of the space; without a revision until a request writes them. */
export async function readSettings(context: Context, space: string) {
  const { settings, settingsRevision } = await context.store.readSpace(space);
  return { settings, revision: settingsRevision };
}

async function findReservation(context: Context, space: string, name: string) {
  return reservationNamed(await context.store.readSpace(space), name);
}

async function registerSpace(context: Context, space: string): Promise<void> {
  await knownOutcome(context.store.registerSpace(space, fresh(context)));
}

const changedMeanwhile = (kind: string, name: string) =>
  new Rejection(
    "precondition_failed",
    `The ${kind} ${name} was changed by another request meanwhile.`,
  );
export const beingDeleted = ({ name, id }: Pool) =>
  new Rejection(
    "pool_deleting",
    `The pool ${name} is being deleted; its name and its range are free when job ${deleteJobId(id)} is done.`,
    { job: deleteJobId(id) },
  );
const immutable = (field: string, value: string | number) =>
  fieldRejection(field, `cannot change; it is ${value}`);

function fieldRejection(field: string, problem: string): Rejection {
  return new Rejection("invalid_request", `${field} ${problem}.`, { fields: [{ field, problem }] });
}
