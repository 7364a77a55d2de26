import type { Context } from "../../../src/kernel/core/context.ts";
import { blockOf } from "../../../src/kernel/values/block-group.ts";
import { addressAt } from "../../../src/net/cidr.ts";
import {
  type AddressSearch,
  listAddresses,
} from "../../../src/nouns/address/operations/list-addresses.ts";
import { listHandles } from "../../../src/nouns/address/operations/list-handles.ts";
import { listHosts } from "../../../src/nouns/address/operations/list-hosts.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { MAP_GROUPS_PER_PAGE_MAX } from "../../../src/nouns/utilization/contract/map-request.ts";
import { poolMap } from "../../../src/nouns/utilization/operations/pool-map.ts";
import { SPACES_PK } from "../../../src/table/key.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { callsOf, expectServed, requestOf } from "../requests.ts";
import { walking } from "../sabotages.ts";
import type { NewCloud } from "../scene.ts";
import { putIndex, VALUE } from "./index-entries.ts";
import { putAssignedSpace } from "./spaces.ts";

const SPACE = "default";
const CIDR = "64.0.0.0/8";
const HANDLE = "mine";

interface Search {
  readonly name: string;
  /** The most calls to the table for one page. */
  readonly calls: number;
  asked(pool: Pool): Partial<AddressSearch>;
  /** True if the space has an index of the attribute of all its addresses. */
  readonly isIndexed?: true;
}

/** An allocation of each of 64 addresses is a call. */
const SEARCHES: readonly Search[] = [
  { name: "A search for the address of a handle", calls: 5, asked: () => ({ handle: HANDLE }) },
  {
    name: "A search for the 64 addresses of a host",
    calls: 69,
    asked: () => ({ host: "host:node-7" }),
  },
  {
    name: "A search for the 64 addresses of a block",
    calls: 67,
    asked: (pool) => ({ cidr: blockOf(addressAt(pool.cidr, 4_096), pool.blockSize) }),
  },
  { name: "A page of 256 addresses of a pool", calls: 262, asked: ({ name }) => ({ pool: name }) },
  {
    name: "A page of a search by an attribute that nothing has",
    calls: 1_030,
    asked: () => ({ attributes: { tenant: "red" } }),
  },
  {
    name: "A page of 256 addresses by an indexed attribute that all have",
    calls: 350,
    isIndexed: true,
    asked: () => ({ attributes: { namespace: VALUE } }),
  },
  {
    name: "A search by an indexed attribute for a value that nothing has",
    calls: 20,
    isIndexed: true,
    asked: () => ({ attributes: { namespace: "nowhere" } }),
  },
  {
    name: "A page of a search for what cools, where nothing does",
    calls: 36,
    asked: ({ name }) => ({ pool: name, state: "cooling" }),
  },
];

/** The most calls of a page of 256 handles, and of 256 hosts: each has a block, and each block 64 addresses. */
const HANDLES_CALLS = 645;
const HOSTS_CALLS = 1_065;
/** The most calls of a page of a map: 64 block groups, the configuration and the index. */
const MAP_CALLS = 66;

/** Returns the facts that a page of a search has as many calls, whatever the space holds. */
export function searchFacts(form: Form): readonly Fact[] {
  const addresses = form === "full" ? 1_000_000 : 139_264;
  const page = { space: SPACE, limit: 256 };
  const lists = [
    {
      name: "A page of 256 handles",
      calls: HANDLES_CALLS,
      isIndexed: undefined,
      work: () => (context: Context) => listHandles(context, { ...page, prefix: "" }),
    },
    {
      name: "A page of a list of hosts",
      calls: HOSTS_CALLS,
      isIndexed: undefined,
      work: () => (context: Context) => listHosts(context, page),
    },
    {
      name: "A page of a map",
      calls: MAP_CALLS,
      work:
        ({ name }: Pool) =>
        (context: Context) =>
          poolMap(context, { space: SPACE, name, limit: MAP_GROUPS_PER_PAGE_MAX }),
    },
  ];
  const searches = SEARCHES.map(({ asked, ...search }) => ({
    ...search,
    work: (pool: Pool) => (context: Context) =>
      listAddresses(context, { ...page, attributes: {}, ...asked(pool) }),
  }));
  return [...searches, ...lists].map(({ name, calls, isIndexed, work }) => ({
    name: `${name} needs at most ${calls} calls`,
    size: `${addresses} addresses in the space`,
    bound: calls,
    unit: "calls",
    broken: walking("the register of spaces", [SPACES_PK]),
    async measure(newCloud: NewCloud) {
      const cloud = await newCloud();
      const pool = putAssignedSpace(cloud.items, SPACE, CIDR, addresses);
      if (isIndexed) putIndex(cloud.items, pool, addresses);
      return cloud.clock.run(async () => {
        await expectServed(
          new LambdaFunction(cloud),
          requestOf(SPACE, "host:guest", { handle: HANDLE }),
        );
        return callsOf(new LambdaFunction(cloud), work(pool));
      });
    },
  }));
}
