import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Block } from "../../../kernel/values/block.ts";
import { groupIndexOf, groupOf } from "../../../kernel/values/block-group.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { type BlockState, blockState } from "../../block/operations/list-blocks.ts";
import { poolOfSubnet } from "../../pool/subnet.ts";

/** Items of the table that a search for blocks of no pool reads at once. */
const ORPHAN_SCAN_ITEMS_PER_LOOK = 1_000;

/** A block to which nothing in its space leads. */
interface Orphan extends BlockState {
  readonly space: string;
}

/** A block that may be an orphan: it, or its pool, cannot be read. */
interface UnreadableOrphan {
  readonly space: string;
  /** The name of the item, for people to read. */
  readonly item: string;
  readonly reason: string;
}

export interface OrphansPage {
  readonly orphans: readonly Orphan[];
  readonly unreadable: readonly UnreadableOrphan[];
  /** The position of the next read, with a key of the table; absent when the whole table was read. */
  readonly next?: string;
}

/**
 * Searches a part of the table for blocks that a listing of their space does not find: of no pool, or of a pool whose index does not
 * name their block group. Only the whole table shows them, and it has those of every space.
 */
export async function listOrphans(
  context: Context,
  { after }: { readonly after?: string | undefined },
): Promise<OrphansPage> {
  const { store } = context;
  const orphans: Orphan[] = [];
  const unreadable: UnreadableOrphan[] = [];
  const budget = pageBudget(context);
  const configurationOf = remembered((space: string) => store.readSpace(space));
  const groupsOf = remembered(async (space: string, poolId: string) => {
    const index = await store.readBlockGroupIndex(space, poolId, { consistent: true });
    return index.groups;
  });
  const orphanOf = async (block: Block): Promise<Orphan | undefined> => {
    const { space, poolId, cidr } = block;
    const configuration = await configurationOf(space);
    const pool = poolOfSubnet(configuration, poolId);
    if (pool && (await groupsOf(space, poolId)).has(groupIndexOf(pool, groupOf(cidr))))
      return undefined;
    return { space, ...blockState(context, configuration, block) };
  };
  let position = after;
  do {
    const { contents, next } = await store.scanPage(ORPHAN_SCAN_ITEMS_PER_LOOK, position);
    await inParallel(contents.blocks, PAGE_READS_AT_ONCE, async (block) => {
      const orphan = await orCorrupt(orphanOf(block));
      if (orphan instanceof CorruptItemError) {
        const { space, cidr } = block;
        unreadable.push({ space, item: `block ${formatCidr(cidr)}`, reason: orphan.message });
      } else if (orphan) orphans.push(orphan);
    });
    for (const { key, reason } of contents.unreadable) {
      const block = blockInKey(key);
      if (block) unreadable.push({ ...block, reason });
    }
    position = next;
    budget.look();
  } while (position !== undefined && !budget.isSpent);
  return { orphans, unreadable, ...(position !== undefined && { next: position }) };
}

/** Returns the space and the name of the block under a key in one text; nothing if it is of another kind. */
function blockInKey(key: string): { readonly space: string; readonly item: string } | undefined {
  const [, space, address] = /^BLOCK#([^#]+)#\S+ (\S+)$/.exec(key) ?? [];
  return space && address ? { space, item: `block ${address}` } : undefined;
}

/** Returns a read that a page makes once for the same names. */
function remembered<Names extends readonly string[], Value>(
  read: (...names: Names) => Promise<Value>,
): (...names: Names) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (...names) => {
    const name = JSON.stringify(names);
    const value = known.get(name) ?? read(...names);
    known.set(name, value);
    return value;
  };
}
