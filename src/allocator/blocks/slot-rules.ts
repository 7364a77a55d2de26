import type { SlotRules } from "../../domain/block.ts";
import { cooldownMsOf, type Pool, type SpaceConfiguration } from "../../domain/pool.ts";
import type { Context } from "../core/context.ts";

/** Returns the rules for assigning slots of a pool's blocks now. @throws {CorruptItemError} if a reservation cannot be read */
export function slotRules(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool | undefined,
): SlotRules {
  return { ...coolingRules(context, configuration, pool), reserved: configuration.reserved };
}

/** Returns the rules by which slots of a pool's blocks have cooled. */
export function coolingRules(
  context: Context,
  { settings }: SpaceConfiguration,
  pool: Pool | undefined,
): Omit<SlotRules, "reserved"> {
  return { nowMs: context.now(), cooldownMs: cooldownMsOf(pool, settings) };
}
