import { coolingRules } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Block } from "../../../kernel/values/block.ts";
import type { Slot } from "../../../kernel/values/slot.ts";
import { addressAt, contains } from "../../../net/cidr.ts";
import type { SpaceConfiguration } from "../../pool/configuration.ts";
import { poolOverBlock } from "../../pool/of-address.ts";
import type { Pool } from "../../pool/pool.ts";
import { type AddressState, stateOf } from "./read-address.ts";

/** A slot that is not free, by the rules of the pool that has its address. */
export interface SlotInUse {
  readonly ordinal: number;
  readonly slot: Slot;
  /** Absent if no readable pool has the address. */
  readonly pool: Pool | undefined;
  readonly current: Pick<AddressState, "state" | "availableAtMs" | "quarantinedUntilMs">;
}

/** Returns the slots of a block that are not free now, in the order of addresses. */
export function slotsInUse(
  context: Context,
  { pools, settings }: Pick<SpaceConfiguration, "pools" | "settings">,
  block: Block,
): readonly SlotInUse[] {
  const base = addressAt(block.cidr, 0);
  const around = { pools: pools.filter(({ cidr }) => contains(cidr, base)) };
  return [...block.slots]
    .map(([ordinal, slot]) => {
      const pool = poolOverBlock(around, block.cidr, addressAt(block.cidr, ordinal));
      return {
        ordinal,
        slot,
        pool,
        current: stateOf(slot, coolingRules(context, { settings }, pool)),
      };
    })
    .filter(({ current }) => current.state !== "free")
    .sort((a, b) => a.ordinal - b.ordinal);
}
