import { describe, expect, it } from "vitest";
import { contentsOf } from "../../src/store/contents.ts";
import { KIND_NAMES, kindNameOf } from "../../src/table/kinds.ts";
import { context, spaceNamed, startAnew, table } from "../functions/plat.ts";
import { CALLS } from "../operations/calls.ts";
import { type Furnished, furnished } from "../operations/furnished.ts";
import { reclaimAll, repairAll, work } from "../scheduled-runs.ts";
import { keptReleases, readKept, writeKept } from "./kept.ts";

/*
 * `KEEP=0.1.0 npx vitest run test/formats` keeps the items that this version writes as those of release 0.1.0.
 */

const { KEEP } = process.env;

/** Loads the kept items into the table, and returns the names of their resources. */
function load(release: string): Furnished {
  const { named, items } = readKept(release);
  table.partitions.clear();
  for (const item of items) {
    const partition = table.partitions.get(item.pk) ?? new Map();
    table.partitions.set(item.pk, partition.set(item.sk, item));
  }
  startAnew();
  const { space, ...rest } = named;
  return { plat: spaceNamed(space), ...rest };
}

it.runIf(KEEP !== undefined)("keeps the items of a release, of every kind", async () => {
  const { plat, ...rest } = await furnished();
  const named = { space: plat.space, ...rest };
  const written = table.items();
  // The repair run deletes hints, and notes its progress.
  await repairAll(context);
  const items = [...written, ...table.items().filter((item) => kindNameOf(item) === "SWEEP")];
  expect([...new Set(items.map(kindNameOf))].sort()).toEqual([...KIND_NAMES].sort());
  writeKept(String(KEEP), { named, items });
});

describe.each(keptReleases())("the items that release %s wrote", (release) => {
  it("can be read, all of them", () => {
    load(release);
    expect(contentsOf(table.items()).unreadable).toEqual([]);
  });

  it("are served and changed: every route answers, and none finds an item that it cannot read", async () => {
    load(release);
    for (const [name, { send }] of Object.entries(CALLS)) {
      const of = load(release);
      const { status, body } = await send(of);
      expect(status, name).toBeLessThan(500);
      expect(JSON.stringify(body), name).not.toMatch(/unreadable":\[\{|"code":"unreadable"/);
    }
  });

  it("are released, assigned anew and reclaimed", async () => {
    const { plat, address, generation } = load(release);
    const released = await plat.release({ addresses: [{ address, generation }] });
    expect(released.body.results).toMatchObject([{ status: "released" }]);
    expect((await plat.assign({ host: "n1", ipv4: 2, handle: "new" })).status).toBe(200);
    const failures = [
      ...(await reclaimAll(context)).failures,
      ...(await repairAll(context)).failures,
    ];
    await work(context, { nowMs: 0 }, 1);
    expect(failures).toEqual([]);
  });
});
