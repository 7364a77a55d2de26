import { GROUPS_SEARCHED_MAX } from "../../base/limits.ts";
import { ContentionError, Rejection, together } from "../../base/outcome.ts";
import { type Cidr, formatCidr, intervalOf, merged, overlaps } from "../../net/cidr.ts";
import type { StatedRanges } from "../../nouns/node/stated-ranges.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { isShut } from "../../selection/closed-by-reservations.ts";
import { borrowableIn, findFree, type PoolScan, scanAround, scanOf } from "../blocks/scan-pool.ts";
import { makeBlock, readOrMakeBlock } from "../blocks/shared-block.ts";
import { asHint } from "../core/bounded-work.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import { coolingRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { type Block, cooledAtMs, isCooled, roomIn } from "../values/block.ts";
import { shuffled } from "../values/fresh.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX, SEARCH_MS_MAX } from "../values/limits.ts";
import { isReleased } from "../values/slot.ts";
import type { PrefixesAsked } from "./assignment.ts";
import { noPrefix } from "./no-prefix.ts";
import { whyTaken } from "./prefix-taken.ts";
import { timeToRetry } from "./rejections.ts";
import { coolsAgain, type FamilyRequest, type SlotSelection } from "./selection.ts";

/**
 * Selects a prefix for each family, side by side: the stated or specific one of the family, else a free one. A prefix is a block with one
 * slot and without a host. A rejection of one family rejects the request.
 */
export async function selectPrefixes(
  context: Context,
  familyRequests: readonly FamilyRequest[],
  { stated, specific }: PrefixesAsked,
): Promise<readonly SlotSelection[] | Rejection> {
  const space = familyRequests[0]?.space ?? "";
  // What a node states serves its family whatever others state.
  const inUse = familyRequests.length > stated.length ? await context.store.listStated(space) : [];
  const found = await awaitAll(
    ...familyRequests.map(async (familyRequest) => {
      const own = stated.find(({ family }) => family === familyRequest.family);
      const block = await (own
        ? selectStated(context, familyRequest, own)
        : specific
          ? selectSpecific(context, familyRequest, specific, inUse)
          : selectFree(context, familyRequest, inUse));
      if (block instanceof Rejection) return block;
      return { ...selectionOf(block), ...(own && coolsAgain(block, [0])) };
    }),
  );
  const [first, ...others] = found.filter((each) => each instanceof Rejection);
  if (first) return together(first, ...others);
  return found.flatMap((each) => (each instanceof Rejection ? [] : [each]));
}

const selectionOf = (block: Block): SlotSelection => ({
  block,
  ordinals: [0],
  again: () => undefined,
});

/**
 * Selects the prefix that a node says it has. Reservations and a cooldown do not bind: they keep a prefix from whoever needs one, and
 * this node uses it already.
 */
async function selectStated(
  context: Context,
  familyRequest: FamilyRequest,
  cidr: Cidr,
): Promise<Block | Rejection> {
  const block = await blockOfPrefix(context, familyRequest, cidr);
  return (await whyTaken(context, block)) ?? block;
}

/**
 * Selects the specific prefix that a caller wants. As for a specific address, a cooldown binds, and reservations do not. What nodes
 * state binds, because it is in use.
 */
async function selectSpecific(
  context: Context,
  familyRequest: FamilyRequest,
  cidr: Cidr,
  inUse: readonly StatedRanges[],
): Promise<Block | Rejection> {
  const block = await blockOfPrefix(context, familyRequest, cidr);
  // What a node states comes first: the lease of an owner can end, and that does not free the prefix then.
  const taken = whyStated(inUse, cidr) ?? (await whyTaken(context, block));
  if (taken) return taken;
  const [pool] = familyRequest.pools;
  const slot = block.slots.get(0);
  const rules = coolingRules(context, familyRequest.configuration, pool as Pool);
  if (!slot || !isReleased(slot) || isCooled(slot, rules)) return block;
  const text = formatCidr(cidr);
  const time = timeToRetry(cooledAtMs(slot, rules.cooldownMs), context.now());
  return new Rejection(
    "address_cooling",
    `Prefix ${text} was released a moment ago, and can be assigned again at ${time.availableAt}.`,
    { cidr: text, ...time },
  );
}

/** Returns the rejection of a prefix that touches a network which a node states; nothing if none does. */
function whyStated(all: readonly StatedRanges[], cidr: Cidr): Rejection | undefined {
  const text = formatCidr(cidr);
  for (const { node, cidrs } of all) {
    const stated = cidrs.find((each) => overlaps(intervalOf(each), intervalOf(cidr)));
    if (stated)
      return new Rejection(
        "already_assigned",
        `Prefix ${text} is in use: node ${node} states ${formatCidr(stated)}.`,
        { cidr: text, node },
      );
  }
  return undefined;
}

/** Reads the block of a named prefix, or makes it. @throws {ContentionError} */
async function blockOfPrefix(
  context: Context,
  { pools }: FamilyRequest,
  cidr: Cidr,
): Promise<Block> {
  // `familyRequestsOf` found the one pool of the prefix.
  const block = await readOrMakeBlock(context, pools[0] as Pool, cidr);
  if (block) return block;
  throw new ContentionError(
    `prefix ${formatCidr(cidr)} could not be made, or is left from an earlier pool and about to go`,
  );
}

/**
 * Selects a free prefix of the first pool that has one. What nodes state counts as reserved (docs/decisions/127). It is read for each
 * request, and never from a copy.
 */
async function selectFree(
  context: Context,
  familyRequest: FamilyRequest,
  inUse: readonly StatedRanges[],
): Promise<Block | Rejection> {
  const { pools, configuration } = familyRequest;
  const stated = inUse.flatMap(({ cidrs }) => cidrs);
  const reserved =
    stated.length === 0
      ? configuration.reserved
      : merged([...configuration.reserved, ...stated.map(intervalOf)]);
  const open = pools.filter((pool) => !isShut(pool, { reserved }));
  const untilMs = context.now() + SEARCH_MS_MAX;
  const exhausted = () => new ContentionError("other requests took every prefix that was tried");
  return untilAnswered<Block | Rejection>({ triesMax: CLAIM_TRIES_MAX, exhausted }, async () => {
    const scans: PoolScan[] = [];
    for (const pool of open) {
      if (scans.length > 0 && context.now() > untilMs) break;
      const scan = await scanOf(context, pool, criteriaOf(context, familyRequest, pool, reserved));
      scans.push(scan);
      const looksMax = Math.ceil(GROUPS_SEARCHED_MAX / scans.length);
      const block = await freeIn(context, scan, looksMax);
      if (block && roomIn(block, scan.criteria.rules) > 0) return answer(block);
      if (!block) continue;
      await context.sleep(context.random.fraction() * CLAIM_WAIT_MS_MAX);
      return RETRY;
    }
    return answer(await noPrefix(context, familyRequest, { scans, open, stated: inUse, reserved }));
  });
}

/**
 * Returns a free prefix of a pool: one that has no block yet, in the node's own order of block groups, or else a block that was freed
 * and has cooled. The order in a group is drawn, so that two nodes rarely meet. Returns the block of another node if that was faster.
 */
async function freeIn(
  context: Context,
  scan: PoolScan,
  looksMax: number,
): Promise<Block | undefined> {
  const { store, random } = context;
  const { pool } = scan;
  const free =
    (await findFree(context, scan, (looks) => looks >= looksMax)) ??
    (await scanAround(context, scan, looksMax));
  if (!free) return shuffled(borrowableIn(scan), random)[0];
  const block = await makeBlock(context, pool, free.cidr);
  if (!block) throw new ContentionError(`prefix ${formatCidr(free.cidr)} could not be made`);
  if (free.isLast) await asHint(() => store.markFull(pool.space, pool.id, free.index));
  return block;
}

/** A node may make any block and take any that is free, and seizes none, because prefixes have no host. */
const criteriaOf = (
  context: Context,
  { host, configuration }: FamilyRequest,
  pool: Pool,
  reserved: FamilyRequest["configuration"]["reserved"],
): PoolScan["criteria"] => ({
  host,
  rules: {
    ...coolingRules(context, configuration, pool),
    reserved: reservedFor(pool, { reserved }),
  },
  claiming: true,
  borrowing: 1,
  blockMinAgeMs: Number.POSITIVE_INFINITY,
  lends: true,
});
