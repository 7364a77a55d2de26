import { type Cidr, contains, formatCidr } from "../../net/cidr.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { asHint } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { type Block, isEmpty, isWhollyReserved, roomIn, type SlotRules } from "../values/block.ts";
import {
  claimableIn,
  groupAt,
  groupIndexOf,
  groupOf,
  groupOrder,
  isReservedGroup,
  isUsedUp,
} from "../values/block-group.ts";
import { type FreedByTime, freedIn } from "../values/freed-by-time.ts";
import { shuffled } from "../values/fresh.ts";
import type { HostId, HostReserved } from "../values/host.ts";
import { type LendingHint, lendingIn } from "../values/lending.ts";
import { correctGroup } from "./full-group-hint.ts";
import type { Lending } from "./lending-hint.ts";

/**
 * Every n-th of these scans reads a block group at random, so that the order of a host does not keep it from free
 * blocks.
 */
const LOOKS_PER_RANDOM_LOOK = 3;

/** The actions that a host may take with the blocks that a scan finds. */
export interface ScanCriteria {
  readonly host: HostId;
  readonly rules: SlotRules;
  /** True if it may claim or seize blocks. Then the scan ends with the first free one. */
  readonly claiming: boolean;
  /** The host-reserved addresses in a block that it would claim. */
  readonly hostReserved?: HostReserved | undefined;
  /** The number of addresses that it would borrow; 0 if it must not. */
  readonly borrowing: number;
  readonly blockMinAgeMs: number;
  /** True if hosts may borrow in the pool. */
  readonly lends: boolean;
}

/** A request's view of a pool, scan after scan. It is eventually consistent, and conditional writes decide. */
export interface PoolScan {
  readonly pool: Pool;
  /** The criteria of this turn of the request. */
  criteria: ScanCriteria;
  /** The block groups that are called full, as read and as scans corrected it. */
  readonly full: Set<bigint>;
  /** Block groups that may hold blocks: those called full and those scanned; all if the index was read. */
  readonly groups: Set<bigint>;
  isMapped: boolean;
  /** The number of scans. */
  looks: number;
  /** Block groups without a block that the host can claim. It does not search them again. */
  readonly vain: Set<bigint>;
  /** Block groups whose blocks were read. */
  readonly scanned: Set<bigint>;
  /** The hints of what block groups can lend; absent if they were not read. */
  lending?: Lending;
  /** Blocks of the pool in them that have room or are idle, by CIDR. */
  readonly seen: Map<string, Block>;
  /** The addresses that time alone frees in the blocks of others that were read, by CIDR. */
  readonly freed: Map<string, FreedByTime>;
  /** True if the scans did not reach a group that is not called full. Then a search without a result proves nothing. */
  bounded: boolean;
}

/** A free block that the host may claim. */
export interface Free {
  readonly scan: PoolScan;
  readonly index: bigint;
  readonly cidr: Cidr;
  /** True if it is the last free one of its block group. Then its claim calls the group full. */
  readonly isLast: boolean;
}

/**
 * Reads the part of the pool's block-group index that the host needs. A host that may claim searches groups that are not called full
 * first, whatever they hold. So the list of groups with blocks is read only for a host that may not claim.
 */
export async function scanOf(
  context: Context,
  pool: Pool,
  criteria: ScanCriteria,
): Promise<PoolScan> {
  const { store } = context;
  const { space, id } = pool;
  const isMapped = !criteria.claiming;
  const { groups, full } = isMapped
    ? await store.readBlockGroupIndex(space, id, { consistent: false })
    : await store.readFullGroups(space, id).then((full) => ({ full, groups: full }));
  return {
    pool,
    criteria,
    full: new Set(full),
    groups: new Set(groups),
    isMapped,
    looks: 0,
    vain: new Set(),
    scanned: new Set(),
    seen: new Map(),
    freed: new Map(),
    bounded: false,
  };
}

/**
 * Searches the block groups that are not called full for a free block, in the host's own order, and every third group at random. It
 * calls groups full that are, and continues. It reads only the keys of blocks.
 *
 * @param isSpent returns true if the request may scan no more; it gets the number of scans without a result
 */
export async function findFree(
  context: Context,
  scan: PoolScan,
  isSpent: (looks: number) => boolean,
): Promise<Free | undefined> {
  const { pool, criteria, full, vain } = scan;
  const { reserved } = criteria.rules;
  const isPassed = (index: bigint) => full.has(index) || vain.has(index);
  const own = groupOrder(pool, criteria.host, reserved, isPassed);
  let drawn: Generator<bigint> | undefined;
  let corrected: Promise<void> | undefined;
  for (let looks = 0; ; looks++) {
    const isRandom = looks % LOOKS_PER_RANDOM_LOOK === LOOKS_PER_RANDOM_LOOK - 1;
    if (isRandom) drawn ??= groupOrder(pool, String(context.random.fraction()), reserved, isPassed);
    const { value: index, done } = (isRandom && drawn ? drawn : own).next();
    scan.bounded = !done && isSpent(looks);
    if (done || scan.bounded) break;
    // The hint of one block group is corrected while the next group is read.
    const [{ free, correct }] = await awaitAll(scanForFree(context, scan, index), corrected);
    corrected = correct();
    if (free) {
      await corrected;
      return free;
    }
  }
  await corrected;
  return undefined;
}

/**
 * Reads block groups that may hold blocks: first those that can lend, as far as hints say, then at random, and last those that cannot.
 * It searches for a block to seize, for blocks to borrow from, and for a free one if a hint is wrong. It ends with the first that
 * helps, and corrects the hints of what it read.
 */
export async function scanAround(
  context: Context,
  scan: PoolScan,
  looksMax: number,
): Promise<Free | undefined> {
  const { pool, scanned, criteria, lending } = scan;
  const groups = shuffled([...scan.groups], context.random)
    .filter(
      (index) => !scanned.has(index) && !isReservedGroup(pool, index, criteria.rules.reserved),
    )
    .map((index) => ({ index, turn: lending?.turnOf(pool, index) ?? 0 }))
    .sort((a, b) => a.turn - b.turn);
  const seen = new Map<bigint, LendingHint | null>();
  let found: Free | undefined;
  for (const { index } of groups.slice(0, looksMax)) {
    if (found || mayHelp(context, scan)) break;
    const { free, correct, isFull, blocks } = await lookAt(context, scan, index);
    await correct();
    if (isFull) seen.set(index, lendingIn(pool.id, blocks, criteria));
    found = free;
  }
  if (lending) await asHint(() => lending.correct(pool, seen));
  return found;
}

/** Reads the index of all block groups that may hold blocks, for a host that may claim no more. */
export async function indexGroups({ store }: Context, scan: PoolScan): Promise<void> {
  const { space, id } = scan.pool;
  const { groups } = await store.readBlockGroupIndex(space, id, { consistent: false });
  for (const index of groups) scan.groups.add(index);
  scan.isMapped = true;
}

/** Forgets what was read of a block's group, so that it can be scanned again. */
export function scanAgainAt({ pool, scanned, vain }: PoolScan, cidr: Cidr): void {
  const index = groupIndexOf(pool, groupOf(cidr));
  scanned.delete(index);
  vain.delete(index);
}

interface Looked {
  readonly free?: Free;
  /** True if no block of the group can be claimed. */
  readonly isFull: boolean;
  /** Corrects the hint of the block group. */
  correct(): Promise<void>;
}

/** Reads the keys of the blocks of a group. */
async function scanForFree(context: Context, scan: PoolScan, index: bigint): Promise<Looked> {
  const { space } = scan.pool;
  scan.looks++;
  return judged(
    context,
    scan,
    index,
    await context.store.listBlockPlaces(space, groupAt(scan.pool, index)),
  );
}

/** Reads the blocks of a group. */
async function lookAt(
  context: Context,
  scan: PoolScan,
  index: bigint,
): Promise<Looked & { readonly blocks: readonly Block[] }> {
  const { pool, criteria } = scan;
  scan.looks++;
  scan.scanned.add(index);
  const blocks = await blocksAt(context, pool, index);
  for (const block of blocks) {
    // A block that an earlier pool left serves no request, and its range cannot be claimed.
    const isOurs = block.poolId === pool.id;
    if (isOurs && (block.idleSinceMs !== undefined || roomIn(block, criteria.rules) > 0))
      scan.seen.set(formatCidr(block.cidr), block);
    if (isOurs && block.host !== criteria.host)
      scan.freed.set(
        formatCidr(block.cidr),
        freedIn(block, { ...criteria, lends: isLent(criteria), isOwn: false }),
      );
  }
  const current = blocks.map(({ cidr }) => cidr);
  return { ...judged(context, scan, index, current), blocks };
}

/** Returns the blocks of a group that can be claimed, by the blocks that exist there. */
function judged(context: Context, scan: PoolScan, index: bigint, current: readonly Cidr[]): Looked {
  const { pool, criteria, full } = scan;
  if (current.length > 0) scan.groups.add(index);
  const claimable = claimableIn(pool, index, current, criteria.rules.reserved);
  const isFull = claimable.length === 0;
  const hint = { isFull, isCalledFull: full.has(index) };
  if (isFull) full.add(index);
  else full.delete(index);
  const correct = () => asHint(() => correctGroup(context, pool, index, hint));
  const free = criteria.claiming ? claimable.filter((cidr) => isOfUse(cidr, criteria)) : [];
  const [cidr] = shuffled(free, context.random);
  if (cidr) return { free: { scan, index, cidr, isLast: claimable.length === 1 }, isFull, correct };
  if (criteria.claiming) scan.vain.add(index);
  return { isFull, correct };
}

async function blocksAt(context: Context, pool: Pool, index: bigint): Promise<Block[]> {
  const group = groupAt(pool, index);
  const blocks = await context.store.scanGroup(pool.space, group, { consistent: false });
  return blocks.filter(({ cidr }) => contains(pool.cidr, { ...cidr, value: cidr.base }));
}

/** Returns true if the index says that no block group has a block to claim. */
export const seemsFull = ({ pool, full, criteria }: PoolScan): boolean =>
  isUsedUp(pool, full, criteria.rules.reserved);

/** Returns the number of groups that were scanned, for free blocks or for their contents. */
export const groupsScanned = ({ scanned, vain }: PoolScan): number =>
  new Set([...scanned, ...vain]).size;

/** Returns true if every block group that may serve the host was scanned, or is said to have nothing. Then a search without a result proves that there is nothing. */
export function isSeen({
  pool,
  criteria,
  groups,
  isMapped,
  full,
  scanned,
  vain,
  lending,
}: PoolScan): boolean {
  const { reserved } = criteria.rules;
  const isPassed = (index: bigint) => full.has(index) || vain.has(index);
  const isKnown = criteria.claiming
    ? groupOrder(pool, "", reserved, isPassed).next().done === true
    : isMapped;
  if (!isKnown) return false;
  return [...groups, ...full].every(
    (index) =>
      scanned.has(index) ||
      isReservedGroup(pool, index, reserved) ||
      (full.has(index) && lending?.saidOf(pool, index) === "shut"),
  );
}

/** Returns true if the host would borrow in the pool. A host that only wants a block would not. */
export const isLent = ({ lends, borrowing }: ScanCriteria): boolean => lends && borrowing > 0;

/** Returns true if the host would get an address from a block of its own. */
const isOfUse = (cidr: Cidr, { rules, hostReserved }: ScanCriteria): boolean =>
  !isWhollyReserved(cidr, rules.reserved, hostReserved);

/** Returns true if the blocks that were read so far help the host. */
export function mayHelp(context: Context, scan: PoolScan): boolean {
  const { rules, borrowing } = scan.criteria;
  return (
    idleIn(context, scan).length > 0 ||
    (borrowing > 0 && borrowableIn(scan).some((block) => roomIn(block, rules) >= borrowing))
  );
}

/** Returns the blocks that the host may seize: empty, marked idle, of another host, and past their minimum age. */
export function idleIn(context: Context, { seen, criteria }: PoolScan): readonly Block[] {
  if (!criteria.claiming) return [];
  return [...seen.values()].filter(
    (block) =>
      block.host !== criteria.host &&
      block.idleSinceMs !== undefined &&
      isOfUse(block.cidr, criteria) &&
      context.now() - block.claimedAtMs >= criteria.blockMinAgeMs &&
      isEmpty(block, criteria.rules),
  );
}

/** Returns the blocks of other hosts with room, those with the most room first. */
export function borrowableIn({
  seen,
  criteria: { host, rules, borrowing },
}: PoolScan): readonly Block[] {
  if (borrowing === 0) return [];
  return [...seen.values()]
    .filter((block) => block.host !== host)
    .map((block) => ({ block, room: roomIn(block, rules) }))
    .filter(({ room }) => room > 0)
    .sort((a, b) => b.room - a.room)
    .map(({ block }) => block);
}
