import { RECLAIM_GROUPS_PER_SLICE } from "../../../src/kernel/reclaim/reclaim.ts";
import { SWEEP_ITEMS_PER_PAGE_MAX } from "../../../src/maintenance/repair/sweep.ts";
import { JOB_GROUPS_PER_SLICE } from "../../../src/nouns/pool/operations/carry-on-pool.ts";
import { eachCall } from "../../../src/store/stack.ts";
import type { Key } from "../../../src/table/item.ts";
import type { Table } from "../../../src/table/table.ts";
import type { Fact, Form } from "../fact.ts";
import { type Cloud, LambdaFunction } from "../lambda.ts";
import { SHARDS_PER_SCHEDULE } from "../model.ts";
import { NO_PROGRESS } from "../sabotages.ts";
import { busySchedules } from "./busy.ts";

/**
 * Returns the facts that a run stores its position when its time is over or it is stopped. So the
 * next run does not start again.
 */
export const goesOnFacts = (form: Form): readonly Fact[] =>
  busySchedules(form).flatMap(({ size, schedule, set }) =>
    ENDS.map(({ end, diesAfterMs, bounds }) => ({
      name: "A run goes on where the one before it stopped",
      size: `${size}; the one before it ${end}`,
      bound: bounds[schedule.name],
      unit: "looked at again",
      broken: NO_PROGRESS,
      async measure(newCloud) {
        const cloud = await set(newCloud);
        return cloud.clock.run(async () => {
          const looks = new Looks();
          const run = (aliveMs: number) =>
            new LambdaFunction({ ...looks.over(cloud, aliveMs), scheduledRuns: [] }).run(
              schedule.run,
            );
          await run(diesAfterMs);
          const before = looks.begin();
          await run(BEGINNING_MS);
          if (before.size === 0 || looks.seen.size === 0) throw new Error("nothing was looked at");
          return [...looks.seen].filter((each) => before.has(each)).length;
        });
      },
    })),
  );

/** The first part of a run, in which the fact sees where the run continues. */
const BEGINNING_MS = 20_000;

/** The page that each shard of a run of `repair` was at. */
const PAGES_OF_REPAIR = SHARDS_PER_SCHEDULE * SWEEP_ITEMS_PER_PAGE_MAX;

const ENDS = [
  {
    end: "had no time left",
    diesAfterMs: Number.POSITIVE_INFINITY,
    bounds: { reclaim: 0, repair: PAGES_OF_REPAIR, work: 0 },
  },
  {
    end: "was stopped in its midst",
    diesAfterMs: 30_000,
    bounds: {
      reclaim: RECLAIM_GROUPS_PER_SLICE,
      repair: PAGES_OF_REPAIR,
      work: JOB_GROUPS_PER_SLICE,
    },
  },
] as const;

/** Records what the walks of a schedule read: block groups, and items of the whole table. */
class Looks {
  seen = new Set<string>();

  /** Returns the walks' reads so far, and starts a new record. */
  begin(): ReadonlySet<string> {
    const before = this.seen;
    this.seen = new Set();
    return before;
  }

  /**
   * Returns a cloud whose table records its reads.
   *
   * @param aliveMs the time after which the table answers no more, so that the function is stopped
   * at its time-out
   */
  over(cloud: Cloud, aliveMs: number): Cloud {
    const { clock } = cloud;
    const untilMs = clock.nowMs + aliveMs;
    const of = ({ pk, sk }: Key) => this.seen.add(`${pk} ${sk}`);
    const table = (plain: Table): Table => {
      const inner = cloud.sabotage?.table?.(plain) ?? plain;
      const watched: Table = {
        ...inner,
        query: async (pk, options) => {
          const items = await inner.query(pk, options);
          if (pk.startsWith("BLOCK#")) this.seen.add(pk);
          return items;
        },
        scan: async (limit, options) => {
          const page = await inner.scan(limit, options);
          for (const item of page.items) of(item);
          return page;
        },
      };
      return eachCall(watched, (call) => (clock.nowMs > untilMs ? new Promise(() => {}) : call()));
    };
    return { ...cloud, sabotage: { called: "it is watched", ...cloud.sabotage, table } };
  }
}
