import { type AffinityRow, sameBlocks } from "../../domain/affinity.ts";
import { type Block, chooseOrdinals } from "../../domain/block.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { shuffled } from "../../domain/fresh.ts";
import type { Places } from "../../domain/full-block.ts";
import {
  CLAIM_TRIES_MAX,
  CLAIM_WAIT_MS_MAX,
  CLAIM_WAITS_MAX,
  FULL_BLOCKS_READ_MAX,
  SLOTS_PER_WRITE_MAX,
} from "../../domain/limits.ts";
import { Contended, Refusal, together } from "../../domain/outcome.ts";
import {
  hasOpened,
  type OwnWish,
  ownPlaces,
  readCalledFull,
  readOwn,
} from "../blocks/own-blocks.ts";
import { lendersIn } from "../blocks/scan-pool.ts";
import { slotRules } from "../blocks/slot-rules.ts";
import type { Context } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import { claimAnyBlock, type Sight, sightOf } from "./find-blocks.ts";
import { noRoom } from "./rejections.ts";
import { countOf, type Pick, type Picker, type Wish } from "./selection.ts";

/** Both families are looked for side by side; a refusal of either refuses the request, unless partial is allowed. */
export function pickAny(context: Context, places: Places | undefined): Picker {
  let known = places;
  return async (wishes) => {
    const read = known;
    known = undefined;
    const found = await allOf(
      ...wishes.map(
        async (wish) => rememberedPicks(context, wish) ?? (await findPicks(context, wish, read)),
      ),
    );
    const picks = found.flatMap((each) => (each instanceof Refusal ? [] : each));
    const refused = found.filter((each) => each instanceof Refusal);
    const [first, ...others] = refused;
    if (!first || (wishes[0]?.allowPartial && picks.length > 0)) return picks;
    return together(first, ...others);
  };
}

/** What the blocks that this function remembers can give, if that is all that is wanted; nothing is asked. */
function rememberedPicks(context: Context, wish: Wish): readonly Pick[] | undefined {
  const picks = cover(context, wish, context.memory.blocksOf(wish.space, wish.host));
  return countOf(picks) === wish.count ? picks : undefined;
}

/**
 * Finds blocks for a request, in order: own with room → claim a free one → take over an empty one past its minimum age →
 * borrow, unless strict.
 *
 * @param places the host's places, if they were read already
 * @returns what to take: all that is wanted, or what there is where that will do; or why there is nothing
 */
async function findPicks(
  context: Context,
  wish: Wish,
  places?: Places,
): Promise<readonly Pick[] | Refusal> {
  const { store, random } = context;
  const found = new Map<string, Block>();
  const add = (block: Block) => found.set(formatCidr(block.cidr), block);
  const ownWish: OwnWish = {
    pools: wish.pools,
    rulesOf: (pool) => slotRules(context, wish.configuration, pool),
    isEnough: (blocks) =>
      countOf(cover(context, wish, [...found.values(), ...blocks])) === wish.count,
  };
  const sorted = (places: Places) => ownPlaces(context, wish.pools, places, found);
  let standing = places ?? (await store.listPlaces(wish.space, wish.host));
  let picks: readonly Pick[] = [];
  const sight = sightOf(context);
  /** Which blocks that are called full were read nevertheless. */
  const tried = new Set<string>();
  const untried = () =>
    sorted(standing).full.filter(({ row }) => !tried.has(formatCidr(row.block)));
  // A turn that finds a block is progress: only turns that find nothing are numbered.
  for (let tries = 0, waits = 0; tries < CLAIM_TRIES_MAX; ) {
    const own = await readOwn(context, ownWish, sorted(standing));
    for (const block of own.blocks) add(block);
    picks = cover(context, wish, [...found.values()]);
    if (countOf(picks) === wish.count) return picks;
    let refusal: Refusal | Contended | undefined;
    if (own.claiming && waits < CLAIM_WAITS_MAX) {
      // Another function is claiming for this host: its block will do for both, where two would starve another host.
      waits++;
      tries++;
      await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    } else {
      const missing = wish.count - countOf(picks);
      const more = await acquire(context, wish, standing.rows, missing, found, sight);
      if (more instanceof Refusal || more instanceof Contended) refusal = more;
      else if (!more) {
        // Others were faster: a pause at random parts those who would meet again.
        tries++;
        await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
      } else {
        for (const block of more) add(block);
        picks = cover(context, wish, [...found.values()]);
        if (countOf(picks) === wish.count) return picks;
      }
    }
    if (refusal && tried.size < FULL_BLOCKS_READ_MAX) {
      const some = shuffled(untried(), random).slice(0, FULL_BLOCKS_READ_MAX - tried.size);
      for (const { row } of some) tried.add(formatCidr(row.block));
      for (const block of await readCalledFull(context, ownWish, some)) add(block);
      picks = cover(context, wish, [...found.values()]);
      if (countOf(picks) === wish.count) return picks;
    }
    const now = await store.listPlaces(wish.space, wish.host);
    // A refusal is only true if the host got no block, and no room in one, while it was looked for.
    if (
      refusal &&
      sameBlocks(standing.rows, now.rows) &&
      !hasOpened(sorted(standing), sorted(now))
    ) {
      if (wish.allowPartial && picks.length > 0) return picks;
      if (refusal instanceof Contended) throw refusal;
      return exceptUntried(refusal, untried().length);
    }
    if (refusal) tries++;
    standing = now;
  }
  throw new Contended(`other hosts were faster at every block that was tried`);
}

/** A refusal is not final where blocks of the host were not read since they are called full: there may be room in one. */
function exceptUntried(refusal: Refusal, count: number): Refusal {
  if (count === 0) return refusal;
  const { code, detail, members } = refusal;
  const unread = `${count} more of its blocks are called full, and were not read.`;
  return new Refusal(code, `${detail} ${unread}`, { ...members, retryable: true });
}

/** More blocks for the host: one of its own, or all that would lend; nothing when others were faster. */
async function acquire(
  context: Context,
  wish: Wish,
  rows: readonly AffinityRow[],
  missing: number,
  found: ReadonlyMap<string, Block>,
  sight: Sight,
): Promise<readonly Block[] | Refusal | Contended | undefined> {
  const search = await claimAnyBlock(context, wish, rows, missing, sight);
  if (search.kind === "lost") return undefined;
  if (search.kind === "ours") return [search.block];
  const lenders = search.views
    .flatMap(lendersIn)
    .filter(({ cidr }) => !found.has(formatCidr(cidr)));
  return lenders.length > 0 ? lenders : noRoom(wish, missing, search);
}

/**
 * Chooses ordinals in the blocks at hand, at most as many as are wanted: from one block if one has room for all, else from
 * the host's own first. A write takes at most `SLOTS_PER_WRITE_MAX` slots.
 */
function cover(context: Context, wish: Wish, blocks: readonly Block[]): readonly Pick[] {
  const { strictAffinity } = wish.configuration.settings;
  const choices = wish.pools.flatMap((pool) => {
    const rules = slotRules(context, wish.configuration, pool);
    const choose = (block: Block, count: number, again?: boolean) =>
      chooseOrdinals(block, count, rules, context.random, again);
    return blocks
      .filter((block) => block.poolId === pool.id)
      .filter((block) => block.host === wish.host || !strictAffinity)
      .map((block) => ({ block, choose, ordinals: choose(block, wish.count) }))
      .filter(({ ordinals }) => ordinals.length > 0);
  });
  const isOwn = ({ block }: (typeof choices)[number]) => block.host === wish.host;
  const own = choices.filter(isOwn);
  const others = choices.filter((choice) => !isOwn(choice));
  const whole = own.find(({ ordinals }) => ordinals.length === wish.count);
  const picks: Pick[] = [];
  let missing = wish.count;
  for (const { block, ordinals, choose } of whole ? [whole] : [...own, ...others]) {
    const some = ordinals.slice(0, missing);
    for (let from = 0; from < some.length; from += SLOTS_PER_WRITE_MAX) {
      const part = some.slice(from, from + SLOTS_PER_WRITE_MAX);
      const again = (now: Block) => {
        const others = choose(now, part.length, true);
        return others.length === part.length ? others : undefined;
      };
      picks.push({ block, ordinals: part, again });
    }
    missing -= some.length;
    if (missing === 0) break;
  }
  return picks;
}
