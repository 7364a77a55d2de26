import { expect, it } from "vitest";
import { noPrefix } from "../../../src/kernel/assign/no-prefix.ts";
import type { FamilyRequest } from "../../../src/kernel/assign/selection.ts";
import { LOOKS_PER_PAGE } from "../../../src/kernel/core/bounded-work.ts";
import { configurationOf } from "../../../src/kernel/core/configuration.ts";
import { hostId } from "../../../src/kernel/values/host.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import { ensure, free, prefixPool } from "../../prefixes.ts";
import { makeWorld, SPACE } from "../../world.ts";

it("a prefix that cools in a small pool is counted behind a pool for which there is no time", async () => {
  const { calm } = await makeWorld();
  await putPool(calm, SPACE, "large", prefixPool("10.128.0.0/9", 24), undefined);
  await putPool(calm, SPACE, "small", prefixPool("10.64.0.0/24", 24), undefined);
  await ensure(calm, "node-1", { podCidrs: ["10.64.0.0/24"] });
  await free(calm, "node-1");
  const configuration = await configurationOf(calm, SPACE);
  const poolNamed = (called: string) =>
    configuration.pools.find(({ name }) => name === called) ?? expect.fail(called);
  const pools = ["large", "small"].map(poolNamed);
  for (let group = 0n; group < LOOKS_PER_PAGE; group++)
    await calm.store.addGroup(SPACE, poolNamed("large").id, group);
  const request = { space: SPACE, host: hostId("host", "node-2"), family: 4, pools, configuration };
  const { members } = await noPrefix(calm, request as unknown as FamilyRequest, []);
  expect(members.pools).toMatchObject([
    { pool: "large", code: "full" },
    { pool: "small", code: "cooling", cooling: 1, inUse: 0 },
  ]);
  expect(members.pools?.[0]).not.toHaveProperty("inUse");
  expect(members).toMatchObject({ retryAfterSeconds: expect.any(Number) });
});
