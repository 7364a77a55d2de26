import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LEFT_OUT } from "../../src/publish/trail-line.ts";
import { restoreTable } from "../../src/restore/restore-table.ts";
import { textOfValue } from "../../src/restore/text-of-value.ts";
import { ChangeLog, type ItemChange } from "../../src/table/change-log.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { kindNameOf } from "../../src/table/kinds.ts";
import type { Table, Write } from "../../src/table/table.ts";
import { MutatedTable } from "../simulation/mutate.ts";
import { seededRandom } from "../simulation/random.ts";
import { simulate } from "../simulation/run.ts";
import { contextOver } from "../world.ts";
import { linesOf, tableAfter } from "./trail.ts";

const SEEDS = Array.from({ length: 20 }, (_, n) => n + 1);
const FORMAT = { pk: "TABLE", sk: "FORMAT", f: 1, k: 2 };
const RESTORED = { region: "eu-central-1", id: "the-restored-table" };

/** The changes of the table of a simulated life, in their order. Its judges try things in copies of it. */
let changes: ItemChange[];

beforeEach(() => {
  changes = [];
  const log = new ChangeLog(() => 1_700_000_000_000);
  const { write } = InMemoryTable.prototype;
  vi.spyOn(InMemoryTable.prototype, "write").mockImplementation(function (
    this: InMemoryTable,
    one: Write,
  ) {
    const item = () => this.partitions.get(one.key.pk)?.get(one.key.sk);
    const before = item();
    // The table writes at once; only its answer waits.
    const answer = write.call(this, one);
    const change = log.change(one.key, before, item());
    if (change && this instanceof MutatedTable) changes.push(change);
    return answer;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the items of a table that a restore brings back, as texts. */
const itemsIn = (table: InMemoryTable): readonly string[] =>
  table
    .items()
    .filter((item) => {
      const kind = kindNameOf(item) ?? "";
      return kind !== "TABLE" && !LEFT_OUT.has(kind);
    })
    .map(textOfValue)
    .sort();

describe("a replay of the audit trail after a simulated life", () => {
  it.each(SEEDS)(
    "leads from any moment to any later one, and holds every invariant: seed %i",
    async (seed) => {
      const { violations } = await simulate({ seed });
      expect(violations).toEqual([]);
      const life = changes;
      vi.restoreAllMocks();
      const { fraction } = seededRandom(seed);
      for (let round = 0; round < 4; round++) {
        const end = Math.floor(life.length * (0.3 + 0.7 * fraction()));
        const point = Math.floor(end * fraction());
        const from = Math.floor(point * fraction());
        const table = tableAfter(life.slice(0, point));
        // The simulation begins below the calls that write it.
        table.partitions.set("TABLE", new Map([["FORMAT", FORMAT]]));
        const restored = {
          table,
          identity: RESTORED,
          contextOver: (over: Table) => contextOver(over, { nowMs: 0 }),
        };
        const lines = linesOf(life.slice(from, end));
        const done = await restoreTable(restored, { lines, living: [] }, { dryRun: false });
        expect({ seed, end, point, from, violations: done.checked?.violations }).toMatchObject({
          violations: [],
        });
        expect(itemsIn(table)).toEqual(itemsIn(tableAfter(life.slice(0, end))));
      }
    },
  );
});
