import type { Table } from "./table.ts";

/** Returns a table that carries out each of its calls through the same function. */
export function eachCall(table: Table, carryOut: <T>(call: () => Promise<T>) => Promise<T>): Table {
  return {
    get: (key, options) => carryOut(() => table.get(key, options)),
    query: (pk, options) => carryOut(() => table.query(pk, options)),
    scan: (limit, options) => carryOut(() => table.scan(limit, options)),
    due: (shard, options) => carryOut(() => table.due(shard, options)),
    write: (write) => carryOut(() => table.write(write)),
  };
}
