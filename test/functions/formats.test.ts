import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runJobs } from "../../src/allocator/jobs/run-jobs.ts";
import type { Item } from "../../src/store/item.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { oneIn } from "../simulation/sampled-calls.ts";
import { CALLS, type Furnished, furnished, itemWhere, replace } from "./newer.ts";
import { context, startAnew, table } from "./plat.ts";

/**
 * These tests give one item of each kind a format that only a newer version reads, and send requests to every route.
 * An answer names the item and never treats it as absent. No request changes it, and requests that do not need it succeed.
 */

interface Case {
  /** The item's name in a rejection. */
  readonly item: (of: Furnished) => string;
  readonly fits: (space: string, of: Furnished) => (item: Item) => boolean;
  /** The calls that need the item and name it. All others answer as before. */
  readonly named: readonly (keyof typeof CALLS)[];
}

const BLOCK_LISTS = [
  "GET blocks",
  "GET blocks of the pool",
  "GET blocks of another pool",
  "GET blocks of the host",
  "GET blocks of the borrower",
  "GET block",
];
/** The searches that read a block of host `n1` with its allocations. */
const SEARCHES = [
  "GET handles",
  "GET hosts",
  "GET addresses",
  "GET addresses of a pool",
  "GET addresses of the block",
  "GET addresses of the handle",
  "GET addresses of the host",
  "GET addresses with an attribute",
];
const UTILIZATIONS = [
  "GET utilization",
  "GET utilization of the pool",
  "GET utilization of another pool",
];
const CONFLICTS = [
  "report a conflict",
  "report a conflict by its handle",
  "report a conflict of the keyed address",
  "lift a quarantine",
];
const ASSIGNS = [
  "assign for a tenant",
  "assign to the host",
  "assign to the host in a batch",
  "assign from another pool",
  "assign from the pool",
  "assign by labels",
  "assign under the limit",
  "assign as the borrower",
  "rehearse an assign",
  "assign a prefix",
];
const PREFIXES_OF_HANDLE = [
  "GET prefixes of the handle",
  "GET the owner of a prefix",
  "release the prefixes of the handle",
  "make a pool of the prefix",
];
const PREFIXES = [
  "GET prefixes of the node",
  "GET prefixes of all nodes of the name",
  "give a node its prefix again",
  "state the prefix of a node",
  "release the prefix",
  "release all prefixes",
];

const CASES: Readonly<Record<string, Case>> = {
  "a pool": {
    item: () => "pool main",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `SPACE#${space}` && sk === "POOL#main",
    named: [
      "DELETE space",
      "GET handles",
      "GET hosts",
      "GET addresses",
      "GET addresses of a pool",
      "GET addresses of the block",
      "GET address",
      "GET history of the address",
      "GET blocks",
      "GET blocks of the pool",
      "GET block",
      "GET affinities of all hosts",
      "GET utilization",
      "GET utilization of the pool",
      "GET orphans",
      "GET pools",
      "GET pool",
      "GET history of the pool",
      "GET map of the pool",
      "assign to the host",
      "assign to the host in a batch",
      "assign the address",
      "assign from the pool",
      "assign as the borrower",
      "rehearse an assign",
      "claim the range",
      "ensure a block",
      // It may be a pool of prefixes.
      "give a node a prefix",
      "PUT CiliumNode",
      "GET CiliumNode",
      "PUT pool",
      "DELETE pool",
      "release the address by its handle",
      ...CONFLICTS,
      "release affinities of the host",
    ],
  },
  // Its ranges are unknown, so automatic assignment is rejected, and no answer counts reserved addresses.
  "a reservation": {
    item: () => "reservation routers",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `SPACE#${space}` && sk === "RESERVATION#routers",
    named: [
      "DELETE space",
      ...BLOCK_LISTS,
      "GET map of the pool",
      ...UTILIZATIONS,
      ...ASSIGNS,
      "give a node a prefix",
      "GET reservations",
      "GET reservation",
      "PUT reservation",
      "DELETE reservation",
    ],
  },
  // It may limit any request.
  "a quota": {
    item: () => "quota all",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `SPACE#${space}` && sk === "QUOTA#all",
    named: [
      "DELETE space",
      ...ASSIGNS,
      "assign a specific prefix",
      "assign the address",
      "claim the range",
      "ensure a block",
      "give a node a prefix",
      "GET quotas",
      "GET quota",
      "PUT quota",
      "DELETE quota",
    ],
  },
  "the addresses of a quota": {
    item: () => "addresses of quota all",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `BUDGET#${space}#all` && sk === "USED#addresses",
    named: ["assign for a tenant"],
  },
  "the requests of a quota": {
    item: () => "requests of quota all",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `BUDGET#${space}#all` && sk === "REQUESTS",
    named: ["assign for a tenant"],
  },
  "the configuration": {
    item: ({ plat }) => `configuration of space ${plat.space}`,
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `SPACE#${space}` && sk === "CONFIG",
    named: [
      "DELETE space",
      "GET addresses",
      "GET addresses of a pool",
      "GET addresses of another pool",
      "GET addresses of the block",
      "GET addresses with an attribute",
      "GET addresses of the host",
      "GET zones",
      ...BLOCK_LISTS,
      "GET map of the pool",
      ...UTILIZATIONS,
      ...ASSIGNS,
      "GET address",
      "GET config",
      "GET node with a status",
      "event of the node",
      "event of the end of a node",
      "event of a machine",
      "assign a specific prefix",
      "assign the address",
      "claim the range",
      "ensure a block",
      "give a node a prefix",
      "PUT CiliumNode",
      "GET CiliumNode",
      "give a node its prefix again",
      "PUT config",
      ...CONFLICTS,
      "release affinities of the host",
    ],
  },
  "a space in the register": {
    item: ({ plat }) => `space ${plat.space} in the register`,
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === "SPACES" && sk === space,
    named: [
      "GET spaces",
      "PUT config",
      "PUT a new pool",
      "PUT a pool over the range",
      "make a pool of the prefix",
    ],
  },
  "the version of the configuration": {
    item: ({ plat }) => `version of space ${plat.space}`,
    fits:
      (space) =>
      ({ pk }) =>
        pk === `VERSION#${space}`,
    named: ["PUT config", "PUT pool", "PUT a new pool"],
  },
  "the address plan": {
    item: ({ plat }) => `address plan of space ${plat.space}`,
    fits:
      (space) =>
      ({ pk }) =>
        pk === `PLAN#${space}`,
    named: ["PUT a new pool", "PUT a pool over the range"],
  },
  "a page of a pool's block-group index": {
    item: () => "block-group index of pool id",
    fits: (space) => {
      const main = itemWhere(({ pk, sk }) => pk === `SPACE#${space}` && sk === "POOL#main");
      return ({ pk }) => pk === `GROUPINDEX#${space}#${main.id}`;
    },
    named: [
      "GET handles",
      "GET hosts",
      "GET addresses",
      "GET addresses of a pool",
      "GET blocks",
      "GET blocks of the pool",
      "GET map of the pool",
      "GET affinities of all hosts",
      "GET utilization",
      "GET utilization of the pool",
      "GET orphans",
      "assign from the pool",
      "assign as the borrower",
      "DELETE pool",
    ],
  },
  // Readers treat this hint as absent, because no answer depends on it.
  "a hint that a pool is full": {
    item: () => "hint that pool id",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `FULLPOOLS#${space}` && !sk.startsWith("~"),
    named: [],
  },
  "a hint of what block groups can lend": {
    item: () => "hint of what pool id",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `FULLPOOLS#${space}` && sk.startsWith("~"),
    named: [],
  },
  "the usage of a pool": {
    item: () => "usage of pool id",
    fits:
      (space) =>
      ({ pk }) =>
        pk === `USAGE#${space}`,
    named: ["GET alarms", "GET history of the pool"],
  },
  "a block": {
    item: ({ block }) => `block ${block.split("/")[0]}`,
    fits:
      (space, { block }) =>
      ({ pk, sk }) =>
        pk.startsWith(`BLOCK#${space}#`) && sk === block.split("/")[0],
    named: [
      ...SEARCHES,
      "GET map of the pool",
      "GET address",
      "GET handle",
      "GET blocks",
      "GET blocks of the pool",
      "GET blocks of the host",
      "GET blocks of the borrower",
      "GET affinities",
      "GET affinities of all hosts",
      "GET orphans",
      "GET block",
      "assign the address",
      "claim the range",
      "assign once more under the key",
      "PATCH address",
      "DELETE pool",
      ...CONFLICTS,
      "release the address",
      "release the address in a batch",
      "release the address by its handle",
      "release the keyed address",
      "release the handle",
      "release the borrower",
      "release the host",
      "release affinities of the host",
    ],
  },
  "a prefix": {
    item: () => "block 10.64.1.0",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk.startsWith(`BLOCK#${space}#`) && sk === "10.64.1.0",
    named: [
      "GET handles",
      "GET hosts",
      "GET addresses",
      "GET blocks",
      "GET affinities of all hosts",
      "GET orphans",
      ...PREFIXES,
      "state the prefix of another node",
    ],
  },
  "a prefix of a handle": {
    item: () => "block 10.64.2.0",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk.startsWith(`BLOCK#${space}#`) && sk === "10.64.2.0",
    named: [
      "GET handles",
      "GET hosts",
      "GET addresses",
      "GET blocks",
      "GET affinities of all hosts",
      "GET orphans",
      ...PREFIXES_OF_HANDLE,
      "assign a specific prefix",
    ],
  },
  "the allocation of a handle of prefixes": {
    item: () => "allocation",
    fits:
      (space) =>
      ({ pk, handle }) =>
        pk.startsWith(`HANDLE#${space}#`) && handle === "prefix/vpc",
    named: ["GET handles", "GET hosts", "GET addresses", ...PREFIXES_OF_HANDLE],
  },
  "the quota slot of a node": {
    item: () => "quota slot 0 (IPv4) of handle node/n7/a",
    fits:
      (space) =>
      ({ pk }) =>
        pk === `QUOTA#${space}#node/n7/a`,
    named: ["give a node its prefix again", "state the prefix of a node"],
  },
  "the allocation of a node": {
    item: () => "allocation",
    fits:
      (space) =>
      ({ pk, handle }) =>
        pk.startsWith(`HANDLE#${space}#`) && handle === "node/n7/a",
    named: ["GET handles", "GET hosts", "GET addresses", ...PREFIXES],
  },
  "the entry of a node for its prefix": {
    item: () => "block 10.64.1.0/24 borrowed by host n7",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `HOST#${space}#host:n7` && sk.startsWith("TAKEN#"),
    named: ["GET hosts", "GET prefixes of all nodes of the name"],
  },
  "a row of a host": {
    item: () => "affinity 0 (IPv4) of host n1",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `HOST#${space}#host:n1` && sk === "AFFINITY#4#0",
    named: [
      "GET hosts",
      "GET addresses of the host",
      "GET blocks of the host",
      "GET affinities of all hosts",
      "GET affinities",
      "assign to the host",
      "assign to the host in a batch",
      "assign by labels",
      "rehearse an assign",
      "ensure a block",
      "release affinities of the host",
      "release the host",
    ],
  },
  "a borrowed block": {
    item: ({ block }) => `block ${block} borrowed by host n2`,
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `HOST#${space}#host:n2` && sk.startsWith("TAKEN#"),
    named: ["GET hosts", "GET blocks of the borrower", "release the borrower"],
  },
  // This hint saves reads. A function that cannot read it reads the block.
  "a hint that a block is full": {
    item: ({ block }) => `hint that block ${block} of host n1 is full`,
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `HOST#${space}#host:n1` && sk.startsWith("FULL#"),
    named: [],
  },
  "a node": {
    item: () => "node n1",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `HOST#${space}#host:n1` && sk === "NODE",
    named: [
      "DELETE space",
      "GET nodes",
      "GET node",
      "assign to the host",
      "assign to the host in a batch",
      "assign by labels",
      "rehearse an assign",
      "ensure a block",
      "PUT node",
      "DELETE node",
    ],
  },
  "an entry of the register of nodes": {
    item: () => "node n1 in the register",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `NODES#${space}` && sk === "n1",
    named: ["DELETE space", "GET zones", "GET nodes"],
  },
  "a report of a node": {
    item: () => "report of node n7",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `NODE#${space}#n7` && sk === "STATUS",
    named: [
      "GET zones",
      "GET node with a status",
      "event of the node",
      "event of the end of a node",
      "event of a machine",
    ],
  },
  "a report of a CiliumNode": {
    item: () => "report of CiliumNode n5, uid c",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `NODE#${space}#n5` && sk.startsWith("CILIUM#"),
    named: ["PUT CiliumNode", "GET CiliumNode", "release the CiliumNode"],
  },
  "the networks that a node states": {
    item: () => "networks of node n3, uid s",
    fits:
      (space) =>
      ({ pk }) =>
        pk === `STATED#${space}`,
    named: ["assign a prefix", "assign a specific prefix", "give a node a prefix", "DELETE space"],
  },
  "a sign of life of a node": {
    item: () => "sign of life of node n7",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `NODE#${space}#n7` && sk === "SEEN",
    named: [
      "GET zones",
      "GET node with a status",
      "event of the node",
      "event of the end of a node",
      "event of a machine",
      "event of a Lease",
    ],
  },
  "a tombstone of a node": {
    item: () => "tombstone of node n6, uid uid-of-n6",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `NODE#${space}#n6` && sk.startsWith("GONE#"),
    named: ["event of a node that ended"],
  },
  "a machine": {
    item: () => "machine i-n7",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === "MACHINE#i-n7" && sk.startsWith(`${space}#`),
    named: ["event of a machine"],
  },
  "a namespace": {
    item: () => "namespace shop",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `NAMESPACE#${space}` && sk === "shop",
    named: [
      "DELETE space",
      "GET namespaces",
      "GET namespace",
      "assign by labels",
      "PUT namespace",
      "DELETE namespace",
    ],
  },
  "an application": {
    item: () => "application shop/Deployment/web",
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === `APPLICATIONS#${space}` && sk === "shop/Deployment/web",
    named: [
      "DELETE space",
      "GET applications",
      "GET application",
      "PUT application",
      "DELETE application",
    ],
  },
  "a quota slot": {
    item: () => "quota slot 0 (IPv4) of handle few",
    fits:
      (space) =>
      ({ pk }) =>
        pk === `QUOTA#${space}#few`,
    named: ["assign under the limit"],
  },
  // It suggests where an address is. A search by the index names it.
  "an index entry": {
    item: () => "in the index of pod",
    fits:
      (space) =>
      ({ pk }) =>
        pk.startsWith(`INDEX#${space}#pod#`),
    named: ["GET addresses with an attribute"],
  },
  "an allocation": {
    item: () => "allocation",
    fits:
      (space) =>
      ({ pk, handle }) =>
        pk.startsWith(`HANDLE#${space}#`) && handle === "web",
    named: [
      ...SEARCHES,
      "GET address",
      "GET handle",
      "GET block",
      "PATCH address",
      "release the handle",
    ],
  },
  "the allocation of a request with a key": {
    item: () => "allocation",
    fits:
      (space) =>
      ({ pk, handle }) =>
        pk.startsWith(`HANDLE#${space}#`) && handle === "keyed",
    named: [
      "GET handles",
      "GET hosts",
      "GET addresses",
      "GET addresses of a pool",
      "GET addresses of the block",
      "GET addresses of the host",
      "GET block",
      "assign once more under the key",
      "report a conflict of the keyed address",
      "release the keyed address",
      "release the borrower",
      "release the host",
    ],
  },
  "a job": {
    item: ({ job }) => `job ${job}`,
    fits:
      (space) =>
      ({ pk, sk }) =>
        pk === "JOBS" && sk.startsWith(`${space}#`),
    named: ["GET jobs", "GET job", "drain the pool"],
  },
};

let written: Item | undefined;

// A page of orphans has some items of the whole table, so there are no others.
beforeEach(() => table.partitions.clear());

afterEach(() => {
  // The original item returns, so that the check of the invariants sees the results of the other calls.
  if (written) replace(written);
  written = undefined;
});

/** Replaces an item by one of a newer format, and returns that. */
function outdate({ fits }: Case, of: Furnished): Item & { readonly f: number } {
  written = itemWhere(fits(of.plat.space, of));
  const newer = { ...written, f: Number(written.f) + 1 };
  replace(newer);
  return newer;
}

const current = ({ pk, sk }: Item) => table.partitions.get(pk)?.get(sk);

/** In a sample every second one. */
const TRIED = Object.entries(CASES).filter((_, at) => at % oneIn(2) === 0);

describe.each(TRIED)("%s of a newer format", (_, wanted) => {
  it("is rejected by its name by whatever needs it, and left as it is; all else is served", async () => {
    const of = await furnished();
    const newer = outdate(wanted, of);
    const named: string[] = [];
    for (const [name, act] of Object.entries(CALLS)) {
      startAnew();
      const { status, body } = await act(of);
      expect(status, name).toBeLessThan(500);
      if (body.code === "unreadable")
        expect(body, name).toMatchObject({ status: 409, format: newer.f, reads: newer.f - 1 });
      const text = JSON.stringify(body);
      if (!text.includes(`has format ${newer.f}, and this version reads format ${newer.f - 1}`))
        continue;
      expect(text, name).toContain(wanted.item(of));
      named.push(name);
    }
    expect(named.sort()).toEqual([...wanted.named].sort());
    expect(current(newer)).toBe(newer);
  });

  it("is named by the contents of the space, and by the scheduled runs, which go on past it", async () => {
    const of = await furnished();
    const newer = outdate(wanted, of);
    startAnew();
    const { body } = await of.plat.get("/v1/contents");
    const unreadable = [
      { key: `${newer.pk} ${newer.sk}`, reason: expect.stringContaining(`format ${newer.f}`) },
    ];
    // A machine belongs to no single space, so no listing of one has it.
    const isListed = !newer.pk.startsWith("MACHINE#");
    expect(body.contents.unreadable).toEqual(isListed ? unreadable : []);
    // Without its notes the repair run does not know the size of the table, so it walks over all of it.
    table.partitions.delete("SWEEP");
    const failures = [
      ...(await reclaimAll(context)).failures,
      ...(await repairAll(context)).failures,
      ...(await runJobs(context)).failures,
    ];
    expect(failures.map(String).join()).toContain(wanted.item(of));
    for (const failure of failures) expect(failure).toBeInstanceOf(Error);
    expect(current(newer)).toBe(newer);
  });
});

it("what a newer repair run noted of its walk is kept, named, and the walk begins at the beginning", async () => {
  await furnished();
  const noted = { pk: "SWEEP", sk: "3", itemsBefore: 0, f: 2 };
  table.partitions.set("SWEEP", new Map([["3", noted]]));
  startAnew();
  const { swept, failures } = await repairAll(context);
  expect(swept).toBe(true);
  expect(failures.map(String)).toContainEqual(
    expect.stringContaining("progress of the repair run in shard 3"),
  );
  expect(current(noted)).toBe(noted);
  table.partitions.delete("SWEEP");
});

it("what does not say of what format it is, is rejected as well: nobody guesses", async () => {
  const of = await furnished();
  const { f, ...bare } = itemWhere((CASES["a pool"] as Case).fits(of.plat.space, of));
  written = { ...bare, f } as Item;
  replace(bare as Item);
  startAnew();
  expect(await of.plat.get("/v1/pools/main")).toMatchObject({
    status: 409,
    body: { code: "unreadable", item: "pool main", reads: f, detail: /has no format/ },
  });
});

it("a pool that cannot be read keeps its range, its name and its blocks", async () => {
  const of = await furnished();
  outdate(CASES["a pool"] as Case, of);
  startAnew();
  const over = await of.plat.put("/v1/pools/over", { cidr: "10.0.0.0/16" });
  expect(over).toMatchObject({ status: 409, body: { code: "pool_overlap" } });
  const blocks = () => table.items().filter(({ pk }) => pk.startsWith(`BLOCK#${of.plat.space}#`));
  const before = blocks().length;
  for (let round = 0; round < 3; round++) {
    await reclaimAll(context);
    await repairAll(context);
  }
  expect(blocks()).toHaveLength(before);
});

describe("a space whose items say that the keys of the table are of another format", () => {
  /** Calls that name a generation, key or handle. They find its item under the known keys, or find nothing. */
  const PROVEN = /^(release|PATCH|GET handle|GET prefixes of the handle|assign once more)/;
  /** Calls that begin with the register or with items of several spaces. They read the format of the keys from the table. */
  const ASKS_THE_TABLE = /spaces|orphans|node|zones|event|namespace|application|affinities|jobs?$/;

  /** Calls that read the history alone, which is a table of its own. */
  const ASKS_THE_HISTORY = /^GET (history of the handle|events)$/;

  it("is rejected as a whole, and nothing is written", async () => {
    const of = await furnished();
    const items = table.items().filter(({ pk }) => pk === `SPACE#${of.plat.space}`);
    for (const item of items) replace({ ...item, k: 3 });
    const before = table.items();
    for (const [name, act] of Object.entries(CALLS)) {
      if ([PROVEN, ASKS_THE_TABLE, ASKS_THE_HISTORY].some((calls) => calls.test(name))) continue;
      startAnew();
      const { body } = await act(of);
      expect(body, name).toMatchObject({ code: "unreadable", format: 3, reads: 2 });
      expect(body.detail, name).toContain("of the keys of its table");
    }
    expect(table.items()).toEqual(before);
    for (const item of items) replace(item);
  });

  it("is not told that an address is not assigned, where none is found under the keys that are known", async () => {
    const of = await furnished();
    const kept = table.items().filter(({ pk }) => pk.startsWith(`BLOCK#${of.plat.space}#`));
    const items = table.items().filter(({ pk }) => pk === `SPACE#${of.plat.space}`);
    for (const item of items) replace({ ...item, k: 3 });
    for (const { pk } of kept) table.partitions.delete(pk);
    startAnew();
    const { address, generation } = of;
    const { body } = await of.plat.release({ addresses: [{ address, generation }] });
    expect(body.results).toMatchObject([{ status: "conflict", code: "unreadable" }]);
    for (const item of items) replace(item);
    for (const item of kept)
      table.partitions.set(
        item.pk,
        (table.partitions.get(item.pk) ?? new Map()).set(item.sk, item),
      );
  });
});
