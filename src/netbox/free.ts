import type { Answer, Event } from "../api/http/event.ts";
import { readNamedWith } from "../api/http/parameters.ts";
import { wholeText } from "../api/schema/field.ts";
import { NETBOX_PER_PAGE_MAX } from "../base/limits.ts";
import { type Cidr, formatCidr } from "../net/cidr.ts";
import { readPage } from "./paging.ts";
import type { Plat } from "./plat.ts";
import { networkOf } from "./prefixes.ts";
import { type Asked, type Operation, rejectUnknownFilters } from "./request.ts";
import { nestedVrf } from "./vrfs.ts";

/** The key of a read that Plat's own routes do not have. It requires the role of any read in the space. */
export const FREE = "GET /v1/pools/{name}/free";

const LIMIT = { limit: wholeText(1, NETBOX_PER_PAGE_MAX) };

/** Reads which free addresses or prefixes of a pool a request of the dialect asks for. */
export const readFree = (event: Event) => readNamedWith(event, LIMIT);

export const freeAnswer = (free: readonly Cidr[]): Answer => ({
  status: 200,
  body: { free: free.map(formatCidr) },
});

/** Lists the first free addresses of a prefix, as many as the limit says, without pages. */
export const listAvailable: Operation = async (asked, plat) => {
  const found = await freeIn(asked, plat, "addresses");
  const { free, length, family, vrf } = found;
  const body = free.map((cidr) => ({
    family,
    address: `${cidr.replace(/\/.*/, "")}/${length}`,
    vrf,
  }));
  return { status: 200, body };
};

/** Lists the first free prefixes of a pool of prefixes. */
export const listAvailablePrefixes: Operation = async (asked, plat) => {
  const found = await freeIn(asked, plat, "prefixes");
  const { free, family, vrf } = found;
  return { status: 200, body: free.map((prefix) => ({ family, prefix, vrf })) };
};

async function freeIn(asked: Asked, plat: Plat, assign: "addresses" | "prefixes") {
  rejectUnknownFilters(asked.query, (name) => name === "limit");
  const page = readPage(asked);
  const found = await networkOf(asked, plat);
  const { space, cidr, pools } = found.network;
  const free: string[] = [];
  for (const { name } of pools.filter((pool) => pool.assign === assign)) {
    const query = { limit: String(page.limit - free.length) };
    if (free.length === page.limit) break;
    const read = await plat.call<{ free: string[] }>(FREE, { space, path: { name }, query });
    free.push(...read.free);
  }
  const length = pools[0]?.prefixLength ?? cidr.prefix;
  return { free, length, family: cidr.family, vrf: nestedVrf(space, asked.base) };
}
