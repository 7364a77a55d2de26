import { UNTOLD_EFFECTIVE_MS_MAX } from "../../../base/limits.ts";
import type { Listed } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import {
  deleteResource,
  knownOutcome,
  type Precondition,
  putResource,
  registerSpace,
  unchanged,
  unmet,
  type Written,
} from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { isShut } from "../../../selection/closed-by-reservations.ts";
import { deleteJobId } from "../../job/job.ts";
import { parentOf } from "../../prefix/operations/child-pool.ts";
import type { Reservation, ReservationSpec } from "../../reservation/reservation.ts";
import type { Settings } from "../../settings/settings.ts";
import { poolNamed, reservationNamed, type SpaceConfiguration } from "../configuration.ts";
import { RESERVATIONS_PER_SPACE_MAX } from "../limits.ts";
import { assignsPrefixes, type Pool, type PoolSpec } from "../pool.ts";
import { buildIndexes, indexesOf, isAsked } from "./build-indexes.ts";
import { changePool } from "./change-pool.ts";
import { createPool } from "./create-pool.ts";

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
    if (current?.state === "deleting") {
      // A PUT that needs a version of the pool will find none.
      const isAwaited = !unmet({ kind: "pool", name }, { act: "change", precondition });
      return answer(beingDeleted(current, { isAwaited }));
    }
    if (current?.state === "active")
      return changePool(context, { seen: current, configuration }, spec, precondition);
    const wanted = { act: "change", precondition } as const;
    const unmade = unmet({ kind: "pool", name }, wanted);
    // A pending pool is there for a PUT that names its version, and not yet for any other.
    const rejection =
      unmade && current
        ? unmet({ kind: "pool", name, revision: current.revision }, wanted)
        : unmade;
    const unfit = rejection ?? withoutPrefix(spec, configuration);
    if (unfit) return answer(unfit);
    const parent = spec.parent === undefined ? undefined : parentOf(spec, space, configuration);
    if (parent instanceof Rejection) return answer(parent);
    const count = configuration.pools.length + configuration.unreadablePools.length;
    return answer(await createPool(context, { space, name, spec, current, parent, count }));
  });
}

/** Returns the rejection of a new pool of prefixes in which reservations touch every prefix; otherwise nothing. */
function withoutPrefix(spec: PoolSpec, configuration: SpaceConfiguration): Rejection | undefined {
  if (!assignsPrefixes(spec) || !isShut(spec, configuration)) return undefined;
  const value = formatCidr(spec.cidr);
  const problem = `has no prefix of /${spec.blockSize} that is free of reserved addresses; a prefix is not assigned if a reservation has an address of it`;
  return new Rejection("invalid_request", `cidr ${value} ${problem}.`, {
    fields: [{ field: "cidr", value, problem }],
  });
}

/** Creates a reservation, or changes an existing one if the precondition holds. */
export async function putReservation(
  context: Context,
  space: string,
  name: string,
  spec: ReservationSpec,
  precondition: Precondition,
): Promise<Written<Reservation> | Rejection> {
  const { store } = context;
  let count = 0;
  return putResource<Reservation>(context, { kind: "reservation", space, name }, precondition, {
    async read() {
      const configuration = await store.readSpace(space);
      count = configuration.reservations.length + configuration.unreadableReservations.length;
      return reservationNamed(configuration, name);
    },
    make: (_, revision) => ({ ...spec, space, name, revision }),
    async prepare(_, seen) {
      if (!seen && count >= RESERVATIONS_PER_SPACE_MAX)
        return new Rejection(
          "invalid_request",
          `A space has at most ${RESERVATIONS_PER_SPACE_MAX} reservations.`,
        );
      await registerSpace(context, space);
      return undefined;
    },
    put: (next, seen) => store.putReservation(next, seen),
    announce: () => announceChange(context, space),
    effectiveMsMax: UNTOLD_EFFECTIVE_MS_MAX,
  });
}

/** Deletes a reservation if the precondition holds. */
export async function deleteReservation(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Written<undefined> | Rejection> {
  return deleteResource<Reservation>({ kind: "reservation", space, name }, precondition, {
    read: () => findReservation(context, space, name),
    remove: (seen) => context.store.deleteReservation(seen),
    announce: () => announceChange(context, space),
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
    const {
      settings: current,
      settingsRevision: seen,
      indexes: before,
    } = await context.store.readSpace(space);
    const indexes = indexesOf(settings, before);
    const isSame = seen !== undefined && same(current, settings);
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ ...resource, revision: seen }, wanted);
    if (rejection) return answer(rejection);
    // Of an earlier request that did not end, an index may be left that no walk was asked for.
    if (isSame && indexes.every(isAsked)) {
      const value = { settings, revision: seen };
      return answer(unchanged(context, value, seen, UNTOLD_EFFECTIVE_MS_MAX));
    }
    await registerSpace(context, space);
    const revision = fresh(context);
    const written = { ...settings, indexes };
    const put = await knownOutcome(context.store.putSettings(space, written, revision, seen));
    if (put.outcome === "lost") return RETRY;
    const effectiveAtMs = await announceChange(context, space);
    const last = await buildIndexes(context, space, { ...written, revision });
    const value = { settings, revision: last };
    return answer({ value, created: seen === undefined, effectiveAtMs });
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

/**
 * Returns the rejection of a request for a pool that is being deleted.
 *
 * @param isAwaited true if the request can succeed once the pool is gone
 */
export const beingDeleted = ({ name, id }: Pool, { isAwaited }: { readonly isAwaited: boolean }) =>
  new Rejection(
    "pool_deleting",
    `The pool ${name} is being deleted; its name and its range are free when job ${deleteJobId(id)} is done.`,
    { job: deleteJobId(id), ...(!isAwaited && { retryable: false }) },
  );
