import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

const IPPOOL = "ipam.spidernet.io/ippool";
const IPPOOLS = "ipam.spidernet.io/ippools";
const SUBNET = "ipam.spidernet.io/subnet";
const SUBNETS = "ipam.spidernet.io/subnets";

/** A space with two Manual pools of IPv4, one of IPv6, and one that serves whoever names none. */
async function withPools() {
  const plat = newSpace();
  const pools = { auto: "10.0.0.0/26", "shop-v4": "10.1.0.0/26", "bank-v4": "10.2.0.0/26" };
  for (const [name, cidr] of Object.entries({ ...pools, "shop-v6": "2001:db8::/122" }))
    await plat.put(`/v1/pools/${name}`, {
      cidr,
      assignmentMode: name === "auto" ? "Automatic" : "Manual",
    });
  return plat;
}

type Plat = Awaited<ReturnType<typeof withPools>>;

const assign = (plat: Plat, annotations: object, request: object = {}) =>
  plat.assign({ host: "n1", ipv4: 1, ...request, annotations });

/** Returns the pools that serve a request, or the rule of its rejection. */
async function outcomeOf(plat: Plat, annotations: object, request: object = {}) {
  const { status, body } = await assign(plat, annotations, request);
  return status === 200
    ? body.addresses.map(({ pool }: { pool: string }) => pool)
    : `${body.code}: ${body.rule}`;
}

describe("the annotations of a pod", () => {
  it("choose its pools, as a list in the request does", async () => {
    const plat = await withPools();
    expect(await outcomeOf(plat, { [IPPOOL]: '{"ipv4": ["shop-v4"]}' })).toEqual(["shop-v4"]);
    expect(await outcomeOf(plat, { [IPPOOL]: '{"ipv4": ["bank-*"]}' })).toEqual(["bank-v4"]);
    const both = { [IPPOOL]: '{"ipv4": ["shop-v4"], "ipv6": ["shop-v6"]}' };
    expect(await outcomeOf(plat, both, { ipv6: 1 })).toEqual(["shop-v4", "shop-v6"]);
  });

  it("choose before the defaults of the network, and leave the choice to them if they have none of Spiderpool", async () => {
    const plat = await withPools();
    const request = { defaultPools: ["bank-v4"] };
    expect(await outcomeOf(plat, { [IPPOOL]: '{"ipv4": ["shop-v4"]}' }, request)).toEqual([
      "shop-v4",
    ]);
    expect(await outcomeOf(plat, { "kubernetes.io/psp": "{" }, request)).toEqual(["bank-v4"]);
    expect(await outcomeOf(plat, {})).toEqual(["auto"]);
  });

  it("that name no pool of a family get no address of it, and so none", async () => {
    const plat = await withPools();
    const annotations = { [IPPOOL]: '{"ipv4": ["shop-v4"]}' };
    expect(await outcomeOf(plat, annotations, { ipv6: 1 })).toBe("no_pool_available: pools");
    expect(await outcomeOf(plat, annotations, { ipv4: 0, ipv6: 1 })).toBe(
      "no_pool_available: pools",
    );
  });

  it("that name subnets get no address without an application, whatever pools there are", async () => {
    const plat = await withPools();
    const annotations = { [SUBNET]: '{"ipv4": ["shop"]}', [IPPOOL]: '{"ipv4": ["shop-v4"]}' };
    expect(await outcomeOf(plat, annotations)).toBe("no_pool_available: application");
    const plural = { [SUBNETS]: '[{"interface": "eth0", "ipv4": ["shop"]}]' };
    expect(await outcomeOf(plat, plural, { defaultPools: ["shop-v4"] })).toBe(
      "no_pool_available: application",
    );
    const byAddress = { ipv4: 0, address: "10.1.0.7" };
    expect(await outcomeOf(plat, annotations, byAddress)).toMatch(/^no_pool_available/);
  });

  it("keep the gateway of the pool from an interface with cleangateway, and leave it its routes", async () => {
    const plat = newSpace();
    const routes = [{ dst: "10.0.0.0/8", gw: "172.16.0.1" }];
    const pool = { cidr: "172.16.0.0/24", ranges: ["172.16.0.10-172.16.0.20"] };
    await plat.put("/v1/pools/shop", { ...pool, gateway: "172.16.0.1", routes });
    const item = { interface: "eth0", ipv4: ["shop"] };
    const answered = async (more: object) =>
      (await assign(plat, { [IPPOOLS]: JSON.stringify([{ ...item, ...more }]) })).body.addresses[0];
    expect(await answered({})).toMatchObject({ gateway: "172.16.0.1", routes });
    const clean = await answered({ cleangateway: true });
    expect(clean).toMatchObject({ routes });
    expect(clean).not.toHaveProperty("gateway");
  });

  it("explain in a dry run by which rule they choose", async () => {
    const plat = await withPools();
    const annotations = { [IPPOOL]: '{"ipv4": ["shop-v4"]}' };
    const { body } = await assign(plat, annotations, { dryRun: true });
    expect(body.families[0]).toMatchObject({
      rule: "pools",
      pools: [{ pool: "shop-v4" }, {}, {}, {}],
    });
  });

  it("of which Plat reads none leave the choice to the pools of the request", async () => {
    const plat = await withPools();
    const restarted = { "kubectl.kubernetes.io/restartedAt": "2026-11-24T00:00:00Z" };
    const { status, body } = await assign(plat, restarted, { pools: ["shop-v4"] });
    expect({ status, pool: body.addresses?.[0]?.pool }).toEqual({ status: 200, pool: "shop-v4" });
  });

  const CHOOSING = { [IPPOOL]: '{"ipv4": ["auto"]}' };
  it.each<[string, object, object, string]>([
    ["that are no JSON", { [IPPOOL]: "" }, {}, `annotations.${IPPOOL}`],
    ["without a family", { [IPPOOLS]: '[{"interface": "eth0"}]' }, {}, `annotations.${IPPOOLS}[0]`],
    [
      "without an item of the interface",
      { [IPPOOLS]: '[{"interface": "net1", "ipv4": ["auto"]}]' },
      {},
      `annotations.${IPPOOLS}`,
    ],
    ["beside pools", CHOOSING, { pools: ["auto"] }, "annotations"],
    ["beside pools of a family", CHOOSING, { ipv4Pools: ["auto"] }, "annotations"],
  ])("%s are rejected by their name", async (_, annotations, request, field) => {
    const plat = await withPools();
    const { status, body } = await assign(plat, annotations, request);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "invalid_request", fields: [{ field }] });
  });

  it("belong to the request: a repeat of its key with other pools is another request", async () => {
    const plat = await withPools();
    const keyed = (pool: string, more: object = {}) =>
      plat.assign(
        { host: "n1", ipv4: 1, annotations: { [IPPOOL]: `{"ipv4": ["${pool}"]}`, ...more } },
        "the-key",
      );
    const [first, repeat] = [await keyed("shop-v4"), await keyed("shop-v4", { other: "x" })];
    expect(repeat.body.addresses).toEqual(first.body.addresses);
    expect((await keyed("bank-v4")).body.code).toBe("idempotency_mismatch");
  });
});
