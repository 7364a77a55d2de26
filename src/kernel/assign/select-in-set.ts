import { fnv1a64 } from "../../base/hash.ts";
import { GROUPS_SEARCHED_MAX } from "../../base/limits.ts";
import { ContentionError } from "../../base/outcome.ts";
import {
  countOf,
  type Networks,
  networkAt,
  networksOfLength,
  sharedBy,
} from "../../net/address-set.ts";
import { type Cidr, formatCidr, intervalOf, sameCidr } from "../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { openSetOf } from "../../nouns/pool/set.ts";
import { makeBlock, readOrMakeBlock, someGroups } from "../blocks/shared-block.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import { slotRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { type Block, chooseOrdinals, roomIn, type SlotRules } from "../values/block.ts";
import { blocksOfGroup, GROUP_BITS } from "../values/block-group.ts";
import { type FreedByTime, freedIn, sumOfFreed } from "../values/freed-by-time.ts";
import { shuffled } from "../values/fresh.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX, GROUP_SCANS_MAX } from "../values/limits.ts";
import { noRoomInSet, outOfSight } from "./rejections.ts";
import {
  besideOthers,
  type FamilyRequest,
  type FoundSlots,
  type SlotSelection,
  slotsOf,
} from "./selection.ts";

/**
 * Selects slots in a ranged pool, whose blocks have no host: in the block that the host used last; else in the block of the set that
 * the name of the host hashes to; else in the groups of the set, some at a time, where absent blocks are made. A rejection means that
 * every group of the set was seen without room.
 *
 * @throws {ContentionError} if other callers were faster each time, or if the set has more groups than a request reads
 */
export async function selectInSet(
  context: Context,
  familyRequest: FamilyRequest,
  pool: Pool,
): Promise<FoundSlots> {
  const exhausted = () =>
    new ContentionError(`other callers were faster in pool ${pool.name} ${CLAIM_TRIES_MAX} times`);
  return untilAnswered<FoundSlots>({ triesMax: CLAIM_TRIES_MAX, exhausted }, async () => {
    const search = new SetSearch(context, familyRequest, pool);
    await search.run();
    const { selections, missing, isLost, groupsLooked, groups, freed } = search;
    if (missing === 0) return answer({ selections });
    if (isLost) {
      await context.sleep(context.random.fraction() * CLAIM_WAIT_MS_MAX);
      return RETRY;
    }
    if (BigInt(groupsLooked) < groups.count) throw outOfSight();
    const nowMs = context.now();
    const all = sumOfFreed([...freed.values()]);
    const rejection = noRoomInSet(familyRequest, pool, {
      ...{ missing, groupsLooked, freed: all, nowMs },
    });
    return answer({ selections, rejection, freed: all });
  });
}

/** One search through the set of a pool. */
class SetSearch {
  readonly #context: Context;
  readonly #request: FamilyRequest;
  readonly #pool: Pool;
  readonly #rules: SlotRules;
  readonly #blocks: Networks;
  /** The block groups of the set. */
  readonly groups: Networks;
  /** The blocks that this search has selected from, or found without room. */
  readonly #tried = new Set<string>();
  readonly selections: SlotSelection[] = [];
  missing: number;
  groupsLooked = 0;
  /** The addresses that time alone frees in the blocks of the groups that were read, by CIDR. */
  readonly freed = new Map<string, FreedByTime>();
  /** True if a block could not be made, so that the search proves nothing. */
  isLost = false;

  constructor(context: Context, request: FamilyRequest, pool: Pool) {
    this.#context = context;
    this.#request = request;
    this.#pool = pool;
    this.#rules = slotRules(context, request.configuration, pool);
    const open = openSetOf(pool, request.configuration);
    this.#blocks = networksOfLength(open, pool.blockSize);
    this.groups = networksOfLength(open, pool.blockSize - GROUP_BITS);
    this.missing = request.count;
  }

  async run(): Promise<void> {
    const { host } = this.#request;
    const last = this.#context.cache.sharedBlockOf(host, this.#pool);
    if (last) {
      // A copy without room proves nothing: what it shows as taken may have been released since.
      const known = this.#choose(last, this.missing);
      if (known.length === this.missing) return this.#add(last, known);
    }
    if (this.#blocks.count === 0n) return;
    const home = networkAt(this.#blocks, fnv1a64(host) % this.#blocks.count);
    if (!last || !sameCidr(last.cidr, home)) {
      const block = await readOrMakeBlock(this.#context, this.#pool, home);
      if (block) this.#selectFrom(block);
    }
    if (this.missing > 0) await this.#searchGroups(home);
  }

  /** Reads the groups of the set, that of the home block first and then at random, until they suffice. */
  async #searchGroups(home: Cidr): Promise<void> {
    const { store } = this.#context;
    const { space } = this.#request;
    const { random } = this.#context;
    const first = networkAt(networksOfLength([intervalOf(home)], this.groups.prefix), 0n);
    const next = BigInt(Math.floor(random.fraction() * Number(this.groups.count)));
    const order = someGroups(this.groups, { first, next }, GROUPS_SEARCHED_MAX, random);
    for (let from = 0; from < order.length && this.missing > 0; from += GROUP_SCANS_MAX) {
      const some = order.slice(from, from + GROUP_SCANS_MAX);
      const read = await inParallel(some, GROUP_SCANS_MAX, (group) =>
        store.scanGroup(space, group, { consistent: false }),
      );
      this.groupsLooked += some.length;
      await this.#selectInGroups(some, read.flat());
    }
  }

  /** Selects from the blocks of some groups: those that can serve alone first, then those with the most room. */
  async #selectInGroups(groups: readonly Cidr[], current: readonly Block[]): Promise<void> {
    const { random } = this.#context;
    const existing = new Map(current.map((block) => [formatCidr(block.cidr), block]));
    const shared = { isOwn: false, lends: true, claiming: false, blockMinAgeMs: 0 };
    for (const [name, block] of existing)
      if (this.#isUsable(block))
        this.freed.set(name, freedIn(block, { ...shared, rules: this.#rules }));
    const places = groups
      .flatMap((group) => blocksOfGroup(this.#pool, group))
      .map((cidr) => ({ cidr, block: existing.get(formatCidr(cidr)) }))
      .filter(({ cidr, block }) => !this.#tried.has(formatCidr(cidr)) && this.#isUsable(block))
      .map((place) => ({ ...place, room: this.#roomAt(place.cidr, place.block) }))
      .filter(({ room }) => room > 0);
    const enough = (room: number) => Math.min(room, this.missing);
    const inOrder = shuffled(places, random).sort(
      (a, b) => enough(b.room) - enough(a.room) || Number(!a.block) - Number(!b.block),
    );
    for (const { cidr, block: there } of inOrder) {
      if (this.missing === 0) return;
      const block = there ?? (await makeBlock(this.#context, this.#pool, cidr));
      if (block) this.#selectFrom(block);
      else this.isLost = true;
    }
  }

  /** Returns true for an absent block, and for one of the subnet that can be read. */
  #isUsable(block: Block | undefined): boolean {
    return !block || (!block.unreadable && block.poolId === subnetIdOf(this.#pool));
  }

  #roomAt(cidr: Cidr, block: Block | undefined): number {
    if (block) return roomIn(block, this.#rules);
    const open = openSetOf(this.#pool, this.#request.configuration);
    return Number(countOf(sharedBy([intervalOf(cidr)], open)));
  }

  #selectFrom(block: Block): void {
    const name = formatCidr(block.cidr);
    if (this.#tried.has(name)) return;
    this.#tried.add(name);
    this.#add(block, this.#choose(block, this.missing));
  }

  #choose(block: Block, count: number, how?: { readonly isRetry: boolean }): readonly number[] {
    const { random } = this.#context;
    return chooseOrdinals(besideOthers(this.#request, block), count, this.#rules, random, how);
  }

  #add(block: Block, ordinals: readonly number[]): void {
    const choose = this.#choose.bind(this);
    this.selections.push(...slotsOf({ block, ordinals, choose, pool: this.#pool.name }));
    this.missing -= ordinals.length;
  }
}
