import { formatAddress } from "../../domain/address.ts";
import { type AddressSet, sharedBy } from "../../domain/address-set.ts";
import { applicationPoolAround } from "../../domain/application-pools.ts";
import { isCooled, reservedOrdinals, type SlotRules } from "../../domain/block.ts";
import { addressAt, intervalOf } from "../../domain/cidr.ts";
import { JOB_BLOCKS_AT_ONCE, POOLS_TOLD_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import type { Pool, SpaceConfiguration } from "../../domain/pool.ts";
import { isReleased, type Slot } from "../../domain/slot.ts";
import { fence } from "../blocks/fence-block.ts";
import { coolingRules } from "../blocks/slot-rules.ts";
import { walkPool } from "../blocks/walk-pool.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";

/**
 * Checks that nothing is in use of the addresses that a pool cuts out of the Applications pool around it. The pool's item has them by
 * now, so that an application that grows from here on leaves them out. The check fences every block that has one of them: the slot
 * write of an application that read the pools before then fails, or its slot is found here (I13).
 *
 * @returns the rejection if an address is held, taken or cooling; nothing otherwise
 * @throws {CorruptItemError} if a block cannot be read
 */
export async function cutCheck(
  context: Context,
  pool: Pool,
  added: AddressSet,
  configuration: SpaceConfiguration,
): Promise<Rejection | undefined> {
  const around = applicationPoolAround(pool, configuration.pools);
  if (!around) return undefined;
  const { space } = pool;
  const rules = coolingRules(context, configuration, around);
  const isCut = (network: Parameters<typeof intervalOf>[0]): boolean =>
    sharedBy([intervalOf(network)], added).length > 0;
  const inUse: string[] = [];
  for await (const { blocks } of walkPool(context, around, undefined, isCut))
    await inParallel(blocks, JOB_BLOCKS_AT_ONCE, async (seen) => {
      if (seen.unreadable) throw seen.unreadable;
      const block = await fence(context, "cut-fence", space, seen.cidr);
      if (!block) return;
      const isAdded = reservedOrdinals(block, added);
      for (const [ordinal, slot] of block.slots)
        if (isAdded(ordinal) && isInUse(slot, rules))
          inUse.push(formatAddress(addressAt(block.cidr, ordinal)));
    });
  return inUse.length > 0 ? rejected(pool, around, inUse) : undefined;
}

const isInUse = (slot: Slot, rules: Pick<SlotRules, "nowMs" | "cooldownMs">): boolean =>
  !isReleased(slot) || !isCooled(slot, rules);

function rejected({ name }: Pool, around: Pool, inUse: readonly string[]): Rejection {
  const told = inUse.slice(0, POOLS_TOLD_MAX);
  const more = inUse.length - told.length;
  const list = `${told.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return new Rejection(
    "pool_in_use",
    `Pool ${name} cannot have ${list}: applications use them in pool ${around.name}, or did a moment ago.`,
    { addresses: told },
  );
}
