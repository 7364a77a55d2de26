import type { SlotRules } from "../../domain/block.ts";
import { cooldownMsOf, type Pool, type SpaceConfiguration } from "../../domain/pool.ts";
import type { Context } from "../core/context.ts";

/** The rules by which slots of a pool's blocks may be given now. @throws {CorruptItemError} where what is reserved is not known */
export function slotRules(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool | undefined,
): SlotRules {
  return { ...coolingRules(context, configuration, pool), reserved: configuration.reserved };
}

/** The rules by which slots of a pool's blocks have cooled. */
export function coolingRules(
  context: Context,
  { settings }: SpaceConfiguration,
  pool: Pool | undefined,
): Omit<SlotRules, "reserved"> {
  return { nowMs: context.now(), cooldownMs: cooldownMsOf(pool, settings) };
}
