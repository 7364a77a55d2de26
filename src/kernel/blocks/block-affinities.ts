import { sameCidr } from "../../net/cidr.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { type BlockAffinity, lowestFreePlace } from "../values/affinity.ts";
import type { Block } from "../values/block.ts";
import { fresh } from "../values/fresh.ts";

/** Confirms an affinity exactly as it was read. Returns false if it has changed since. The block has its host-reserved addresses by now. */
export async function confirmAffinity(
  context: Context,
  step: string,
  affinity: BlockAffinity,
): Promise<boolean> {
  const { hostReserved: _, ...rest } = affinity;
  const next = { ...rest, state: "confirmed", revision: fresh(context) } as const;
  return (await context.store.changeAffinity(step, affinity, next)).outcome !== "lost";
}

/** Restores the lost affinity of a block, at the lowest free place of its host. One that is `pendingDeletion` does not count. */
export async function restoreAffinity(
  context: Context,
  lost: Pick<BlockAffinity, "space" | "host" | "family" | "block" | "pool">,
): Promise<void> {
  return compareAndSwap("the affinities of a host", async () => {
    const affinities = await context.store.listAffinities(lost.space, lost.host);
    if (
      affinities.some(
        (affinity) => sameCidr(affinity.block, lost.block) && affinity.state !== "pendingDeletion",
      )
    )
      return answer(undefined);
    const { space, host, family, block, pool } = lost;
    const written = await context.store.createAffinity({
      space,
      host,
      family,
      block,
      pool,
      place: lowestFreePlace(affinities, family),
      state: "confirmed",
      revision: fresh(context),
      atMs: context.now(),
    });
    return written.outcome === "done" ? answer(undefined) : RETRY;
  });
}

/**
 * Marks the affinities of a block `pendingDeletion` before the block changes hands or is deleted, and deletes its full-block hint.
 * Returns nothing if one of the affinities changed meanwhile.
 */
export async function markPendingDeletion(
  context: Context,
  { space, host, cidr }: Block,
): Promise<readonly BlockAffinity[] | undefined> {
  if (host === undefined) return [];
  const marked: BlockAffinity[] = [];
  const { affinities, full } = await context.store.listPlaces(space, host);
  const hint = full.find(({ block }) => sameCidr(block, cidr));
  if (hint) await context.store.clearBlockFull("full-retired", hint);
  for (const affinity of affinities) {
    if (!sameCidr(affinity.block, cidr)) continue;
    const next = {
      ...affinity,
      state: "pendingDeletion",
      revision: fresh(context),
      atMs: context.now(),
    } as const;
    const result = await context.store.changeAffinity("affinity-retire", affinity, next);
    if (result.outcome !== "done") return undefined;
    marked.push(next);
  }
  return marked;
}
