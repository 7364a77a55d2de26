import { type BlockAffinity, lowestFreePlace } from "../../domain/affinity.ts";
import type { Block } from "../../domain/block.ts";
import { sameCidr } from "../../domain/cidr.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { answer, RETRY } from "../core/step.ts";

/** Confirms an affinity as it was seen; false if it has changed since. What the claim was for stands in the block by now. */
export async function confirmAffinity(
  context: Context,
  step: string,
  affinity: BlockAffinity,
): Promise<boolean> {
  const { hostReserved: _, ...rest } = affinity;
  const next = { ...rest, state: "confirmed", revision: fresh(context) } as const;
  return (await context.store.changeAffinity(step, affinity, next)).outcome !== "lost";
}

/** Writes the affinity of a block that its host has lost the affinity of, at the lowest free place. An affinity that is about to go is none. */
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
 * Marks the affinities of a block that is about to change hands or to go; nothing if one of them changed meanwhile. What calls the
 * block full for its host goes with them.
 */
export async function retireAffinities(
  context: Context,
  { space, host, cidr }: Block,
): Promise<readonly BlockAffinity[] | undefined> {
  if (host === undefined) return [];
  const retired: BlockAffinity[] = [];
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
    retired.push(next);
  }
  return retired;
}
