import type { CorruptItemError } from "../../base/outcome.ts";
import { type Interval, merged } from "../../net/cidr.ts";
import { NEVER_ASSIGNED } from "../../net/special-ranges.ts";
import type { Quota } from "../quota/quota.ts";
import type { Reservation } from "../reservation/reservation.ts";
import type { AttributeIndex, Settings } from "../settings/settings.ts";
import { keptOutOf } from "./network.ts";
import type { Pool, PoolSpec } from "./pool.ts";

/** A pool or a reservation whose item this version cannot read. Only its existence and its name are known. */
export interface UnreadableNamed {
  readonly name: string;
  readonly unreadable: CorruptItemError;
}

/**
 * All that selection needs of a space. A decision that depends on an unreadable item throws an error with the item's
 * name.
 */
export interface SpaceConfiguration {
  /** Throws `CorruptItemError` if they exist and cannot be read, because the defaults may differ from them. */
  readonly settings: Settings;
  /** Nothing until an operator writes the settings. Throws as `settings` does. */
  readonly settingsRevision: string | undefined;
  /** The indexes of attributes. Throws as `settings` does. */
  readonly indexes: readonly AttributeIndex[];
  readonly pools: readonly Pool[];
  readonly unreadablePools: readonly UnreadableNamed[];
  readonly reservations: readonly Reservation[];
  readonly unreadableReservations: readonly UnreadableNamed[];
  /** All quotas. Throws `CorruptItemError` if one cannot be read, because it may limit any request. */
  readonly quotas: readonly Quota[];
  readonly readableQuotas: readonly Quota[];
  readonly unreadableQuotas: readonly UnreadableNamed[];
  /**
   * All reserved, kept-out and never-assigned addresses, in runs that do not touch. Throws `CorruptItemError` if a
   * reservation cannot be read.
   */
  readonly reserved: readonly Interval[];
}

/**
 * Returns all addresses that automatic assignment leaves out, in runs that do not touch: those of reservations, and those that the
 * networks of pools keep out. A gateway is out of use for every pool of the space, also if another pool has it.
 */
export const reservedBy = (
  reservations: readonly Pick<Reservation, "intervals">[],
  pools: readonly PoolSpec[],
): readonly Interval[] =>
  merged([
    ...NEVER_ASSIGNED,
    ...reservations.flatMap(({ intervals }) => intervals),
    ...pools.flatMap(keptOutOf),
  ]);

/** Returns the pool with this name, if there is one. @throws {CorruptItemError} */
export function poolNamed(
  { pools, unreadablePools }: SpaceConfiguration,
  name: string,
): Pool | undefined {
  rejectNamed(unreadablePools, name);
  return pools.find((pool) => pool.name === name);
}

/** Returns the reservation with this name, if there is one. @throws {CorruptItemError} */
export function reservationNamed(
  { reservations, unreadableReservations }: SpaceConfiguration,
  name: string,
): Reservation | undefined {
  rejectNamed(unreadableReservations, name);
  return reservations.find((reservation) => reservation.name === name);
}

/** Returns the quota with this name, if there is one. @throws {CorruptItemError} */
export function quotaNamed(
  { readableQuotas, unreadableQuotas }: SpaceConfiguration,
  name: string,
): Quota | undefined {
  rejectNamed(unreadableQuotas, name);
  return readableQuotas.find((quota) => quota.name === name);
}

/** Returns a pool by its id, if there is one. @throws {CorruptItemError} if it may be one that cannot be read */
export function poolOfId(configuration: SpaceConfiguration, id: string): Pool | undefined {
  return configuration.pools.find((pool) => pool.id === id) ?? noneUnread(configuration);
}

/** Returns nothing, which is true only if every pool was read. @throws {CorruptItemError} */
export function noneUnread({ unreadablePools }: SpaceConfiguration): undefined {
  const [first] = unreadablePools;
  if (first) throw first.unreadable;
  return undefined;
}

function rejectNamed(all: readonly UnreadableNamed[], name: string): void {
  const found = all.find((each) => each.name === name);
  if (found) throw found.unreadable;
}
