import * as v from "valibot";
import { expect } from "vitest";
import { EVENTS } from "../../src/contract/answers.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { putPool, putSettings } from "../../src/nouns/pool/operations/administration.ts";
import { SETTINGS_DEFAULT, type Settings } from "../../src/nouns/settings/settings.ts";
import { type PoolUsage, THRESHOLDS_PERCENT } from "../../src/nouns/utilization/pool-usage.ts";
import { NO_USAGE } from "../../src/nouns/utilization/usage.ts";
import { type DomainEvent, eventBody } from "../../src/publish/domain-event.ts";
import type { Detail } from "../../src/publish/draft.ts";
import { historyItems } from "../../src/publish/history.ts";
import { type Destinations, publisher } from "../../src/publish/publisher.ts";
import type { TrailLine } from "../../src/publish/trail-line.ts";
import { makeStore } from "../../src/store/stack.ts";
import { ChangeLog, InMemoryFeed, type ItemChange } from "../../src/table/change-log.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { actingAs, signedByActor } from "../acting.ts";
import { type Clock, contextOver, poolOf, SPACE } from "../world.ts";

export const HISTORY_KEPT_MS = 90 * 24 * 60 * 60 * 1_000;
/** Returns an event that its schema describes. */
export function described(event: DomainEvent): DomainEvent {
  const body: unknown = JSON.parse(JSON.stringify(eventBody(event)));
  expect(v.safeParse(EVENTS[event.type], body).issues).toBeUndefined();
  return event;
}

export const ALICE = { principal: "alice", requestId: "r1", sourceIp: "192.0.2.7" };

/** A table whose changes go to a publisher, and what the publisher made of them. */
export interface Streamed {
  readonly plat: Context;
  readonly clock: Clock;
  readonly table: InMemoryTable;
  readonly feed: InMemoryFeed;
  readonly historyTable: InMemoryTable;
  readonly history: ReturnType<typeof historyItems>;
  readonly bus: DomainEvent[];
  readonly trail: TrailLine[];
  readonly dead: ItemChange[];
  readonly destinations: Destinations;
  readonly publish: ReturnType<typeof publisher>;
  /** Takes all changes that nobody has taken yet. */
  taken(): Promise<readonly ItemChange[]>;
  /** Publishes them, and returns the bodies of all events so far. */
  published(): Promise<readonly Detail[]>;
}

/** Makes a table with one pool, of four blocks of two addresses unless another is given, on behalf of Alice. */
export async function streamed(
  pool = poolOf("10.0.0.0/29", 31),
  settings: Partial<Settings> = {},
): Promise<Streamed> {
  const clock = { nowMs: Date.UTC(2026, 10, 24, 12) };
  const feed = new InMemoryFeed(new ChangeLog(() => clock.nowMs));
  const table = new InMemoryTable(feed);
  const plat = contextOver(signedByActor(table), clock);
  const historyTable = new InMemoryTable();
  const bus: DomainEvent[] = [];
  const trail: TrailLine[] = [];
  const dead: ItemChange[] = [];
  const destinations: Destinations = {
    putEvents: async (events) => void bus.push(...events.map(described)),
    putTrail: async (lines) => void trail.push(...lines),
    putDeadLetter: async (change) => void dead.push(change),
    history: historyTable,
    store: makeStore(table),
  };
  const publish = publisher(destinations, {
    now: () => clock.nowMs,
    historyKeptMs: HISTORY_KEPT_MS,
  });
  const taken = async () => {
    const changes = feed.first(Number.POSITIVE_INFINITY);
    const last = changes.at(-1);
    if (last) await feed.forget(last.sequence);
    return changes;
  };
  await actingAs(ALICE, async () => {
    await putPool(plat, SPACE, "pool", pool, undefined);
    await putSettings(
      plat,
      SPACE,
      { ...SETTINGS_DEFAULT, cooldownSeconds: 5, ...settings },
      undefined,
    );
  });
  return {
    ...{ plat, clock, table, feed, historyTable, bus, trail, dead, destinations, publish, taken },
    history: historyItems(historyTable),
    async published() {
      await publish(await taken());
      return bus.map(eventBody);
    },
  };
}

/** Returns the usage of a pool of 100 addresses, of which these can be assigned. */
export const usageOf = (poolId: string, available: bigint): PoolUsage => {
  const threshold = available <= 5n ? THRESHOLDS_PERCENT[0] : undefined;
  return {
    space: SPACE,
    poolId,
    pool: "pool",
    family: 4,
    countedFromMs: 1,
    countedAtMs: 2,
    usage: { ...NO_USAGE, capacity: 100n, inUse: 100n - available, available },
    ...(threshold && { threshold }),
    samples: [],
  };
};
