import { describe, expect, it } from "vitest";
import { whyNotAdmitted } from "../../../src/kernel/quotas/admit.ts";
import { repairRequestRate } from "../../../src/maintenance/repair/request-rate.ts";
import { deleteQuota, listQuotas, putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import { contentsIn, contextOver, makeWorld, SPACE, type World } from "../../world.ts";

/** Returns a world with a quota from which a request was taken, and the context of a function. */
async function withRate() {
  const world = await makeWorld();
  await putQuota(world.calm, SPACE, "all", { requestsPerSecond: 1 }, undefined);
  const quotas = (await listQuotas(world.calm, SPACE)).items;
  await whyNotAdmitted(world.calm, { quotas }, {});
  const [rate] = contentsIn(world).requestRates;
  if (!rate) throw new Error("no request was taken");
  const remove = () => deleteQuota(world.calm, SPACE, "all", quotas[0]?.revision);
  return { world, quotas, rate, remove };
}

const ratesIn = (world: World) => contentsIn(world).requestRates;

describe("the requests that were taken from a quota", () => {
  it("go after the quota, and not while functions may still take from it", async () => {
    const { world, rate, remove } = await withRate();
    expect(await repairRequestRate(world.calm, rate)).toBe(false);
    world.clock.nowMs += 120_000;
    expect(await repairRequestRate(world.calm, rate)).toBe(false);
    expect(ratesIn(world)).toHaveLength(1);
    await remove();
    expect(await repairRequestRate(world.calm, rate)).toBe(true);
    expect(ratesIn(world)).toEqual([]);
  });

  it("stay if a quota of the name has come back and begun another second", async () => {
    const { world, rate, quotas, remove } = await withRate();
    await remove();
    world.clock.nowMs += 120_000;
    await whyNotAdmitted(contextOver(world.table, world.clock, 2), { quotas }, {});
    await repairRequestRate(world.calm, rate);
    expect(ratesIn(world)).toMatchObject([{ taken: 1 }]);
  });
});
