import { BLOCKS_READ_AT_ONCE } from "../../base/limits.ts";
import { CorruptItemError } from "../../base/outcome.ts";
import { sameCidr } from "../../net/cidr.ts";
import { type Pool, serves } from "../../nouns/pool/pool.ts";
import type { Settings } from "../../nouns/settings/settings.ts";
import { selectsHost } from "../../selection/selection.ts";
import { restoreAffinity } from "../blocks/block-affinities.ts";
import { deleteEmptyBlock } from "../blocks/delete-empty-block.ts";
import { correctFull } from "../blocks/full-block-hint.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Store } from "../core/store.ts";
import { type Block, isEmpty, isWhollyTaken } from "../values/block.ts";
import { fresh } from "../values/fresh.ts";
import { type HostId, machineName } from "../values/host.ts";

/**
 * For this time after a block was claimed, reclaim checks that the host has the affinity of the block, however full it
 * is. So the loss of an affinity in a crash is soon repaired. Later the daily walk of the repair run checks.
 */
const AFFINITY_WATCHED_MS = 60 * 60 * 1000;

/** The facts that decide about a block. */
interface Judgement {
  readonly settings: Settings;
  readonly pools: readonly Pool[];
  readonly pool: Pool;
  readonly cooldownMs: number;
  readonly startedAtMs: number;
  /** The hosts of a block group, each read once. */
  readonly hosts: Map<HostId, Promise<HostSeen>>;
}

export type HostSeen = Awaited<ReturnType<Store["readHost"]>>;

/**
 * Reclaims one block as it was seen, perhaps a while ago. Every write of the block names the revision seen (I6), and each of an
 * affinity its own. It reads the affinities of the host if the block looks empty or was claimed not long ago, and restores one
 * that is gone. All others are left to the repair run, and so are those that are `pendingDeletion`.
 */
export async function reclaimBlock(
  context: Context,
  seen: Block,
  judgement: Judgement,
): Promise<"kept" | "markedIdle" | "deleted" | "affinitiesRestored"> {
  const { settings, pools, pool, cooldownMs, startedAtMs } = judgement;
  const nowMs = context.now();
  const looksEmpty = isEmpty(seen, { nowMs, cooldownMs });
  if (!looksEmpty && nowMs - seen.claimedAtMs > AFFINITY_WATCHED_MS) return "kept";
  const host = await hostOf(context, seen, judgement);
  if (host && !host.affinities.some(({ block }) => sameCidr(block, seen.cidr)))
    return (await restoreLostAffinity(context, seen, pool)) ? "affinitiesRestored" : "kept";
  const hint = host?.full.find(({ block }) => sameCidr(block, seen.cidr));
  if (hint && !isWhollyTaken(seen)) await correctFull(context, hint);
  if (!looksEmpty) return "kept";
  if (seen.idleSinceMs === undefined || seen.slots.size > 0) {
    const marked = await context.store.markIdle(seen, nowMs, fresh(context));
    return marked.outcome === "done" ? "markedIdle" : "kept";
  }
  const oldEnough = nowMs - seen.claimedAtMs >= settings.blockMinAgeSeconds * 1000;
  // The mark is of an earlier run: a block is deleted at its second sighting, not at its first.
  if (!oldEnough || seen.idleSinceMs >= startedAtMs) return "kept";
  const { warmBlocksPerHost } = settings;
  if (host && (await isKeptWarm(context, seen, host, { pools, warmBlocksPerHost }))) return "kept";
  return (await deleteEmptyBlock(context, seen)) ? "deleted" : "kept";
}

function hostOf(
  { store }: Context,
  { space, host }: Block,
  { hosts }: Judgement,
): Promise<HostSeen> | undefined {
  if (host === undefined) return undefined;
  const read = hosts.get(host) ?? store.readHost(space, host);
  hosts.set(host, read);
  return read;
}

/**
 * Restores the affinity that the host of a block lacks, if the block still belongs to the host: what was seen may be
 * out of date.
 */
async function restoreLostAffinity(
  context: Context,
  { space, host, cidr }: Block,
  pool: Pool,
): Promise<boolean> {
  const now = await context.store.readBlock(space, cidr);
  if (host === undefined || now?.host !== host) return false;
  await restoreAffinity(context, {
    space,
    host,
    family: cidr.family,
    block: cidr,
    pool: pool.name,
  });
  return true;
}

/**
 * Returns true if the block is kept for its host. A host that holds addresses may keep some empty blocks of a family
 * ready, at its lowest places. A pool that serves no request, or does not select the host, keeps none ready.
 */
async function isKeptWarm(
  { store }: Context,
  seen: Block,
  { affinities, node }: HostSeen,
  {
    pools,
    warmBlocksPerHost,
  }: { readonly pools: readonly Pool[]; readonly warmBlocksPerHost: number },
): Promise<boolean> {
  if (warmBlocksPerHost === 0) return false;
  const labels = node instanceof CorruptItemError ? undefined : node?.labels;
  const name = seen.host && machineName(seen.host);
  const isReady = ({ poolId }: Block) =>
    pools.some((pool) => pool.id === poolId && serves(pool) && selectsHost(pool, name, labels));
  if (!isReady(seen)) {
    // Labels that cannot be read may well be those that the pool selects.
    const isOpen = pools.some((pool) => pool.id === seen.poolId && serves(pool));
    return isOpen && node instanceof CorruptItemError;
  }
  const places = affinities
    .filter(({ family }) => family === seen.cidr.family)
    .toSorted((a, b) => a.place - b.place);
  const blocks = await inParallel(places, BLOCKS_READ_AT_ONCE, ({ space, block }) =>
    store.readBlock(space, block),
  );
  const own = blocks.flatMap((block) => (block && block.host === seen.host ? [block] : []));
  const isUsed = (block: Block) => block.slots.size > 0;
  const warm = own.filter((block) => !isUsed(block) && isReady(block)).slice(0, warmBlocksPerHost);
  return own.some(isUsed) && warm.some(({ cidr }) => sameCidr(cidr, seen.cidr));
}
