import { type Cidr, formatCidr, sameCidr } from "../domain/cidr.ts";
import { deleteJobId } from "../domain/job.ts";
import {
  POOLS_PER_SPACE_MAX,
  RESERVATIONS_PER_SPACE_MAX,
  SWAP_TRIES_MAX,
} from "../domain/limits.ts";
import { Contended, type Outcome, Refusal, Unavailable } from "../domain/outcome.ts";
import { type PlanEntry, planned } from "../domain/plan.ts";
import type { Pool, PoolSpec, Reservation, Settings } from "../domain/pool.ts";
import { announceChange } from "./configuration.ts";
import { type Context, fresh } from "./context.ts";

/** What an operator's write came to. */
export interface Written<T> {
  readonly value: T;
  readonly created: boolean;
  /** From when on every function acts on it, in milliseconds since the epoch. */
  readonly effectiveAtMs: number;
}

/** What the operator saw before: the revision of `If-Match`, or nothing. */
export type IfMatch = string | undefined;

/**
 * Creates a pool, or changes one that is as it was seen. A new pool is put as `pending`, then the address plan gets its
 * range, then it becomes `active`: a crash in between leaves a pool that serves nobody, and the same PUT goes on with it.
 */
export async function putPool(
  context: Context,
  space: string,
  name: string,
  spec: PoolSpec,
  ifMatch: IfMatch,
): Promise<Written<Pool> | Refusal> {
  const { pools } = await context.store.readSpace(space);
  const standing = pools.find((pool) => pool.name === name);
  if (standing?.state === "deleting") return beingDeleted(standing);
  if (standing?.state === "active") return changePool(context, standing, spec, ifMatch);
  if (ifMatch !== undefined) return nothingThere("pool", name);
  if (!standing && pools.length >= POOLS_PER_SPACE_MAX)
    return new Refusal("invalid_request", `A space has at most ${POOLS_PER_SPACE_MAX} pools.`);
  await registerSpace(context, space);
  const id = standing?.id ?? fresh(context);
  const pending: Pool = { ...spec, space, name, id, state: "pending", revision: fresh(context) };
  const put = await settled(context.store.putPool(pending, standing));
  if (put.outcome === "lost") return createdMeanwhile("pool", name);
  const refusal = await enterPlan(context, pending);
  if (refusal) {
    await context.store.deletePool(pending);
    return refusal;
  }
  const active: Pool = { ...pending, state: "active", revision: fresh(context) };
  const activated = await settled(context.store.putPool(active, pending));
  if (activated.outcome === "lost") return createdMeanwhile("pool", name);
  return { value: active, created: true, effectiveAtMs: await announceChange(context, space) };
}

async function changePool(
  context: Context,
  seen: Pool,
  spec: PoolSpec,
  ifMatch: IfMatch,
): Promise<Written<Pool> | Refusal> {
  const refusal = checkMatch("pool", seen.name, seen.revision, ifMatch);
  if (refusal) return refusal;
  if (!sameCidr(seen.cidr, spec.cidr)) return immutable("cidr", formatCidr(seen.cidr));
  if (seen.blockSize !== spec.blockSize) return immutable("blockSize", seen.blockSize);
  const isForBalancers = ({ allowedUses }: PoolSpec) => allowedUses.includes("LoadBalancer");
  if (isForBalancers(seen) !== isForBalancers(spec))
    return fieldRefusal(
      "allowedUses",
      `cannot become LoadBalancer, or cease to be; it is ${seen.allowedUses.join(", ")}`,
    );
  const { space, name, id } = seen;
  const next: Pool = { ...spec, space, name, id, state: "active", revision: fresh(context) };
  const put = await settled(context.store.putPool(next, seen));
  if (put.outcome === "lost") return changedMeanwhile("pool", name);
  return { value: next, created: false, effectiveAtMs: await announceChange(context, space) };
}

/** A compare-and-swap on the plan: whoever changes a range goes through this one item, so no two pools can overlap. */
async function enterPlan(context: Context, pool: Pool): Promise<Refusal | undefined> {
  const { store } = context;
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    const plan = await store.readPlan(pool.space);
    const { name, id, cidr, blockSize } = pool;
    // The plan was read before: as long as this pool stands as we put it, nobody else has entered its range since.
    const { pools, poolIds } = await store.readSpace(pool.space);
    const standing = pools.find((candidate) => candidate.name === name);
    if (standing?.revision !== pool.revision) return createdMeanwhile("pool", name);
    // A pool's item stands before its range is entered: an entry that no pool stands for is left from a try cut off.
    const entries = plan.entries.filter((entry) => poolIds.has(entry.id));
    const change = planned({ ...plan, entries }, { pool: name, id, cidr, blockSize });
    if ("inTheWay" in change) {
      const other = change.inTheWay;
      // An earlier try that was cut off may have left this pool's former range in the plan.
      const others = entries.filter((entry) => entry.id !== id);
      if (others.length < plan.entries.length) await store.changePlan(plan, others, fresh(context));
      return overlap(
        cidr,
        other,
        pools.find((candidate) => candidate.id === other.id),
      );
    }
    const changed = await store.changePlan(plan, change.entries, fresh(context));
    // After an unknown outcome the plan is read again; entering the same range twice is entering it once.
    if (changed.outcome === "done") return undefined;
  }
  throw new Contended("other pools of this space are being created all the time");
}

function overlap(cidr: Cidr, other: PlanEntry, owner: Pool | undefined): Refusal {
  const field = { field: "cidr", value: formatCidr(cidr), problem: `overlaps ${other.pool}` };
  const going = owner?.state === "deleting";
  return new Refusal(
    "pool_overlap",
    `cidr ${formatCidr(cidr)} overlaps pool ${other.pool} (${formatCidr(other.cidr)}) of this space${going ? ", which is being deleted" : ""}.`,
    { fields: [field], ...(going && { retryable: true, job: deleteJobId(other.id) }) },
  );
}

/** Creates a reservation, or changes one that is as it was seen. */
export async function putReservation(
  context: Context,
  space: string,
  name: string,
  spec: Pick<Reservation, "cidrs" | "intervals" | "reason">,
  ifMatch: IfMatch,
): Promise<Written<Reservation> | Refusal> {
  const { reservations } = await context.store.readSpace(space);
  const seen = reservations.find((reservation) => reservation.name === name);
  if (!seen && ifMatch !== undefined) return nothingThere("reservation", name);
  if (!seen && reservations.length >= RESERVATIONS_PER_SPACE_MAX)
    return new Refusal(
      "invalid_request",
      `A space has at most ${RESERVATIONS_PER_SPACE_MAX} reservations.`,
    );
  const refusal = seen && checkMatch("reservation", name, seen.revision, ifMatch);
  if (refusal) return refusal;
  await registerSpace(context, space);
  const next: Reservation = { ...spec, space, name, revision: fresh(context) };
  const put = await settled(context.store.putReservation(next, seen));
  if (put.outcome === "lost") return changedMeanwhile("reservation", name);
  return { value: next, created: !seen, effectiveAtMs: await announceChange(context, space) };
}

/** Deletes a reservation that is as it was seen. */
export async function deleteReservation(
  context: Context,
  space: string,
  name: string,
  ifMatch: IfMatch,
): Promise<Written<undefined> | Refusal> {
  const seen = await findReservation(context, space, name);
  if (!seen) return notFound("reservation", name);
  const refusal = checkMatch("reservation", name, seen.revision, ifMatch);
  if (refusal) return refusal;
  const deleted = await settled(context.store.deleteReservation(seen));
  if (deleted.outcome === "lost") return changedMeanwhile("reservation", name);
  return {
    value: undefined,
    created: false,
    effectiveAtMs: await announceChange(context, space),
  };
}

/** Sets what holds for the whole space. */
export async function putSettings(
  context: Context,
  space: string,
  settings: Settings,
  ifMatch: IfMatch,
): Promise<Written<{ settings: Settings; revision: string }> | Refusal> {
  const { settingsRevision } = await context.store.readSpace(space);
  if (settingsRevision === undefined && ifMatch !== undefined)
    return nothingThere("configuration", space);
  const refusal =
    settingsRevision === undefined
      ? undefined
      : checkMatch("configuration", space, settingsRevision, ifMatch);
  if (refusal) return refusal;
  await registerSpace(context, space);
  const revision = fresh(context);
  const put = await settled(context.store.putSettings(space, settings, revision, settingsRevision));
  if (put.outcome === "lost") return changedMeanwhile("configuration", space);
  return {
    value: { settings, revision },
    created: settingsRevision === undefined,
    effectiveAtMs: await announceChange(context, space),
  };
}

/** A pool as it stands; one whose creation was cut off is shown as `pending`. */
export async function readPool(
  context: Context,
  space: string,
  name: string,
): Promise<Pool | Refusal> {
  const pool = (await listPools(context, space)).find((candidate) => candidate.name === name);
  return pool ?? notFound("pool", name);
}

export async function listPools(context: Context, space: string): Promise<readonly Pool[]> {
  return (await context.store.readSpace(space)).pools;
}

export async function readReservation(
  context: Context,
  space: string,
  name: string,
): Promise<Reservation | Refusal> {
  return (await findReservation(context, space, name)) ?? notFound("reservation", name);
}

export async function listReservations(
  context: Context,
  space: string,
): Promise<readonly Reservation[]> {
  return (await context.store.readSpace(space)).reservations;
}

/** What holds for the space; without a revision as long as nobody has written it. */
export async function readSettings(context: Context, space: string) {
  const { settings, settingsRevision } = await context.store.readSpace(space);
  return { settings, revision: settingsRevision };
}

async function findReservation(context: Context, space: string, name: string) {
  const { reservations } = await context.store.readSpace(space);
  return reservations.find((reservation) => reservation.name === name);
}

async function registerSpace(context: Context, space: string): Promise<void> {
  await settled(context.store.registerSpace(space));
}

/** An operator whose write is of unknown outcome is told so, and reads before writing again. */
export async function settled<T>(write: Promise<Outcome<T>>) {
  const result = await write;
  if (result.outcome === "unknown")
    throw new Unavailable(
      "the database did not say whether the change was made; read before trying again",
    );
  return result;
}

export function checkMatch(
  kind: string,
  name: string,
  revision: string,
  ifMatch: IfMatch,
): Refusal | undefined {
  if (ifMatch === undefined)
    return new Refusal(
      "precondition_required",
      `The ${kind} ${name} is there already; send the ETag you saw as If-Match to change it.`,
    );
  return ifMatch === revision ? undefined : changedMeanwhile(kind, name);
}

export const changedMeanwhile = (kind: string, name: string) =>
  new Refusal("precondition_failed", `The ${kind} ${name} has changed since it was read.`);
export const createdMeanwhile = (kind: string, name: string) =>
  new Refusal("precondition_failed", `The ${kind} ${name} was created by somebody else meanwhile.`);
export const nothingThere = (kind: string, name: string) =>
  new Refusal("precondition_failed", `If-Match was sent, but there is no ${kind} ${name}.`);
export const beingDeleted = ({ name, id }: Pool) =>
  new Refusal(
    "pool_deleting",
    `The pool ${name} is being deleted; its name and its range are free when job ${deleteJobId(id)} is done.`,
    { job: deleteJobId(id) },
  );
export const notFound = (kind: string, name: string) =>
  new Refusal("not_found", `There is no ${kind} ${name} in this space.`);

const immutable = (field: string, value: string | number) =>
  fieldRefusal(field, `cannot change; it is ${value}`);

function fieldRefusal(field: string, problem: string): Refusal {
  return new Refusal("invalid_request", `${field} ${problem}.`, { fields: [{ field, problem }] });
}
