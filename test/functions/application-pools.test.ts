import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

const WEB = "/v1/applications/shop/Deployment/web";
const CIDR = { cidr: "10.0.0.0/24", blockSize: 30 };
const SUBNET = { ...CIDR, assignmentMode: "Applications", ranges: ["10.0.0.8-10.0.0.23"] };
const TEAM = { ...CIDR, ranges: ["10.0.0.16-10.0.0.23"] };
const EIGHT = { replicas: 0, addresses: { number: "8", pools: ["subnet"] } };

async function spaceWithSubnet(changes: object = {}) {
  const plat = newSpace();
  await plat.put("/v1/config", { cooldownSeconds: 0 });
  const { status } = await plat.put("/v1/pools/subnet", { ...SUBNET, ...changes });
  expect(status).toBe(201);
  return plat;
}

describe("a pool for applications", () => {
  it("serves nobody else, also by its name or an address", async () => {
    const plat = await spaceWithSubnet();
    const asked = [{ ipv4: 1 }, { ipv4: 1, pools: ["subnet"] }, { address: "10.0.0.9" }];
    for (const request of asked) {
      const { body } = await plat.assign({ host: "n1", handle: "h", ...request });
      expect(body.code).toBe("no_pool_available");
    }
  });

  it("gives applications what no other pool of its CIDR has", async () => {
    const plat = await spaceWithSubnet();
    expect((await plat.put("/v1/pools/team", TEAM)).status).toBe(201);
    const { body } = await plat.put(WEB, {
      ...EIGHT,
      addresses: { number: "9", pools: ["subnet"] },
    });
    expect(body).toMatchObject({ complete: false, refusal: { code: "pool_exhausted" } });
    const last = body.members.map(({ address }: { address: string }) => address.split(".")[3]);
    expect(last).toEqual(["10", "11", "12", "13", "14", "15", "8", "9"].sort((a, b) => +a - +b));
    const of = async (pool: string) => (await plat.get(`/v1/pools/${pool}/utilization`)).body;
    expect(await of("subnet")).toMatchObject({ capacity: 8, inUse: 8, available: 0 });
    expect(await of("team")).toMatchObject({ capacity: 8, inUse: 0, available: 8 });
  });

  it("loses no address that an application has", async () => {
    const plat = await spaceWithSubnet();
    const { body } = await plat.put(WEB, {
      ...EIGHT,
      addresses: { number: "16", pools: ["subnet"] },
    });
    expect(body.complete).toBe(true);
    const rejected = await plat.put("/v1/pools/team", TEAM);
    expect(rejected).toMatchObject({ status: 409, body: { code: "pool_in_use" } });
    expect(rejected.body.addresses).toContain("10.0.0.16");
    expect((await plat.get("/v1/pools/team")).status).toBe(404);
  });
});

describe("a pool inside of one for applications", () => {
  const around = {
    gateway: "10.0.0.1",
    routes: [{ dst: "192.168.0.0/16", gw: "10.0.0.2" }],
    dns: ["10.0.0.53"],
    labels: { tier: "gold" },
  };
  const none = { routes: [], dns: [], labels: {} };

  it("has none of what it says to be empty, and the rest of what is around it", async () => {
    const plat = await spaceWithSubnet(around);
    await plat.put("/v1/pools/team", { ...TEAM, ...none });
    expect((await plat.get("/v1/pools/team")).body).toMatchObject(none);
    const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "h", pools: ["team"] });
    const [{ gateway, ...address }] = body.addresses;
    expect(gateway).toBe("10.0.0.1");
    for (const field of Object.keys(none)) expect(address).not.toHaveProperty(field);
  });

  it("has no routes as a SpiderIPPool that says so, and those of its SpiderSubnet as one that says nothing", async () => {
    const plat = newSpace();
    const { routes } = around;
    const put = (kind: string, name: string, ips: string, more: object) =>
      plat.put(`/v1/pools/${name}`, {
        ...{ apiVersion: "spiderpool.spidernet.io/v2beta1", kind, metadata: { name } },
        spec: { subnet: "10.0.0.0/24", ips: [ips], ...more },
      });
    await put("SpiderSubnet", "subnet", "10.0.0.8-10.0.0.23", { routes });
    await put("SpiderIPPool", "bare", "10.0.0.9", { routes: [] });
    await put("SpiderIPPool", "plain", "10.0.0.10", {});
    const of = async (pool: string) =>
      (await plat.assign({ host: "n1", ipv4: 1, handle: pool, pools: [pool] })).body.addresses[0];
    expect(await of("bare")).not.toHaveProperty("routes");
    expect(await of("plain")).toMatchObject({ routes });
  });
});

describe("a pool for applications is rejected", () => {
  it("without ranges", async () => {
    const { ranges: _, ...plain } = SUBNET;
    const { body } = await newSpace().put("/v1/pools/subnet", plain);
    expect(body.fields[0].field).toBe("assignmentMode");
  });

  it("beside another one of its CIDR", async () => {
    const plat = await spaceWithSubnet();
    const { body } = await plat.put("/v1/pools/second", { ...SUBNET, ranges: ["10.0.0.64"] });
    expect(body.code).toBe("pool_overlap");
  });

  it("if it becomes one, or ceases to be one", async () => {
    const plat = await spaceWithSubnet();
    const { headers } = await plat.get("/v1/pools/subnet");
    const { assignmentMode: _, ...plain } = SUBNET;
    const { body } = await plat.put("/v1/pools/subnet", plain, headers.etag);
    expect(body.fields[0].field).toBe("assignmentMode");
  });

  it("if another pool of its CIDR does not lie inside of it, whichever comes first", async () => {
    const plat = await spaceWithSubnet();
    const outside = { ...CIDR, ranges: ["10.0.0.20-10.0.0.24"] };
    expect((await plat.put("/v1/pools/team", outside)).body.code).toBe("pool_overlap");
    const other = newSpace();
    await other.put("/v1/pools/team", outside);
    expect((await other.put("/v1/pools/subnet", SUBNET)).body.code).toBe("pool_overlap");
  });
});
