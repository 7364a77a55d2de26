import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { REGISTER_FRESH_MS } from "../../src/table/guarded-table.ts";
import { nodeEvent } from "../node-objects.ts";
import { CALLS } from "../operations/calls.ts";
import { type Furnished, furnished } from "../operations/furnished.ts";
import { IDENTITY, nameInRegister } from "../simulation/layers.ts";
import { newSpace, scheduledRun, spaceWithPool, startAnew, table, takeIn } from "./plat.ts";

/** These tests put another table's id into the register, as if the table had been restored from a backup. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  nameInRegister(table, IDENTITY.id);
  vi.useRealTimers();
});

function restored(): void {
  nameInRegister(table, "the-lost-table");
  vi.setSystemTime(Date.now() + REGISTER_FRESH_MS);
}

/** Returns the requests of the catalogue that change a furnished space, and leaves it as it is. */
async function changingCalls(of: Furnished) {
  const changing = [];
  const before = table.items();
  for (const [name, { send }] of Object.entries(CALLS)) {
    const partitions = [...table.partitions].map(([pk, items]) => [pk, new Map(items)] as const);
    startAnew();
    await send(of);
    if (!isDeepStrictEqual(table.items(), before)) changing.push({ name, send });
    table.partitions.clear();
    for (const [pk, items] of partitions) table.partitions.set(pk, items);
  }
  return changing;
}

describe("a restored table", () => {
  it("rejects every request that would change it, and says what to do", async () => {
    const of = await furnished();
    const changing = await changingCalls(of);
    expect(changing.length).toBeGreaterThan(30);
    restored();
    const before = table.items();
    for (const { name, send } of changing) {
      startAnew();
      const { status, body } = await send(of);
      expect({ name, status, code: body.code, retryable: body.retryable }).toEqual({
        name,
        status: 503,
        code: "table_frozen",
        retryable: false,
      });
    }
    const { body } = await of.plat.assign({ host: "n1", ipv4: 1 });
    expect(body.detail).toBe(
      "The table was restored from a backup: its register names another table. Reads are served, and nothing is written. An operator must run `plat restore`; docs/restore.md says how.",
    );
    expect(table.items()).toEqual(before);
  });

  it("serves reads and dry runs", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 1, handle: "web" });
    restored();
    expect((await plat.get("/v1/handles/web")).status).toBe(200);
    expect((await plat.get("/v1/pools")).status).toBe(200);
    expect((await plat.get("/v1/contents")).status).toBe(200);
    const rehearsed = await plat.assign({ host: "n1", ipv4: 1 }, undefined, { dryRun: "true" });
    expect(rehearsed.status).toBe(200);
  });

  it("is left alone by scheduled runs, and events stay in their queue", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24" });
    restored();
    const before = table.items();
    for (const name of ["reclaim", "repair", "work"] as const) await scheduledRun(name)();
    expect(await takeIn(plat.space, [nodeEvent("ADDED", "n1")])).toBe(1);
    expect(table.items()).toEqual(before);
  });

  it("serves again as soon as its register names it", async () => {
    const plat = await spaceWithPool();
    restored();
    expect((await plat.assign({ host: "n1", ipv4: 1 })).status).toBe(503);
    nameInRegister(table, IDENTITY.id);
    expect((await plat.assign({ host: "n1", ipv4: 1 })).status).toBe(200);
  });
});
