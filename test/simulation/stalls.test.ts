import { expect, it } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import { isMet } from "../../src/table/clause.ts";
import type { Table, Write } from "../../src/table/table.ts";
import { OPERATIONS, prepared } from "../operations/catalogue.ts";
import { scheduledRuns, tableOf, type World } from "../world.ts";
import { PLACES } from "./places.ts";

/** Scheduled runs a hundred seconds apart. */
const SCHEDULED_RUNS_IN_A_QUARTER_OF_AN_HOUR = 9;

const LATE = PLACES.flatMap((place) =>
  OPERATIONS.flatMap((operation) =>
    (operation.late ?? []).map((late) => ({ ...place, ...late, name: operation.name, operation })),
  ),
);

/**
 * A write whose author pauses before it for a quarter of an hour, while reclaim and repair runs
 * pass. The interleavings prove that no pause breaks an invariant. This shows which rule ensures it.
 */
it.each(LATE)(
  "$name, stalled under $under before $step (rejected by $rejectedBy): $why",
  async ({ over, step, rejectedBy, operation }) => {
    const { world, told } = await prepared(operation);
    const stalled = stalledBefore(world, step);
    try {
      const answer = await operation.walk(over(stalled.table, world.clock, 2), told);
      expect(answer).not.toBeInstanceOf(Rejection);
    } catch (error) {
      // An author that is this late gets an error, and holds nothing.
      expect(error).toMatchObject({ name: "ContentionError" });
    }
    expect(stalled.rejectedBy()).toEqual(rejectedBy === undefined ? [] : [rejectedBy]);
  },
);

/** Returns a table on which a walk pauses before the first write of this step. */
function stalledBefore(world: World, step: string) {
  let rejectedBy: readonly string[] | undefined;
  const table = tableOf(world);
  const write = async (write: Write) => {
    if (write.step !== step || rejectedBy) return table.write(write);
    await scheduledRuns(world, SCHEDULED_RUNS_IN_A_QUARTER_OF_AN_HOUR);
    const item = await table.get(write.key);
    const failed = write.when.filter((clause) => !isMet(clause, item));
    rejectedBy = [...new Set(failed.map(({ name }) => name))];
    return table.write(write);
  };
  const stalled: Table = { ...table, write };
  return { table: stalled, rejectedBy: () => rejectedBy };
}
