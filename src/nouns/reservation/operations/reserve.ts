import { PAGE_READS_AT_ONCE, POOLS_TOLD_MAX } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt, Rejection } from "../../../base/outcome.ts";
import { mayBeOf } from "../../../kernel/blocks/walk-pool.ts";
import { type PageBudget, pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Precondition, Written } from "../../../kernel/core/written.ts";
import { type Block, reservedOrdinals } from "../../../kernel/values/block.ts";
import { groupAt } from "../../../kernel/values/block-group.ts";
import { isReleased } from "../../../kernel/values/slot.ts";
import { countOf, sharedBy, subtract } from "../../../net/address-set.ts";
import { type Interval, intervalOf, merged, overlaps } from "../../../net/cidr.ts";
import { inNetworks, ownServedSetOf, ownSetOf } from "../../pool/application-pools.ts";
import { reservedBy } from "../../pool/configuration.ts";
import { putReservation } from "../../pool/operations/administration.ts";
import { assignsPrefixes, type Pool, slotSizeOf, subnetIdOf } from "../../pool/pool.ts";
import { reservedFor } from "../../pool/set.ts";
import type { Reservation, ReservationSpec } from "../reservation.ts";

/** An effect of a reservation on a pool that its operator may not expect. */
export interface ReservationWarning extends Covered {
  readonly pool: Pick<Pool, "name" | "cidr" | "assign" | "blockSize">;
  /** The number of addresses or prefixes of the pool, without those that pools inside of it have. */
  readonly size: bigint;
  /** The number of its addresses that no reservation of the space covers, or of its prefixes that none touches. */
  readonly unreserved: bigint;
}

/** Addresses or prefixes in a reservation, as counted in a pool's blocks. */
interface Covered {
  /** The number of them that are assigned. */
  readonly inUse: number;
  /** The number of them that applications hold, and that no instance has. */
  readonly held: number;
  /** True if every block was read. Otherwise more addresses may be assigned. */
  readonly complete: boolean;
}

/** A reservation after the write, and its warnings. */
export interface Reserved extends Written<Reservation> {
  readonly warnings: readonly ReservationWarning[];
}

/**
 * Creates or changes a reservation. It warns of each pool in which the reservation covers, or may cover, assigned
 * or held addresses. It also warns of each pool in which no address is left for automatic assignment. Each address counts
 * for one pool: the one in whose name it is assigned. The blocks are read after the reservation is written, and at most as
 * many as one page of a list may read.
 */
export async function reserve(
  context: Context,
  space: string,
  name: string,
  spec: ReservationSpec,
  precondition: Precondition,
): Promise<Reserved | Rejection> {
  const written = await putReservation(context, space, name, spec, precondition);
  if (written instanceof Rejection) return written;
  return { ...written, warnings: await warningsOf(context, space, merged(spec.intervals)) };
}

async function warningsOf(
  context: Context,
  space: string,
  runs: readonly Interval[],
): Promise<readonly ReservationWarning[]> {
  const { pools, reservations } = await context.store.readSpace(space);
  const reserved = reservedBy(reservations, inNetworks(pools));
  const budget = pageBudget(context);
  const warnings: ReservationWarning[] = [];
  for (const pool of pools) {
    const closed = assignsPrefixes(pool) ? reservedFor(pool, { reserved: runs }) : runs;
    const within = sharedBy(closed, ownServedSetOf(pool, pools));
    if (within.length === 0 || pool.state === "deleting") continue;
    const set = ownSetOf(pool, pools);
    const size = countOf(set) / slotSizeOf(pool);
    const unreserved = countOf(subtract(set, reservedFor(pool, { reserved }))) / slotSizeOf(pool);
    const covered = await coveredIn(context, pool, within, budget);
    // Blocks that were not read may have assigned addresses. No warning would mean that there are none.
    if (covered.inUse + covered.held > 0 || unreserved === 0n || !covered.complete)
      warnings.push({ pool, size, unreserved, ...covered });
  }
  return warnings.slice(0, POOLS_TOLD_MAX);
}

/** Counts the assigned and the held addresses of a pool in these intervals, as far as the budget allows. */
async function coveredIn(
  context: Context,
  pool: Pool,
  runs: readonly Interval[],
  budget: PageBudget,
): Promise<Covered> {
  if (budget.isSpent) return UNSEEN;
  budget.look();
  const map = await orCorrupt(
    context.store.readBlockGroupIndex(pool.space, subnetIdOf(pool), { consistent: false }),
  );
  if (map instanceof CorruptItemError) return UNSEEN;
  const touched = [...map.groups]
    .map((index) => groupAt(pool, index))
    .filter((group) => runs.some((run) => overlaps(run, intervalOf(group))));
  let [inUse, held] = [0, 0];
  let complete = true;
  for (let from = 0; from < touched.length; from += PAGE_READS_AT_ONCE) {
    if (budget.isSpent) return { inUse, held, complete: false };
    const some = touched.slice(from, from + PAGE_READS_AT_ONCE);
    const looks = await inParallel(some, some.length, (group) => {
      budget.look();
      return context.store.scanGroup(pool.space, group, { consistent: false });
    });
    for (const block of looks.flat().filter((each) => mayBeOf(pool, each))) {
      const counted = countWithin(block, runs);
      inUse += counted.inUse;
      held += counted.held;
      complete &&= !block.unreadable;
    }
  }
  return { inUse, held, complete };
}

const UNSEEN: Covered = { inUse: 0, held: 0, complete: false };

function countWithin(block: Block, runs: readonly Interval[]): Omit<Covered, "complete"> {
  const isWithin = reservedOrdinals(block, runs);
  const slots = [...block.slots].filter(
    ([ordinal, slot]) => !isReleased(slot) && isWithin(ordinal),
  );
  const held = slots.filter(([, { kind }]) => kind === "held").length;
  return { inUse: slots.length - held, held };
}
