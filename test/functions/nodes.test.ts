import { describe, expect, it } from "vitest";
import { newSpace, spaceWithPool } from "./plat.ts";

it.each(["/v1/nodes/a-1", "/v1/namespaces/a-1"])("%s is not written by a dry run", async (path) => {
  const plat = newSpace();
  const [labels, dry] = [{ zone: "west" }, { dryRun: "true" }];
  const would = await plat.put(path, { labels }, undefined, dry);
  expect(would).toMatchObject({ status: 200, body: { labels, dryRun: true } });
  expect(await plat.get(path)).toMatchObject({ status: 404 });
  const { headers } = await plat.put(path, { labels });
  const ifMatch = { "if-match": String(headers.etag) };
  expect(await plat.delete(path, ifMatch, dry)).toMatchObject({ body: { dryRun: true } });
  expect(await plat.get(path)).toMatchObject({ status: 200 });
});

describe("a pool with selectors", () => {
  it("serves whom they choose, and tells the others why not", async () => {
    const plat = newSpace();
    const pool = {
      cidr: "10.0.0.0/24",
      blockSize: 28,
      allowedUses: ["Workload"],
      nodeSelector: 'zone == "west"',
      namespaceSelector: "team in {'web'}",
    };
    const { body } = await plat.put("/v1/pools/main", pool);
    expect(body).toMatchObject(pool);
    await plat.put("/v1/nodes/n1", { labels: { zone: "west" } });
    await plat.put("/v1/nodes/n2", { labels: { zone: "east" } });
    await plat.put("/v1/namespaces/shop", { labels: { team: "web" } });
    const ask = (host: string, namespace?: string, more = {}) =>
      plat.assign({ host, ipv4: 1, ...(namespace && { namespace }), ...more });
    expect(await ask("n1", "shop")).toMatchObject({ status: 200 });
    expect(await ask("n2", "shop")).toMatchObject({
      status: 409,
      body: {
        code: "no_pool_available",
        pools: [
          {
            pool: "main",
            code: "node",
            reason:
              'does not select the host (nodeSelector zone == "west"; the host has zone=east)',
          },
        ],
      },
    });
    expect((await ask("n1")).body.detail).toContain("names no namespace that is registered");
    expect((await ask("n1", "nowhere")).status).toBe(409);
    expect(await ask("n2", undefined, { pools: ["main"] })).toMatchObject({ status: 200 });

    const explained = await ask("n2", "shop", { dryRun: true });
    expect(explained.body.families).toMatchObject([
      { pools: [{ pool: "main", kept: false, reason: expect.stringContaining("zone=east") }] },
    ]);
  });

  it("is made by a manifest of Calico, and changed by what a GET answers", async () => {
    const plat = newSpace();
    const manifest = {
      apiVersion: "projectcalico.org/v3",
      kind: "IPPool",
      metadata: { name: "rack-7", uid: "3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a" },
      spec: {
        ...{ cidr: "10.48.0.0/24", blockSize: 29, natOutgoing: true },
        nodeSelector: "rack == '7' && !has(node-role.kubernetes.io/control-plane)",
        namespaceSelector: "projectcalico.org/name != 'kube-system'",
        allowedUses: ["Workload"],
      },
    };
    expect((await plat.put("/v1/pools/rack-7", manifest)).status).toBe(201);
    const { headers, body } = await plat.get("/v1/pools/rack-7");
    expect(body).toMatchObject({
      nodeSelector: manifest.spec.nodeSelector,
      namespaceSelector: manifest.spec.namespaceSelector,
    });
    expect((await plat.put("/v1/pools/rack-7", body, headers.etag)).status).toBe(200);
    expect((await plat.get("/v1/pools/rack-7")).body).toEqual(body);
    await plat.put("/v1/nodes/n1", { labels: { rack: "7" } });
    expect(await plat.assign({ host: "n1", ipv4: 1 })).toMatchObject({ status: 200 });
    expect(await plat.assign({ host: "n2", ipv4: 1 })).toMatchObject({ status: 409 });
  });
});

it.each([
  ["LoadBalancer", "Workload"],
  ["Workload", "LoadBalancer"],
])("a pool for the use %s cannot become one for %s", async (from, to) => {
  const plat = await spaceWithPool({ allowedUses: [from] });
  const { headers, body } = await plat.get("/v1/pools/main");
  const refused = await plat.put("/v1/pools/main", { ...body, allowedUses: [to] }, headers.etag);
  expect(refused).toMatchObject({ status: 400, body: { fields: [{ field: "allowedUses" }] } });
});

it("a host that must be registered is rejected by its code, until it is", async () => {
  const plat = await spaceWithPool();
  await plat.put("/v1/config", { requireRegisteredHosts: true });
  expect(await plat.assign({ host: "n1", ipv4: 1 })).toMatchObject({
    status: 409,
    body: {
      code: "host_not_registered",
      host: "n1",
      retryable: false,
      detail: expect.stringContaining(`PUT /v1/spaces/${plat.space}/nodes/n1 registers it`),
    },
  });
  expect(
    await plat.call("POST", "/v1/nodes/n1/affinities", { body: { families: [4] } }),
  ).toMatchObject({
    status: 409,
    body: { code: "host_not_registered" },
  });
  await plat.put("/v1/nodes/n1", {});
  expect(await plat.assign({ host: "n1", ipv4: 1 })).toMatchObject({ status: 200 });
});
