import { describe, expect, it } from "vitest";
import { newSpace, table } from "./plat.ts";

const pool = {
  ...{ cidr: "10.0.0.0/24", blockSize: 28, nodeSelector: "has(a)", cooldownSeconds: 7 },
  borrowing: "forbidden",
};
const spec = { cidr: "10.0.0.0/24", blockSize: 28, nodeSelector: "has(a)", natOutgoing: true };
const apiVersion = "projectcalico.org/v3";
const labels = { zone: "west", constructor: "x" };

/** The resources that PUT writes, in each form of the body, each with a different body. */
const RESOURCES = [
  { path: "/v1/pools/main", body: pool, other: { ...pool, disabled: true } },
  {
    path: "/v1/pools/main",
    body: { apiVersion, kind: "IPPool", metadata: { name: "main" }, spec },
    other: { cidr: "10.0.0.0/24", blockSize: 28 },
  },
  {
    path: "/v1/reservations/r",
    body: { cidrs: ["10.0.0.0-10.0.0.3"], reason: "routers" },
    other: { cidrs: ["10.0.0.0/30"] },
  },
  { path: "/v1/nodes/n1", body: { labels }, other: {} },
  {
    path: "/v1/nodes/n1",
    body: {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1", labels, uid: "x" },
      status: {},
    },
    other: { labels: { zone: "east" } },
  },
  { path: "/v1/namespaces/shop", body: { labels }, other: { labels: { ...labels, team: "a" } } },
  {
    path: "/v1/namespaces/shop",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } },
    other: {},
  },
  { path: "/v1/quotas/all", body: { tenant: "red", addresses: 5 }, other: { addresses: 6 } },
  { path: "/v1/applications/shop/Deployment/web", body: { replicas: 2 }, other: { replicas: 3 } },
  { path: "/v1/config", body: { cooldownSeconds: 9, strictAffinity: true }, other: {} },
];

/** Makes a call, and returns its answer and whether it wrote. */
async function watched<T>(act: () => Promise<T>) {
  const before = new Set(table.items());
  const reply = await act();
  const after = table.items();
  return { reply, wrote: after.length !== before.size || after.some((item) => !before.has(item)) };
}

describe.each(RESOURCES)("a PUT of $path with $body", ({ path, body, other }) => {
  it("that is repeated is answered with what stands there, and writes nothing", async () => {
    const plat = newSpace();
    const created = await plat.put(path, body);
    expect(created).toMatchObject({
      status: 201,
      headers: { location: `/v1/spaces/${plat.space}${path.slice(3)}` },
    });
    for (const ifMatch of [undefined, created.headers.etag, "*", '"stale"', 'W/"weak"']) {
      const { reply, wrote } = await watched(() => plat.put(path, body, ifMatch));
      expect({ ifMatch, status: reply.status, wrote }).toEqual({
        ifMatch,
        status: 200,
        wrote: false,
      });
      expect(reply.headers.etag).toBe(created.headers.etag);
      expect(reply.headers).not.toHaveProperty("location");
      const { effectiveAt, ...stands } = reply.body;
      expect(created.body).toMatchObject(stands);
      // A repeat takes effect no earlier than the first answer said.
      expect(Date.parse(effectiveAt)).toBeGreaterThanOrEqual(
        Date.parse(created.body.effectiveAt) - 100,
      );
    }
    const read = await plat.get(path);
    expect(await plat.put(path, read.body)).toMatchObject({
      status: 200,
      headers: { etag: created.headers.etag },
    });
  });

  it("that differs needs an If-Match that fits, of one ETag, of several or *", async () => {
    const plat = newSpace();
    const { headers } = await plat.put(path, body);
    const unseen = await plat.put(path, other);
    expect(unseen).toMatchObject({ status: 428, body: { code: "precondition_required" } });
    for (const stale of ['"stale"', `W/${headers.etag}`]) {
      const { reply, wrote } = await watched(() => plat.put(path, other, stale));
      expect(reply).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
      expect(wrote).toBe(false);
    }
    const changed = await plat.put(path, other, `"stale", ${headers.etag}`);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(headers.etag);
    expect((await plat.put(path, body, "*")).status).toBe(200);
  });

  it("changes only what is there under If-Match: *, and creates only under If-None-Match: *", async () => {
    const plat = newSpace();
    const creating = (body: object) =>
      plat.call("PUT", path, { body, headers: { "if-none-match": "*" } });
    expect(await plat.put(path, body, "*")).toMatchObject({ status: 412 });
    expect(await creating(body)).toMatchObject({ status: 201 });
    for (const again of [body, other]) {
      const { reply, wrote } = await watched(() => creating(again));
      expect(reply).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
      expect(reply.body.detail).toContain("If-None-Match: * only creates");
      expect(wrote).toBe(false);
    }
  });

  it("is read with 304 and no body by who has its ETag already", async () => {
    const plat = newSpace();
    const { headers } = await plat.put(path, body);
    const read = (noneMatch: string) =>
      plat.call("GET", path, { headers: { "if-none-match": noneMatch } });
    for (const known of [headers.etag, `"other", W/${headers.etag}`, "*"]) {
      const { status, body, headers: told } = await read(String(known));
      expect({ status, body, etag: told.etag }).toEqual({
        status: 304,
        body: null,
        etag: headers.etag,
      });
      expect(told).not.toHaveProperty("content-type");
    }
    expect((await read('"other"')).status).toBe(200);
    expect(await read("other")).toMatchObject({
      status: 400,
      body: { fields: [{ field: "If-None-Match" }] },
    });
  });
});

describe("what is deleted or drained only as it was seen", () => {
  it.each([
    ["DELETE", "/v1/pools/main", "delete", "deleted"],
    ["POST", "/v1/pools/main/drain", "drain", "drained"],
    ["DELETE", "/v1/reservations/r", "delete", "deleted"],
    ["DELETE", "/v1/nodes/n1", "delete", "deleted"],
    ["DELETE", "/v1/namespaces/shop", "delete", "deleted"],
    ["DELETE", "/v1/quotas/all", "delete", "deleted"],
    ["DELETE", "/v1/applications/shop/Deployment/web", "delete", "deleted"],
  ])("is told so in its own words: %s %s", async (method, path, act, done) => {
    const plat = newSpace();
    const put = RESOURCES.find((resource) => path.startsWith(resource.path));
    const { headers } = await plat.put(String(put?.path), put?.body);
    const send = (ifMatch?: string) =>
      plat.call(method, path, ifMatch ? { headers: { "if-match": ifMatch } } : {});
    const unseen = await send();
    expect(unseen).toMatchObject({ status: 428 });
    expect(unseen.body.detail).toContain(`If-Match to ${act} it`);
    const stale = await send('"stale"');
    expect(stale).toMatchObject({ status: 412 });
    expect(stale.body.detail).toContain(`is not ${done}`);
    expect((await send(`"stale", ${headers.etag}`)).status).toBeLessThan(300);
  });

  it("goes whatever it is under If-Match: *", async () => {
    const plat = newSpace();
    await plat.put("/v1/nodes/n1", {});
    expect(await plat.delete("/v1/nodes/n1", { "if-match": "*" })).toMatchObject({ status: 200 });
    expect(await plat.delete("/v1/nodes/n1", { "if-match": "*" })).toMatchObject({ status: 404 });
  });
});

it("where a PUT is told of a change that nobody may have been told, it takes effect when the oldest copy is gone", async () => {
  const plat = newSpace();
  const first = await plat.put("/v1/pools/main", pool);
  const again = await plat.put("/v1/pools/main", pool);
  const laterMs = Date.parse(again.body.effectiveAt) - Date.parse(first.body.effectiveAt);
  expect(Math.round(laterMs / 1000)).toBe(60);
});
