import { trailLineOf } from "../../src/publish/trail-line.ts";
import { type ParsedTrailLine, parseLine } from "../../src/restore/trail-line.ts";
import { eachCall } from "../../src/store/stack.ts";
import { ChangeLog, type ItemChange } from "../../src/table/change-log.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Table } from "../../src/table/table.ts";

/** Returns the lines of the audit trail as a restore reads them: written as JSON, and parsed. */
export const linesOf = (changes: readonly ItemChange[]): readonly ParsedTrailLine[] =>
  changes.flatMap((change, n) => {
    const line = trailLineOf(change);
    return line ? [parseLine(JSON.stringify(line), `trail.jsonl, line ${n + 1},`)] : [];
  });

/** Returns the table after changes. */
export function tableAfter(changes: readonly ItemChange[]): InMemoryTable {
  const table = new InMemoryTable();
  for (const { key, after } of changes) {
    const partition = table.partitions.get(key.pk) ?? new Map();
    if (after) partition.set(key.sk, after);
    else partition.delete(key.sk);
    table.partitions.set(key.pk, partition);
  }
  return table;
}

/** Returns a table that adds its changes to a list. One write must follow another. */
export function recorded(table: Table, changes: ItemChange[]): Table {
  const log = new ChangeLog(Date.now);
  return {
    ...eachCall(table, (call) => call()),
    async write(write) {
      const { pk, sk } = write.key;
      const before = await table.get({ pk, sk });
      const outcome = await table.write(write);
      const change = log.change(write.key, before, await table.get({ pk, sk }));
      if (change) changes.push(change);
      return outcome;
    },
  };
}
