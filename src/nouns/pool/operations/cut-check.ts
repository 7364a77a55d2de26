import { POOLS_TOLD_MAX } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { timeToRetry } from "../../../kernel/assign/rejections.ts";
import { fence } from "../../../kernel/blocks/fence-block.ts";
import { lookAtSet } from "../../../kernel/blocks/look-at-set.ts";
import { coolingRules } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import {
  cooledAtMs,
  isCooled,
  reservedOrdinals,
  type SlotRules,
} from "../../../kernel/values/block.ts";
import { isReleased, type Slot } from "../../../kernel/values/slot.ts";
import { formatAddress } from "../../../net/address.ts";
import { type AddressSet, networkAt, networksOfLength } from "../../../net/address-set.ts";
import { addressAt, type Cidr } from "../../../net/cidr.ts";
import { beginShrink } from "../../job/operations/begin-job.ts";
import { applicationPoolAround } from "../application-pools.ts";
import type { SpaceConfiguration } from "../configuration.ts";
import { sharedAddresses } from "../overlap.ts";
import type { Pool } from "../pool.ts";

/** Blocks of an Applications pool of which one request can cut addresses out for another pool. It fences each, some in parallel. */
export const CUT_BLOCKS_MAX = 1_024;
const CUT_BLOCKS_AT_ONCE = 32;

/**
 * Checks that nothing is in use of the addresses that a pool cuts out of the Applications pool around it. The pool's item has them by
 * now, so that an application that grows from here on leaves them out. The check fences every block that has one of them: the slot
 * write of an application that read the pools before then fails, or its slot is found here (I13).
 *
 * @returns the rejection if an address is held, taken or cooling, or if there are more blocks than one request can fence; nothing otherwise
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
  const blocks = await blocksOf(context, around, added);
  if (!blocks) return tooMany(pool, around);
  const inUse: string[] = [];
  const cooledAt: number[] = [];
  await inParallel(blocks, CUT_BLOCKS_AT_ONCE, async (cidr) => {
    const block = await fence(context, "cut-fence", space, cidr);
    if (!block) return;
    const isAdded = reservedOrdinals(block, added);
    for (const [ordinal, slot] of block.slots)
      if (isAdded(ordinal) && isInUse(slot, rules)) {
        inUse.push(formatAddress(addressAt(block.cidr, ordinal)));
        cooledAt.push(isReleased(slot) ? cooledAtMs(slot, rules.cooldownMs) : Infinity);
      }
  });
  if (inUse.length === 0) return undefined;
  const freeAtMs = Math.max(...cooledAt);
  const time = Number.isFinite(freeAtMs) ? timeToRetry(freeAtMs, context.now()) : {};
  return rejected(pool, around, inUse, time);
}

/**
 * Returns the blocks that a cut fences: all that a set has, or those of them that exist. A block that is made after this has another
 * epoch, and its author reads the pools after that.
 *
 * @returns nothing if there are more than one request can fence
 */
async function blocksOf(
  context: Context,
  around: Pool,
  set: AddressSet,
): Promise<readonly Cidr[] | undefined> {
  const all = networksOfLength(set, around.blockSize);
  if (all.count <= BigInt(CUT_BLOCKS_MAX))
    return Array.from({ length: Number(all.count) }, (_, k) => networkAt(all, BigInt(k)));
  const { blocks, groups, groupsLooked } = await lookAtSet(context, around, set);
  const isTooMany = groups > groupsLooked || blocks.length > CUT_BLOCKS_MAX;
  return isTooMany ? undefined : blocks.map(({ cidr }) => cidr);
}

const isInUse = (slot: Slot, rules: Pick<SlotRules, "nowMs" | "cooldownMs">): boolean =>
  !isReleased(slot) || !isCooled(slot, rules);

function rejected({ name }: Pool, around: Pool, inUse: readonly string[], time: object): Rejection {
  const told = inUse.slice(0, POOLS_TOLD_MAX);
  const more = inUse.length - told.length;
  const list = `${told.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return new Rejection(
    "pool_in_use",
    `Pool ${name} cannot have ${list}: applications use them in pool ${around.name}, or did a moment ago.`,
    { addresses: told, ...time },
  );
}

function tooMany({ name }: Pool, around: Pool): Rejection {
  const problem = `adds addresses in more than ${CUT_BLOCKS_MAX} blocks of pool ${around.name}; add some of them first, and the others in further requests`;
  return new Rejection("invalid_request", `Pool ${name} ${problem}.`, {
    fields: [{ field: "ranges", problem }],
  });
}

/**
 * Returns the rejection of a ranged pool that would share addresses with another pool; otherwise nothing. If the other pool only keeps
 * them until a job frees them, the job is there afterwards: a crash may have left none.
 */
export async function rejectShared(
  context: Context,
  pool: Pool,
  wanted: AddressSet,
  pools: readonly Pool[],
): Promise<Rejection | undefined> {
  const shared = sharedAddresses(pool, wanted, pools);
  if (shared?.shrinking) await beginShrink(context, shared.shrinking);
  return shared?.rejection;
}
