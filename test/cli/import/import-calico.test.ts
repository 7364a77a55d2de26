import { describe, expect, it } from "vitest";
import { checkTable } from "../../../src/nouns/contents/operations/check-table.ts";
import {
  CalicoBlock,
  dumpOf,
  listText,
  pool,
  type Resource,
  resource,
  WINDOWS,
} from "../cluster.ts";
import { normalised } from "../normalised.ts";
import { DRY_RUN, terminal } from "../terminal.ts";

const { call, plat, platWith, server } = terminal();

const POOL = pool("main", { blockSize: 28, cidr: "10.0.0.0/24" });
const pod = (name: string, node = "node-1") => ({
  handle_id: `k8s.${name}`,
  secondary: { namespace: "shop", node, pod: name },
});

/** Makes a block of node-1, by default 10.0.0.0/28, with these addresses at its start. */
function block(
  attributes: readonly Parameters<CalicoBlock["take"]>[0][],
  cidr = "10.0.0.0/28",
  affinity: string | undefined = "host:node-1",
) {
  const one = new CalicoBlock(cidr, affinity);
  for (const attribute of attributes) one.take(attribute);
  return one;
}

const importing = (dump: readonly object[], ...args: readonly string[]) =>
  platWith({ stdin: listText(dump) }, "import", "calico", "-f", "-", ...args);

const imported = async (dump: readonly object[]) => {
  const ended = await importing(dump, "-o", "json");
  expect(ended.err).not.toContain("plat:");
  expect(ended.exit).toBe(0);
  return { ...JSON.parse(ended.out), err: ended.err };
};

const exported = async (): Promise<Resource[]> =>
  JSON.parse((await plat("export", "calico", "-o", "json")).out).items;

const get = async (path: string) => (await call("GET", path)).body;
const put = (path: string, body: object) => call("PUT", path, body);

/** Checks that the import wrote nothing and printed the reasons. */
async function refused(dump: readonly object[], ...reasons: readonly string[]) {
  const before = await checkTable(server().context);
  const ended = await importing(dump);
  expect(ended.exit).toBe(1);
  expect(ended.err).toContain("nothing was written");
  for (const reason of reasons) expect(ended.err).toContain(reason);
  expect(await checkTable(server().context)).toEqual(before);
  return ended;
}

describe("plat import calico takes over", () => {
  it("addresses exactly: at their place, with host, handle and attributes", async () => {
    await imported(dumpOf([POOL], [block([pod("a"), pod("b", "node-2")])]));
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({
      state: "assigned",
      handle: "k8s.a",
      host: "node-1",
      borrowed: false,
      attributes: { namespace: "shop", node: "node-1", pod: "a" },
      block: "10.0.0.0/28",
    });
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ host: "node-2", borrowed: true });
    expect(await get("/v1/nodes/node-1/affinities")).toMatchObject({
      affinities: [{ cidr: "10.0.0.0/28", state: "confirmed", borrowed: false }],
    });
  });

  it("tells what it did, by kind, and a second time that all of it is there", async () => {
    const dump = dumpOf([POOL], [block([pod("a"), pod("b")])]);
    const first = await importing(dump);
    expect(first.out).toMatch(/pools +1 +0 +0 +0/);
    expect(first.out).toMatch(/blocks +1 +0 +0 +0/);
    expect(first.out).toMatch(/addresses +2 +0 +0 +0/);
    const before = await checkTable(server().context);
    const second = await importing(dump);
    expect(second.exit).toBe(0);
    expect(second.err).toContain("everything exists already");
    expect(second.out).toMatch(/addresses +0 +0 +2 +0/);
    expect(await checkTable(server().context)).toEqual(before);
  });

  it("nothing in a dry run, which lists every step", async () => {
    const dump = dumpOf([POOL], [block([pod("a")])]);
    const before = await checkTable(server().context);
    const { exit, out, err } = await importing(dump, "--dry-run", "-o", "json");
    expect(exit).toBe(0);
    expect(err).toBe(DRY_RUN);
    expect(JSON.parse(out)).toMatchObject({
      dryRun: true,
      counts: { pools: { create: 1 }, blocks: { create: 1 }, addresses: { create: 1 } },
      conflicts: [],
      steps: {
        pools: [{ name: "main", verb: "create" }],
        claims: [{ cidr: "10.0.0.0/28", host: "host:node-1" }],
        assigns: [{ address: "10.0.0.0", handle: "k8s.a", host: "host:node-1" }],
      },
    });
    expect(await checkTable(server().context)).toEqual(before);
    expect(await get("/v1/pools")).toEqual({ pools: [] });
  });

  it("a block without an owner, with what is in it", async () => {
    const orphan = block([pod("a"), pod("b", "node-2")], "10.0.0.16/28", "");
    const dump = dumpOf([POOL], [new CalicoBlock("10.0.0.0/28", "host:node-1"), orphan]);
    delete dump.find(({ metadata }) => metadata.name === "10-0-0-16-28")?.spec.affinity;
    await imported(dump);
    const { host, addresses } = await get("/v1/blocks/10.0.0.16/28");
    expect(host).toBeUndefined();
    expect(addresses).toMatchObject([{ host: "node-1" }, { host: "node-2" }]);
    expect((await importing(dump)).err).toContain("everything exists already");
    expect((await checkTable(server().context)).violations).toEqual([]);
  });

  it("blocks of virtual owners, apart from hosts of the same name", async () => {
    await imported(
      dumpOf(
        [POOL],
        [
          block(
            [{ handle_id: "lb-1", secondary: { service: "web" } }],
            "10.0.0.0/28",
            "virtual:lb",
          ),
          block([pod("a", "lb")], "10.0.0.16/28", "host:lb"),
        ],
      ),
    );
    expect(await get("/v1/nodes/lb/affinities?affinityType=virtual")).toMatchObject({
      affinities: [{ cidr: "10.0.0.0/28" }],
    });
    expect(await get("/v1/nodes/lb/affinities")).toMatchObject({
      affinities: [{ cidr: "10.0.0.16/28" }],
    });
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({ host: "lb", borrowed: false });
  });

  it("what a Windows host keeps for itself, also in a block where nobody has anything else", async () => {
    const kept = { handle_id: WINDOWS, secondary: { note: "windows host rsvd" } };
    const windows = (cidr: string) => {
      const one = new CalicoBlock(cidr, "host:win-1");
      for (const ordinal of [0, 1, 2, 15]) one.take(kept, ordinal);
      return one;
    };
    const used = windows("10.0.0.0/28");
    used.take(pod("a", "win-1"), 7);
    const dump = dumpOf([POOL], [used, windows("10.0.0.16/28")]);
    await imported(dump);
    const hostReserved = { start: 3, end: 1, handle: WINDOWS, note: "windows host rsvd" };
    for (const cidr of ["10.0.0.0/28", "10.0.0.16/28"])
      expect(await get(`/v1/blocks/${cidr}`)).toMatchObject({
        host: "win-1",
        hostReservation: hostReserved,
      });
    expect(await get("/v1/addresses/10.0.0.7")).toMatchObject({ handle: "k8s.a" });
    expect(await get("/v1/addresses/10.0.0.31")).toMatchObject({ state: "hostReserved" });
    expect(normalised(await exported()).blocks).toEqual(normalised(dump).blocks);
    expect((await importing(dump)).err).toContain("everything exists already");
  });

  it("an empty block of a Windows host again, when it has been given up since", async () => {
    const windows = new CalicoBlock("10.0.0.0/28", "host:win-1");
    for (const ordinal of [0, 1, 2, 15]) windows.take({ handle_id: WINDOWS }, ordinal);
    const dump = dumpOf([POOL], [windows]);
    await call("PUT", "/v1/config", { cooldownSeconds: 0, blockMinAgeSeconds: 0 });
    const unconfigured = dump.filter(({ kind }) => kind !== "IPAMConfig");
    for (let time = 0; time < 2; time++) {
      await imported(unconfigured);
      expect(await get("/v1/blocks/10.0.0.0/28")).toMatchObject({
        host: "win-1",
        hostReservation: { start: 3, end: 1 },
        inUse: 0,
      });
      await call("DELETE", "/v1/nodes/win-1/affinities");
      expect(await get("/v1/blocks/10.0.0.0/28")).toMatchObject({ code: "not_found" });
    }
  });

  it("an address without a handle under one that says so, and gives it back without", async () => {
    const dump = dumpOf([POOL], [block([{ secondary: { node: "node-1" } }, {}])]);
    const { notes } = await imported(dump);
    expect(notes).toContainEqual(expect.stringContaining("2 addresses have no handle"));
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({ handle: "no-handle-10.0.0.0" });
    expect(normalised(await exported())).toMatchObject({
      blocks: normalised(dump).blocks,
      handles: {},
    });
  });

  it("a handle of old data as far as its line end, also where handles are counted", async () => {
    const old = { ...pod("a"), handle_id: "k8s.a\r\nold" };
    const dump = dumpOf([POOL], [block([old, pod("a"), pod("b")])]);
    await imported([
      ...dump.filter(({ kind, spec }) => kind !== "IPAMHandle" || spec.handleID === "k8s.b"),
      resource("IPAMHandle", "k8s.a", { block: { "10.0.0.0/28": 2 }, handleID: "k8s.a" }),
    ]);
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({ handle: "k8s.a" });
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ handle: "k8s.a" });
  });

  it("an address of nobody's block that no node has, at a host called unknown", async () => {
    const dump = dumpOf([POOL], [block([{ handle_id: "by-hand" }])]);
    delete dump.find(({ kind }) => kind === "IPAMBlock")?.spec.affinity;
    await imported(dump.filter(({ kind }) => kind !== "BlockAffinity"));
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({ host: "unknown" });
  });

  it("the owner that is about to have an address, under either name that Calico gave it", async () => {
    const alternate = { namespace: "shop", node: "node-2", pod: "b" };
    const dump = dumpOf([POOL], [block([{ ...pod("a"), alternateOwnerAttrs: alternate }])]);
    await imported(dump);
    const owner = { active: { namespace: "shop", node: "node-1", pod: "a" }, alternate };
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({ owner });
    const old = JSON.parse(JSON.stringify(dump).replaceAll("alternateOwnerAttrs", "alternate"));
    expect((await importing(old)).err).toContain("everything exists already");
  });

  it("no address that cools: it is free, and that is told", async () => {
    const cooling = { ...pod("gone"), releasedAt: "2026-01-01T00:00:00Z" };
    const { notes } = await imported(dumpOf([POOL], [block([pod("a"), cooling])]));
    expect(notes).toContainEqual(expect.stringContaining("1 address that cools is free in Plat."));
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ state: "free" });
  });

  it("nodes, namespaces and reservations, where the dump has them", async () => {
    const labelled = (kind: string, name: string, labels: object) => ({
      apiVersion: "v1",
      kind,
      metadata: { name, labels },
    });
    const { notes } = await imported([
      POOL,
      resource("IPReservation", "kept", {
        reservedCIDRs: ["10.0.0.9/30", "10.0.0.1", "::ffff:10.0.0.128/121", "nonsense"],
      }),
      labelled("Node", "node-1", { zone: "west" }),
      labelled("Namespace", "shop", { team: "a" }),
      labelled("ConfigMap", "other", {}),
    ]);
    expect(await get("/v1/reservations/kept")).toMatchObject({
      cidrs: ["10.0.0.8/30", "10.0.0.1", "10.0.0.128/25"],
    });
    expect(await get("/v1/nodes/node-1")).toMatchObject({ labels: { zone: "west" } });
    expect(await get("/v1/namespaces/shop")).toMatchObject({ labels: { team: "a" } });
    expect(notes).toEqual([
      "1 of kind ConfigMap: not imported.",
      'reservation kept: "nonsense" is neither a CIDR nor an address: left out.',
    ]);
  });

  it("labels of a namespace, which keeps its default pools", async () => {
    await put("/v1/namespaces/shop", { labels: { team: "a" }, defaultPools: ["main"] });
    const labels = { team: "b" };
    await imported([
      POOL,
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } },
    ]);
    expect(await get("/v1/namespaces/shop")).toEqual({
      name: "shop",
      labels,
      defaultPools: ["main"],
    });
  });

  it("reservations, and warns of those that cover what it has imported", async () => {
    const dump = [
      ...dumpOf([POOL], [block([pod("a"), pod("b")])]),
      resource("IPReservation", "kept", { reservedCIDRs: ["10.0.0.0/24"] }),
    ];
    const ended = await importing(dump);
    expect(ended).toMatchObject({
      exit: 0,
      err: expect.stringContaining(
        "Warning: Reservation kept covers 2 assigned addresses of pool main (10.0.0.0/24), and leaves 0 of its 256 addresses for automatic assignment.",
      ),
    });
  });

  it("into pools that are disabled, that serve by name only, or that select nobody there", async () => {
    const pools = [
      pool("off", { blockSize: 28, cidr: "10.0.0.0/28", disabled: true }),
      pool("manual", { blockSize: 28, cidr: "10.0.0.16/28", assignmentMode: "Manual" }),
      pool("west", { blockSize: 28, cidr: "10.0.0.32/28", nodeSelector: 'zone == "west"' }),
      pool("lb", { blockSize: 28, cidr: "10.0.0.48/28", allowedUses: ["LoadBalancer"] }),
    ];
    const blocks = pools.map(({ spec }) => block([pod("a")], String(spec.cidr)));
    const dump = dumpOf(pools, blocks);
    await imported(dump);
    expect(normalised(await exported())).toMatchObject({
      pools: normalised(dump).pools,
      blocks: normalised(dump).blocks,
    });
    // Another address is imported into the pool, which is disabled now and stays so.
    blocks[0]?.take(pod("later"));
    await imported(dumpOf(pools, blocks));
    expect(await get("/v1/pools/off")).toMatchObject({ disabled: true });
    expect(await get("/v1/addresses/10.0.0.1")).toMatchObject({ handle: "k8s.later" });
  });

  it("borrowed addresses and more blocks than the cap of a cluster that is strict by now", async () => {
    const config = { autoAllocateBlocks: false, maxBlocksPerHost: 1, strictAffinity: true };
    const blocks = [
      block([pod("a"), pod("b", "node-2")]),
      block([pod("c", "node-1")], "10.0.0.16/28"),
      block([], "10.0.0.32/28"),
    ];
    const dump = dumpOf([POOL], blocks, config);
    await imported(dump);
    expect(await get("/v1/config")).toMatchObject(config);
    expect(normalised(await exported())).toEqual(normalised(dump));
    // The limits apply now, and the import still adds new blocks and addresses.
    blocks[1]?.take(pod("d", "node-3"));
    blocks.push(block([], "10.0.0.48/28"));
    await imported(dumpOf([POOL], blocks, config));
    expect(await get("/v1/config")).toMatchObject(config);
    expect(normalised(await exported())).toEqual(normalised(dumpOf([POOL], blocks, config)));
  });

  it("a cap on blocks that nobody has set as Calico's twenty, its largest, and one beyond it as none", async () => {
    await imported([resource("IPAMConfig", "default", { maxBlocksPerHost: 0 })]);
    expect(await get("/v1/config")).toMatchObject({ maxBlocksPerHost: 20 });
    expect(await exported()).toContainEqual(
      expect.objectContaining({
        kind: "IPAMConfig",
        spec: expect.objectContaining({ strictAffinity: false, maxBlocksPerHost: 0 }),
      }),
    );
    await imported([resource("IPAMConfig", "default", { maxBlocksPerHost: 1_000_000 })]);
    expect(await get("/v1/config")).toMatchObject({ maxBlocksPerHost: 1_000_000 });
    const { notes } = await imported([
      {
        ...resource("IPAMConfiguration", "default", { maxBlocksPerHost: 1_000_001 }),
        apiVersion: "projectcalico.org/v3",
      },
    ]);
    expect(await get("/v1/config")).toMatchObject({ maxBlocksPerHost: null });
    expect(notes).toContainEqual(expect.stringContaining("becomes none"));
    const [config] = (await exported()).filter(({ kind }) => kind === "IPAMConfig");
    expect(config).toMatchObject({ spec: { maxBlocksPerHost: 1_000_000 } });
    expect((await plat("export", "calico")).err).toContain("no such maxBlocksPerHost as");
  });

  it("into a pool that is a prefix of another pool, and into none that assigns prefixes", async () => {
    await put("/v1/pools/region", { cidr: "10.0.0.0/8", assign: "prefixes", blockSize: 24 });
    await call("POST", "/v1/prefixes", { handle: "cluster", cidr: "10.0.0.0/24" });
    await put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, parent: "region" });
    const { err } = await imported(dumpOf([POOL], [block([pod("a")])]));
    expect(err).not.toContain("overlaps");
    expect(await get("/v1/addresses/10.0.0.0")).toMatchObject({ pool: "main" });
    expect(await get("/v1/pools/main")).toMatchObject({ parent: "region" });
    const region = pool("region", { blockSize: 24, cidr: "10.0.0.0/8" });
    await refused(
      dumpOf([region], [block([pod("b")], "10.9.0.0/24")]),
      "pool region assigns prefixes in Plat, and would have to assign addresses",
    );
  });

  it("what Plat alone knows of a pool and of the configuration stays", async () => {
    const known = {
      cooldownSeconds: 7,
      ranges: ["10.0.0.8-10.0.0.20"],
      excludes: ["10.0.0.9"],
      gateway: "10.0.0.1",
      routes: [{ dst: "10.8.0.0/16", gw: "10.0.0.1" }],
      nodeNames: ["n1"],
    };
    await put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, ...known });
    await put("/v1/config", { allowBareRelease: true });
    await imported(
      dumpOf([pool("main", { blockSize: 28, cidr: "10.0.0.0/24", assignmentMode: "Manual" })], []),
    );
    expect(await get("/v1/pools/main")).toMatchObject({
      ...known,
      assignmentMode: "Manual",
    });
    expect(await get("/v1/config")).toMatchObject({ allowBareRelease: true });
  });

  it("everything anew, where all of it was released since, and with what it says by now", async () => {
    const windows = new CalicoBlock("10.0.0.16/28", "host:win-1");
    for (const ordinal of [0, 1, 2, 15]) windows.take({ handle_id: WINDOWS }, ordinal);
    windows.take(pod("w", "win-1"));
    const config = { autoAllocateBlocks: true, ipCooldownSeconds: 0, strictAffinity: true };
    const dump = (vm: string) => {
      const first = { ...pod("a"), secondary: { node: "node-1", vm } };
      return dumpOf([POOL], [block([first, pod("b", "node-2")]), windows], config);
    };
    for (const vm of ["on", "on", "off"]) {
      const { counts } = await imported(dump(vm));
      expect(counts.addresses).toMatchObject({ create: 3 });
      expect(normalised(await exported())).toMatchObject({ blocks: normalised(dump(vm)).blocks });
      expect(await get("/v1/config")).toMatchObject({ strictAffinity: true });
      for (const handle of ["k8s.a", "k8s.b", "k8s.w"])
        await call("POST", "/v1/release", { handle });
    }
    expect((await checkTable(server().context)).violations).toEqual([]);
  });
});

describe("plat import calico waits", () => {
  const waits = async (dump: readonly object[]) => {
    const slept: number[] = [];
    const sleep = async (ms: number) => void slept.push(ms);
    const stdin = listText(dump);
    expect((await platWith({ stdin, sleep }, "import", "calico", "-f", "-")).exit).toBe(0);
    return slept;
  };

  it("until every function knows the pools, before anything is put into them", async () => {
    const [ms, ...more] = await waits(dumpOf([POOL], [block([pod("a")])]));
    expect(more).toEqual([]);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(60_000);
  });

  it("for nothing where nothing is put into them, or all of them serve already", async () => {
    expect(await waits(dumpOf([POOL], []))).toEqual([]);
    expect(await waits(dumpOf([POOL], [block([pod("a")])]))).toEqual([]);
  });
});

describe("plat import calico rejects as a whole", () => {
  const dump = () => dumpOf([POOL], [block([pod("a"), pod("b")])]);

  it("an address that another handle has, and another host's, and with other attributes", async () => {
    await imported(dump());
    const others = [pod("x"), { ...pod("b"), secondary: { node: "node-1" } }];
    await refused(
      dumpOf([POOL], [block(others)]),
      "address 10.0.0.0 (block 10.0.0.0/28, ordinal 0) is assigned to handle k8s.a in Plat, not to k8s.x",
      "address 10.0.0.1 (block 10.0.0.0/28, ordinal 1) has other attributes in Plat",
      "2 conflicts",
    );
    await refused(
      dumpOf([POOL], [block([pod("a", "node-2"), pod("b")])]),
      "is at host node-1 in Plat, not at node-2",
    );
  });

  it("an address that cools in Plat", async () => {
    await imported(dump());
    await call("POST", "/v1/release", { handle: "k8s.a" });
    await refused(
      dump(),
      "address 10.0.0.0 (block 10.0.0.0/28, ordinal 0) was released in Plat, and cools until 2",
    );
  });

  it("a block that is another host's, or keeps what it is not to keep", async () => {
    await imported(dump());
    await refused(
      dumpOf([POOL], [block([], "10.0.0.0/28", "host:node-9")]),
      "block 10.0.0.0/28 belongs to host:node-1 in Plat, and to host:node-9",
    );
    const windows = new CalicoBlock("10.0.0.0/28", "host:node-1");
    for (const ordinal of [0, 15]) windows.take({ handle_id: WINDOWS }, ordinal);
    await refused(dumpOf([POOL], [windows]), "without its host-reserved addresses");
  });

  it("a pool that overlaps another, or stands with another range or block size", async () => {
    await put("/v1/pools/old", { cidr: "10.0.0.0/16" });
    await refused([POOL], "pool main (10.0.0.0/24) overlaps pool old (10.0.0.0/16) of Plat");
    await refused([pool("old", { cidr: "10.9.0.0/16" })], "a pool keeps its range");
    await refused(
      [pool("old", { cidr: "10.0.0.0/16", blockSize: 27 })],
      "a pool keeps its block size",
    );
    await refused(
      [pool("a", { cidr: "10.1.0.0/16" }), pool("b", { cidr: "10.1.2.0/24" })],
      "pool a (10.1.0.0/16) overlaps pool b (10.1.2.0/24)",
    );
  });

  it("a pool that the API would reject, in its words", async () => {
    await refused(
      [pool("a", { cidr: "10.1.0.0/16", nodeSelector: "zone = west" })],
      "pool a is rejected: invalid_request: nodeSelector",
    );
  });

  it("a block outside of every pool, and one of another size than its pool has", async () => {
    await refused(dumpOf([], [block([pod("a")])]), "block 10.0.0.0/28 is in no pool");
    await refused(
      dumpOf([POOL], [block([pod("a")], "10.0.0.0/27")]),
      "block 10.0.0.0/27 is no block of pool main, which has blocks of /28",
    );
  });

  it("a block of a host in a pool with ranges, whose blocks have no host", async () => {
    await put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, ranges: ["10.0.0.0/24"] });
    await refused(
      dumpOf([POOL], [block([pod("a")])]),
      "block 10.0.0.0/28 is in pool main with ranges, whose blocks have no host, and belongs to host:node-1",
    );
  });

  it("a pool of Plat that is disabled, or forbids what is to come", async () => {
    await put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, disabled: true });
    const [, ...rest] = dumpOf([POOL], [block([pod("a")])]);
    await refused(rest, "pool main is disabled in Plat");
    await put("/v1/pools/lone", { cidr: "10.1.0.0/24", blockSize: 28, borrowing: "forbidden" });
    const [, ...lone] = dumpOf([], [block([pod("a", "node-2")], "10.1.0.0/28")]);
    await refused(lone, "pool lone forbids borrowing");
  });

  it("a pool that does not serve the caller, also if the dump has it", async () => {
    // A server without callers calls everybody local, and serves nobody by this name.
    const principals = ["local"];
    await put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28, principals });
    await refused(
      dumpOf([POOL], [block([pod("a")])]),
      "pool main does not serve a request without a principal (principals local) in Plat, but the import would assign addresses in it",
    );
  });

  it("what strict affinity, the cap on blocks or registration keep out, where nothing says what they are to be", async () => {
    await put("/v1/config", {
      strictAffinity: true,
      maxBlocksPerHost: 1,
      requireRegisteredHosts: true,
    });
    const all = dumpOf([POOL], [block([pod("a", "node-2")]), block([], "10.0.0.16/28")]);
    await refused(
      all.filter(({ kind }) => kind !== "IPAMConfig"),
      "configuration strictAffinity is on in Plat, and 1 address is in a block that is not its host's;",
      "configuration maxBlocksPerHost is 1 in Plat, and host:node-1 has 2",
      "host node-2 is not registered",
    );
  });

  it("a handle that counts otherwise than the blocks say, or that nothing counts", async () => {
    const changed = (change: (handle: Resource) => Resource[]) =>
      dump().flatMap((one) => (one.kind === "IPAMHandle" ? change(one) : [one]));
    await refused(
      changed((one) => [{ ...one, spec: { ...one.spec, block: { "10.0.0.0/28": 3 } } }]),
      "handle k8s.a counts 3 addresses in block 10.0.0.0/28, which has 1 of it",
    );
    await refused(
      changed((one) => (one.spec.handleID === "k8s.a" ? [] : [one])),
      "handle k8s.a has no IPAMHandle, and 1 address in block 10.0.0.0/28",
    );
    // Without handles, only the blocks count.
    await imported(changed(() => []));
  });

  it("an affinity that says otherwise than its block, or is missing", async () => {
    const changed = (spec: object) =>
      dump().map((one) =>
        one.kind === "BlockAffinity" ? { ...one, spec: { ...one.spec, ...spec } } : one,
      );
    await refused(
      changed({ node: "node-9" }),
      "affinity 10.0.0.0/28 is confirmed for host:node-9, but the block belongs to host:node-1",
      "affinity 10.0.0.0/28 is missing, though the block belongs to host:node-1",
    );
    // A claim in progress; the block shows its result.
    const { notes } = await imported([
      ...changed({ state: "pending" }),
      resource("BlockAffinity", "stale", {
        cidr: "10.0.0.64/28",
        node: "node-1",
        state: "confirmed",
      }),
    ]);
    expect(notes).toContainEqual(expect.stringContaining("1 affinity has no block"));
  });

  it("a block whose ordinals contradict themselves", async () => {
    const with_ = (spec: object) =>
      dump().map((one) =>
        one.kind === "IPAMBlock" ? { ...one, spec: { ...one.spec, ...spec } } : one,
      );
    const free = (n: number) => new Array(n).fill(null);
    for (const [spec, reason] of [
      [{ allocations: [0, 1] }, "has 16 addresses, and 2 allocations"],
      [{ allocations: [9, ...free(15)] }, "has attribute 9 at ordinal 0, and only 2 attributes"],
      [{ unallocated: [2, 2] }, "has an ordinal twice among the unallocated"],
      [{ unallocated: [16] }, "has ordinal 16 among the unallocated, beyond its end"],
      [{ unallocated: [0] }, "has ordinal 0 both allocated and unallocated"],
      [{ unallocated: [2, 3] }, "has ordinal 4 neither allocated nor unallocated"],
    ] as const)
      await refused(with_(spec), `block 10.0.0.0/28 ${reason}`);
  });

  it("two blocks that overlap, and one that is there twice in other words", async () => {
    await refused(
      dumpOf(
        [POOL],
        [block([pod("a")], "10.0.0.0/26"), block([pod("b")]), block([pod("c")], "10.0.0.16/28")],
      ),
      "block 10.0.0.0/28 overlaps block 10.0.0.0/26",
      "block 10.0.0.16/28 overlaps block 10.0.0.0/26",
    );
    const twice = dumpOf([POOL], [block([pod("a")]), block([pod("b")])]);
    await refused(twice, "10.0.0.0/28 occurs twice as IPAMBlock, with different contents");
    await imported([...dump(), ...dump()]);
  });

  it("a handle, a host, attributes or labels that Plat would not take", async () => {
    const long = {
      handle_id: "x".repeat(254),
      secondary: { node: "a/b", note: "y".repeat(1_025) },
    };
    await refused(
      dumpOf([POOL], [block([long])]),
      "has a handle that Plat does not take",
      "has a host that Plat does not take",
      "has attributes that Plat does not take",
    );
    await refused(
      [{ apiVersion: "v1", kind: "Node", metadata: { name: "n", labels: { "not a label": "" } } }],
      "labels nodes/n has labels that Plat does not take",
    );
    await refused(
      [
        { apiVersion: "v1", kind: "Node", metadata: { name: "n?1" } },
        { ...POOL, metadata: { name: "web#1" } },
        {
          apiVersion: "projectcalico.org/v3",
          kind: "IPReservation",
          metadata: { name: "100%41" },
          spec: { reservedCIDRs: ["10.0.0.0/30"] },
        },
      ],
      "labels nodes/n?1 has a name that Plat does not take: must not contain ?, % or #",
      "pool web#1 has a name that Plat does not take",
      "reservation 100%41 has a name that Plat does not take",
    );
  });
});
