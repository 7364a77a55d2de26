import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { REGISTER_FRESH_MS } from "../../src/domain/limits.ts";
import { TABLE_KEY } from "../../src/store/key.ts";
import { nodeEvent } from "../node-objects.ts";
import { IDENTITY, newSpace, scheduledRun, spaceWithPool, table, takeIn } from "./plat.ts";

/** These tests put another table's id into the register, as if the table had been restored from a backup. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  nameInRegister(IDENTITY.id);
  vi.useRealTimers();
});

function nameInRegister(id: string): void {
  const item = table.partitions.get(TABLE_KEY.pk)?.get(TABLE_KEY.sk) ?? {
    f: 1,
    k: 2,
    ...TABLE_KEY,
  };
  const named = { ...item, ids: { [IDENTITY.region]: id } };
  table.partitions.set(TABLE_KEY.pk, new Map([[TABLE_KEY.sk, named]]));
}

function restored(): void {
  nameInRegister("the-lost-table");
  vi.setSystemTime(Date.now() + REGISTER_FRESH_MS);
}

describe("a restored table", () => {
  it("assigns, releases and changes nothing, and says what to do", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "web" });
    const [{ address, generation }] = body.addresses;
    restored();
    const before = table.items();
    const refused = [
      await plat.assign({ host: "n1", ipv4: 1 }),
      await plat.assign({ host: "n1", ipv4: 1 }, "key"),
      await plat.release({ handle: "web" }),
      await plat.release({ addresses: [{ address, generation }] }),
      await plat.delete("/v1/handles/web"),
      await plat.put("/v1/pools/more", { cidr: "10.9.0.0/24" }),
      await plat.put("/v1/config", { strictAffinity: true }),
      await plat.put("/v1/nodes/n1", { labels: {} }),
      await plat.put("/v1/namespaces/shop", { labels: {} }),
      await plat.put("/v1/applications/shop/Deployment/web", { replicas: 1 }),
    ];
    for (const { status, body } of refused)
      expect({ status, code: body.code, retryable: body.retryable }).toEqual({
        status: 503,
        code: "table_frozen",
        retryable: false,
      });
    expect(refused[0]?.body.detail).toBe(
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
    nameInRegister(IDENTITY.id);
    expect((await plat.assign({ host: "n1", ipv4: 1 })).status).toBe(200);
  });
});
