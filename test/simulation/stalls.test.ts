import { expect, it } from "vitest";
import { Rejection } from "../../src/domain/outcome.ts";
import { holds } from "../../src/store/clause.ts";
import type { Table, Write } from "../../src/store/table.ts";
import { contextOver, scheduledRuns, tableOf, type World } from "../world.ts";
import { OPERATIONS, prepared } from "./operations.ts";

/** Scheduled runs a hundred seconds apart. */
const SCHEDULED_RUNS_IN_A_QUARTER_OF_AN_HOUR = 9;

/**
 * The result of a write whose author paused before it for a quarter of an hour, while reclaim and
 * repair runs passed. It is the clause that rejects the write, or nothing, with the reason why the
 * write does no harm. The interleavings prove that no pause breaks an invariant. This table shows
 * which rule ensures it.
 */
it.each<[operation: string, step: string, rejectedBy: string | undefined, why: string]>([
  [
    "assign from an own block, cold",
    "create-allocation",
    undefined,
    "nobody knew of it; the epoch that it names still stands, or its slot write is rejected",
  ],
  [
    "assign from an own block, cold",
    "take-slots",
    "take-epoch",
    "the repair run fenced the block before it deleted the allocation",
  ],
  [
    "assign with an Idempotency-Key",
    "take-slots",
    "take-epoch",
    "the repair run fenced the block before it gave the key free",
  ],
  [
    "assign over several blocks",
    "pending-live",
    "pending-live-rev",
    "the repair run aborted the allocation and freed its slots",
  ],
  [
    "assign of two under a limit",
    "pending-live",
    "pending-live-rev",
    "the repair run aborted the allocation and deleted its quota slots",
  ],
  [
    "assign that claims a block",
    "create-block",
    undefined,
    "the place is another's by now; an empty block serves whoever finds it, and gets its affinity back",
  ],
  ["assign that seizes an empty block", "seize", "seize-rev", "the reclaimer deleted the block"],
  [
    "assign that borrows",
    "take-slots",
    "take-epoch",
    "the repair run fenced the block before it dropped the borrowed block",
  ],
  [
    "release by address",
    "free-slots",
    undefined,
    "until its slot is free the address is the caller's, and nobody else may end it",
  ],
  [
    "release by address of a keyed request of two",
    "free-slots",
    "free-tag",
    "the allocation was marked, and the repair run finished what it said",
  ],
  [
    "conflict of one address of a keyed request of two",
    "free-slots",
    "free-tag",
    "the allocation was marked, and the repair run left the slot in quarantine",
  ],
  [
    "release by handle of a keyed request",
    "free-slots",
    "free-tag",
    "the allocation was marked, and the repair run finished what it said",
  ],
  [
    "reclaim of an empty block beside one in use",
    "delete-block",
    "delete-rev",
    "another run of reclaim deleted the block",
  ],
  [
    "repair of what a crash left",
    "repair",
    "repair-rev",
    "another run of repair deleted the allocation",
  ],
  [
    "repair of what a lease has run out of",
    "expire",
    "expire-rev",
    "another run of repair ended it; a renewal would have changed the revision as well",
  ],
  [
    "renewal of a lease",
    "amend",
    undefined,
    "the lease lasts for a day, and it counts from when the request was read",
  ],
  [
    "a block taken from its host",
    "disown",
    undefined,
    "the borrowed block stands before it, so what the host holds is found under it either way",
  ],
  [
    "a release of all affinities of a host",
    "delete-block",
    "delete-rev",
    "the reclaimer deleted the block",
  ],
  [
    "a claim of a range for a host",
    "create-block",
    undefined,
    "the place is another's by now; an empty block serves whoever finds it, and gets its affinity back",
  ],
  [
    "a worker in a pool that is drained",
    "delete-block",
    "delete-rev",
    "another run deleted the block",
  ],
  [
    "an instance that is kept by its uid",
    "keep",
    undefined,
    "until a later incarnation the addresses are this one's to keep, and that one has another incarnation",
  ],
  [
    "a kept instance that returns on another host",
    "instance-return",
    undefined,
    "no slot changes hands; a release or a later incarnation would have changed the revision",
  ],
  [
    "a kept instance that returns on another host",
    "borrowed",
    undefined,
    "the allocation names the host by now, and the write after this one asks for its revision",
  ],
  [
    "an application that grows",
    "change-application",
    undefined,
    "a pool that took the addresses meanwhile fenced their blocks, so that none of them gets held",
  ],
  [
    "an application that grows",
    "take-slots",
    "take-epoch",
    "the repair run fenced the blocks before it unlisted what was named and not held",
  ],
  [
    "an application that grows",
    "settle",
    "settle-rev",
    "the repair run wrote that the addresses are held",
  ],
  [
    "an application that gets smaller",
    "let-go",
    "let-go-tag",
    "the repair run let the addresses go, and an instance that takes one changes its slot as well",
  ],
  ["an application that gets smaller", "settle", "settle-rev", "the repair run unlisted them"],
  [
    "an application that is deleted",
    "delete-application",
    "delete-application-rev",
    "the repair run deleted it",
  ],
  [
    "an instance that takes an address of its application",
    "take-slots",
    "take-epoch",
    "the repair run fenced the block before it deleted the allocation",
  ],
  [
    "an instance that gives its address back to its application",
    "free-slots",
    "free-tag",
    "the allocation was marked, and the repair run gave the slot back to the application",
  ],
  [
    "an instance that gives its address back to an application with fewer",
    "leave",
    "leave-rev",
    "the repair run made the address leave",
  ],
  [
    "a StatefulSet that gets smaller than what its instances keep",
    "narrow-ordinals",
    "narrow-ordinals-rev",
    "the repair run closed what the lost instance kept, and narrowed the ordinals",
  ],
  [
    "a pool that is cut out of a pool for applications",
    "cut-fence",
    "fence-block",
    "the reclaimer deleted the block; a new one has another epoch",
  ],
  [
    "a ranged pool that is widened",
    "put-pool",
    undefined,
    "its item keeps the addresses from other pools; a job that frees them changes the revision",
  ],
  [
    "a ranged pool that is narrowed",
    "put-pool",
    undefined,
    "the time of the job begins when a worker has read the change, however late it came",
  ],
  [
    "a worker that frees what left a ranged pool",
    "shrink-pool",
    undefined,
    "nobody assigns from what left; a pool that takes it back changes the revision",
  ],
])("%s, stalled before %s (rejected by %s): %s", async (name, step, rejectedBy) => {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  const { world, told } = await prepared(operation);
  const stalled = stalledBefore(world, step);
  try {
    const answer = await operation.walk(contextOver(stalled.table, world.clock, 2), told);
    expect(answer).not.toBeInstanceOf(Rejection);
  } catch (error) {
    // An author that is this late gets an error, and holds nothing.
    expect(error).toMatchObject({ name: "ContentionError" });
  }
  expect(stalled.rejectedBy()).toEqual(rejectedBy === undefined ? [] : [rejectedBy]);
});

/** Returns a table on which a walk pauses before the first write of this step. */
function stalledBefore(world: World, step: string) {
  let rejectedBy: readonly string[] | undefined;
  const table = tableOf(world);
  const write = async (write: Write) => {
    if (write.step !== step || rejectedBy) return table.write(write);
    await scheduledRuns(world, SCHEDULED_RUNS_IN_A_QUARTER_OF_AN_HOUR);
    const item = await table.get(write.key);
    const failed = write.when.filter((clause) => !holds(clause, item));
    rejectedBy = [...new Set(failed.map(({ name }) => name))];
    return table.write(write);
  };
  const stalled: Table = { ...table, write };
  return { table: stalled, rejectedBy: () => rejectedBy };
}
