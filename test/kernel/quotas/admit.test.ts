import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/kernel/core/context.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import { whyNotAdmitted } from "../../../src/kernel/quotas/admit.ts";
import type { Quota } from "../../../src/nouns/quota/quota.ts";
import type { Table } from "../../../src/table/table.ts";
import { MutatedTable } from "../../simulation/mutate.ts";
import { contextOver } from "../../world.ts";

/** A request of one of the functions, after a pause. */
interface Ask {
  readonly by: number;
  readonly afterMs: number;
}

const START_MS = 1_700_000_000_000;

const newTable = () => new MutatedTable(process.env.WITHOUT);

const quotaOf = (requestsPerSecond: number): Quota => ({
  space: "default",
  name: "all",
  requestsPerSecond,
  revision: "r",
});

/** Sends requests to functions whose clocks differ, and returns the true times at which they were admitted and refused. */
async function sent(
  requestsPerSecond: number,
  clocksAheadMs: readonly number[],
  asks: readonly Ask[],
): Promise<{ readonly admittedMs: readonly number[]; readonly refusedMs: readonly number[] }> {
  const table = newTable();
  const functions = clocksAheadMs.map((aheadMs) => {
    const clock = { nowMs: START_MS + aheadMs };
    return { aheadMs, clock, context: contextOver(table, clock) };
  });
  const quotas = [quotaOf(requestsPerSecond)];
  let atMs = 0;
  const admittedMs: number[] = [];
  const refusedMs: number[] = [];
  for (const { by, afterMs } of asks) {
    atMs += afterMs;
    const one = functions[by % functions.length];
    if (!one) continue;
    one.clock.nowMs = START_MS + one.aheadMs + atMs;
    const refused = await whyNotAdmitted(one.context, { quotas }, {});
    (refused ? refusedMs : admittedMs).push(atMs);
  }
  return { admittedMs, refusedMs };
}

const anyAsks = fc.array(
  fc.record({
    by: fc.nat(5),
    afterMs: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(1_500)),
  }),
  { minLength: 20, maxLength: 200 },
);

describe("a quota of requests a second", () => {
  it.each([
    ["T + 4 times its value, whatever the clocks say", 2_000, 4],
    ["T + 2 times its value if the clocks agree", 0, 2],
  ])("admits in T seconds at most %s", async (_, apartMs, more) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(apartMs), { minLength: 1, maxLength: 6 }),
        anyAsks,
        async (limit, clocksAheadMs, asks) => {
          const { admittedMs } = await sent(limit, clocksAheadMs, asks);
          for (const seconds of [1, 2, 5])
            for (const [n, fromMs] of admittedMs.entries()) {
              const within = admittedMs.slice(n).filter((ms) => ms < fromMs + 1000 * seconds);
              expect(within.length).toBeLessThanOrEqual((seconds + more) * limit);
            }
        },
      ),
      { seed: 7 },
    );
  });

  it("admits exactly its value in each second of one function that serves many requests at once", async () => {
    const clock = { nowMs: START_MS };
    const context = contextOver(newTable(), clock);
    const quotas = [quotaOf(30)];
    // It served many one by one, so it takes many at a time.
    for (let n = 0; n < 20; n++) await whyNotAdmitted(context, { quotas }, {});
    for (let second = 1; second < 4; second++) {
      clock.nowMs = START_MS + 1000 * second;
      const refused = await Promise.all(
        Array.from({ length: 40 }, () => whyNotAdmitted(context, { quotas }, {})),
      );
      expect(refused.filter((each) => each === undefined)).toHaveLength(30);
    }
  });

  it("counts nothing of what another quota refuses, whichever of them is asked first", async () => {
    const clock = { nowMs: START_MS };
    const context = contextOver(newTable(), clock);
    const red = { ...quotaOf(5), name: "red", tenant: "red" };
    const ofRed = { attributes: { tenant: "red" } };
    for (const [all, admittedToo] of [
      [20, 15],
      [3, 0],
    ] as const) {
      clock.nowMs += 10_000;
      const quotas = [quotaOf(all), red];
      const asked = [];
      for (let n = 0; n < 50; n++) asked.push(await whyNotAdmitted(context, { quotas }, ofRed));
      const admitted = asked.filter((each) => each === undefined);
      expect(admitted).toHaveLength(Math.min(all, 5));
      const others = [];
      for (let n = 0; n < 50; n++) others.push(await whyNotAdmitted(context, { quotas }, {}));
      expect(others.filter((each) => each === undefined)).toHaveLength(admittedToo);
      const rest = [];
      for (let n = 0; n < 50; n++)
        rest.push(await whyNotAdmitted(context, { quotas: [red] }, ofRed));
      expect(rest.filter((each) => each === undefined)).toHaveLength(5 - admitted.length);
    }
  });

  it("keeps the piece of a second when a request of the second before is answered late", async () => {
    const clock = { nowMs: START_MS };
    const table = newTable();
    const write = table.write.bind(table);
    let late: Promise<void> | undefined;
    const slow: Table = Object.assign(table, {
      write: async (...args: Parameters<Table["write"]>) => {
        const waits = late;
        const written = await write(...args);
        await waits;
        return written;
      },
    });
    const context = contextOver(slow, clock);
    const admitted = () => whyNotAdmitted(context, { quotas: [quotaOf(30)] }, {});
    let answered = () => {};
    late = new Promise((resolve) => {
      answered = resolve;
    });
    const first = admitted();
    late = undefined;
    clock.nowMs += 1_000;
    await admitted();
    const piece = context.cache.requestPieces.get("default#all");
    answered();
    await first;
    expect(context.cache.requestPieces.get("default#all")).toBe(piece);
  });

  it("admits exactly its value in each second of one function", async () => {
    const asks = Array.from({ length: 40 }, () => ({ by: 0, afterMs: 100 }));
    const { admittedMs } = await sent(3, [0], asks);
    for (const second of [1, 2, 3])
      expect(admittedMs.filter((ms) => Math.floor(ms / 1000) === second)).toHaveLength(3);
  });

  it("keeps nothing of a second for the next one", async () => {
    const asks = [
      { by: 0, afterMs: 0 },
      ...Array.from({ length: 6 }, () => ({ by: 1, afterMs: 0 })),
    ];
    const [first, ...others] = asks.map((ask, n) => (n === 1 ? { ...ask, afterMs: 1_000 } : ask));
    const { admittedMs } = await sent(3, [0, 0], [first as Ask, ...others]);
    expect(admittedMs.filter((ms) => ms === 1_000)).toHaveLength(3);
  });

  it.each([
    ["the first second", 0],
    ["a later second", 1_000],
  ])("is begun by one of two functions that begin %s at once", async (_, laterMs) => {
    const table = newTable();
    const clock = { nowMs: START_MS };
    const quotas = [quotaOf(1)];
    const other = contextOver(table, clock, 2);
    if (laterMs > 0) await whyNotAdmitted(other, { quotas }, {});
    clock.nowMs += laterMs;
    const context = contextOver(table, clock);
    const admitted: boolean[] = [];
    const { beginSecond } = context.store;
    const late: Context = {
      ...context,
      store: withCalls(context.store, {
        async beginSecond(...given) {
          admitted.push(!(await whyNotAdmitted(other, { quotas }, {})));
          return beginSecond(...given);
        },
      }),
    };
    admitted.push(!(await whyNotAdmitted(late, { quotas }, {})));
    expect(admitted).toEqual([true, false]);
  });

  it("refuses nobody whose request comes after seconds without any", async () => {
    await fc.assert(
      fc.asyncProperty(anyAsks, fc.nat(5), async (asks, by) => {
        const clocksAheadMs = [0, 500, 1_000, 1_999, 0, 0];
        const { refusedMs } = await sent(1, clocksAheadMs, [...asks, { by, afterMs: 5_000 }]);
        const last = asks.reduce((sum, { afterMs }) => sum + afterMs, 0) + 5_000;
        expect(refusedMs).not.toContain(last);
      }),
      { seed: 8 },
    );
  });

  it("does not stop others after a function whose clock was far ahead", async () => {
    const asks = [
      { by: 0, afterMs: 0 },
      { by: 1, afterMs: 10 },
      { by: 1, afterMs: 10 },
    ];
    const { refusedMs } = await sent(1, [3_600_000, 0], asks);
    expect(refusedMs).toEqual([20]);
  });

  it("costs a function that serves many requests two writes a second, and no read", async () => {
    const calls: string[] = [];
    const inMemory = newTable();
    const table: Table = {
      get: (key) => told("get", () => inMemory.get(key)),
      query: (pk, options) => told("query", () => inMemory.query(pk, options)),
      scan: (limit, options) => told("scan", () => inMemory.scan(limit, options)),
      due: (shard, options) => told("due", () => inMemory.due(shard, options)),
      write: (write) => told(write.step, () => inMemory.write(write)),
    };
    function told<T>(what: string, call: () => T): T {
      calls.push(what);
      return call();
    }
    const clock = { nowMs: START_MS };
    const context = contextOver(table, clock);
    const ask = () => whyNotAdmitted(context, { quotas: [quotaOf(1_000)] }, {});
    for (let n = 0; n < 50; n++) await ask();
    clock.nowMs += 1_000;
    calls.length = 0;
    for (let n = 0; n < 50; n++) await ask();
    expect(calls).toEqual(["take-requests", "begin-second"]);
  });
});
