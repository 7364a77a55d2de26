import { expect, it } from "vitest";
import { GRACE_MS } from "../src/base/limits.ts";
import { sweepAll } from "./scheduled-runs.ts";
import { assigned, makeWorld, poolOf, requestOf } from "./world.ts";

const ALLOCATIONS = 600; // So many that a walk over a shard needs several runs.

it("a sweep of all shards counts what each of its runs repaired", async () => {
  const { calm, clock, table } = await makeWorld(poolOf("10.0.0.0/20", 26));
  for (let n = 0; n < ALLOCATIONS; n++) await assigned(calm, requestOf(`vm-${n}`, 1));
  // The next walk goes at the pace of the items that this one found.
  await sweepAll(calm);
  for (const key of table.items().filter(({ pk }) => pk.startsWith("BLOCK#")))
    await table.write({ step: "test", key, when: [], change: { kind: "delete" } });
  clock.nowMs += GRACE_MS + 1;
  expect(await sweepAll(calm)).toMatchObject({ allocationsDeleted: ALLOCATIONS, swept: true });
});
