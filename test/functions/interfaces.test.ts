import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

/** A space with an Automatic and a Manual pool of each family, of blocks of four addresses. */
async function withPools() {
  const plat = newSpace();
  const pools = {
    front: ["10.0.0.0/28", 30, "Automatic"],
    storage: ["10.1.0.0/28", 30, "Manual"],
    six: ["2001:db8::/124", 126, "Automatic"],
    "storage-six": ["2001:db8:1::/124", 126, "Manual"],
  } as const;
  for (const [name, [cidr, blockSize, assignmentMode]] of Object.entries(pools))
    await plat.put(`/v1/pools/${name}`, { cidr, blockSize, assignmentMode });
  await plat.put("/v1/config", { cooldownSeconds: 0 });
  return plat;
}

type Plat = Awaited<ReturnType<typeof withPools>>;

interface Assigned {
  readonly address: string;
  readonly family: number;
  readonly interface: string;
  readonly pool: string;
  readonly generation: string;
}

const ETH0 = { name: "eth0", ipv4: 1 };
const NET1 = { name: "net1", ipv4: 1, pools: ["storage"] };

const assign = (plat: Plat, interfaces: readonly object[], more: object = {}, key?: string) =>
  plat.assign({ host: "n1", interfaces, ...more }, key);

const placesOf = (addresses: readonly Assigned[]) =>
  addresses.map(({ interface: of, family, pool }) => `${of} IPv${family} ${pool}`).sort();

describe("a request with interfaces", () => {
  it("is answered with the addresses of each interface, from its pools, in both families", async () => {
    const plat = await withPools();
    const { status, body } = await assign(plat, [
      { ...ETH0, ipv6: 1 },
      { ...NET1, ipv6: 1, pools: ["storage", "storage-six"] },
    ]);
    expect(status).toBe(200);
    expect(body.requested).toBe(4);
    expect(placesOf(body.addresses)).toEqual([
      "eth0 IPv4 front",
      "eth0 IPv6 six",
      "net1 IPv4 storage",
      "net1 IPv6 storage-six",
    ]);
  });

  it("gets an address for each of two interfaces in one pool, also where the block has no other", async () => {
    const plat = await withPools();
    const one = [ETH0, { ...ETH0, name: "net1" }];
    const seen = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const { body } = await assign(plat, one);
      expect(placesOf(body.addresses)).toEqual(["eth0 IPv4 front", "net1 IPv4 front"]);
      for (const { address } of body.addresses) seen.add(address);
    }
    expect(seen.size).toBe(16);
    expect((await assign(plat, one)).body.code).toBe("pool_exhausted");
  });

  it("gets all its addresses or none: the rejection names the interface", async () => {
    const plat = await withPools();
    await plat.assign({ host: "n1", ipv4: 16, pools: ["storage"] });
    const full = await assign(plat, [ETH0, NET1], { handle: "pod" });
    expect(full).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
    expect(full.body.detail).toMatch(/^Interface net1: /);
    expect(full.body.missing).toEqual([
      { family: 4, count: 1, code: "pool_exhausted", interface: "net1" },
    ]);
    const nowhere = await assign(plat, [ETH0, { ...NET1, pools: ["lost"] }], { handle: "pod" });
    expect(nowhere.body).toMatchObject({
      code: "no_pool_available",
      detail: 'Interface net1: There is no pool "lost".',
      pools: [{ interface: "net1", pool: "lost", code: "not_found" }],
    });
    expect((await plat.get("/v1/handles/pod")).status).toBe(404);
  });

  it("gets the pools of each interface by the first rule that applies to it", async () => {
    const plat = await withPools();
    await plat.put("/v1/namespaces/shop", { labels: {}, defaultPools: ["storage"] });
    const { body } = await assign(
      plat,
      [
        { ...ETH0, pools: ["front"] },
        { ...ETH0, name: "net1", defaultPools: ["front"] },
      ],
      { namespace: "shop" },
    );
    expect(placesOf(body.addresses)).toEqual(["eth0 IPv4 front", "net1 IPv4 storage"]);
    const anywhere = await assign(plat, [
      ETH0,
      { ...ETH0, name: "net1", defaultPools: ["storage"] },
    ]);
    expect(placesOf(anywhere.body.addresses)).toEqual(["eth0 IPv4 front", "net1 IPv4 storage"]);
  });

  it("serves an interface by the network that it attaches to", async () => {
    const plat = await withPools();
    await plat.put("/v1/pools/vlan", { cidr: "10.2.0.0/28", blockSize: 30, networks: ["vlan-7"] });
    const { body } = await assign(plat, [
      { ...ETH0, pools: ["storage"] },
      { ...ETH0, name: "net1", network: "vlan-7" },
    ]);
    expect(placesOf(body.addresses)).toEqual(["eth0 IPv4 storage", "net1 IPv4 vlan"]);
  });

  it("is repeated under its key with the same answer, in any order of its interfaces", async () => {
    const plat = await withPools();
    const first = await assign(plat, [ETH0, NET1], {}, "once");
    const again = await assign(plat, [NET1, ETH0], {}, "once");
    expect(again.body.addresses).toEqual(first.body.addresses);
    const other = await assign(plat, [ETH0, { ...NET1, name: "net2" }], {}, "once");
    expect(other.body.code).toBe("idempotency_mismatch");
  });

  it("holds under its handle what the reads show with its interface, and releases it together", async () => {
    const plat = await withPools();
    const { body } = await assign(plat, [ETH0, NET1], { handle: "pod" });
    const { body: read } = await plat.get("/v1/handles/pod");
    expect(placesOf(read.addresses)).toEqual(["eth0 IPv4 front", "net1 IPv4 storage"]);
    const [first] = body.addresses;
    const address = await plat.get(`/v1/addresses/${first.address}`);
    expect(address.body).toMatchObject({ state: "assigned", interface: first.interface });
    await plat.release({ handle: "pod" });
    expect((await plat.get("/v1/handles/pod")).status).toBe(404);
  });

  it("of an instance returns with the address of each interface, and gets new ones when its interfaces changed", async () => {
    const plat = await withPools();
    const of = (uid: string, interfaces: readonly object[], host = "n1") =>
      plat.call("POST", "/v1/assign", {
        body: {
          host,
          interfaces,
          namespace: "shop",
          workload: { kind: "StatefulSet", name: "db", instance: "db-0", uid },
        },
      });
    const had = ({ addresses }: { addresses: readonly Assigned[] }) =>
      addresses.map(({ address, interface: name }) => `${name} ${address}`);
    const first = await of("a", [ETH0, NET1]);
    const moved = await of("b", [NET1, ETH0], "n2");
    expect(had(moved.body)).toEqual(had(first.body));
    const renamed = await of("c", [ETH0, { ...NET1, name: "net2" }]);
    expect(placesOf(renamed.body.addresses)).toEqual(["eth0 IPv4 front", "net2 IPv4 storage"]);
    const swapped = await of("d", [
      { ...NET1, name: "eth0" },
      { ...ETH0, name: "net2", pools: ["front"] },
    ]);
    expect(placesOf(swapped.body.addresses)).toEqual(["eth0 IPv4 storage", "net2 IPv4 front"]);
  });

  it("is explained interface by interface in a dry run", async () => {
    const plat = await withPools();
    const { body } = await assign(plat, [ETH0, NET1], { dryRun: true });
    expect(body.families).toMatchObject([
      { interface: "eth0", family: 4, rule: "automatic", blocks: [{ pool: "front", count: 1 }] },
      { interface: "net1", family: 4, rule: "pools", blocks: [{ pool: "storage", count: 1 }] },
    ]);
    const refused = await assign(plat, [ETH0, { ...NET1, pools: ["lost"] }], { dryRun: true });
    expect(refused.body.rejection.code).toBe("no_pool_available");
    expect(refused.body.families).toMatchObject([
      { interface: "eth0", blocks: [{ pool: "front" }] },
      { interface: "net1", blocks: [], rejection: { code: "no_pool_available" } },
    ]);
  });

  it("takes an item of the pod's annotations for each interface, by its name or its place", async () => {
    const plat = await withPools();
    const bare = [ETH0, { ...ETH0, name: "net1" }];
    const annotated = (items: readonly object[]) => ({
      annotations: { "ipam.spidernet.io/ippools": JSON.stringify(items) },
    });
    const byName = annotated([
      { interface: "net1", ipv4: ["storage"] },
      { interface: "eth0", ipv4: ["front"] },
    ]);
    const byPlace = annotated([{ ipv4: ["front"] }, { ipv4: ["storage"] }]);
    for (const annotations of [byName, byPlace]) {
      const { body } = await assign(plat, bare, annotations);
      expect(placesOf(body.addresses)).toEqual(["eth0 IPv4 front", "net1 IPv4 storage"]);
    }
    const short = await assign(plat, bare, annotated([{ ipv4: ["front"] }]));
    expect(short.body.fields[0].field).toBe("annotations.ipam.spidernet.io/ippools");
    const beside = await assign(plat, [ETH0, NET1], byName);
    expect(beside.body).toMatchObject({ status: 400, fields: [{ field: "annotations" }] });
  });

  it("for more addresses than the space permits is rejected by the interfaces", async () => {
    const plat = await withPools();
    const { headers } = await plat.get("/v1/config");
    await plat.put("/v1/config", { maxAddressesPerRequest: 2 }, headers.etag);
    const { body } = await assign(plat, [ETH0, { ...NET1, ipv4: 2 }]);
    expect(body.fields).toMatchObject([
      { field: "interfaces[0].ipv4", value: 1 },
      { field: "interfaces[1].ipv4", value: 2 },
    ]);
  });
});
