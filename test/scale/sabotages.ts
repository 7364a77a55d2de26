import { UnavailableError } from "../../src/base/outcome.ts";
import { eachCall } from "../../src/store/stack.ts";
import { changed } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import { hostPk, unescaped } from "../../src/table/key.ts";
import { kindNameOf } from "../../src/table/kinds.ts";
import type { QueryOptions, Table, Write } from "../../src/table/table.ts";
import { EARLIER_MS } from "./drawn.ts";
import type { Sabotage } from "./lambda.ts";
import { MINUTE_MS } from "./model.ts";

/*
 * The conditions that the facts depend on, taken away one at a time: a Query finds nothing, a write
 * is lost, a clock stops.
 */

export const ALL_LOOKS_FULL: Sabotage = {
  called: "no look finds a block, and no claim is written",
  table: (table) => ({
    ...losing("create-block").table(table),
    query: async (pk, options) => (pk.startsWith("BLOCK#") ? [] : table.query(pk, options)),
  }),
};

export const NO_FULL_POOLS = hiding("no pool is called full", "FULLPOOLS#");

export const NO_OWN_BLOCKS: Sabotage = {
  called: "no block stands at a place of its host",
  table: (table) => ({
    ...losing("create-block").table(table),
    get: async (key, options) =>
      key.pk.startsWith("BLOCK#") ? undefined : table.get(key, options),
  }),
};

export const NO_SHARED_BLOCKS: Sabotage = {
  called: "no look finds a block, and nobody hears whether one was made",
  table: (table) => ({
    ...table,
    get: async (key, options) =>
      key.pk.startsWith("BLOCK#") ? undefined : table.get(key, options),
    query: async (pk, options) => (pk.startsWith("BLOCK#") ? [] : table.query(pk, options)),
    write: async (write) =>
      write.step === "create-block" ? { outcome: "unknown" } : table.write(write),
  }),
};

export const FIRST_ONLY: Sabotage = {
  called: "a space is read as if it had two pools, of two block groups each",
  table: (table) => ({
    ...table,
    query: async (pk, options) => {
      if (pk.startsWith("GROUPINDEX#")) return [];
      const items = await table.query(pk, options);
      if (!pk.startsWith("SPACE#")) return items;
      const pools = items.filter(({ sk }) => sk.startsWith("POOL#"));
      return items.filter((item) => !pools.includes(item) || pools.indexOf(item) < 2).map(narrowed);
    },
  }),
};

/** Returns a pool cut to two block groups if it has more; any other item unchanged. */
function narrowed(item: Item): Item {
  const [base, prefix] = String(item.cidr).split("/");
  return item.sk.startsWith("POOL#") && Number(prefix) < 19
    ? { ...item, cidr: `${base}/19` }
    : item;
}

export const NO_FULL_BLOCKS: Sabotage = {
  called: "no block of a host is called full",
  table: (table) => ({
    ...table,
    query: async (pk, options) =>
      (await table.query(pk, options)).filter((item) => kindNameOf(item) !== "HOST/FULL"),
  }),
};

export const ROWS_OF_EVERY_BLOCK: Sabotage = {
  called: "a look at a block group asks the host of each of its blocks",
  table: (table) => ({
    ...table,
    query: async (pk, options) => {
      const items = await table.query(pk, options);
      if (!pk.startsWith("BLOCK#")) return items;
      const space = unescaped(pk.split("#")[1] ?? "");
      for (const { host } of items) await table.query(hostPk(space, host as `host:${string}`));
      return items;
    },
  }),
};

export const FIRST_FAILURE_STOPS_ALL: Sabotage = {
  called: "a function does nothing more after an item that it cannot read",
  table: (table) => {
    let isStopped = false;
    return eachCall(table, async (call) => {
      if (isStopped) throw new UnavailableError("an item could not be read");
      const answer = await call();
      isStopped ||= [answer].flat().some((item) => (item as Item | undefined)?.f === 99);
      return answer;
    });
  },
};

export const NOTHING_DELETED = losing("delete-block", "no block is ever deleted");
export const NO_JOB_MARKED = losing("mark-job", "no job gets past its first step");
export const NOTHING_SETTLED = losing("settle", "no application unlists an address");

/** Loses the stored positions without an error, so that the run itself goes on. */
export const NO_PROGRESS: Sabotage = {
  called: "no run tells the next one where it stopped",
  table: (table) => ({
    ...table,
    write: async (write) => {
      const { step, key, change } = write;
      if (!/^(keep-position|write-progress|walk-job)$/.test(step)) return table.write(write);
      const item = changed(key, await table.get(key), change);
      return { outcome: "done", item: item ?? { ...key } };
    },
  }),
};

export const NOTHING_DUE: Sabotage = {
  called: "the index has nothing that is due, and neither has a walk over the table",
  table: (table) => ({ ...table, due: async () => [], scan: async () => ({ items: [] }) }),
};

export const READ_BEFORE_WRITE: Sabotage = {
  called: "an item is read before each write",
  table: (table) => ({
    ...table,
    write: async (write) => {
      await table.get(write.key);
      return table.write(write);
    },
  }),
};

/**
 * Returns a fault: a walk through these partitions comes before each call.
 *
 * @param what the contents of these partitions, as words of a sentence
 */
export const walking = (what: string, partitions: readonly string[]): Sabotage => ({
  called: `a walk through ${what} comes before each call`,
  table: (table) =>
    eachCall(table, async (call) => {
      for (const pk of partitions) await readAll(table, pk);
      return call();
    }),
});

/** Reads a partition, a few of its items at a time. */
async function readAll(table: Table, pk: string): Promise<void> {
  const limit = 16;
  for (let after: string | undefined; ; ) {
    const options: QueryOptions = { limit, ...(after !== undefined && { after }) };
    const items: readonly Item[] = await table.query(pk, options);
    if (items.length < limit) return;
    after = items.at(-1)?.sk;
  }
}

export const NO_ALLOCATION_ENDS: Sabotage = {
  called: "no allocation is ever ended",
  table: (table) => ({
    ...table,
    write: async (write) =>
      write.key.pk.startsWith("HANDLE#") ? lost(table, write) : table.write(write),
  }),
};

export const NO_ANSWERS: Sabotage = {
  called: "the table does not answer",
  table: (table) => eachCall(table, () => new Promise(() => {})),
};

export const CLOCK_STANDS: Sabotage = {
  called: "a run sees no time go by before its minute is over",
  now: (nowMs) => nowMs - ((nowMs - EARLIER_MS) % MINUTE_MS),
};

export const EVERY_ITEM_AGAIN: Sabotage = {
  called: "each item of a walk is read again with all that lies beside it, before the next one",
  table: (table) => ({
    ...table,
    scan: async (limit, options) => {
      const page = await table.scan(limit, options);
      for (const item of page.items) {
        await table.get(item);
        await table.query(item.pk);
      }
      return page;
    },
  }),
};

function hiding(called: string, head: string): Sabotage {
  const table = (table: Table): Table => ({
    ...table,
    query: async (pk, options) => (pk.startsWith(head) ? [] : table.query(pk, options)),
  });
  return { called, table };
}

/** Returns a table on which a step always fails, as if another write had been faster each time. */
function losing(step: string | RegExp, called = `${step} is lost`) {
  const isLost = (of: string) => (typeof step === "string" ? of === step : step.test(of));
  const table = (table: Table): Table => ({
    ...table,
    write: async (write) => (isLost(write.step) ? lost(table, write) : table.write(write)),
  });
  return { called, table } satisfies Sabotage;
}

const lost = async (table: Table, { key }: Write) =>
  ({ outcome: "lost", item: await table.get(key) }) as const;
