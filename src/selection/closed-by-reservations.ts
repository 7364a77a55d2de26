import { isWhollyReserved } from "../kernel/values/block.ts";
import { type Interval, overlaps } from "../net/cidr.ts";
import { inNetworks } from "../nouns/pool/application-pools.ts";
import type { SpaceConfiguration } from "../nouns/pool/configuration.ts";
import { keptOutOf } from "../nouns/pool/network.ts";
import { assignsPrefixes, type Pool, type PoolSpec } from "../nouns/pool/pool.ts";
import { addressSetOf, reservedFor } from "../nouns/pool/set.ts";
import type { Unfit } from "./unfit.ts";

/** Reservations that a rejection names for one pool. */
const RESERVATIONS_NAMED_MAX = 8;

/**
 * Returns true if a pool has no address, or if every address of it is reserved, so that nothing in it can be claimed, seized or borrowed.
 *
 * @throws {CorruptItemError} if the reservations are not known
 */
export const isShut = (pool: PoolSpec, configuration: Pick<SpaceConfiguration, "reserved">) =>
  isWhollyReserved(pool.cidr, reservedFor(pool, configuration));

/** Returns the reservations that shut a pool, as a reason why it may not serve. */
export function whyShut(
  pool: Pool,
  { pools, reservations }: Pick<SpaceConfiguration, "pools" | "reservations">,
): Unfit {
  const set = addressSetOf(pool);
  if (set.length === 0)
    return {
      code: "excluded",
      reason: "has no address, because its ranges are empty or its excludes take them all",
    };
  const isIn = (runs: readonly Interval[]) =>
    runs.some((each) => set.some((run) => overlaps(each, run)));
  const names = reservations.filter(({ intervals }) => isIn(intervals)).map(({ name }) => name);
  const told = names.slice(0, RESERVATIONS_NAMED_MAX).join(", ");
  const more = names.length - RESERVATIONS_NAMED_MAX;
  const by = names.length === 1 ? "reservation" : "reservations";
  const isCovered = assignsPrefixes(pool) ? "has every prefix touched" : "is covered as a whole";
  const named = names.length > 0 ? [`${by} ${told}${more > 0 ? ` and ${more} more` : ""}`] : [];
  const kept = isIn(inNetworks(pools).flatMap(keptOutOf)) ? ["what networks keep out"] : [];
  return { code: "reserved", reason: `${isCovered} by ${[...named, ...kept].join(" and ")}` };
}
