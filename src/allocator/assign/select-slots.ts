import { type BlockAffinity, sameBlocks } from "../../domain/affinity.ts";
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
import { ContentionError, Rejection, together } from "../../domain/outcome.ts";
import {
  hasOpened,
  type OwnBlockCriteria,
  ownPlaces,
  readCalledFull,
  readOwn,
} from "../blocks/own-blocks.ts";
import { borrowableIn } from "../blocks/scan-pool.ts";
import { slotRules } from "../blocks/slot-rules.ts";
import type { Context } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import { claimAnyBlock, type PoolScans, poolScansOf } from "./find-blocks.ts";
import { noRoom } from "./rejections.ts";
import { countOf, type FamilyRequest, type SlotSelection, type SlotSelector } from "./selection.ts";

/** Returns what selects slots for both families side by side. A rejection of one rejects both, unless partial is allowed. */
export function selectSlots(context: Context, places: Places | undefined): SlotSelector {
  let known = places;
  return async (familyRequests) => {
    const read = known;
    known = undefined;
    const found = await allOf(
      ...familyRequests.map(
        async (familyRequest) =>
          cachedSelections(context, familyRequest) ??
          (await findSelections(context, familyRequest, read)),
      ),
    );
    const selections = found.flatMap((each) => (each instanceof Rejection ? [] : each));
    const refused = found.filter((each) => each instanceof Rejection);
    const [first, ...others] = refused;
    if (!first || (familyRequests[0]?.allowPartial && selections.length > 0)) return selections;
    return together(first, ...others);
  };
}

/** Selects slots of cached blocks, if they suffice; reads nothing. */
function cachedSelections(
  context: Context,
  familyRequest: FamilyRequest,
): readonly SlotSelection[] | undefined {
  const selections = selectFrom(
    context,
    familyRequest,
    context.cache.blocksOf(familyRequest.space, familyRequest.host),
  );
  return countOf(selections) === familyRequest.count ? selections : undefined;
}

/**
 * Finds blocks for a request, in order: own with room → claim a free one → seize an empty one past its minimum age →
 * borrow, unless strict.
 *
 * @param places the host's places, if they were read already
 * @returns the slots to take: all that are wanted, or some of them if partial is allowed; otherwise the rejection
 */
async function findSelections(
  context: Context,
  familyRequest: FamilyRequest,
  places?: Places,
): Promise<readonly SlotSelection[] | Rejection> {
  const { store, random } = context;
  const found = new Map<string, Block>();
  const add = (block: Block) => found.set(formatCidr(block.cidr), block);
  const ownBlockCriteria: OwnBlockCriteria = {
    pools: familyRequest.pools,
    rulesOf: (pool) => slotRules(context, familyRequest.configuration, pool),
    isEnough: (blocks) =>
      countOf(selectFrom(context, familyRequest, [...found.values(), ...blocks])) ===
      familyRequest.count,
  };
  const sorted = (places: Places) => ownPlaces(context, familyRequest.pools, places, found);
  let current = places ?? (await store.listPlaces(familyRequest.space, familyRequest.host));
  let selections: readonly SlotSelection[] = [];
  const poolScans = poolScansOf(context);
  /** Blocks that were read although a hint calls them full. */
  const tried = new Set<string>();
  const untried = () =>
    sorted(current).full.filter(({ affinity }) => !tried.has(formatCidr(affinity.block)));
  // A turn that finds a block is progress: only turns that find nothing are counted.
  for (let tries = 0, waits = 0; tries < CLAIM_TRIES_MAX; ) {
    const own = await readOwn(context, ownBlockCriteria, sorted(current));
    for (const block of own.blocks) add(block);
    selections = selectFrom(context, familyRequest, [...found.values()]);
    if (countOf(selections) === familyRequest.count) return selections;
    let rejection: Rejection | ContentionError | undefined;
    if (own.claiming && waits < CLAIM_WAITS_MAX) {
      // Another function is claiming for this host. One block serves both, and a second one may be the last for another host.
      waits++;
      tries++;
      await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    } else {
      const missing = familyRequest.count - countOf(selections);
      const more = await acquire(
        context,
        familyRequest,
        current.affinities,
        missing,
        found,
        poolScans,
      );
      if (more instanceof Rejection || more instanceof ContentionError) rejection = more;
      else if (!more) {
        // Others were faster: a random delay keeps competitors from colliding again.
        tries++;
        await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
      } else {
        for (const block of more) add(block);
        selections = selectFrom(context, familyRequest, [...found.values()]);
        if (countOf(selections) === familyRequest.count) return selections;
      }
    }
    if (rejection && tried.size < FULL_BLOCKS_READ_MAX) {
      const some = shuffled(untried(), random).slice(0, FULL_BLOCKS_READ_MAX - tried.size);
      for (const { affinity } of some) tried.add(formatCidr(affinity.block));
      for (const block of await readCalledFull(context, ownBlockCriteria, some)) add(block);
      selections = selectFrom(context, familyRequest, [...found.values()]);
      if (countOf(selections) === familyRequest.count) return selections;
    }
    const now = await store.listPlaces(familyRequest.space, familyRequest.host);
    // Reject only if the host got no block, and no room in one, meanwhile.
    if (
      rejection &&
      sameBlocks(current.affinities, now.affinities) &&
      !hasOpened(sorted(current), sorted(now))
    ) {
      if (familyRequest.allowPartial && selections.length > 0) return selections;
      if (rejection instanceof ContentionError) throw rejection;
      return exceptUntried(rejection, untried().length);
    }
    if (rejection) tries++;
    current = now;
  }
  throw new ContentionError(`other hosts claimed every block that was tried`);
}

/** Makes a rejection retryable where blocks of the host were not read because hints mark them full: one may have room. */
function exceptUntried(rejection: Rejection, count: number): Rejection {
  if (count === 0) return rejection;
  const { code, detail, members } = rejection;
  const unread = `${count} more of its blocks are called full, and were not read.`;
  return new Rejection(code, `${detail} ${unread}`, { ...members, retryable: true });
}

/** Finds more blocks for the host: one of its own, or all borrowable ones; nothing when others were faster. */
async function acquire(
  context: Context,
  familyRequest: FamilyRequest,
  affinities: readonly BlockAffinity[],
  missing: number,
  found: ReadonlyMap<string, Block>,
  poolScans: PoolScans,
): Promise<readonly Block[] | Rejection | ContentionError | undefined> {
  const search = await claimAnyBlock(context, familyRequest, affinities, missing, poolScans);
  if (search.kind === "lost") return undefined;
  if (search.kind === "ours") return [search.block];
  const borrowable = search.scans
    .flatMap(borrowableIn)
    .filter(({ cidr }) => !found.has(formatCidr(cidr)));
  return borrowable.length > 0 ? borrowable : noRoom(familyRequest, missing, search);
}

/**
 * Chooses ordinals in the blocks at hand, at most as many as are wanted: from one block of the host if one has room for all, else from
 * the host's own first. A write takes at most `SLOTS_PER_WRITE_MAX` slots.
 */
function selectFrom(
  context: Context,
  familyRequest: FamilyRequest,
  blocks: readonly Block[],
): readonly SlotSelection[] {
  const { strictAffinity } = familyRequest.configuration.settings;
  const choices = familyRequest.pools.flatMap((pool) => {
    const rules = slotRules(context, familyRequest.configuration, pool);
    const choose = (block: Block, count: number, again?: boolean) =>
      chooseOrdinals(block, count, rules, context.random, again);
    return blocks
      .filter((block) => block.poolId === pool.id)
      .filter((block) => block.host === familyRequest.host || !strictAffinity)
      .map((block) => ({ block, choose, ordinals: choose(block, familyRequest.count) }))
      .filter(({ ordinals }) => ordinals.length > 0);
  });
  const isOwn = ({ block }: (typeof choices)[number]) => block.host === familyRequest.host;
  const own = choices.filter(isOwn);
  const others = choices.filter((choice) => !isOwn(choice));
  const whole = own.find(({ ordinals }) => ordinals.length === familyRequest.count);
  const selections: SlotSelection[] = [];
  let missing = familyRequest.count;
  for (const { block, ordinals, choose } of whole ? [whole] : [...own, ...others]) {
    const some = ordinals.slice(0, missing);
    for (let from = 0; from < some.length; from += SLOTS_PER_WRITE_MAX) {
      const part = some.slice(from, from + SLOTS_PER_WRITE_MAX);
      const again = (now: Block) => {
        const others = choose(now, part.length, true);
        return others.length === part.length ? others : undefined;
      };
      selections.push({ block, ordinals: part, again });
    }
    missing -= some.length;
    if (missing === 0) break;
  }
  return selections;
}
