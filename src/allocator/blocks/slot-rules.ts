import { sharedBy } from "../../domain/address-set.ts";
import type { SlotRules } from "../../domain/block.ts";
import { cooldownMsOf, type Pool, type SpaceConfiguration } from "../../domain/pool.ts";
import { reservedFor } from "../../domain/pool-set.ts";
import { cooldownMsOfSubnet, poolsOfSubnet } from "../../domain/subnet.ts";
import type { Context } from "../core/context.ts";

/** Returns the rules for assigning slots of a pool's blocks now. @throws {CorruptItemError} if a reservation cannot be read */
export function slotRules(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool | undefined,
): SlotRules {
  return {
    ...coolingRules(context, configuration, pool),
    reserved: reservedFor(pool, configuration),
  };
}

/** Returns the rules by which slots of a pool's blocks have cooled. */
export function coolingRules(
  context: Context,
  { settings }: Pick<SpaceConfiguration, "settings">,
  pool: Pool | undefined,
): Omit<SlotRules, "reserved"> {
  return { nowMs: context.now(), cooldownMs: cooldownMsOf(pool, settings) };
}

/** Returns the rules for a block as a whole, whichever pools of its subnet its addresses are of. @throws {CorruptItemError} */
export function blockRules(
  context: Context,
  configuration: SpaceConfiguration,
  subnetId: string,
): SlotRules {
  const pools = poolsOfSubnet(configuration, subnetId);
  const closed = pools.map((pool) => reservedFor(pool, configuration));
  const [first = configuration.reserved, ...others] = closed;
  return {
    nowMs: context.now(),
    cooldownMs: cooldownMsOfSubnet(configuration, subnetId),
    reserved: others.reduce(sharedBy, first),
  };
}
