import { BLOCKS_READ_AT_ONCE, GRACE_MS } from "../../base/limits.ts";
import { confirmAffinity, restoreAffinity } from "../../kernel/blocks/block-affinities.ts";
import type { Context } from "../../kernel/core/context.ts";
import { inParallel } from "../../kernel/core/parallel.ts";
import type { BlockAffinity } from "../../kernel/values/affinity.ts";
import type { Block } from "../../kernel/values/block.ts";
import type { HostId } from "../../kernel/values/host.ts";
import { formatCidr, sameCidr } from "../../net/cidr.ts";

/**
 * Returns true if an affinity that a walk read agrees with its block. It reads eventually consistent, and only saves a
 * second read.
 */
export async function isAffinityRight(context: Context, seen: BlockAffinity): Promise<boolean> {
  if (seen.state !== "confirmed") return isYoung(context, seen);
  const block = await context.store.readBlock(seen.space, seen.block, { consistent: false });
  return block?.host === seen.host;
}

/**
 * Corrects the affinities of a host by its blocks: one for each of its blocks, and confirmed. Returns how many it
 * corrected.
 */
export async function repairAffinities(
  context: Context,
  space: string,
  host: HostId,
): Promise<number> {
  const { store } = context;
  const affinities = await store.listAffinities(space, host);
  const names = [...new Set(affinities.map(({ block }) => formatCidr(block)))];
  const changed = await inParallel(names, BLOCKS_READ_AT_ONCE, async (name) => {
    const same = affinities.filter(({ block }) => formatCidr(block) === name);
    const kept = same.find(({ state }) => state === "confirmed") ?? same[0];
    if (!kept) return 0;
    const block = await store.readBlock(space, kept.block);
    let count = 0;
    for (const affinity of same) {
      const right = block?.host === host;
      if (affinity.state !== "confirmed" && isYoung(context, affinity)) continue;
      if (!right) await store.deleteAffinity("repair-affinity", affinity);
      // Of two affinities for one block the confirmed one stays: the other may be left over from the block's previous life, and about to be deleted.
      else if (affinity !== kept && kept.state === "confirmed")
        await store.deleteAffinity("repair-duplicate", affinity);
      else if (affinity === kept && affinity.state !== "confirmed")
        await confirmAffinity(context, "repair-confirm", affinity);
      else continue;
      count++;
    }
    return count;
  });
  return changed.reduce((sum, count) => sum + count, 0);
}

/**
 * Corrects the affinities for a block that a walk read: it restores a lost one, and deletes one of two. Reclaim reads
 * the affinities of young and of empty blocks only. Returns how many affinities it corrected.
 */
export async function repairAffinityOf(context: Context, seen: Block): Promise<number> {
  const { store } = context;
  const { space, host, cidr } = seen;
  const isOld = ({ claimedAtMs }: Block) => context.now() - claimedAtMs > GRACE_MS;
  if (host === undefined || !isOld(seen)) return 0;
  const affinitiesFor = async (options?: { readonly consistent: boolean }) =>
    (await store.listAffinities(space, host, options)).filter(({ block }) => sameCidr(block, cidr));
  const found = await affinitiesFor({ consistent: false });
  if (found.length > 1) return repairAffinities(context, space, host);
  if (found.length > 0 || (await affinitiesFor()).length > 0) return 0;
  // Reads the block after its affinities: a host that loses the block, or deletes it, deletes its affinities last.
  const block = await store.readBlock(space, cidr);
  if (block?.host !== host || !isOld(block)) return 0;
  await restoreAffinity(context, {
    space,
    host,
    family: cidr.family,
    block: cidr,
    pool: block.pool,
  });
  return 1;
}

const isYoung = (context: Context, { atMs }: BlockAffinity): boolean =>
  context.now() - atMs <= GRACE_MS;
