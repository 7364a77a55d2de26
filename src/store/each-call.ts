import type { Table } from "./table.ts";

/** A table each of whose calls is carried out in a way that is the same for all of them. */
export function eachCall(table: Table, carryOut: <T>(call: () => Promise<T>) => Promise<T>): Table {
  return {
    get: (key, options) => carryOut(() => table.get(key, options)),
    query: (pk, options) => carryOut(() => table.query(pk, options)),
    scan: (limit, options) => carryOut(() => table.scan(limit, options)),
    due: (shard, options) => carryOut(() => table.due(shard, options)),
    write: (write) => carryOut(() => table.write(write)),
  };
}
