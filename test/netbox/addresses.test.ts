import { expect, it } from "vitest";
import { listIpAddresses } from "../../src/netbox/addresses.ts";
import { queryOf } from "../../src/netbox/filter.ts";
import type { Plat } from "../../src/netbox/plat.ts";

/** Returns a Plat with one pool, in which every address is assigned, and what it was asked for. */
function platOfOnePool() {
  const asked: string[] = [];
  let atOnce = 0;
  let atOnceMax = 0;
  const call = async (key: string, { path }: { path?: Readonly<Record<string, string>> }) => {
    asked.push(key);
    atOnceMax = Math.max(atOnceMax, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce--;
    if (key === "GET /v1/pools") return { pools: [{ name: "lan", cidr: "10.1.0.0/24" }] };
    return { address: path?.ip, family: 4, state: "assigned", attributes: {} };
  };
  const plat = { call, spaces: async () => ["default"], now: () => 0 } as unknown as Plat;
  return { plat, asked, atOnceMax: () => atOnceMax };
}

it("a list of many ids reads the pools once, and the addresses side by side", async () => {
  const { plat, asked, atOnceMax } = platOfOnePool();
  const ids = Array.from({ length: 200 }, (_, n) => `id=${0x0a010000 + n}`);
  const request = { query: queryOf(`limit=0&${ids.join("&")}`), base: "http://x/api/", path: "" };
  const { body } = await listIpAddresses({ ...request, id: 0, event: {} as never }, plat);
  expect(body).toMatchObject({ count: 200 });
  expect(asked.filter((key) => key === "GET /v1/pools")).toHaveLength(1);
  expect(atOnceMax()).toBe(16);
});
