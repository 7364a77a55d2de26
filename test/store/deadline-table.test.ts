import { beforeAll, describe, expect, it } from "vitest";
import { handleHash } from "../../src/base/hash.ts";
import { ALLOCATIONS_ENDED_AT_ONCE, REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { DeadlineError, ThrottledError, UnavailableError } from "../../src/base/outcome.ts";
import { inParallel } from "../../src/kernel/core/parallel.ts";
import { endAllocation } from "../../src/kernel/end/end.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deadlineFromNow, deadlineSender, eachCall } from "../../src/store/stack.ts";
import { type Sender, tableThrough } from "../../src/table/dynamodb-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Table } from "../../src/table/table.ts";
import { contextOf } from "../../src/wiring.ts";
import { slowTable, VirtualClock } from "../virtual-clock.ts";
import { assigned, poolOf, requestOf, SPACE } from "../world.ts";

const ALLOCATIONS = 6_500;
const CALL_MS = 45;
const LAST_CALL_MS = 6_500;

const table = new InMemoryTable();

beforeAll(async () => {
  const context = contextOf(table);
  await putPool(context, SPACE, "pool", poolOf("10.0.0.0/16", 26), undefined);
  for (let n = 0; n < ALLOCATIONS; n++)
    await assigned(context, { ...requestOf("many", 1), host: `host:node-${n >> 6}` });
  expect(await context.store.listAllocations(SPACE, handleHash("many"))).toHaveLength(ALLOCATIONS);
});

/** Ends all allocations over a table in one request; returns the result, and the times at which its calls began. */
async function closing(table: Table, time: VirtualClock) {
  const startedAtMs = time.nowMs;
  const begunAtMs: number[] = [];
  const watched = eachCall(table, (call) => {
    begunAtMs.push(time.nowMs - startedAtMs);
    return call();
  });
  const context = contextOf(watched, time, { deadline: deadlineFromNow(time.now) });
  const work = async () => {
    const allocations = await context.store.listAllocations(SPACE, handleHash("many"));
    await inParallel(allocations, ALLOCATIONS_ENDED_AT_ONCE, (allocation) =>
      endAllocation(context, allocation, { settles: false, freed: [] }),
    );
  };
  const error = await time.run(() => work().catch((thrown: unknown) => thrown));
  return { error, begunAtMs, tookMs: time.nowMs - startedAtMs };
}

describe("a request that is to end 6,500 allocations", () => {
  it("is answered in time, and begins nothing after its last call", async () => {
    const time = new VirtualClock();
    const { error, begunAtMs, tookMs } = await closing(slowTable(table, time, CALL_MS), time);
    expect(error).toBeInstanceOf(DeadlineError);
    expect(Math.max(...begunAtMs)).toBeLessThanOrEqual(LAST_CALL_MS);
    expect(tookMs).toBeLessThanOrEqual(LAST_CALL_MS + CALL_MS);
  });

  it.each([
    new ThrottledError("the database throttled a write"),
    new UnavailableError("the database did not answer a read"),
  ])("sleeps no pause that would end after its time, when $message", async (failure) => {
    const time = new VirtualClock();
    let calls = 0;
    const failing = eachCall(table, (call) => {
      if (calls++ === 0) return call();
      throw failure;
    });
    const { error, tookMs } = await closing(slowTable(failing, time, 1_500), time);
    expect(error).toBeInstanceOf(DeadlineError);
    expect(tookMs).toBeLessThanOrEqual(LAST_CALL_MS + 1_500);
  });
});

it("a Query of many pages begins none after the request's last call", async () => {
  const time = new VirtualClock();
  const startedAtMs = time.nowMs;
  let pages = 0;
  const long = {
    async send() {
      if (++pages > 20) return { Items: [] };
      await time.sleep(1_000);
      return { Items: [], LastEvaluatedKey: { pk: "p", sk: String(pages) } };
    },
  } as unknown as Sender;
  const slow = tableThrough(deadlineSender(long, deadlineFromNow(time.now)), "table");
  const read = time.run(() => slow.query("p"));
  await expect(read).rejects.toBeInstanceOf(DeadlineError);
  expect(pages).toBe(7);
  expect(time.nowMs - startedAtMs).toBeLessThan(REQUEST_MS_MAX);
});

it("who has no deadline is served, however long it takes", async () => {
  const time = new VirtualClock();
  const { store } = contextOf(slowTable(table, time, 2 * REQUEST_MS_MAX), time);
  expect((await time.run(() => store.readSpace(SPACE))).pools).toHaveLength(1);
});
