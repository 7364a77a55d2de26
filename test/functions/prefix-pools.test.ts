import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

const PODS = { cidr: "10.0.0.0/16", assign: "prefixes" };

describe("a pool of prefixes", () => {
  it("has its own defaults, and a caller can change the answer and put it back", async () => {
    const plat = newSpace();
    expect(await plat.put("/v1/pools/pods", PODS)).toMatchObject({ status: 201 });
    const { body, headers } = await plat.get("/v1/pools/pods");
    expect(body).toEqual({
      name: "pods",
      cidr: "10.0.0.0/16",
      assign: "prefixes",
      blockSize: 24,
      disabled: false,
      assignmentMode: "Automatic",
      cooldownSeconds: 300,
    });
    const again = await plat.put("/v1/pools/pods", body, headers.etag);
    expect(again.headers.etag).toBe(headers.etag);
    const changed = { ...body, disabled: true, nodeSelector: "zone == 'a'" };
    expect(await plat.put("/v1/pools/pods", changed, headers.etag)).toMatchObject({
      status: 200,
      body: { disabled: true, assign: "prefixes" },
    });
  });

  it("has prefixes of /64 for IPv6, and as many as its range has", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", { ...PODS, cidr: "2001:db8::/32" });
    expect((await plat.get("/v1/pools/pods")).body).toMatchObject({ blockSize: 64 });
  });

  it("stays one, and a pool of addresses stays that", async () => {
    const plat = newSpace();
    const pods = await plat.put("/v1/pools/pods", PODS);
    const web = await plat.put("/v1/pools/web", { cidr: "10.1.0.0/16", blockSize: 24 });
    expect(web.body).toMatchObject({ assign: "addresses" });
    for (const [name, body, etag] of [
      ["pods", { cidr: "10.0.0.0/16", blockSize: 24 }, pods.headers.etag],
      ["web", { cidr: "10.1.0.0/16", blockSize: 24, assign: "prefixes" }, web.headers.etag],
    ] as const)
      expect(await plat.put(`/v1/pools/${name}`, body, etag)).toMatchObject({
        status: 400,
        body: { fields: [{ field: "assign", problem: expect.stringContaining("cannot change") }] },
      });
  });

  it.each([
    ["a reservation that covers it", "10.0.0.0/16", "10.0.0.0/16"],
    ["one address of each prefix", "10.0.0.0/23", "10.0.0.255-10.0.1.0"],
  ])("is not created if all that it has is in %s", async (_, cidr, reserved) => {
    const plat = newSpace();
    await plat.put("/v1/reservations/kept", { cidrs: [reserved] });
    expect(await plat.put("/v1/pools/pods", { ...PODS, cidr })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "cidr", value: cidr, problem: expect.stringMatching(/\/24/) }] },
    });
    expect((await plat.get("/v1/pools/pods")).status).toBe(404);
  });

  it("is not created around the address that nobody can have alone", async () => {
    const plat = newSpace();
    expect(await plat.put("/v1/pools/pods", { ...PODS, cidr: "255.255.255.0/24" })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "cidr" }] },
    });
  });
});

describe("requests for addresses", () => {
  it("pass over a pool of prefixes, and a dry run says why", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", PODS);
    const refused = await plat.assign({ host: "node-1", ipv4: 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
    expect(refused.body.detail).toContain("pods assigns prefixes to nodes");
    await plat.put("/v1/pools/web", { cidr: "10.1.0.0/24" });
    expect(await plat.assign({ host: "node-1", ipv4: 1 })).toMatchObject({
      status: 200,
      body: { addresses: [{ pool: "web" }] },
    });
    const { body } = await plat.assign({ host: "node-1", ipv4: 1, dryRun: true });
    expect(body.families[0].pools).toContainEqual(
      expect.objectContaining({ pool: "pods", kept: false, code: "prefixes" }),
    );
  });

  it.each([{ ipv4: 1, pools: ["pods"] }, { address: "10.0.0.7" }])(
    "are refused with %j in such a pool",
    async (asked) => {
      const plat = newSpace();
      await plat.put("/v1/pools/pods", PODS);
      expect(await plat.assign({ host: "node-1", ...asked })).toMatchObject({
        status: 409,
        body: { code: "no_pool_available", pools: [{ pool: "pods", code: "prefixes" }] },
      });
    },
  );

  it.each([
    [{ cidr: "10.0.3.0/24" }, { status: 400, body: { fields: [{ field: "cidr" }] } }],
    [{ families: [4] }, { status: 409, body: { code: "no_pool_available" } }],
  ])("claim no block of such a pool: %j", async (body, refusal) => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", PODS);
    expect(await plat.call("POST", "/v1/nodes/node-1/affinities", { body })).toMatchObject(refusal);
  });
});
