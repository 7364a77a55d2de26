import { beforeEach, describe, expect, it } from "vitest";
import { instancePlace } from "../../src/api/http/instance-place.ts";
import { Rejection, TableFrozenError } from "../../src/base/outcome.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseAddress } from "../../src/kernel/release/release-address.ts";
import { releaseInstance } from "../../src/kernel/release/release-instance.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { formatAddress } from "../../src/net/address.ts";
import { intervalOf } from "../../src/net/cidr.ts";
import { parsePlainAddress } from "../../src/net/plain-form.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { readHandle } from "../../src/nouns/address/operations/read-handle.ts";
import { type Workload, workloadHandle } from "../../src/nouns/application/workload.ts";
import { checkTable } from "../../src/nouns/contents/operations/check-table.ts";
import {
  putPool,
  putSettings,
  readSettings,
} from "../../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { adopt, type Living } from "../../src/restore/adopt.ts";
import { restoreTable } from "../../src/restore/restore-table.ts";
import { ChangeLog, InMemoryFeed } from "../../src/table/change-log.ts";
import { openTable } from "../../src/table/format.ts";
import { guardedTable } from "../../src/table/guarded-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { thawTable } from "../../src/table/register-item.ts";
import type { Table } from "../../src/table/table.ts";
import { holding, webPod } from "../applications.ts";
import { addressesIn, instanceRequest, podOf, releaseOf } from "../instances.ts";
import {
  addressOf,
  assigned,
  assignedOneByOne,
  cidrOf,
  contextOver,
  poolOf,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";
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

/** The addresses that were assigned before the backup and after it, as text. */
interface Life {
  readonly before: (context: Context) => Promise<readonly string[]>;
  readonly after: (context: Context) => Promise<readonly string[]>;
}

const ORDINARY: Life = {
  before: (context) => assignedOneByOne(context, "before", 8),
  after: (context) => assignedOneByOne(context, "after", ASSIGNED),
};

async function lost({ before, after }: Life = ORDINARY): Promise<Loss> {
  const feed = new InMemoryFeed(new ChangeLog(() => clock.nowMs));
  const table = new InMemoryTable(feed);
  await openTable(table);
  await thawTable(table, LOST, clock.nowMs);
  const context = contextOver(guarded(table, LOST), clock);
  await putPool(context, SPACE, "pool", poolOf("10.0.0.0/24", 28), undefined);
  clock.nowMs += 60_000;
  const earlier = await before(context);
  const atBackup = feed.first(Number.MAX_SAFE_INTEGER).length;
  clock.nowMs += 60_000;
  const later = await after(context);
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
    const { handle = "", host = "", attributes = {} } = found;
    const owner = { handle, host: hostId("host", host), attributes };
    living.push({ space: SPACE, address: address.value, ...owner });
  }
  return living;
}

const textOf = ({ address }: Living): string => formatAddress(address);

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

  it("stays frozen while an inventory is all there is, and a space has none", async () => {
    const { backup, inventory } = loss;
    const context = contextOver(backup, clock, 4);
    await putPool(context, "blue", "pool", poolOf("10.9.0.0/24", 26), undefined);
    const later = { lines: [], living: inventory };
    const restoring = (spaces: readonly string[], dryRun = false) =>
      restoreTable(opened(backup), { ...later, spaces }, { dryRun });
    expect(await restoring([SPACE], true)).toMatchObject({ untold: ["blue"] });
    expect(await restoring([SPACE])).toMatchObject({ untold: ["blue"], thawed: false });
    const whole = await restoring(["blue", SPACE]);
    expect(whole.thawed).toBe(true);
    expect(whole).not.toHaveProperty("untold");
  });

  it("stays frozen while an inventory is all there is, and a space has a pool of prefixes, which no inventory can tell of", async () => {
    const { backup, inventory } = loss;
    const context = contextOver(backup, clock, 4);
    const clusters = { ...poolOf("10.128.0.0/16", 24), assign: "prefixes" } as const;
    await putPool(context, SPACE, "clusters", clusters, undefined);
    const restoring = (later: object, dryRun = false) =>
      restoreTable(opened(backup), { lines: [], living: inventory, ...later }, { dryRun });
    const untoldPools = [{ space: SPACE, pool: "clusters" }];
    expect(await restoring({ spaces: [SPACE] }, true)).toMatchObject({ untoldPools });
    const untold = await restoring({ spaces: [SPACE] });
    expect(untold).toMatchObject({ untoldPools, thawed: false, checked: { violations: [] } });
    // A trail says which prefixes are assigned.
    expect((await restoring({})).thawed).toBe(true);
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

describe("the adoption of an inventory", () => {
  const adoptAll = async (life: Life, dryRun = false) => {
    const { backup, inventory } = await lost(life);
    const later = { lines: [], living: inventory };
    return { backup, restored: await restoreTable(opened(backup), later, { dryRun }) };
  };
  const none = async () => [];
  const given = async (context: Context, request: AssignRequest) =>
    addressesIn(await assigned(context, request));
  const holdFor = async (context: Context, count: number) => {
    await holding(count)({ calm: context } as World);
    return [];
  };
  const DB_0 = workloadHandle(podOf("first"));

  it("gives an instance its addresses under the uid of its container, for its next incarnation too", async () => {
    const attributes = { containerId: "first" };
    const two = { wanted: [{ family: 4, count: 2 }], attributes } as const;
    const pod = instanceRequest(podOf("first"), two);
    let had: readonly string[] = [];
    const after = async (context: Context) => {
      had = await given(context, pod);
      return had;
    };
    const { backup, restored } = await adoptAll({ before: none, after });
    expect(restored).toMatchObject({ thawed: true, adoption: { adopted: 2, rejected: [] } });
    const serving = contextOver(guarded(backup, RESTORED), clock, 2);
    const workload = podOf("first");
    // As the edge names its allocation.
    const place = instancePlace(SPACE, workload);
    expect(await releaseInstance(serving, { place, workload, keep: true })).toEqual({
      released: [],
      kept: had,
    });
    const next = instanceRequest(podOf("second"), { ...two, keyId: place.id });
    expect(await given(serving, next)).toEqual(had);
  });

  /** Returns a request of the pod of a container, as `plat-cni` makes it. */
  const podOn = (node: string, containerId: string, changes: Partial<Workload> = {}) => {
    const workload = podOf(containerId, changes);
    return instanceRequest(workload, {
      host: hostId("host", node),
      attributes: { containerId },
      keyId: instancePlace(SPACE, workload).id,
    });
  };
  const released = (context: Context, uid: string) => {
    const workload = podOf(uid);
    return releaseInstance(context, {
      place: instancePlace(SPACE, workload),
      workload,
      keep: false,
    });
  };

  it("gives an instance that kept its address its uid of now, so that a late release frees nothing", async () => {
    let had: readonly string[] = [];
    const before = async (context: Context) => {
      had = await given(context, podOn("node-1", "first"));
      return [];
    };
    const after = (context: Context) => given(context, podOn("node-2", "second"));
    const { backup, restored } = await adoptAll({ before, after });
    expect(restored).toMatchObject({ thawed: true, adoption: { adopted: 1, reassigned: 0 } });
    const serving = contextOver(guarded(backup, RESTORED), clock, 2);
    const [held] = await inventoryOf(serving, had);
    expect(held).toMatchObject({
      host: hostId("host", "node-2"),
      attributes: { containerId: "second" },
    });
    expect((await released(serving, "first")).released).toEqual([]);
    expect((await released(serving, "second")).released).toEqual(had);
  });

  it("gives an instance that its backup has as kept its addresses as assigned, once", async () => {
    const before = async (context: Context) => {
      await assigned(context, podOn("node-1", "first"));
      const place = instancePlace(SPACE, podOf("first"));
      await releaseInstance(context, { place, workload: podOf("first"), keep: true });
      return [];
    };
    for (const attributes of [{ containerId: "second" }, {}]) {
      const after = (context: Context) =>
        given(context, { ...podOn("node-2", "second"), attributes });
      const { backup, inventory } = await lost({ before, after });
      const context = contextOver(backup, clock, 3);
      const adopted = { reassigned: 0, rejected: [] };
      expect(await adopt(context, inventory)).toEqual({ ...adopted, adopted: 1 });
      expect(await inventoryOf(context, inventory.map(textOf))).toEqual(inventory);
      expect(await adopt(context, inventory)).toEqual({ ...adopted, adopted: 0 });
    }
  });

  it("gives an instance its uid of now where the kernel does not return its addresses, as for a Deployment", async () => {
    const changes = { kind: "Deployment" };
    const before = async (context: Context) => {
      await assigned(context, podOn("node-1", "first", changes));
      return [];
    };
    const { backup, inventory } = await lost({
      before,
      after: (context) => given(context, podOn("node-1", "first", changes)),
    });
    const living = inventory.map((one) => ({ ...one, attributes: { containerId: "second" } }));
    const context = contextOver(backup, clock, 3);
    const adopted = { reassigned: 0, rejected: [] };
    expect(await adopt(context, living)).toEqual({ ...adopted, adopted: 1 });
    expect(await adopt(context, living)).toEqual({ ...adopted, adopted: 0 });
  });

  it("leaves an instance its interface and its caller, so that it has the address at its next start too", async () => {
    const onInterface = (node: string, uid: string) => ({
      ...podOn(node, uid),
      assignedBy: "alice",
      wanted: [{ family: 4, count: 1, interface: "eth0" }] as const,
      interfaces: [{ name: "eth0", pools: [] }],
    });
    const before = async (context: Context) => {
      await assigned(context, onInterface("node-1", "first"));
      return [];
    };
    const { backup, inventory } = await lost({
      before,
      after: (context) => given(context, onInterface("node-2", "second")),
    });
    const context = contextOver(backup, clock, 3);
    expect(await adopt(context, inventory)).toEqual({ adopted: 1, reassigned: 0, rejected: [] });
    for (const { address } of inventory)
      expect(await readAddress(context, SPACE, address)).toMatchObject({
        workload: { uid: "second" },
        interface: "eth0",
        assignedBy: "alice",
      });
    expect(await given(context, onInterface("node-3", "third"))).toEqual(inventory.map(textOf));
  });

  it("leaves an instance what it has in a pool that is being deleted, although it cannot get the uid of now", async () => {
    const before = async (context: Context) => {
      const had = await given(context, podOn("node-1", "first"));
      const pool = async () => (await context.store.readSpace(SPACE)).pools[0]?.revision;
      await drainPool(context, SPACE, "pool", await pool());
      await deletePool(context, SPACE, "pool", await pool());
      return had;
    };
    const { backup, inventory } = await lost({ before, after: none });
    const living = inventory.map((one) => ({ ...one, attributes: { containerId: "second" } }));
    const context = contextOver(backup, clock, 3);
    expect(await adopt(context, living)).toEqual({ adopted: 0, reassigned: 0, rejected: [] });
    expect(await inventoryOf(context, inventory.map(textOf))).toEqual(inventory);
  });

  it("leaves to an instance the uid of a container that started after the inventory", async () => {
    const before = async (context: Context) => {
      const first = await given(context, podOn("node-1", "first"));
      const inventory = await inventoryOf(context, first);
      await assigned(context, podOn("node-2", "second"));
      expect(await adopt(context, inventory)).toEqual({ adopted: 0, reassigned: 0, rejected: [] });
      return first;
    };
    const { inventory } = await lost({ before, after: none });
    expect(inventory).toMatchObject([{ attributes: { containerId: "second" } }]);
  });

  it("takes what an instance keeps in the backup for the owner of now, and gives it what it has now", async () => {
    let kept: readonly string[] = [];
    const before = async (context: Context) => {
      kept = await given(context, instanceRequest(podOf("first")));
      await releaseOf(context, podOf("first"), true);
      return [];
    };
    const after = async (context: Context) => {
      const read = parsePlainAddress(kept[0] ?? "");
      if (!read.ok) throw new Error("the instance keeps nothing");
      await releaseAddress(context, SPACE, { address: read.value, handle: DB_0 });
      const stated = [{ address: read.value, isUsed: true }];
      const heir = await given(context, { ...requestOf("heir", 1), stated });
      return [...heir, ...(await given(context, instanceRequest(podOf("second"))))];
    };
    const { restored } = await adoptAll({ before, after });
    expect(restored).toMatchObject({
      thawed: true,
      adoption: { adopted: 2, reassigned: 1, rejected: [] },
    });
  });

  it("takes what lives for a fact, whatever its pool asks for, and leaves the pool as it is", async () => {
    const before = async (context: Context) => {
      const set = { ranges: [intervalOf(cidrOf("10.1.0.0/28"))], nodeNames: ["node-9"] };
      const asking = { networks: ["storage"], principals: ["token:red"], disabled: true };
      const spec = { ...poolOf("10.1.0.0/28", 28), ...set, ...asking };
      await putPool(context, SPACE, "red", spec, undefined);
      const { settings, revision } = await readSettings(context, SPACE);
      const strict = { ...settings, strictAffinity: true, requireRegisteredHosts: true };
      await putSettings(context, SPACE, strict, revision);
      return [];
    };
    const { backup } = await lost({ before, after: none });
    const living = ["10.1.0.5", "10.0.0.17", "10.0.0.18"].map((text, n) => ({
      ...{ space: SPACE, address: addressOf(text), handle: `vm-${n}`, attributes: {} },
      host: hostId("host", `node-${n}`),
    }));
    const pools = () => contextOver(backup, clock, 5).store.readSpace(SPACE);
    const { pools: earlier } = await pools();
    const restored = await restoreTable(opened(backup), { lines: [], living }, { dryRun: false });
    expect(restored).toMatchObject({ thawed: true, adoption: { adopted: 3, rejected: [] } });
    expect((await pools()).pools).toEqual(earlier);
  });

  it("gives an instance of an application one of the addresses that it holds", async () => {
    const before = (context: Context) => holdFor(context, 4);
    const { backup, restored } = await adoptAll({
      before,
      after: (context) => given(context, instanceRequest(webPod(1))),
    });
    expect(restored).toMatchObject({ thawed: true, adoption: { adopted: 1, rejected: [] } });
    const serving = contextOver(guarded(backup, RESTORED), clock, 2);
    expect(await given(serving, instanceRequest(webPod(1, "next")))).toHaveLength(1);
  });

  it("tells in a dry run that an address is held, or that a handle is none of an instance", async () => {
    const { backup, inventory } = await lost({
      before: (context) => holdFor(context, 8),
      after: (context) => given(context, instanceRequest(webPod(1))),
    });
    const [first] = inventory;
    if (!first) throw new Error("nothing lives");
    const living = [
      { ...first, handle: "web" },
      { ...first, handle: "workload/web" },
    ];
    const { adoption } = await restoreTable(
      opened(backup),
      { lines: [], living },
      { dryRun: true },
    );
    expect(adoption.rejected).toEqual([
      expect.stringMatching(/ \(web\): Address .* is held for an application/),
      expect.stringMatching(/ \(workload\/web\): The handle must be workload\//),
    ]);
  });
});
