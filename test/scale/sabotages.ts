import { Unavailable } from "../../src/domain/outcome.ts";
import { eachCall } from "../../src/store/each-call.ts";
import { hostPk, unescaped } from "../../src/store/key.ts";
import { kindNameOf } from "../../src/store/kinds.ts";
import type { Item, QueryOptions, Table, Write } from "../../src/store/table.ts";
import type { Sabotage } from "./lambda.ts";

/*
 * What the facts rest on, taken away one at a time: a Query that finds nothing, a write that is lost, a clock that stands.
 */

export const ALL_LOOKS_FULL: Sabotage = {
  called: "whatever is looked at is said to be full",
  table: (table) => ({
    ...losing("create-block").table(table),
    query: async (pk, options) => (pk.startsWith("BLOCK#") ? [] : table.query(pk, options)),
  }),
};

export const NO_MAPS = hiding("the maps of pools have nothing in them", "POOLMAP#");
export const NO_FULL_POOLS = hiding("no pool is called full", "FULLPOOLS#");

export const NO_FULL_BLOCKS: Sabotage = {
  called: "no block of a host is called full",
  table: (table) => ({
    ...table,
    query: async (pk, options) =>
      (await table.query(pk, options)).filter((item) => kindNameOf(item) !== "HOST/FULL"),
  }),
};

export const ROWS_OF_EVERY_BLOCK: Sabotage = {
  called: "a look at a cell asks the host of each of its blocks",
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
      if (isStopped) throw new Unavailable("an item could not be read");
      const answer = await call();
      isStopped ||= [answer].flat().some((item) => (item as Item | undefined)?.f === 99);
      return answer;
    });
  },
};

export const NOTHING_DELETED = losing("delete-block", "no block is ever deleted");
export const NO_PROGRESS = losing(
  /^(keep-position|write-progress|(?!create)[a-z]+-job)$/,
  "no run tells the next one where it stopped",
);

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

export const ITEM_BY_ITEM: Sabotage = {
  called: "what stands beside an item is read with it, a few at a time",
  table: (table) => ({
    ...table,
    query: async (pk, options) => {
      await readAll(table, pk, options?.consistent);
      return table.query(pk, options);
    },
  }),
};

async function readAll(table: Table, pk: string, consistent = true): Promise<void> {
  const limit = 4;
  for (let after: string | undefined; ; ) {
    const options: QueryOptions = { limit, consistent, ...(after !== undefined && { after }) };
    const items: readonly Item[] = await table.query(pk, options);
    if (items.length < limit) return;
    after = items.at(-1)?.sk;
  }
}

export const NO_RECORD_ENDS: Sabotage = {
  called: "no record is ever ended",
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
  called: "a run does not see its time go by",
  now: () => 1_700_000_000_000,
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

/** A table on which a step is never done, and each time another was faster. */
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
