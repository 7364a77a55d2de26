import { describe, expect, it } from "vitest";
import { assign } from "../../../../src/kernel/assign/assign.ts";
import { releaseAddress } from "../../../../src/kernel/release/release-address.ts";
import { parseGeneration } from "../../../../src/kernel/values/generation.ts";
import { makeChild, releaseVpc, VPC, withVpc } from "../../../child-pools.ts";
import { networkRequest } from "../../../network-request.ts";
import { assignNetwork, putPrefixPools } from "../../../prefixes.ts";
import { addressOf, assigned, makeWorld, SPACE } from "../../../world.ts";

/** Releases a prefix by the generation of its assignment, which no answer of the API has. */
async function byGeneration(asked: Parameters<typeof networkRequest>[1]) {
  const world = await makeWorld();
  await putPrefixPools(world.calm);
  const [first] = (await assigned(world.calm, networkRequest("vpc", asked))).addresses;
  const parsed = parseGeneration(first?.generation ?? "");
  if (!first || !parsed.ok) throw new Error("nothing was assigned");
  const address = addressOf(first.address);
  const release = () => releaseAddress(world.calm, SPACE, { address, generation: parsed.value });
  return { ...world, block: first.block, release };
}

describe("the prefix of which a pool is made", () => {
  const specific = { specific: { family: 4 as const, base: 0x0a400100n, prefix: 24 } };

  it("is not released by a generation with a key", async () => {
    const { calm, release } = await byGeneration({ ...specific, key: "key" });
    expect(await makeChild(calm)).toMatchObject({ created: true });
    expect(await release()).toMatchObject({ status: "conflict", code: "prefix_in_use" });
  });

  it.each([{}, { limit: 1 as const }])(
    "is not released by a generation without a key, nor is any other: %j",
    async (more) => {
      const { calm, release } = await byGeneration({ ...specific, ...more });
      expect(await release()).toMatchObject({ status: "not_assigned" });
      expect(await makeChild(calm)).toMatchObject({ created: true });
    },
  );

  it("is released by its handle when no pool is made of it, also without a key", async () => {
    const { calm } = await makeWorld();
    await putPrefixPools(calm);
    expect(await assignNetwork(calm, "vpc", specific)).toBe(VPC);
    expect(await releaseVpc(calm)).toMatchObject({ complete: true, released: [{ prefix: 24 }] });
  });

  it("is told to a repeat of its request", async () => {
    const world = await makeWorld();
    const { vpc } = await withVpc(world);
    await makeChild(world.calm);
    const again = networkRequest("vpc", { ...specific, key: "key" });
    expect(await assign(world.calm, again)).toEqual(vpc);
  });
});
