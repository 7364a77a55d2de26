import { SCHEDULED_RUN_MS_MAX } from "../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import { whileTime } from "../../kernel/core/bounded-work.ts";
import type { Context } from "../../kernel/core/context.ts";
import type { Due } from "../../kernel/values/allocation.ts";
import type { Progress } from "../../kernel/values/sweep.ts";
import type { DueTombstone } from "../../nouns/node/tombstone.ts";
import { repairAllocation, settleDue } from "./allocation.ts";
import { endNodes } from "./ended-nodes.ts";
import { going, type Repaired } from "./repaired.ts";
import { sweep, sweepAtRandom } from "./sweep.ts";

/** Age of a repair run, in ms, after which it handles no further due allocation. The rest of its time is for the walk. */
export const COLLECT_DUE_MS_MAX = 30_000;
/** Due allocations that it reads from the index at once, and works on side by side. */
const COLLECT_DUE_PER_PAGE = 500;
const COLLECT_DUE_AT_ONCE = 16;
/** A repair run begins to end no node after this age. */
const NODES_ENDED_MS_MAX = 35_000;

/**
 * Runs repair once, for a bounded time, over a shard: its due allocations, then the next items of the shard's segment
 * of the table. That slow walk finds what is in no index. It repairs what crashes left, and no caller waits for it.
 */
export async function repair(context: Context, shard: number): Promise<Repaired> {
  const { store } = context;
  const done: Repaired = {
    due: 0,
    oldestDueSeconds: 0,
    items: 0,
    allocations: 0,
    allocationsDeleted: 0,
    affinities: 0,
    borrowedBlocksDeleted: 0,
    orphansDeleted: 0,
    nodesEnded: 0,
    nodesHeld: 0,
    swept: false,
    failures: [],
  };
  const startedAtMs = context.now();
  const found = await readProgress(context, shard, done);
  let kept: Progress = found === "unreadable" ? {} : found;
  const { due: from, ...rest } = kept;
  const { due, hasTombstones } = await repairDue(
    context,
    { shard, from, untilMs: startedAtMs + COLLECT_DUE_MS_MAX },
    done,
  );
  if (hasTombstones)
    await going(done, () =>
      endNodes(context, { shard, untilMs: startedAtMs + NODES_ENDED_MS_MAX }, done),
    );
  const keep = async (progress: Progress) => {
    const isNew = JSON.stringify(progress) !== JSON.stringify(kept);
    if (isNew) await store.writeProgress(shard, progress);
    kept = progress;
  };
  const progress: Progress = { ...(due && { due }), ...rest };
  const untilMs = startedAtMs + SCHEDULED_RUN_MS_MAX;
  await going(done, async () => {
    // Must not overwrite a position that another version saved.
    if (found === "unreadable") return sweepAtRandom(context, { shard, untilMs }, done);
    await keep(progress);
    await sweep(context, { shard, progress, untilMs, keep }, done);
  });
  return done;
}

/** Reads the position of the repair run. An unreadable position is a failure. */
async function readProgress(
  { store }: Context,
  shard: number,
  done: Repaired,
): Promise<Progress | "unreadable"> {
  const found = await orCorrupt(store.readProgress(shard));
  if (!(found instanceof CorruptItemError)) return found ?? {};
  done.failures.push(found);
  return "unreadable";
}

/** The due allocations that a run handles. */
interface DueWalk {
  readonly shard: number;
  /** The last due allocation that the run before read when its time was over. */
  readonly from: Due | undefined;
  readonly untilMs: number;
}

/**
 * Handles the due allocations of a shard, the earliest first: those after the last run's position, then the others. It
 * skips those that stay due because they cannot be read or are in use.
 *
 * @returns the last one that it read, if its time was over before all were; and whether it met tombstones
 */
async function repairDue(
  context: Context,
  { shard, from, untilMs }: DueWalk,
  done: Repaired,
): Promise<{ readonly due: Due | undefined; readonly hasTombstones: boolean }> {
  const dueByMs = context.now();
  const legs = from
    ? [
        { after: from, dueByMs },
        { after: undefined, dueByMs: from.dueAtMs },
      ]
    : [{ after: undefined, dueByMs }];
  let last: Due | DueTombstone | undefined = from;
  let hasTombstones = false;
  await going(done, async () => {
    for (const leg of legs) {
      last = leg.after;
      for (let more = true; more; ) {
        const page = await context.store.dueAllocations(shard, {
          untilMs: leg.dueByMs,
          limit: COLLECT_DUE_PER_PAGE,
          ...(last && { after: last }),
        });
        const [oldest] = page;
        if (oldest) {
          const waitedMs = Math.max(0, context.now() - oldest.dueAtMs);
          done.oldestDueSeconds = Math.max(done.oldestDueSeconds, Math.floor(waitedMs / 1000));
        }
        const looked = await whileTime(
          context,
          page,
          { atOnce: COLLECT_DUE_AT_ONCE, untilMs },
          async (due) => {
            if ("tombstone" in due) hasTombstones = true;
            else await going(done, () => repairOneDue(context, due, done));
          },
        );
        last = page[looked - 1] ?? last;
        if (looked < page.length) return;
        more = page.length === COLLECT_DUE_PER_PAGE;
      }
    }
    last = undefined;
  });
  // A tombstone is no position, because the next run reads all of them anyway.
  return { due: last && "tombstone" in last ? from : last, hasTombstones };
}

async function repairOneDue(context: Context, { place }: Due, done: Repaired): Promise<void> {
  done.due++;
  const allocation = await context.store.readAllocation(place);
  if (!allocation) return;
  done.allocations++;
  const after = await repairAllocation(context, allocation);
  if (after === "deleted") done.allocationsDeleted++;
  else if (after === "stands") await settleDue(context, allocation);
}
