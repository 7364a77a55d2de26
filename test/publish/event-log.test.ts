import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX, LOGGED_MS_MAX } from "../../src/base/limits.ts";
import { UnavailableError } from "../../src/base/outcome.ts";
import { type DomainEvent, eventText } from "../../src/publish/domain-event.ts";
import {
  eventLog,
  LOGGED_BYTES_PER_ITEM_MAX,
  type LogPosition,
  logTime,
} from "../../src/publish/event-log.ts";
import { historyItems } from "../../src/publish/history.ts";
import { keepEvents, LOGGED_TRIES_MAX } from "../../src/publish/publisher.ts";
import { readEvents } from "../../src/publish/read-events.ts";
import { eachCall } from "../../src/store/stack.ts";
import { padded } from "../../src/table/change-log.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Table } from "../../src/table/table.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { SPACE } from "../world.ts";

const KEPT_MS = 7 * 86_400_000;
const HALF_SKEW_MS = CLOCK_SKEW_MS_MAX / 2;

const eventOf = (id: string, detail: object = {}, space = SPACE): DomainEvent => ({
  id,
  type: "PoolExhausted",
  atMs: 1_763_985_600_000,
  sequence: padded(1n),
  space,
  detail: { pool: "main", ...detail },
});

/** Publishes until nothing fails, as the stream delivers again what was not published. */
async function untilKept(keep: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 100; tries++)
    try {
      return await keep();
    } catch {
      // The stream delivers the changes again.
    }
  throw new Error("the events are never kept");
}

/** One write of the log: how long it takes to happen and then to be answered, and whether its answer is lost. */
interface Fate {
  readonly before: number;
  readonly behind: number;
  readonly lost: boolean;
}

/** Returns a table whose writes have these fates, in turn. */
function fatedTable(table: Table, clock: VirtualClock, fates: readonly Fate[]): Table {
  let count = 0;
  return {
    ...eachCall(table, (call) => call()),
    async write(write) {
      const { before, behind, lost } = fates[count++ % fates.length] as Fate;
      await clock.sleep(before);
      const outcome = await table.write(write);
      await clock.sleep(behind);
      if (lost) throw new Error("no answer");
      return outcome;
    },
  };
}

/** Times around the one after which an item is written again. */
const tookMs = fc.constantFrom(0, 30, LOGGED_MS_MAX - 1, LOGGED_MS_MAX, 2 * LOGGED_MS_MAX);
const errorMs = fc.constantFrom(-HALF_SKEW_MS, 0, HALF_SKEW_MS);
/** A publisher of one shard: the error of its clock, its pauses between batches, and the fates of its writes. */
const publishers = fc.array(
  fc.record({
    errorMs,
    pauses: fc.array(fc.constantFrom(0, 100, 3_000), { minLength: 1, maxLength: 4 }),
    // One write is answered at once, so that each batch is kept in the end.
    fates: fc
      .array(
        fc.record({ before: tookMs, behind: fc.constantFrom(0, 1, 1_000), lost: fc.boolean() }),
        { minLength: 1, maxLength: 4 },
      )
      .map((each) => [...each, { before: 1, behind: 1, lost: false }]),
  }),
  { minLength: 1, maxLength: 3 },
);

describe("a program that polls", () => {
  it("gets each event, whatever the shards, their clocks, their stalls and their failures", async () => {
    await fc.assert(
      fc.asyncProperty(
        publishers,
        errorMs,
        fc.constantFrom(100, 700),
        fc.integer({ min: 1, max: 7 }),
        async (publishers, errorMs, everyMs, limit) => {
          const clock = new VirtualClock();
          const table = new InMemoryTable();
          const history = { table, keptMs: KEPT_MS, publishes: true };
          const told: string[] = [];
          const seen = new Set<string>();
          let open = publishers.length;
          let position: LogPosition | undefined;
          const poll = async () => {
            const wanted = { space: SPACE, limit, position };
            const page = await readEvents(history, wanted, clock.nowMs + errorMs);
            for (const { id } of page.events) seen.add(String(id));
            position = page.next;
            return page.events.length;
          };
          const publishAll = ({ errorMs, pauses, fates }: (typeof publishers)[number], n: number) =>
            untilOver(async () => {
              const log = eventLog(fatedTable(table, clock, fates));
              for (const [batch, pause] of pauses.entries()) {
                await clock.sleep(pause);
                const events = ["a", "b", "c"].map((e) => eventOf(`${n}-${batch}-${e}`));
                told.push(...events.map(({ id }) => id));
                const now = () => clock.nowMs + errorMs;
                await untilKept(() => keepEvents(log, events, { now, keptMs: KEPT_MS }));
              }
            });
          const untilOver = async (work: () => Promise<void>) => {
            await work();
            open--;
          };
          await clock.run(async () => {
            await poll();
            await Promise.all([
              ...publishers.map(publishAll),
              (async () => {
                while (open > 0) {
                  await clock.sleep(everyMs);
                  await poll();
                }
                await clock.sleep(10_000);
                while ((await poll()) > 0);
              })(),
            ]);
          });
          expect(told.filter((id) => !seen.has(id))).toEqual([]);
        },
      ),
    );
  });
});

describe("a poll", () => {
  it("does not pass the time of an item whose publisher is late, before the item is there", async () => {
    const table = new InMemoryTable();
    const history = { table, keptMs: KEPT_MS, publishes: true };
    const beganMs = 1_763_985_600_000;
    const poll = (nowMs: number, position?: LogPosition) =>
      readEvents(history, { space: SPACE, limit: 9, position }, nowMs);
    // The write takes as long as it may, and the clock of the publisher is as late as it may be.
    const early = await poll(beganMs + LOGGED_MS_MAX - 1);
    const now = () => beganMs - CLOCK_SKEW_MS_MAX;
    await keepEvents(eventLog(table), [eventOf("a")], { now, keptMs: KEPT_MS });
    const { events } = await poll(beganMs + 60_000, early.next);
    expect(events.map(({ id }) => id)).toEqual(["a"]);
  });
});

describe("the event log", () => {
  const logOf = (writes: string[], took: (n: number) => number) => {
    let nowMs = 1_000;
    const table = new InMemoryTable();
    const log = eventLog({
      ...eachCall(table, (call) => call()),
      write: async (write) => {
        writes.push(write.key.sk);
        nowMs += took(writes.length);
        return table.write(write);
      },
    });
    return { log, options: { now: () => nowMs, keptMs: KEPT_MS } };
  };

  it("has an item again, under a later time, if its write took too long", async () => {
    const writes: string[] = [];
    const { log, options } = logOf(writes, (n) => (n === 1 ? LOGGED_MS_MAX + 1 : 0));
    await keepEvents(log, [eventOf("a")], options);
    expect(writes.map((sk) => Number(sk.slice(0, 15)))).toEqual([1_000, 1_001 + LOGGED_MS_MAX]);
  });

  it("has an item again if the clock was set back during its write", async () => {
    const writes: string[] = [];
    const { log, options } = logOf(writes, (n) => (n === 1 ? -500 : 0));
    await keepEvents(log, [eventOf("a")], options);
    expect(writes).toHaveLength(2);
  });

  it("fails the batch if each write takes too long", async () => {
    const writes: string[] = [];
    const { log, options } = logOf(writes, () => LOGGED_MS_MAX + 1);
    const failed = keepEvents(log, [eventOf("a")], options);
    await expect(failed).rejects.toThrow("took more than");
    // Its message is in the log, as only this class promises that it has no names.
    await expect(failed).rejects.toBeInstanceOf(UnavailableError);
    expect(writes).toHaveLength(LOGGED_TRIES_MAX);
  });

  it("has the events of a batch in items that the table takes, one space each, in their order", async () => {
    const table = new InMemoryTable();
    const text = "x".repeat(LOGGED_BYTES_PER_ITEM_MAX / 4);
    const events = Array.from({ length: 10 }, (_, n) =>
      eventOf(`${n}`, { text }, n % 5 === 4 ? "other" : SPACE),
    );
    await keepEvents(eventLog(table), events, { now: () => 1_000, keptMs: KEPT_MS });
    const items = await table.query(`EVENTS#${SPACE}`);
    expect(items).toHaveLength(3);
    const history = { table, keptMs: KEPT_MS, publishes: true };
    const read = async (space: string) => {
      const wanted = { space, limit: 100, position: { after: logTime(0) } };
      const page = await readEvents(history, wanted, 60_000);
      return page.events.map(({ id }) => id);
    };
    expect(await read("other")).toEqual(["4", "9"]);
    expect(new Set(await read(SPACE))).toEqual(new Set(["0", "1", "2", "3", "5", "6", "7", "8"]));
  });
});

describe("a page of events that have nothing but quotes is one that Lambda can answer", () => {
  /** The maximum size of a Lambda answer in bytes. In it the page is a text. */
  const ANSWER_BYTES_MAX = 6 * 1024 * 1024;
  const answerBytes = (body: unknown) => Buffer.byteLength(JSON.stringify(JSON.stringify(body)));
  const COUNT = 30;
  const text = '"'.repeat(LOGGED_BYTES_PER_ITEM_MAX / 2 - 500);
  const events = Array.from({ length: COUNT }, (_, n) => eventOf(`${n}`, { text }));

  it("in a poll, whose next page goes on behind it", async () => {
    const table = new InMemoryTable();
    await keepEvents(eventLog(table), events, { now: () => 1_000, keptMs: KEPT_MS });
    const history = { table, keptMs: KEPT_MS, publishes: true };
    let position: LogPosition = { after: logTime(0) };
    const seen = new Set<unknown>();
    for (let page = 0; page < 3; page++) {
      const read = await readEvents(history, { space: SPACE, limit: 1_000, position }, 60_000);
      expect(answerBytes(read.events)).toBeLessThan(ANSWER_BYTES_MAX * 0.95);
      for (const { id } of read.events) seen.add(id);
      position = read.next;
    }
    expect(seen.size).toBe(COUNT);
  });

  it("in a history, whose next page goes on behind it", async () => {
    const table = new InMemoryTable();
    const { entriesOf, listEntries } = historyItems(table);
    const subject = { space: SPACE, address: "10.0.0.1" };
    for (const [n, event] of events.entries()) {
      const position = { ...event, address: subject.address, atMs: n };
      const entry = { position, text: eventText(event), untilMs: KEPT_MS };
      for (const write of entriesOf(entry, [subject])) await write();
    }
    let after: string | undefined;
    let count = 0;
    for (let page = 0; page < 3; page++) {
      const read = await listEntries([subject], { limit: 1_000, nowMs: 0, after });
      expect(answerBytes(read.items)).toBeLessThan(ANSWER_BYTES_MAX * 0.95);
      count += read.items.length;
      after = read.next;
    }
    expect([count, after]).toEqual([COUNT, undefined]);
  });
});
