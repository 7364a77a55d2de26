import { expect, it } from "vitest";
import { DB, hold, keptByLast } from "../../../applications.ts";
import { addressesIn, instanceRequest, podOf } from "../../../instances.ts";
import { assigned, contextOver, makeWorld, tableOf } from "../../../world.ts";

it("a smaller StatefulSet that stalls leaves what an ordinal keeps to a larger one that came meanwhile", async () => {
  const world = await makeWorld();
  const { db } = await keptByLast(world);
  const table = tableOf(world);
  let larger: Promise<unknown> | undefined;
  const slow = contextOver(
    {
      ...table,
      query: async (pk, options) => {
        larger ??= pk.startsWith("HANDLE#") ? hold(world.calm, 2, DB, 2) : undefined;
        await larger;
        return table.query(pk, options);
      },
    },
    world.clock,
    8,
  );
  await hold(slow, 2, DB, 1);
  const again = await assigned(world.calm, instanceRequest(podOf("b", { instance: "db-1" })));
  expect(addressesIn(again)).toEqual(addressesIn(db));
});
