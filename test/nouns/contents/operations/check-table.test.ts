import { expect, it } from "vitest";
import { assign } from "../../../../src/kernel/assign/assign.ts";
import { checkTable } from "../../../../src/nouns/contents/operations/check-table.ts";
import type { Write } from "../../../../src/table/table.ts";
import { assigned, contextOver, makeWorld, poolOf, requestOf, tableOf } from "../../../world.ts";

it("counts the addresses that are taken, and those of which no caller was told", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/24", 26));
  await assigned(world.calm, requestOf("told", 2));
  const write = async (write: Write) => {
    if (write.step === "pending-live") throw new Error("the function was stopped");
    return world.table.write(write);
  };
  const limited = { ...requestOf("untold", 3), limitPerHandle: 3 };
  const stopped = contextOver({ ...tableOf(world), write }, world.clock);
  await expect(assign(stopped, limited)).rejects.toThrow("stopped");
  const { counts, violations } = await checkTable(world.calm);
  expect(counts).toMatchObject({ taken: 5, untold: 3 });
  expect(violations).toEqual([]);
});
