import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newSpace, scheduledRun, spaceWithPool, table } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const CI = "arn:aws:iam::123456789012:role/ci";
const SESSION_OF_CI = "arn:aws:sts::123456789012:assumed-role/ci/job-7";

/** The time stands still, so that all requests of a test come in one second. */
beforeEach(() => {
  const nowMs = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the statuses of assigns, one after another. */
async function assigns(plat: Plat, count: number, body: object = {}, caller?: string) {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    const asked = { host: "n1", ipv4: 1, handle: "h", ...body };
    const { status } = await plat.call("POST", "/v1/assign", {
      body: asked,
      ...(caller !== undefined && { caller }),
    });
    statuses.push(status);
  }
  return statuses;
}

describe("a quota", () => {
  it.each([
    [{}, "addresses", "is missing, and so are prefixes, blocks and requestsPerSecond"],
    [
      { principal: CI, tenant: "red", requestsPerSecond: 1 },
      "tenant",
      "must be absent beside principal",
    ],
    [{ requestsPerSecond: 0 }, "requestsPerSecond", "must be a whole number from 1"],
    [{ principal: SESSION_OF_CI, requestsPerSecond: 1 }, "principal", "must name a role without"],
    [{ tenant: "", requestsPerSecond: 1 }, "tenant", "must not be empty"],
  ])("%j is an error that names %s", async (body, field, problem) => {
    const answer = await newSpace().put("/v1/quotas/q", body);
    expect(answer.status).toBe(400);
    expect(answer.body.fields[0].field).toBe(field);
    expect(answer.body.fields[0].problem).toContain(problem);
  });
});

describe("a quota of addresses", () => {
  it("rejects what goes beyond it with the limit, and takes it back after a release", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/red", { tenant: "red", addresses: 2 });
    const red = { attributes: { tenant: "red" } };
    const first = await plat.assign({ host: "n1", ipv4: 2, ...red });
    expect(first.status).toBe(200);
    const { status, body } = await plat.assign({ host: "n1", ipv4: 1, ...red });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: "quota_exceeded",
      retryable: false,
      detail: `Quota red of tenant red allows 2 addresses, and has no room for 1 more. A caller with the role operator in space ${plat.space} may raise it.`,
      limit: { quota: "red", tenant: "red", addresses: 2 },
      changedBy: { role: "operator", space: plat.space },
      requested: 1,
    });
    expect(await assigns(plat, 1)).toEqual([200]);
    const [{ address, generation }] = first.body.addresses;
    await plat.release({ addresses: [{ address, generation }] });
    expect(await assigns(plat, 2, red)).toEqual([200, 409]);
  });

  it("tells how much of each of its maxima is used", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/red", { tenant: "red", addresses: 5, blocks: 2 });
    const usage = async () => (await plat.get("/v1/quotas/red/usage")).body;
    expect(await usage()).toEqual({
      name: "red",
      addresses: { used: 0, max: 5 },
      blocks: { used: 0, max: 2 },
    });
    const { body } = await plat.assign({ host: "n1", ipv4: 3, attributes: { tenant: "red" } });
    expect(await usage()).toMatchObject({ addresses: { used: 3 }, blocks: { used: 1 } });
    const [{ address, generation }] = body.addresses;
    await plat.release({ addresses: [{ address, generation }] });
    expect(await usage()).toMatchObject({ addresses: { used: 2 } });
    expect((await plat.get("/v1/quotas/blue/usage")).body.code).toBe("not_found");
  });

  it("answers a replay of a request that it has no more room for", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/all", { addresses: 1 });
    const request = { host: "n1", ipv4: 1 };
    const first = await plat.assign(request, "once");
    expect(first.status).toBe(200);
    const again = await plat.assign(request, "once");
    expect(again.body.addresses).toEqual(first.body.addresses);
    expect((await plat.assign(request, "twice")).body.code).toBe("quota_exceeded");
  });

  const instanceOf = (uid: string, tenant: string) => ({
    handle: undefined,
    host: "n1",
    ipv4: 1,
    namespace: "shop",
    workload: { kind: "StatefulSet", name: "db", instance: "db-0", uid },
    attributes: { tenant },
  });

  it("limits an instance that comes back for another tenant, and no longer the one before", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/red", { tenant: "red", addresses: 1 });
    await plat.put("/v1/quotas/none", { tenant: "none", addresses: 0 });
    await plat.put("/v1/quotas/blue", { tenant: "blue", addresses: 1 });
    const { body } = await plat.assign(instanceOf("u-1", "red"));
    expect(await assigns(plat, 1, { attributes: { tenant: "red" } })).toEqual([409]);
    const refused = await plat.assign(instanceOf("u-2", "none"));
    expect([refused.status, refused.body.code]).toEqual([409, "quota_exceeded"]);
    const returned = await plat.assign(instanceOf("u-3", "blue"));
    expect(returned.body.addresses[0].address).toBe(body.addresses[0].address);
    expect(await assigns(plat, 1, { attributes: { tenant: "blue" } })).toEqual([409]);
    expect(await assigns(plat, 2, { attributes: { tenant: "red" } })).toEqual([200, 409]);
  });

  it("of none takes every address away from a caller", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/ci", { principal: CI, addresses: 0 });
    expect(await assigns(plat, 1, {}, SESSION_OF_CI)).toEqual([409]);
    expect(await assigns(plat, 1)).toEqual([200]);
  });

  it("leaves prefixes to a quota of prefixes", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", { cidr: "10.8.0.0/16", assign: "prefixes" });
    await plat.put("/v1/quotas/all", { addresses: 0, prefixes: 1 });
    const ensure = (node: string) =>
      plat.call("POST", `/v1/nodes/${node}/pod-cidrs`, { body: { uid: "u-1" } });
    expect((await ensure("n1")).status).toBe(200);
    expect((await ensure("n1")).status).toBe(200);
    expect((await ensure("n2")).body).toMatchObject({
      code: "quota_exceeded",
      limit: { quota: "all", prefixes: 1 },
    });
    await plat.call("DELETE", "/v1/nodes/n1/pod-cidrs", { query: { uid: "u-1" } });
    expect((await ensure("n2")).status).toBe(200);
  });
});

it("a prefix of a node counts for its caller and for no tenant, and that of an event for the space alone", async () => {
  const plat = newSpace();
  await plat.put("/v1/pools/pods", { cidr: "10.8.0.0/16", assign: "prefixes" });
  await plat.put("/v1/quotas/ci", { principal: CI, prefixes: 1 });
  await plat.put("/v1/quotas/red", { tenant: "red", prefixes: 0 });
  await plat.put("/v1/quotas/space", { prefixes: 3 });
  const caller = SESSION_OF_CI;
  const asked = async (uid: string) => {
    const sent = { body: { uid }, caller };
    const { body } = await plat.call("POST", `/v1/nodes/${uid}/pod-cidrs`, sent);
    return body.limit?.quota;
  };
  const told = async (uid: string) => {
    const metadata = { name: uid, uid, resourceVersion: "1", labels: {} };
    const created = { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z" };
    const object = { apiVersion: "v1", kind: "Node", metadata: created, spec: {} };
    const { body } = await plat.call("POST", "/v1/events", {
      body: { type: "ADDED", object },
      caller,
    });
    return body.results[0].code;
  };
  expect([await asked("a"), await asked("b")]).toEqual([undefined, "ci"]);
  expect([await told("c"), await told("d"), await told("e")]).toEqual([
    undefined,
    undefined,
    "quota_exceeded",
  ]);
});

describe("a quota of blocks", () => {
  const later = (ms: number) => {
    const nowMs = Date.now() + ms;
    vi.spyOn(Date, "now").mockReturnValue(nowMs);
  };

  /** A space with a pool that lends nothing, in which all callers together may have one block. */
  async function spaceOfOneBlock() {
    const plat = newSpace();
    await plat.put("/v1/pools/main", {
      cidr: "10.0.0.0/24",
      blockSize: 26,
      borrowing: "forbidden",
    });
    await plat.put("/v1/quotas/all", { blocks: 1 });
    return plat;
  }

  it("limits the blocks that hosts are to have, too", async () => {
    const plat = await spaceOfOneBlock();
    const claims = (host: string) =>
      plat.call("POST", `/v1/nodes/${host}/affinities`, { body: { families: [4] } });
    expect((await claims("n1")).status).toBe(200);
    expect(await claims("n2")).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
  });

  it("takes a block back from reclaim, which deletes it", async () => {
    const plat = await spaceOfOneBlock();
    expect(await assigns(plat, 1)).toEqual([200]);
    expect(await assigns(plat, 1, { host: "n2" })).toEqual([409]);
    await plat.delete("/v1/handles/h");
    for (let n = 0; n < 2; n++) {
      later(10 * 60_000);
      await scheduledRun("reclaim")();
    }
    expect(await assigns(plat, 1, { host: "n2" })).toEqual([200]);
  });

  it("takes a block back from the deletion of its pool", async () => {
    const plat = await spaceOfOneBlock();
    expect(await assigns(plat, 1)).toEqual([200]);
    await plat.delete("/v1/handles/h");
    const { headers } = await plat.get("/v1/pools/main");
    const deleted = await plat.delete("/v1/pools/main", { "if-match": String(headers.etag) });
    expect(deleted.status).toBe(202);
    for (let n = 0; n < 3; n++) {
      later(10 * 60_000);
      await scheduledRun("work")();
    }
    await plat.put("/v1/pools/other", { cidr: "10.0.0.0/24", blockSize: 26 });
    expect(await assigns(plat, 1, { host: "n2" })).toEqual([200]);
  });
});

describe("a quota of requests", () => {
  it("rejects the request after them, and names itself, its value and who may raise it", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/all", { requestsPerSecond: 2 });
    expect(await assigns(plat, 2)).toEqual([200, 200]);
    const { status, headers, body } = await plat.assign({ host: "n1", ipv4: 1 });
    expect(status).toBe(429);
    expect(headers["retry-after"]).toBe("1");
    expect(body).toMatchObject({
      code: "rate_limited",
      retryable: true,
      detail: `Quota all of space ${plat.space} allows 2 requests a second. A caller with the role operator in space ${plat.space} may raise it.`,
      limit: { quota: "all", requestsPerSecond: 2 },
      changedBy: { role: "operator", space: plat.space },
    });
  });

  it("counts a repeat too, and that of an instance", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/all", { requestsPerSecond: 2 });
    const workload = { kind: "StatefulSet", name: "db", instance: "db-0" };
    const asked = { handle: undefined, namespace: "shop" };
    const of = (uid: string) => ({ ...asked, workload: { ...workload, uid } });
    expect(await assigns(plat, 1, of("u-1"))).toEqual([200]);
    expect(await assigns(plat, 3, of("u-2"))).toEqual([200, 429, 429]);
    expect(await assigns(plat, 2, of("u-3"))).toEqual([429, 429]);
  });

  it("of a principal counts all sessions of its role, and no other caller", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/quotas/ci", { principal: CI, requestsPerSecond: 1 });
    const other = SESSION_OF_CI.replace("job-7", "job-8");
    expect(await assigns(plat, 1, {}, SESSION_OF_CI)).toEqual([200]);
    expect(await assigns(plat, 1, {}, other)).toEqual([429]);
    expect(await assigns(plat, 1, {}, "arn:aws:iam::123456789012:user/ann")).toEqual([200]);
    expect(await assigns(plat, 1)).toEqual([200]);
  });

  it("counts a claim of blocks and a request for prefixes, and no read, release or dry run", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/pods", { cidr: "10.8.0.0/16", assign: "prefixes" });
    await plat.put("/v1/quotas/all", { requestsPerSecond: 1 });
    const dry = { host: "n1", ipv4: 1, dryRun: true };
    expect((await plat.assign(dry)).status).toBe(200);
    expect((await plat.release({ handle: "nothing" })).status).toBe(200);
    const claimed = await plat.call("POST", "/v1/nodes/n1/affinities", { body: { families: [4] } });
    expect(claimed.status).toBe(200);
    const again = await plat.call("POST", "/v1/nodes/n1/affinities", {
      body: { cidr: "10.0.0.0/28" },
    });
    expect(again.status).toBe(429);
    const body = { uid: "u-1" };
    const pods = await plat.call("POST", "/v1/nodes/n2/pod-cidrs", { body });
    expect([pods.status, pods.body.code]).toEqual([429, "rate_limited"]);
    // What a node says that it has is not asked for.
    const stated = { ...body, podCIDRs: ["10.8.1.0/24"] };
    expect((await plat.call("POST", "/v1/nodes/n2/pod-cidrs", { body: stated })).status).toBe(200);
  });

  it("is no item of a space that has none", async () => {
    const plat = await spaceWithPool();
    expect(await assigns(plat, 3)).toEqual([200, 200, 200]);
    const rates = table.items().filter(({ pk }) => pk.startsWith(`BUDGET#${plat.space}#`));
    expect(rates).toEqual([]);
  });
});
