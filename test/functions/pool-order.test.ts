import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

/** Returns a space with two pools, each of one block of four addresses. */
async function twoPools() {
  const plat = newSpace();
  await plat.put("/v1/pools/b", { cidr: "10.0.0.0/30" });
  await plat.put("/v1/pools/a", { cidr: "10.1.0.0/30" });
  return plat;
}

type Plat = Awaited<ReturnType<typeof twoPools>>;

async function poolOf(plat: Plat, request: object): Promise<readonly string[]> {
  const { body } = await plat.assign({ ipv4: 1, ...request });
  return body.addresses.map(({ pool }: { pool: string }) => pool);
}

/** Returns the pools of a dry run in its order, each with its number or with the reason why it cannot serve. */
async function told(plat: Plat, request: object): Promise<readonly string[]> {
  const { body } = await plat.assign({ ipv4: 1, ...request, dryRun: true });
  return body.families[0].pools.map(
    ({ pool, order, code }: { pool: string; order?: number; code?: string }) =>
      `${order ?? code} ${pool}`,
  );
}

describe("of several pools that may serve a request", () => {
  it("a pool goes first in which the host has a block with room", async () => {
    const plat = await twoPools();
    await plat.assign({ host: "n1", ipv4: 1, pools: ["b"] });
    expect(await told(plat, { host: "n1" })).toEqual(["1 a", "2 b"]);
    expect(await poolOf(plat, { host: "n1" })).toEqual(["b"]);
  });

  it("one that may not serve, or is reserved as a whole, has no number", async () => {
    const plat = await twoPools();
    await plat.put("/v1/pools/0", { cidr: "10.2.0.0/30", disabled: true });
    await plat.put("/v1/reservations/r", { cidrs: ["10.1.0.0/30"] });
    expect(await told(plat, { host: "n1" })).toEqual(["1 b", "reserved a", "disabled 0"]);
    expect(await told(plat, { host: "n1", address: "10.0.0.1", ipv4: 0 })).toEqual(["1 b"]);
  });
});
