import { PAGE_READS_AT_ONCE, SLOTS_PER_WRITE_MAX } from "../../../base/limits.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { blocksOfListed, type ListedInBlock } from "../../../kernel/held/settle.ts";
import type { Block } from "../../../kernel/values/block.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { formatCidr, ordinalOf } from "../../../net/cidr.ts";
import { type Application, applicationHash } from "../application.ts";
import type { ChosenAddress } from "./choose-addresses.ts";

/**
 * Holds addresses that the item of an application names. The writes are conditional on the epochs that were read before the second
 * read of the space. So a pool that cuts them out of an Applications pool is seen by that read, or its fence rejects the write, or
 * it finds them held (I13).
 *
 * @returns the blocks as known writes left them, by their CIDRs; `settle` decides what is held
 */
export async function holdAddresses(
  context: Context,
  application: Application,
  chosen: readonly ChosenAddress[],
): Promise<ReadonlyMap<string, Block>> {
  const blocks = new Map<string, Block>();
  await inParallel(blocksOfListed(chosen), PAGE_READS_AT_ONCE, async ({ cidr, addresses }) => {
    for (let from = 0; from < addresses.length; from += SLOTS_PER_WRITE_MAX) {
      const some = addresses.slice(from, from + SLOTS_PER_WRITE_MAX);
      const block = await holdInBlock(context, application, { cidr, addresses: some });
      if (!block) return blocks.delete(formatCidr(cidr));
      blocks.set(formatCidr(cidr), block);
    }
  });
  return blocks;
}

/** Holds addresses of one block, all or none. Returns the block if the outcome is known. */
async function holdInBlock(
  context: Context,
  application: Application,
  { addresses }: ListedInBlock<ChosenAddress>,
): Promise<Block | undefined> {
  const [{ block }] = addresses as readonly [ChosenAddress];
  const slots = addresses
    .map(({ address }) => ordinalOf(block.cidr, address))
    .map((ordinal) => ({ ordinal, seen: block.slots.get(ordinal) }));
  const held = {
    kind: "held",
    token: fresh(context),
    applicationHash: applicationHash(application),
  } as const;
  const written = await context.store.takeSlots(block, [{ slots, taken: held }], fresh(context));
  return written.outcome === "unknown" ? undefined : written.item;
}
