import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { userByAttributes } from "../../../src/cli/show/borrowed.ts";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const shell = terminal();
const { plat, call } = shell;
const pool = spaceWithPool(shell);

const assign = (host: string, address: string, handle: string, ...attributes: readonly string[]) =>
  plat(
    ...["assign", "--host", host, "--address", address, "--handle", handle],
    ...attributes.flatMap((attribute) => ["--attribute", attribute]),
  );

const FORBIDDEN = {
  ...{ type: "urn:plat:problem:forbidden", title: "The caller lacks a role", status: 403 },
  ...{ detail: "This request requires the role reader in every space.", code: "forbidden" },
  ...{ retryable: false, requestId: "id", role: "reader" },
};

const NONE = { inUse: 0, hostReserved: 0, reserved: 0, cooling: 0 };

describe("plat show", () => {
  it("shows each pool with its counts and their shares", async () => {
    await pool();
    await pool("small", { cidr: "10.1.0.0/28", blockSize: 28, cooldownSeconds: 600 });
    await call("PUT", "/v1/reservations/some", { cidrs: ["10.1.0.4/30"] });
    await assign("n1", "10.1.0.0", "a");
    await assign("n1", "10.1.0.1", "b");
    await plat("release", "--handle", "b");
    expect(await plat("show")).toEqual({
      exit: 0,
      out: [
        "KIND   POOL    CIDR          TOTAL   IN USE   FREE",
        "pool   main    10.0.0.0/24   256     0 (0%)   256 (100%)",
        "pool   small   10.1.0.0/28   16      1 (6%)   10 (63%)",
        "",
      ].join("\n"),
      err: "",
    });
    const wide = (await plat("show", "-o", "wide")).out
      .split("\n")
      .map((row) => row.split(/ {2,}/));
    expect([wide[0]?.slice(5, 8), wide[2]?.slice(5, 8)]).toEqual([
      ["HOST-RESERVED", "RESERVED", "COOLING"],
      ["0 (0%)", "4 (25%)", "1 (6%)"],
    ]);
  });

  it("shows which pools serve nobody, and why, where there are any", async () => {
    await pool();
    await pool("gone", { cidr: "10.1.0.0/24", blockSize: 28 });
    await pool("off", { cidr: "10.2.0.0/24", blockSize: 28, disabled: true });
    await plat("pool", "delete", "gone", "--yes");
    const rows = [
      "KIND   POOL   CIDR          TOTAL   IN USE   FREE         STATE",
      "pool   gone   10.1.0.0/24   256     0 (0%)   256 (100%)   deleting",
      "pool   main   10.0.0.0/24   256     0 (0%)   256 (100%)   <none>",
      "pool   off    10.2.0.0/24   256     0 (0%)   256 (100%)   disabled",
      "",
    ];
    expect((await plat("show")).out).toBe(rows.join("\n"));
    expect((await plat("show", "--show-blocks")).out).toBe(rows.join("\n"));
    const { pools } = JSON.parse((await plat("show", "-o", "json")).out);
    expect(pools).toMatchObject([
      { pool: "gone", state: "deleting", disabled: false },
      { pool: "main", disabled: false },
      { pool: "off", disabled: true },
    ]);
    expect(pools[1]).not.toHaveProperty("state");
  });

  it("tells large counts as powers of two, and to programs exactly", async () => {
    await pool("six", { cidr: "fd00::/20" });
    await assign("n1", "fd00::7", "a");
    const { out } = await plat("show", "-o", "wide");
    expect(out.split("\n")[1]?.split(/ {2,}/)).toEqual([
      ...["pool", "six", "fd00::/20", "2^108", "1 (0%)"],
      ...["0 (0%)", "0 (0%)", "0 (0%)", "2^108-1", "addresses", "<none>"],
    ]);
    const json = JSON.parse((await plat("show", "-o", "json")).out);
    expect(json.pools[0].capacity).toBe("324518553658426726783156020576256");
    const yaml = parse((await plat("show", "-o", "yaml")).out);
    expect(yaml).toEqual(json);
  });

  it("searches for blocks of no pool with --show-blocks only: the search walks through the table", async () => {
    await pool();
    const asked: string[] = [];
    const url = await wayTo(shell.server().url, async ({ route }) => {
      if (route === "GET /v1/orphans") asked.push(route);
      return undefined;
    });
    for (const flags of [[], ["--show-blocks"]])
      expect(await plat("show", "--endpoint", url, ...flags)).toMatchObject({ exit: 0 });
    expect(asked).toHaveLength(1);
  });
});

describe("plat show --show-blocks", () => {
  it("has the blocks of each pool beneath it, and adds up", async () => {
    await pool("a", { cidr: "10.0.0.0/24", blockSize: 28 });
    await pool("b", { cidr: "10.1.0.0/28", blockSize: 28 });
    await assign("n1", "10.0.0.17", "x");
    await assign("n2", "10.0.0.1", "y");
    await assign("n2", "10.0.0.2", "y");
    await assign("n2", "10.1.0.1", "y");
    const { out } = await plat("show", "--show-blocks");
    const rows = out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/).slice(0, 5));
    expect(rows.slice(1)).toEqual([
      ["pool", "a", "10.0.0.0/24", "256", "3 (1%)"],
      ["block", "a", "10.0.0.0/28", "16", "2 (13%)"],
      ["block", "a", "10.0.0.16/28", "16", "1 (6%)"],
      ["pool", "b", "10.1.0.0/28", "16", "1 (6%)"],
      ["block", "b", "10.1.0.0/28", "16", "1 (6%)"],
    ]);
    const { pools } = JSON.parse((await plat("show", "--show-blocks", "-o", "json")).out);
    expect(pools[0]).toMatchObject({
      pool: "a",
      inUse: 3,
      blocks: [{ cidr: "10.0.0.0/28" }, { cidr: "10.0.0.16/28" }],
    });
  });

  it("names the host of each block, and its affinity, in -o wide and in JSON", async () => {
    await pool("a", { cidr: "10.0.0.0/24", blockSize: 28 });
    await assign("n1", "10.0.0.17", "x");
    await assign("n2", "10.0.0.1", "y");
    await plat("affinity", "release", "10.0.0.0/28", "--host", "n2", "--yes");
    const { out } = await plat("show", "--show-blocks", "-o", "wide");
    const [head = "", ...rows] = out.trim().split("\n");
    expect(head).toMatch(/ HOST +AFFINITY$/);
    expect(rows.filter((row) => /\bn1\b/.test(row))).toEqual([
      expect.stringMatching(/^block +a +10\.0\.0\.16\/28 .* n1 +host$/),
    ]);
    const { pools } = JSON.parse((await plat("show", "--show-blocks", "-o", "json")).out);
    const [unowned, owned] = pools[0].blocks;
    expect(owned).toMatchObject({ cidr: "10.0.0.16/28", host: "n1", affinityType: "host" });
    expect(unowned).not.toHaveProperty("host");
    expect((await plat("show", "--show-blocks")).out).not.toContain("HOST");
  });

  it("takes the sums of a pool from the last page, its blocks from all, and blocks of no pool last", async () => {
    const block = (cidr: string) => ({ cidr, capacity: 16, ...NONE, available: 16 });
    const a = { ...block("10.0.0.0/24"), pool: "a", outsideBlocks: {} };
    const unread = { item: "block 10.8.0.0", reason: "the item of block 10.8.0.0 has format 2" };
    const orphan = { ...block("10.9.0.0/28"), pool: "gone", claimedAt: "2026-03-01T09:00:00.000Z" };
    const [ours, others] = [shell.space(), "red"].map((space) => ({
      orphans: [{ space, ...orphan }],
      unreadable: [{ space, ...unread }],
    }));
    const url = await wayTo(shell.server().url, async ({ route, query }) => {
      const isLast = query.has("cursor");
      if (route === "GET /v1/utilization") return { pools: [a], complete: true };
      if (route === "GET /v1/pools") return { pools: [] };
      if (route === "GET /v1/orphans")
        return isLast ? { ...ours, complete: true } : { ...others, complete: false, next: "more" };
      return isLast
        ? { ...a, capacity: 256, inUse: 2, blocks: [block("10.0.0.16/28")], complete: true }
        : { ...a, inUse: 1, blocks: [block("10.0.0.0/28")], complete: false, next: "more" };
    });
    const { out, err } = await plat("show", "--show-blocks", "--endpoint", url, "-o", "wide");
    expect(err).toContain("Note: blocks that cannot be read, and may belong to no pool: 1.");
    const rows = out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/).slice(0, 5));
    expect(rows.slice(1)).toEqual([
      ["pool", "a", "10.0.0.0/24", "256", "2 (1%)"],
      ["block", "a", "10.0.0.0/28", "16", "0 (0%)"],
      ["block", "a", "10.0.0.16/28", "16", "0 (0%)"],
      ["block", "<none>", "10.9.0.0/28", "16", "0 (0%)"],
    ]);
  });

  it("says that blocks of no pool are left out for a caller without a role in every space", async () => {
    await pool();
    const url = await wayTo(shell.server().url, async ({ route }) =>
      route === "GET /v1/orphans" ? FORBIDDEN : undefined,
    );
    const { exit, out, err } = await plat("show", "--show-blocks", "--endpoint", url);
    expect({ exit, rows: out.trim().split("\n").length }).toEqual({ exit: 0, rows: 2 });
    expect(err).toContain("Note: blocks of no pool are not shown");
  });
});

describe("plat show --show-borrowed", () => {
  it("shows what hosts have in blocks of others, and in blocks of nobody, and who has it", async () => {
    await pool();
    await assign("n1", "10.0.0.1", "own");
    await assign("n2", "10.0.0.2", "web", "pod=web-0", "namespace=shop", "node=n2");
    await assign("n3", "10.0.0.17", "tunnel", "type=vxlanTunnelAddress");
    await plat("affinity", "release", "--host", "n3", "--all");
    expect(await plat("show", "--show-borrowed")).toEqual({
      exit: 0,
      out: [
        "IP          BORROWING-NODE   BLOCK OWNER   TYPE                 ALLOCATED-TO",
        "10.0.0.2    n2               n1            pod                  shop/web-0",
        "10.0.0.17   n3               <none>        vxlanTunnelAddress   <none>",
        "",
      ].join("\n"),
      err: "",
    });
    const { out } = await plat("show", "--show-borrowed", "-o", "json");
    expect(JSON.parse(out).borrowed[0]).toEqual({
      address: "10.0.0.2",
      host: "n2",
      block: "10.0.0.0/28",
      blockOwner: "n1",
      handle: "web",
      type: "pod",
      allocatedTo: "shop/web-0",
    });
  });

  it.each([
    [{ "vmi-name": "vm1", pod: "launcher", namespace: "shop" }, "vmi", "shop/vm1"],
    [{ pod: "web-0", namespace: "shop", type: "x" }, "pod", "shop/web-0"],
    [{ type: "ipipTunnelAddress" }, "ipipTunnelAddress", undefined],
    [undefined, undefined, undefined],
  ])("knows by the attributes %j what has an address", (attributes, type, allocatedTo) => {
    expect(userByAttributes(attributes)).toEqual({ type, allocatedTo });
  });

  it("says of how many assignments it is not known whose they are", async () => {
    const block = { cidr: "10.0.0.0/28", pool: "main", host: "n1", inUse: 1 };
    const url = await wayTo(shell.server().url, async ({ route }) =>
      route === "GET /v1/blocks"
        ? { blocks: [block, { ...block, cidr: "10.0.0.16/28", inUse: 0 }] }
        : { ...block, addresses: [{ address: "10.0.0.1", state: "assigned" }] },
    );
    const { exit, err } = await plat("show", "--show-borrowed", "--endpoint", url);
    expect(exit).toBe(0);
    expect(err).toBe(
      "Note: addresses without a known owner, because their allocations were not found: 1.\n",
    );
  });
});

describe("plat show --show-configuration", () => {
  it("shows what holds, also where nobody has written anything", async () => {
    const { out } = await plat("show", "--show-configuration");
    expect(out).toMatch(/^PROPERTY +VALUE\n/);
    expect(out).toMatch(/^strictAffinity +false$/m);
    expect(out).toMatch(/^maxBlocksPerHost +20$/m);
    await call("PUT", "/v1/config", { strictAffinity: true });
    expect((await plat("show", "--show-configuration")).out).toMatch(/^strictAffinity +true$/m);
  });
});

describe("plat show --ip", () => {
  it("tells who has the address: handle, host, generation, attributes, active and alternate owner", async () => {
    await pool();
    await assign("n1", "10.0.0.2", "other");
    await assign("n2", "10.0.0.1", "vm", "pod=source", "namespace=shop");
    const moved = { active: { pod: "target" }, alternate: { pod: "source" } };
    await call("PATCH", "/v1/addresses/10.0.0.1", { handle: "vm", owner: moved });
    const { exit, out } = await plat("show", "--ip", "10.0.0.1");
    expect(exit).toBe(0);
    expect(out.replace(/g1\.\S+/, "g1.…")).toBe(
      [
        "IP 10.0.0.1 is in use",
        "Handle ID: vm",
        "Host: n2",
        "Block: 10.0.0.0/28 of pool main, borrowed",
        "Generation: g1.…",
        "Attributes:",
        "  namespace: shop",
        "  pod: source",
        "Active Owner Attributes:",
        "  pod: target",
        "Alternate Owner Attributes:",
        "  pod: source",
        "",
      ].join("\n"),
    );
    const { out: json } = await plat("show", "--ip", "10.0.0.1", "-o", "json");
    expect(JSON.parse(json)).toMatchObject({ state: "assigned", handle: "vm", owner: moved });
    const { out: column } = await plat("show", "--ip=10.0.0.1", "-o", "custom-columns=H:.handle");
    expect(column).toBe("H\nvm\n");
  });

  it("says so of an address without an active owner, and until when a lease is", async () => {
    await pool();
    await plat("assign", "--host", "n1", "--address", "10.0.0.1", "--lease-seconds", "600");
    const { out } = await plat("show", "--ip", "10.0.0.1");
    expect(out).toMatch(/^Expires: 20\S+Z$/m);
    expect(out).toMatch(/^No Active Owner attributes defined$/m);
  });

  it("says of the others that they are not assigned, and why they cannot be", async () => {
    await pool();
    await assign("n1", "10.0.0.1", "a");
    await plat("release", "--handle", "a");
    expect((await plat("show", "--ip", "10.0.0.9")).out).toBe("10.0.0.9 is not assigned\n");
    await plat(
      "pool",
      "create",
      "lan",
      "--cidr",
      "10.200.0.0/24",
      "--kind",
      "subnet",
      "--gateway",
      "10.200.0.1",
    );
    expect((await plat("show", "--ip", "10.200.0.1")).out).toBe(
      "10.200.0.1 is not assigned; it is the gateway of a pool's network\n",
    );
    expect((await plat("show", "--ip", "10.0.0.1")).out).toMatch(
      /^10\.0\.0\.1 is not assigned; it cools until 20\S+Z\n$/,
    );
    const { exit, err } = await plat("show", "--ip", "10.9.0.1");
    expect(exit).toBe(1);
    expect(err).toMatch(/^Error: Address 10\.9\.0\.1 is in no pool.*\n {2}code: not_found\n/s);
  });

  it("says of an address that its host keeps, under which name and why", async () => {
    await pool("main", { cidr: "10.0.0.0/28", blockSize: 28 });
    await plat(
      ...["affinity", "ensure", "--host", "w1", "--family", "4"],
      ...["--host-reserved-start", "3", "--host-reserved-handle", "w", "--host-reserved-note", "x"],
    );
    expect((await plat("show", "--ip", "10.0.0.0")).out).toBe(
      [
        "IP 10.0.0.0 is kept by its host for itself",
        "Handle ID: w",
        "Host: w1",
        "Block: 10.0.0.0/28 of pool main",
        "Attributes:",
        "  note: x",
        "",
      ].join("\n"),
    );
  });
});

it.each([
  [["show", "--ip", "10.0.0.1", "--show-blocks"]],
  [["show", "--show-borrowed", "--show-blocks"]],
  [["show", "--show-configuration", "--show-borrowed"]],
])("%j asks for two things at once", async (line) => {
  const { exit, err } = await plat(...line);
  expect(exit).toBe(2);
  expect(err).toContain("cannot be used with option");
});
