import type { Table } from "./table.ts";

/** A table each of whose calls is carried out in a way that is the same for all of them. */
export function eachCall(table: Table, carryOut: <T>(call: () => Promise<T>) => Promise<T>): Table {
  return {
    get: (key) => carryOut(() => table.get(key)),
    query: (pk, options) => carryOut(() => table.query(pk, options)),
    scan: (limit, after) => carryOut(() => table.scan(limit, after)),
    due: (shard, untilMs, limit) => carryOut(() => table.due(shard, untilMs, limit)),
    write: (write) => carryOut(() => table.write(write)),
  };
}
