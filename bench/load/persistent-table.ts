import { UnavailableError } from "../../src/base/outcome.ts";
import { eachCall } from "../../src/store/stack.ts";
import type { Table } from "../../src/table/table.ts";

/** Each try takes the maximum time of an answer, so that all of them take a minute. */
const TRIES_MAX = 30;

/**
 * Returns a table for checks after the load, for which no caller waits. It repeats a read until the database answers, because a
 * stall of the disk says nothing about the addresses. A write without an answer stays one with an unknown outcome.
 *
 * @throws {UnavailableError} if the database answers none of the tries
 */
export function persistentTable(table: Table): Table {
  return eachCall(table, async (call) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof UnavailableError) || attempt === TRIES_MAX) throw error;
      }
    }
  });
}
