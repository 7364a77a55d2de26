import {
  CLOCK_SKEW_MS_MAX,
  LABELLED_PER_PAGE_MAX,
  PERCENT_MAX,
  TOMBSTONES_DUE_MAX,
} from "../../base/limits.ts";
import { whileTime } from "../../kernel/core/bounded-work.ts";
import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import { shuffled } from "../../kernel/values/fresh.ts";
import { endNode } from "../../nouns/node/operations/end-node.ts";
import type { Tombstone, TombstoneNamed } from "../../nouns/node/tombstone.ts";
import { areTooManyGone } from "../../nouns/node/zone.ts";
import { going, type Repaired } from "./repaired.ts";

const TOMBSTONES_AT_ONCE = 8;

/**
 * Ends the nodes of a shard's spaces whose quarantine is over, unless too many of a space ended at once. It reads all due
 * tombstones of the shard first, because only their number tells that. A clock that is late must not shorten a quarantine.
 */
export async function endNodes(
  context: Context,
  { shard, untilMs }: { readonly shard: number; readonly untilMs: number },
  done: Repaired,
): Promise<void> {
  const { store, now } = context;
  const page = { untilMs: now() - CLOCK_SKEW_MS_MAX, limit: TOMBSTONES_DUE_MAX };
  const { items: due, isWhole } = await store.dueTombstones(shard, page);
  // Nobody knows how many nodes ended.
  if (!isWhole) {
    done.failures.push(new LongBacklogError());
    return;
  }
  const atOnce = TOMBSTONES_AT_ONCE;
  const bySpace = new Map<string, DueOfSpace>();
  for (const { tombstone } of due) {
    const known = bySpace.get(tombstone.space) ?? { unread: 0, tombstones: [] };
    known.unread++;
    bySpace.set(tombstone.space, known);
  }
  const read = async (of: TombstoneNamed) => {
    const tombstone = await store.readTombstone(of);
    const ofSpace = bySpace.get(of.space);
    if (!ofSpace) return;
    ofSpace.unread--;
    if (tombstone) ofSpace.tombstones.push(tombstone);
  };
  await whileTime(context, due, { atOnce, untilMs }, ({ tombstone }) =>
    going(done, () => read(tombstone)),
  );
  // In random order, so that no node always waits behind the same ones.
  for (const [space, ofSpace] of shuffled([...bySpace], context.random))
    await going(done, async () => {
      const { tombstones } = ofSpace;
      const held = await heldIn(context, space, ofSpace);
      done.nodesHeld += held.size;
      if (held.size > 0) done.failures.push(new HeldNodesError(space, held.size));
      const free = shuffled(
        tombstones.filter((tombstone) => !held.has(tombstone)),
        context.random,
      );
      await whileTime(context, free, { atOnce, untilMs }, (tombstone) =>
        going(done, async () => {
          if (await endNode(context, tombstone, untilMs)) done.nodesEnded++;
        }),
      );
    });
}

/** The due tombstones of a space. */
interface DueOfSpace {
  /** The number of those that could not be read, or not in time. They count as ended. */
  unread: number;
  readonly tombstones: Tombstone[];
}

/** Returns the tombstones that wait, because too many nodes ended at once: all whose end has not begun, or none. */
async function heldIn(
  context: Context,
  space: string,
  { tombstones, unread }: DueOfSpace,
): Promise<ReadonlySet<Tombstone>> {
  const waiting = tombstones.filter(({ state }) => state === "quarantined");
  const ended = waiting.length + unread;
  const { settings } = await configurationOf(context, space);
  const { goneNodesPercentMax: percentMax } = settings;
  // Without another node the share is 100 %, so few ends and no brake need no count.
  const mayHold = areTooManyGone(ended, 0, percentMax);
  const registered = mayHold ? await countNodes(context, space) : 0;
  return new Set(areTooManyGone(ended, registered, percentMax) ? waiting : []);
}

async function countNodes({ store }: Context, space: string): Promise<number> {
  let count = 0;
  for (let after: string | undefined, more = true; more; ) {
    const page = await store.listNodeEntries(space, { after, limit: LABELLED_PER_PAGE_MAX });
    count += page.items.length + page.unreadable.length;
    after = page.next;
    more = after !== undefined;
  }
  return count;
}

/** More is due than a run can read, so that nobody knows how many nodes ended. */
class LongBacklogError extends Error {
  override readonly name = "LongBacklogError";

  constructor() {
    super("more items are due than a run reads: the nodes that ended wait until fewer are");
  }
}

/** Too many nodes of a space ended at once. */
class HeldNodesError extends Error {
  override readonly name = "HeldNodesError";

  constructor(space: string, held: number) {
    super(
      `${held} nodes of the space ${space} ended at once and keep what they have: set goneNodesPercentMax to ${PERCENT_MAX} if they are gone`,
    );
  }
}
