import { describe, expect, it } from "vitest";
import { NETWORK_CHARACTERS_PER_ANSWER } from "../../src/kernel/assign/assign.ts";
import { newSpace, textsOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const NETWORK = {
  gateway: "10.1.0.1",
  routes: [{ dst: "192.168.0.0/16", gw: "10.1.0.2" }],
  dns: ["10.1.0.53", "2001:db8::53"],
  domain: "example.org",
  vlan: 7,
  mtu: 9000,
  labels: { zone: "a" },
};

/** Returns a space with one pool of a subnet. */
async function spaceWith(pool: object): Promise<Plat> {
  const plat = newSpace();
  await plat.put("/v1/config", { cooldownSeconds: 0 });
  expect(await plat.put("/v1/pools/lan", pool)).toMatchObject({ status: 201 });
  return plat;
}

/** Assigns all that a pool gives of itself, and returns it in order. */
async function allOf(plat: Plat, count: number): Promise<readonly string[]> {
  const body = { host: "n1", ipv4: count, handle: "all", allowPartial: true };
  return textsOf(await plat.assign(body));
}

async function changed(plat: Plat, changes: object) {
  const { body, headers } = await plat.get("/v1/pools/lan");
  return plat.put("/v1/pools/lan", { ...body, ...changes }, headers.etag);
}

describe("an assigned address", () => {
  it("has the network of its pool in the answer, in its repeat, and in every read", async () => {
    const plat = await spaceWith({ cidr: "10.1.0.0/24", kind: "subnet", ...NETWORK });
    const request = { host: "n1", ipv4: 1, handle: "vm-1" };
    const { body } = await plat.assign(request, "key");
    const [{ address }] = body.addresses;
    const told = { cidr: `${address}/24`, ...NETWORK };
    expect(body.addresses).toMatchObject([told]);
    expect((await plat.assign(request, "key")).body.addresses).toMatchObject([told]);
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject(told);
    expect((await plat.get("/v1/handles/vm-1")).body.addresses).toMatchObject([told]);
  });

  it("has no network while nobody has it", async () => {
    const plat = await spaceWith({ cidr: "10.1.0.0/24", ...NETWORK, kind: "subnet" });
    const { body } = await plat.get("/v1/addresses/10.1.0.9");
    expect(body).toMatchObject({ state: "free" });
    expect(body).not.toHaveProperty("cidr");
    expect(body).not.toHaveProperty("gateway");
  });

  it("has no routes and labels in an answer that would be too large, which says so", async () => {
    const key = (n: number) => `k${n}`.padEnd(20, "x");
    const labels = Object.fromEntries(
      Array.from({ length: 32 }, (_, n) => [key(n), "y".repeat(40)]),
    );
    const routes = Array.from({ length: 64 }, (_, n) => ({
      dst: `192.168.${n}.0/24`,
      gw: "10.1.0.2",
    }));
    const plat = await spaceWith({
      cidr: "10.1.0.0/23",
      kind: "subnet",
      ...NETWORK,
      labels,
      routes,
    });
    await plat.put("/v1/config", { maxAddressesPerRequest: 500 }, "*");
    const { body } = await plat.assign({ host: "n1", ipv4: 300, handle: "many" });
    expect(body.addresses[0]).toMatchObject({ gateway: "10.1.0.1" });
    expect(body.addresses[0]).not.toHaveProperty("labels");
    expect(body.addresses[0]).not.toHaveProperty("routes");
    expect(body.messages).toEqual([expect.stringContaining("has no routes and labels")]);
    const page = await plat.get("/v1/handles/many");
    expect(page.body.addresses[0]).toMatchObject({ labels, routes });
    expect(page.body.next).toBeDefined();
    expect(JSON.stringify(page.body).length).toBeLessThan(NETWORK_CHARACTERS_PER_ANSWER);
  });
});

describe("a pool of a subnet", () => {
  it("inside of an Applications pool keeps out what the network that it inherits has at its ends", async () => {
    const plat = await spaceWith({
      cidr: "10.1.1.0/24",
      prefixLength: 16,
      assignmentMode: "Applications",
      ranges: ["10.1.1.0-10.1.1.255"],
    });
    const inner = { cidr: "10.1.1.0/24", kind: "subnet", ranges: ["10.1.1.254-10.1.1.255"] };
    expect((await plat.put("/v1/pools/inner", inner)).status).toBe(201);
    const { body } = await plat.assign({ host: "n", ipv4: 2, pools: ["inner"], handle: "last" });
    expect(body.addresses).toMatchObject([{ cidr: "10.1.1.254/16" }, { cidr: "10.1.1.255/16" }]);
    const read = await plat.get("/v1/addresses/10.1.1.255");
    expect(read.body).not.toHaveProperty("keptOut");
  });

  it("says of an address what it is in the network, for every pool of the network", async () => {
    const network = { kind: "subnet", ...NETWORK };
    const plat = await spaceWith({
      ...network,
      cidr: "10.1.0.0/24",
      ranges: ["10.1.0.0-10.1.0.9"],
    });
    const others = { cidr: "10.1.0.0/24", ranges: ["10.1.0.128-10.1.0.255"] };
    expect((await plat.put("/v1/pools/others", others)).status).toBe(201);
    const partOf = async (ip: string) => (await plat.get(`/v1/addresses/${ip}`)).body.keptOut;
    expect(await partOf("10.1.0.0")).toBe("network");
    expect(await partOf("10.1.0.1")).toBe("gateway");
    expect(await partOf("10.1.0.255")).toBe("broadcast");
    expect(await partOf("10.1.0.2")).toBeUndefined();
    // A router may have it all the same.
    const router = { host: "r", address: "10.1.0.1", handle: "router" };
    expect((await plat.assign(router)).status).toBe(200);
    expect(await partOf("10.1.0.1")).toBe("gateway");
  });
});

describe("a pool that serves", () => {
  it("becomes one of a subnet: what is assigned stays, and what is released is assigned no more", async () => {
    const plat = await spaceWith({ cidr: "10.1.0.0/30" });
    expect(await allOf(plat, 8)).toHaveLength(4);
    expect(await changed(plat, { kind: "subnet", gateway: "10.1.0.1" })).toMatchObject({
      status: 200,
      body: { kind: "subnet", effectiveAt: expect.any(String) },
    });
    const read = await plat.get("/v1/addresses/10.1.0.0");
    expect(read.body).toMatchObject({
      state: "assigned",
      cidr: "10.1.0.0/30",
      gateway: "10.1.0.1",
    });
    expect((await plat.get("/v1/pools/lan/utilization")).body).toMatchObject({ inUse: 4 });
    await plat.release({ handle: "all" });
    expect(await allOf(plat, 8)).toEqual(["10.1.0.2"]);
  });

  it("becomes one of pods, and then assigns what its network kept out", async () => {
    const plat = await spaceWith({ cidr: "10.1.0.0/30", kind: "subnet" });
    expect(await allOf(plat, 8)).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(await changed(plat, { kind: "pods" })).toMatchObject({ status: 200 });
    const more = await plat.assign({ host: "n1", ipv4: 2, handle: "more" });
    expect(textsOf(more)).toEqual(["10.1.0.0", "10.1.0.3"]);
  });

  it("gets another network, which the addresses that it has assigned then have", async () => {
    const plat = await spaceWith({ cidr: "10.1.0.0/24", kind: "subnet", ...NETWORK });
    const { body } = await plat.assign({ host: "n1", address: "10.1.0.9", handle: "vm" }, "key");
    expect(body.addresses).toMatchObject([{ mtu: 9000 }]);
    const { gateway: _, ...without } = (await plat.get("/v1/pools/lan")).body;
    const { headers } = await plat.get("/v1/pools/lan");
    await plat.put("/v1/pools/lan", { ...without, mtu: 1500 }, headers.etag);
    const read = (await plat.get("/v1/addresses/10.1.0.9")).body;
    expect(read).toMatchObject({ mtu: 1500 });
    expect(read).not.toHaveProperty("gateway");
  });
});
