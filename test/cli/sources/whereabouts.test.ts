import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { call, platWith } = terminal();

const get = async (path: string) => (await call("GET", path)).body;
const withPools = async () => {
  await call("PUT", "/v1/pools/storage", { cidr: "10.50.0.0/24", blockSize: 28 });
  await call("PUT", "/v1/pools/storage6", { cidr: "2001:db8:50::/112", blockSize: 124 });
};
const importing = (items: readonly object[], ...args: readonly string[]) =>
  platWith(
    { stdin: JSON.stringify({ apiVersion: "v1", kind: "List", items }) },
    ...["import", "whereabouts", "-f", "-", ...args],
  );

const theirs = (kind: string, name: string, spec: object) => ({
  apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
  kind,
  metadata: { name, namespace: "kube-system", uid: `uid-${name}` },
  spec,
});
const pool = (range: string, allocations: object) =>
  theirs("IPPool", range.replaceAll(/[:/]/g, "-"), { range, allocations });
const reservation = (name: string, podref: string) =>
  theirs("OverlappingRangeIPReservation", name, { podref, ifname: "net1" });
const pod = (name: string, nodeName: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop" },
  spec: { nodeName, containers: [] },
});

const DUMP = [
  pool("10.50.0.0/24", {
    3: { id: "c0ffee", ifname: "net1", podref: "shop/db-0" },
    17: { id: "decade", ifname: "net1", podref: "shop/gone" },
  }),
  pool("2001:db8:50::/112", { 10: { id: "facade", ifname: "net1", podref: "shop/db-0" } }),
  reservation("10.50.0.3", "shop/db-0"),
  reservation("10.50.0.33", "shop/manual"),
  reservation("2001-db8-50--a", "shop/db-0"),
  pod("db-0", "node-1"),
];

describe("plat import whereabouts", () => {
  it("takes allocations and reservations over, each at the node of its pod, and does nothing twice", async () => {
    await withPools();
    expect((await importing(DUMP, "--dry-run")).out).toMatch(/addresses +4 +0 +0 +0/);
    expect((await get("/v1/addresses")).addresses).toEqual([]);
    expect((await importing(DUMP)).exit).toBe(0);
    expect(await get("/v1/addresses/10.50.0.3")).toMatchObject({
      handle: "whereabouts/10.50.0.3",
      host: "node-1",
      attributes: { namespace: "shop", pod: "db-0", containerId: "c0ffee", ifName: "net1" },
    });
    expect(await get("/v1/addresses/2001:db8:50::a")).toMatchObject({ host: "node-1" });
    expect(await get("/v1/addresses/10.50.0.17")).toMatchObject({ host: "whereabouts" });
    expect(await get("/v1/addresses/10.50.0.33")).toMatchObject({
      handle: "whereabouts/10.50.0.33",
      attributes: { namespace: "shop", pod: "manual", ifName: "net1" },
    });
    expect((await importing(DUMP)).err).toContain("everything exists already");
  });

  it("gives what has a container and a node the handle under which plat-cni releases it", async () => {
    await withPools();
    expect((await importing(DUMP, "--network", "storage")).exit).toBe(0);
    expect(await get("/v1/addresses/10.50.0.3")).toMatchObject({
      handle: "cni/storage/node-1/c0ffee/net1",
      attributes: { network: "storage" },
    });
    expect(await get("/v1/addresses/10.50.0.17")).toMatchObject({
      handle: "whereabouts/10.50.0.17",
    });
  });

  it("reads the address of a reservation behind the name of its network", async () => {
    await withPools();
    const range = "2001:db8:50::/112";
    const pools = [
      theirs("IPPool", "a-10.50.0.0-24", { range: "10.50.0.0/24" }),
      theirs("IPPool", "a-2001-db8-50---112", { range, allocations: {} }),
    ];
    const names = ["a-10.50.0.9", "a-2001-db8-50--9"];
    const all = [...pools, ...names.map((name) => reservation(name, "shop/a"))];
    expect((await importing(all)).exit).toBe(0);
    const { addresses } = await get("/v1/addresses");
    expect(addresses.map(({ address }: { address: string }) => address)).toEqual([
      "10.50.0.9",
      "2001:db8:50::9",
    ]);
  });

  it("reads the address of a reservation beside a pool of one node, and without any pool of its network", async () => {
    await withPools();
    const range = "2001:db8:50::/112";
    const pools = [
      theirs("IPPool", "a-10.50.0.0-28-node-1", { range: "10.50.0.0/28" }),
      theirs("IPPool", "b-2001-db8-50---112-node-1", { range, allocations: {} }),
    ];
    const names = ["a-10.50.0.9", "other-10.50.0.10", "b-2001-db8-50--9"];
    const all = [...pools, ...names.map((name) => reservation(name, "shop/a"))];
    expect((await importing(all)).exit).toBe(0);
    const { addresses } = await get("/v1/addresses");
    expect(addresses.map(({ address }: { address: string }) => address)).toEqual([
      "10.50.0.9",
      "10.50.0.10",
      "2001:db8:50::9",
    ]);
  });

  it("adds an offset to the address of the range as it is written", async () => {
    await withPools();
    await importing([pool("10.50.0.16/24", { 2: { id: "c", podref: "shop/a" } })]);
    expect((await get("/v1/addresses")).addresses).toMatchObject([{ address: "10.50.0.18" }]);
  });

  it.each([
    [[pool("10.50.0.0/24", { x: {} })], 'allocation "x" must be a whole number'],
    [
      [pool("10.50.0.0/24", { 256: {} })],
      'IPPool 10.50.0.0-24: allocation "256" lies behind the end of the range 10.50.0.0/24',
    ],
    [[pool("10.50.0/24", { 1: {} })], 'IPPool 10.50.0-24: range "10.50.0/24"'],
    [[reservation("storage", "shop/a")], "its name has no address"],
    [[theirs("IPPool", "a", {})], "IPPool a: "],
    [[{ apiVersion: "v1", kind: "Service" }], "has no objects of a kind that Plat takes"],
  ])("rejects %j", async (items, reason) => {
    const { exit, err } = await importing(items);
    expect(err).toContain(reason);
    expect(exit).toBe(2);
  });
});
