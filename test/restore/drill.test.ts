import { beforeEach, describe, expect, it } from "vitest";
import { Rejection, TableFrozenError } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { parsePlainAddress } from "../../src/net/plain-form.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { readHandle } from "../../src/nouns/address/operations/read-handle.ts";
import { checkTable } from "../../src/nouns/contents/operations/check-table.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import type { Living } from "../../src/restore/adopt.ts";
import { restoreTable } from "../../src/restore/restore-table.ts";
import { ChangeLog, InMemoryFeed } from "../../src/table/change-log.ts";
import { openTable } from "../../src/table/format.ts";
import { guardedTable } from "../../src/table/guarded-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { thawTable } from "../../src/table/register-item.ts";
import type { Table } from "../../src/table/table.ts";
import { assignedOneByOne, contextOver, poolOf, SPACE } from "../world.ts";
import { linesOf, tableAfter } from "./trail.ts";

/*
 * The drill of docs/restore.md: a backup, then 32 assignments, then a loss. The restored table has the items of the backup and an id of its own.
 */

const REGION = "eu-central-1";
const LOST = { region: REGION, id: "the-lost-table" };
const RESTORED = { region: REGION, id: "the-restored-table" };
const ASSIGNED = 32;

const clock = { nowMs: 1_700_000_000_000 };

/** A table that was lost, and what is left of it. */
interface Loss {
  /** The table as the backup has it. */
  readonly backup: InMemoryTable;
  /** The addresses that their owners use. */
  readonly living: readonly string[];
  readonly lines: ReturnType<typeof linesOf>;
  readonly inventory: readonly Living[];
}

let loss: Loss;
beforeEach(async () => {
  loss = await lost();
});

async function lost(): Promise<Loss> {
  const feed = new InMemoryFeed(new ChangeLog(() => clock.nowMs));
  const table = new InMemoryTable(feed);
  await openTable(table);
  await thawTable(table, LOST, clock.nowMs);
  const context = contextOver(guarded(table, LOST), clock);
  await putPool(context, SPACE, "pool", poolOf("10.0.0.0/24", 28), undefined);
  clock.nowMs += 60_000;
  const earlier = await assignedOneByOne(context, "before", 8);
  const atBackup = feed.first(Number.MAX_SAFE_INTEGER).length;
  clock.nowMs += 60_000;
  const later = await assignedOneByOne(context, "after", ASSIGNED);
  const changes = feed.first(Number.MAX_SAFE_INTEGER);
  clock.nowMs += 60_000;
  return {
    backup: tableAfter(changes.slice(0, atBackup)),
    living: [...earlier, ...later],
    lines: linesOf(changes),
    inventory: await inventoryOf(context, [...earlier, ...later]),
  };
}

/** Returns an inventory of addresses, as an export has it. */
async function inventoryOf(context: Context, addresses: readonly string[]): Promise<Living[]> {
  const living: Living[] = [];
  for (const text of addresses) {
    const address = parsePlainAddress(text);
    const found = address.ok && (await readAddress(context, SPACE, address.value));
    if (!address.ok || !found || found instanceof Rejection) throw new Error(`no ${text}`);
    const { handle = "", host = "" } = found;
    const owner = { handle, host: hostId("host", host), attributes: {} };
    living.push({ space: SPACE, address: address.value, ...owner });
  }
  return living;
}

const guarded = (table: InMemoryTable, identity: typeof LOST) =>
  guardedTable(table, {
    identify: async () => ({ ...identity, replicas: [] }),
    now: () => clock.nowMs,
  });

/** The restored table, with nothing that keeps it from being written. */
const opened = (backup: InMemoryTable) => ({
  table: backup,
  identity: RESTORED,
  contextOver: (table: Table) => contextOver(table, clock, 3),
});

const twice = (addresses: readonly string[], living: readonly string[]) =>
  addresses.filter((address) => living.includes(address));

describe("a table that came back from a backup", () => {
  it("gives addresses to second owners if nothing guards it", async () => {
    const { backup, living } = loss;
    const given = await assignedOneByOne(contextOver(backup, clock, 2), "again", ASSIGNED);
    expect(twice(given, living).length).toBeGreaterThan(0);
  });

  it("serves reads, and assigns nothing", async () => {
    const { backup } = loss;
    const frozen = contextOver(guarded(backup, RESTORED), clock, 2);
    const before = backup.items();
    await expect(assignedOneByOne(frozen, "again", 1)).rejects.toThrow(TableFrozenError);
    expect(backup.items()).toEqual(before);
    const read = await readHandle(frozen, { space: SPACE, handle: "before-0", limit: 10 });
    expect(read).not.toBeInstanceOf(Rejection);
  });

  it("gives nothing twice after the replay of the audit trail", async () => {
    const { backup, living, lines } = loss;
    const later = { lines, living: [] };
    const restored = await restoreTable(opened(backup), later, { dryRun: false });
    expect(restored).toMatchObject({ thawed: true, checked: { violations: [] } });
    const serving = contextOver(guarded(backup, RESTORED), clock, 2);
    const given = await assignedOneByOne(serving, "again", ASSIGNED);
    expect(given).toHaveLength(ASSIGNED);
    expect(twice(given, living)).toEqual([]);
    expect((await checkTable(serving)).violations).toEqual([]);
  });

  it("gives nothing twice after the adoption of an inventory, if there is no trail", async () => {
    const { backup, inventory, living } = loss;
    const later = { lines: [], living: inventory };
    const restored = await restoreTable(opened(backup), later, { dryRun: false });
    expect(restored).toMatchObject({
      thawed: true,
      adoption: { adopted: ASSIGNED, reassigned: 0, rejected: [] },
      checked: { violations: [] },
    });
    const serving = contextOver(guarded(backup, RESTORED), clock, 2);
    expect(twice(await assignedOneByOne(serving, "again", ASSIGNED), living)).toEqual([]);
  });

  it("takes an address from its owner of then for its owner of now", async () => {
    const { backup, inventory } = loss;
    const [first] = inventory;
    if (!first) throw new Error("nothing lives");
    const later = { lines: [], living: [{ ...first, handle: "successor" }] };
    const restored = await restoreTable(opened(backup), later, { dryRun: false });
    expect(restored).toMatchObject({ thawed: true, adoption: { adopted: 1, reassigned: 1 } });
    const found = await readAddress(contextOver(backup, clock, 3), SPACE, first.address);
    expect(found).toMatchObject({ state: "assigned", handle: "successor" });
  });

  it("tells in a dry run what it would adopt, and writes nothing", async () => {
    const { backup, inventory, lines } = loss;
    const before = new Map([...backup.partitions].map(([pk, items]) => [pk, new Map(items)]));
    const [first] = inventory;
    const address = parsePlainAddress("192.168.7.7");
    if (!first || !address.ok) throw new Error("nothing lives");
    const nowhere = { ...first, address: address.value };
    const moved = { ...first, handle: "successor" };
    const living = [moved, nowhere, ...inventory.slice(1)];
    const dryRun = await restoreTable(opened(backup), { lines: [], living }, { dryRun: true });
    expect(dryRun).toEqual({
      ...{ lines: 0, items: 0, changed: 0, thawed: false },
      adoption: {
        adopted: ASSIGNED + 1,
        reassigned: 1,
        rejected: [expect.stringMatching(/^192\.168\.7\.7 /)],
      },
    });
    // After the replay nothing is left to adopt.
    const replay = await restoreTable(
      opened(backup),
      { lines, living: inventory },
      { dryRun: true },
    );
    expect(replay).toMatchObject({ adoption: { adopted: 0, rejected: [] } });
    expect(replay.changed).toBeGreaterThan(0);
    expect(backup.partitions).toEqual(before);
  });

  it("stays frozen while an address of the inventory has no pool", async () => {
    const { backup, inventory } = loss;
    const [first] = inventory;
    const address = parsePlainAddress("192.168.7.7");
    if (!first || !address.ok) throw new Error("nothing lives");
    const later = { lines: [], living: [{ ...first, address: address.value }] };
    const restored = await restoreTable(opened(backup), later, { dryRun: false });
    expect(restored.thawed).toBe(false);
    expect(restored.adoption.rejected).toEqual([expect.stringMatching(/^192\.168\.7\.7 /)]);
  });

  it("stays frozen while an invariant does not hold", async () => {
    const { backup, lines } = loss;
    // As if the files with the allocations had been lost.
    const some = lines.filter(({ key }) => !key.pk.startsWith("HANDLE#"));
    const later = { lines: some, living: [] };
    const restored = await restoreTable(opened(backup), later, { dryRun: false });
    expect(restored.thawed).toBe(false);
    expect(restored.checked?.violations.length).toBeGreaterThan(0);
    const frozen = contextOver(guarded(backup, RESTORED), clock, 2);
    await expect(assignedOneByOne(frozen, "again", 1)).rejects.toThrow(TableFrozenError);
  });
});
