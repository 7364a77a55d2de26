import { isWhollyReserved } from "./block.ts";
import { intervalOf, overlaps } from "./cidr.ts";
import { RESERVATIONS_NAMED_MAX } from "./limits.ts";
import type { Pool, SpaceConfiguration } from "./pool.ts";
import type { Unfit } from "./unfit.ts";

/**
 * Returns true if every address of a pool is reserved, so that nothing in it can be claimed, seized or borrowed.
 *
 * @throws {CorruptItemError} if the reservations are not known
 */
export const isShut = ({ cidr }: Pool, { reserved }: Pick<SpaceConfiguration, "reserved">) =>
  isWhollyReserved(cidr, reserved);

/** Returns the reservations that shut a pool, as a reason why it may not serve. */
export function whyShut(
  { cidr }: Pool,
  { reservations }: Pick<SpaceConfiguration, "reservations">,
): Unfit {
  const range = intervalOf(cidr);
  const names = reservations
    .filter(({ intervals }) => intervals.some((each) => overlaps(each, range)))
    .map(({ name }) => name);
  const told = names.slice(0, RESERVATIONS_NAMED_MAX).join(", ");
  const more = names.length - RESERVATIONS_NAMED_MAX;
  const by = names.length === 1 ? "reservation" : "reservations";
  return {
    code: "reserved",
    reason: `is covered as a whole by ${by} ${told}${more > 0 ? ` and ${more} more` : ""}`,
  };
}
