import { describe, expect, it } from "vitest";
import { nodeKey } from "../../src/table/key.ts";
import { newSpace, spaceWithPool, table } from "./plat.ts";

describe.each([
  { list: "nodes", path: "/v1/nodes/a-1" },
  { list: "namespaces", path: "/v1/namespaces/a-1" },
])("one of the $list", ({ list, path }) => {
  const labels = { "example.org/zone": "west", constructor: "x" };

  it("is created, read, listed, and changed and deleted only as it was seen", async () => {
    const plat = newSpace();
    const created = await plat.put(path, { labels });
    expect(created).toMatchObject({ status: 201, body: { name: "a-1", labels } });
    expect(Date.parse(created.body.effectiveAt)).toBeGreaterThan(Date.now() + 10_000);

    const read = await plat.get(path);
    expect(read.headers.etag).toBe(created.headers.etag);
    expect(read.body).toEqual({ name: "a-1", labels });
    expect((await plat.get(`/v1/${list}`)).body).toEqual({ [list]: [read.body] });

    const change = { ...read.body, labels: {} };
    expect(await plat.put(path, change)).toMatchObject({ status: 428 });
    expect(await plat.put(path, change, '"AaH9bgInfBgZ-A0"')).toMatchObject({ status: 412 });
    const changed = await plat.put(path, change, read.headers.etag);
    expect(changed).toMatchObject({ status: 200, body: { labels: {} } });

    expect(await plat.delete(path)).toMatchObject({ status: 428 });
    expect(await plat.delete(path, { "if-match": String(read.headers.etag) })).toMatchObject({
      status: 412,
    });
    const deleted = await plat.delete(path, { "if-match": String(changed.headers.etag) });
    expect(deleted).toMatchObject({ status: 200, body: { effectiveAt: expect.any(String) } });
    expect(await plat.get(path)).toMatchObject({ status: 404 });
    expect((await plat.get(`/v1/${list}`)).body).toEqual({ [list]: [] });
    expect(await plat.put(path, {}, read.headers.etag)).toMatchObject({ status: 412 });
    expect(await plat.put(path, {})).toMatchObject({ status: 201 });
  });

  it("is not written by a dry run", async () => {
    const plat = newSpace();
    const dry = { dryRun: "true" };
    const would = await plat.put(path, { labels }, undefined, dry);
    expect(would).toMatchObject({ status: 200, body: { labels, dryRun: true } });
    expect(await plat.get(path)).toMatchObject({ status: 404 });
    const { headers } = await plat.put(path, { labels });
    const ifMatch = { "if-match": String(headers.etag) };
    expect(await plat.delete(path, ifMatch, dry)).toMatchObject({ body: { dryRun: true } });
    expect(await plat.get(path)).toMatchObject({ status: 200 });
  });

  it("is listed in pages, by name", async () => {
    const plat = newSpace();
    const names = Array.from({ length: 7 }, (_, n) => `a-${n}`);
    for (const name of names.toReversed()) await plat.put(`/v1/${list}/${name}`, {});
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const { body } = await plat.get(`/v1/${list}`, { limit: "3", ...(next && { cursor: next }) });
      seen.push(...body[list].map(({ name }: { name: string }) => name));
      next = body.next;
    } while (next);
    expect(seen).toEqual(names);
  });

  it("of a manifest is taken, and the others of the body are named", async () => {
    const plat = newSpace();
    const kind = list === "nodes" ? "Node" : "Namespace";
    const manifest = (name: string) => ({ apiVersion: "v1", kind, metadata: { name, labels } });
    const body = { apiVersion: "v1", kind: "List", items: [manifest("b"), manifest("a-1")] };
    const created = await plat.put(path, body);
    expect(created).toMatchObject({ status: 201, body: { labels, ignored: [`${kind} b`] } });
    expect((await plat.get(`/v1/${list}`)).body[list]).toHaveLength(1);
  });
});

it("a node that cannot be read is rejected by its name, keeps no list back, and harms only requests that need it", async () => {
  const plat = await spaceWithPool({ nodeSelector: "has(zone)" });
  await plat.put("/v1/pools/open", { cidr: "10.9.0.0/24" });
  await plat.put("/v1/nodes/n1", { labels: { zone: "a" } });
  await plat.put("/v1/nodes/n2", { labels: { zone: "a" } });
  const { pk, sk } = nodeKey(plat.space, "n1");
  const current = table.partitions.get(pk)?.get(sk);
  table.partitions.get(pk)?.set(sk, { pk, sk, labels: 7 });
  expect(await plat.get("/v1/nodes/n1")).toMatchObject({
    status: 409,
    body: { code: "unreadable" },
  });
  expect((await plat.get("/v1/nodes")).body.nodes).toMatchObject([{ name: "n2" }]);
  const refused = await plat.assign({ host: "n1", ipv4: 1 });
  expect(refused).toMatchObject({ status: 409, body: { code: "unreadable" } });
  expect(await plat.assign({ host: "n1", ipv4: 1, pools: ["open"] })).toMatchObject({
    status: 200,
  });
  if (current) table.partitions.get(pk)?.set(sk, current);
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
      metadata: {
        name: "rack-7",
        uid: "3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a",
        resourceVersion: "1192",
        creationTimestamp: "2026-03-11T08:12:45Z",
        annotations: { "projectcalico.org/metadata": "{}" },
        managedFields: [{ manager: "calico-node", operation: "Update" }],
      },
      spec: {
        cidr: "10.48.0.0/24",
        blockSize: 29,
        ipipMode: "CrossSubnet",
        vxlanMode: "Never",
        natOutgoing: true,
        disabled: false,
        allowedUses: ["Workload"],
        assignmentMode: "Automatic",
        nodeSelector: "rack == '7' && !has(node-role.kubernetes.io/control-plane)",
        namespaceSelector: "projectcalico.org/name != 'kube-system'",
      },
      status: { conditions: [{ type: "Allocatable", status: "True" }] },
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
