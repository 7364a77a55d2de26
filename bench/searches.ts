import { handleHash } from "../src/base/hash.ts";
import { Rejection } from "../src/base/outcome.ts";
import { hostId } from "../src/kernel/values/host.ts";
import {
  type AddressSearch,
  listAddresses,
} from "../src/nouns/address/operations/list-addresses.ts";
import { poolMap } from "../src/nouns/utilization/operations/pool-map.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned } from "./asked.ts";
import { setIndexes } from "./indexes.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool, readCidr } from "./pool.ts";

const SPACE = "searches";
/** The space whose attributes are indexed. */
const INDEXED = "indexed";
const ADDRESSES = 64;

/** Measures a page of each kind of search, on a function that has just started, in a space with one full block. */
export async function measureSearches(bench: Bench): Promise<readonly Line[]> {
  await makePool(bench.cold(), { space: SPACE, name: "pool", cidr: "10.0.0.0/20" });
  const owner = bench.cold();
  let block = "";
  for (let n = 0; n < ADDRESSES; n++) {
    const { addresses } = await assigned(owner, requestOf(n));
    block = addresses[0]?.block ?? "";
  }
  const lines: Line[] = [];
  const measured = async (
    operation: string,
    budget: Budget,
    found: number,
    asked: Partial<AddressSearch>,
  ) => {
    const search = { space: SPACE, limit: 256, attributes: {}, ...asked };
    const cost = await bench.meter.measure(async () => {
      const page = await listAddresses(bench.cold(), search);
      if (page instanceof Rejection || page.items.length !== found)
        throw new Error(`a search did not find ${found}: ${JSON.stringify(page)}`);
    });
    lines.push({ operation, size: "/20", fill: "64 addresses", cost, budget });
  };
  await measured("search by handle, one address", [4, 0, 4], 1, { handle: "handle-7" });
  await measured("search by host, 64 addresses", [6, 0, 69], 64, { host: hostId("host", "owner") });
  await measured("search by CIDR, one block", [3, 0, 66], 64, { cidr: readCidr(block) });
  await measured("search by pool and attribute", [4, 0, 67], 1, {
    pool: "pool",
    attributes: { pod: "web-7" },
  });
  await measured("search by pool and state, nothing cools", [3, 0, 3], 0, {
    pool: "pool",
    state: "cooling",
  });
  const mapCost = await bench.meter.measure(async () => {
    const map = await poolMap(bench.cold(), { space: SPACE, name: "pool", limit: 64 });
    if (map instanceof Rejection || map.groups.length !== 1) throw new Error("a map has no group");
  });
  lines.push({
    operation: "page of a map, one block group",
    size: "/20",
    fill: "64 addresses",
    cost: mapCost,
    budget: [3, 0, 2],
  });
  await makePool(bench.cold(), { space: INDEXED, name: "pool", cidr: "10.0.0.0/20" });
  const indexing = bench.cold();
  await setIndexes(indexing, INDEXED, ["pod", "namespace"]);
  for (let n = 0; n < ADDRESSES; n++) await assigned(indexing, { ...requestOf(n), space: INDEXED });
  await measured("search by an indexed attribute, one address", [7, 0, 21], 1, {
    space: INDEXED,
    attributes: { pod: "web-7" },
  });
  await measured("search by an indexed attribute, 64 addresses", [22, 0, 84], 64, {
    space: INDEXED,
    attributes: { namespace: "shop" },
  });
  return lines;
}

const requestOf = (n: number) => ({
  space: SPACE,
  host: hostId("host", "owner"),
  wanted: [{ family: 4 as const, count: 1 }],
  handle: `handle-${n}`,
  attributes: { pod: `web-${n}`, namespace: "shop" },
  pools: [],
  digest: handleHash(`request ${n}`),
});
