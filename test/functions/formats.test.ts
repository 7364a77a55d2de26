import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import type { Item } from "../../src/table/item.ts";
import { CALLS } from "../operations/calls.ts";
import { type Furnished, furnished } from "../operations/furnished.ts";
import { ITEMS, type ItemName, itemOf, replace } from "../operations/items.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { oneIn } from "../simulation/sampled-calls.ts";
import { context, startAnew, table } from "./plat.ts";

/**
 * These tests give one item of each kind a format that only a newer version reads, and send requests to every route.
 * An answer names the item and never treats it as absent. No request changes it, and requests that do not need it succeed.
 */

let written: Item | undefined;

// A page of orphans has some items of the whole table, so there are no others.
beforeEach(() => table.partitions.clear());

afterEach(() => {
  // The original item returns, so that the check of the invariants sees the results of the other calls.
  if (written) replace(written);
  written = undefined;
});

/** Replaces an item by one of a newer format, and returns that. */
function outdate(name: ItemName, of: Furnished): Item & { readonly f: number } {
  written = itemOf(name, of);
  const newer = { ...written, f: Number(written.f) + 1 };
  replace(newer);
  return newer;
}

const current = ({ pk, sk }: Item) => table.partitions.get(pk)?.get(sk);

/** In a sample every second one. */
const TRIED = (Object.keys(ITEMS) as ItemName[]).filter((_, at) => at % oneIn(2) === 0);

describe.each(TRIED)("%s of a newer format", (wanted) => {
  const { called }: { called(of: Furnished): string } = ITEMS[wanted];

  it("is rejected by its name by whatever needs it, and left as it is; all else is served", async () => {
    const of = await furnished();
    const newer = outdate(wanted, of);
    const named: string[] = [];
    for (const [name, { send }] of Object.entries(CALLS)) {
      startAnew();
      const { status, body } = await send(of);
      expect(status, name).toBeLessThan(500);
      if (body.code === "unreadable")
        expect(body, name).toMatchObject({ status: 409, format: newer.f, reads: newer.f - 1 });
      const text = JSON.stringify(body);
      if (!text.includes(`has format ${newer.f}, and this version reads format ${newer.f - 1}`))
        continue;
      expect(text, name).toContain(called(of));
      named.push(name);
    }
    const needing = Object.entries(CALLS).filter(([, { needs }]) => needs.includes(wanted));
    expect(named.sort()).toEqual(needing.map(([name]) => name).sort());
    expect(current(newer)).toBe(newer);
  });

  it("is named by the contents of the space, and by the scheduled runs, which go on past it", async () => {
    const of = await furnished();
    const newer = outdate(wanted, of);
    startAnew();
    const { body } = await of.plat.get("/v1/contents");
    const unreadable = [
      { key: `${newer.pk} ${newer.sk}`, reason: expect.stringContaining(`format ${newer.f}`) },
    ];
    // A machine belongs to no single space, so no listing of one has it.
    const isListed = !newer.pk.startsWith("MACHINE#");
    expect(body.contents.unreadable).toEqual(isListed ? unreadable : []);
    // Without its notes the repair run does not know the size of the table, so it walks over all of it.
    table.partitions.delete("SWEEP");
    const failures = [
      ...(await reclaimAll(context)).failures,
      ...(await repairAll(context)).failures,
      ...(await runJobs(context)).failures,
    ];
    expect(failures.map(String).join()).toContain(called(of));
    for (const failure of failures) expect(failure).toBeInstanceOf(Error);
    expect(current(newer)).toBe(newer);
  });
});

it("what a newer repair run noted of its walk is kept, named, and the walk begins at the beginning", async () => {
  await furnished();
  const noted = { pk: "SWEEP", sk: "3", itemsBefore: 0, f: 2 };
  table.partitions.set("SWEEP", new Map([["3", noted]]));
  startAnew();
  const { swept, failures } = await repairAll(context);
  expect(swept).toBe(true);
  expect(failures.map(String)).toContainEqual(
    expect.stringContaining("progress of the repair run in shard 3"),
  );
  expect(current(noted)).toBe(noted);
  table.partitions.delete("SWEEP");
});

it("what does not say of what format it is, is rejected as well: nobody guesses", async () => {
  const of = await furnished();
  const { f, ...bare } = itemOf("a pool", of);
  written = { ...bare, f } as Item;
  replace(bare as Item);
  startAnew();
  expect(await of.plat.get("/v1/pools/main")).toMatchObject({
    status: 409,
    body: { code: "unreadable", item: "pool main", reads: f, detail: /has no format/ },
  });
});

it("a pool that cannot be read keeps its range, its name and its blocks", async () => {
  const of = await furnished();
  outdate("a pool", of);
  startAnew();
  const over = await of.plat.put("/v1/pools/over", { cidr: "10.0.0.0/16" });
  expect(over).toMatchObject({ status: 409, body: { code: "pool_overlap" } });
  const blocks = () => table.items().filter(({ pk }) => pk.startsWith(`BLOCK#${of.plat.space}#`));
  const before = blocks().length;
  for (let round = 0; round < 3; round++) {
    await reclaimAll(context);
    await repairAll(context);
  }
  expect(blocks()).toHaveLength(before);
});

describe("a space whose items say that the keys of the table are of another format", () => {
  /** Calls that name a generation, key or handle. They find its item under the known keys, or find nothing. */
  const PROVEN = /^(release|PATCH|GET handle|GET prefixes of the handle|assign once more)/;
  /** Calls that begin with the register or with items of several spaces. They read the format of the keys from the table. */
  const ASKS_THE_TABLE = /spaces|orphans|node|zones|event|namespace|application|affinities|jobs?$/;

  /** Calls that read the history alone, which is a table of its own. */
  const ASKS_THE_HISTORY = /^GET (history of the handle|events)$/;

  it("is rejected as a whole, and nothing is written", async () => {
    const of = await furnished();
    const items = table.items().filter(({ pk }) => pk === `SPACE#${of.plat.space}`);
    for (const item of items) replace({ ...item, k: 3 });
    const before = table.items();
    for (const [name, { send }] of Object.entries(CALLS)) {
      if ([PROVEN, ASKS_THE_TABLE, ASKS_THE_HISTORY].some((calls) => calls.test(name))) continue;
      startAnew();
      const { body } = await send(of);
      expect(body, name).toMatchObject({ code: "unreadable", format: 3, reads: 2 });
      expect(body.detail, name).toContain("of the keys of its table");
    }
    expect(table.items()).toEqual(before);
    for (const item of items) replace(item);
  });

  it("is not told that an address is not assigned, where none is found under the keys that are known", async () => {
    const of = await furnished();
    const kept = table.items().filter(({ pk }) => pk.startsWith(`BLOCK#${of.plat.space}#`));
    const items = table.items().filter(({ pk }) => pk === `SPACE#${of.plat.space}`);
    for (const item of items) replace({ ...item, k: 3 });
    for (const { pk } of kept) table.partitions.delete(pk);
    startAnew();
    const { address, generation } = of;
    const { body } = await of.plat.release({ addresses: [{ address, generation }] });
    expect(body.results).toMatchObject([{ status: "conflict", code: "unreadable" }]);
    for (const item of items) replace(item);
    for (const item of kept)
      table.partitions.set(
        item.pk,
        (table.partitions.get(item.pk) ?? new Map()).set(item.sk, item),
      );
  });
});
