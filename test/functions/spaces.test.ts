import { describe, expect, it } from "vitest";
import { inNamedSpace, leavesSpaceOut } from "../../src/api/route.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import { call, newSpace, pagesOf, scheduledRun, spaceWithPool, textsOf } from "./plat.ts";

const POOL = { cidr: "10.0.0.0/24", blockSize: 28 };
const YAML = { "content-type": "application/yaml" };

const rejection = (field: string, value: unknown, path: string) => ({
  status: 400,
  body: {
    code: "invalid_request",
    fields: [{ field, value, problem: expect.stringContaining(`names the space; send ${path}`) }],
  },
});

describe("a space", () => {
  it("is named by the path, and keeps its addresses from the others", async () => {
    const one = await spaceWithPool();
    const other = await spaceWithPool();
    const asked = { host: "n1", address: "10.0.0.7", handle: "web" };
    for (const plat of [one, other])
      expect(textsOf(await plat.assign(asked))).toEqual(["10.0.0.7"]);
    await one.release({ handle: "web" });
    expect((await one.get("/v1/addresses/10.0.0.7")).body.state).toBe("cooling");
    expect((await other.get("/v1/addresses/10.0.0.7")).body.state).toBe("assigned");
  });

  it("is the default one where the path names none, which has both forms", async () => {
    const made = await call("PUT", "/v1/reservations/both", { body: { cidrs: ["10.1.0.0/30"] } });
    const read = await call("GET", "/v1/spaces/default/reservations/both");
    expect(read).toMatchObject({ status: 200, headers: { etag: made.headers.etag } });
    expect(await call("GET", "/v1/spaces/another/reservations/both")).toMatchObject({
      status: 404,
    });
  });

  it("has the same keyed requests and the same cursors by either form, where it is the default one", async () => {
    const pool = { cidr: "10.7.0.0/28", blockSize: 28, assignmentMode: "Manual" };
    await call("PUT", "/v1/pools/keyed", { body: pool });
    const request = {
      headers: { "idempotency-key": "either" },
      body: { host: "n1", address: "10.7.0.7", handle: "either" },
    };
    const { body } = await call("POST", "/v1/assign", request);
    const again = await call("POST", "/v1/spaces/default/assign", request);
    expect(again).toMatchObject({ status: 200, body: { addresses: body.addresses } });
    await call("PUT", "/v1/pools/more", { body: { ...pool, cidr: "10.7.0.16/28" } });
    const { next } = (await call("GET", "/v1/pools", { query: { limit: "1" } })).body;
    expect(
      await call("GET", "/v1/spaces/default/pools", { query: { cursor: next } }),
    ).toMatchObject({ status: 200 });
  });

  it("is listed once it has a pool, in the order of names and in pages, for who may read them all", async () => {
    for (const name of ["zz-1", "zz-2", "zz-3"])
      await call("PUT", `/v1/spaces/${name}/pools/main`, { body: POOL });
    const get = (path: string, query = {}) => call("GET", path, { query });
    const names = (await pagesOf({ get }, "/v1/spaces", { limit: "2" })).flatMap(({ body }) =>
      body.spaces.map(({ name }: { name: string }) => name),
    );
    expect(names.slice(-3)).toEqual(["zz-1", "zz-2", "zz-3"]);
    expect(names).toEqual([...new Set(names)].sort());
    const wrong = await call("GET", "/v1/spaces", { query: { space: "zz-1" } });
    expect(wrong).toMatchObject({ status: 400, body: { fields: [{ field: "?space" }] } });
  });

  it("may be called like a part of any path", async () => {
    for (const space of ["spaces", "pools", "v1", "handles", "assign", "default-2", "0"]) {
      const path = `/v1/spaces/${space}/pools`;
      expect(await call("PUT", `${path}/pools`, { body: POOL })).toMatchObject({ status: 201 });
      const { body } = await call("GET", path);
      expect(body.pools).toMatchObject([{ name: "pools" }]);
    }
    expect((await call("GET", "/v1/pools/pools")).status).toBe(404);
  });

  it.each(["Blue", "-a", "a.b", "%2e%2e", "a%2Fb", "blue%3F", "%", "a".repeat(64), "SPACE%23a"])(
    "is not called %s",
    async (space) => {
      const path = `/v1/spaces/${space.replace(/%$/, "%25")}/config`;
      expect(await call("GET", path)).toMatchObject({
        status: 400,
        body: { code: "invalid_request", fields: [{ field: "space" }] },
      });
    },
  );

  it("is one that nothing was written in yet: its configuration is the usual, its lists are empty", async () => {
    const plat = newSpace();
    expect(await plat.get("/v1/pools")).toMatchObject({ status: 200, body: { pools: [] } });
    expect(await plat.get("/v1/config")).toMatchObject({ status: 200 });
    expect(await plat.assign({ host: "n", ipv4: 1 })).toMatchObject({
      status: 409,
      body: { code: "no_pool_available" },
    });
  });
});

describe("a space is deleted", () => {
  const work = scheduledRun("work");

  it("by a job that is followed where the answer says, and may be used again at once", async () => {
    const plat = newSpace();
    await plat.put("/v1/config", { cooldownSeconds: 7 });
    await plat.put("/v1/reservations/routers", { cidrs: ["10.0.0.0/30"] });
    await plat.put("/v1/quotas/all", { addresses: 5 });
    await plat.put("/v1/namespaces/shop", { labels: {} });
    const path = `/v1/spaces/${plat.space}`;
    const accepted = await call("DELETE", path);
    expect(accepted).toMatchObject({
      status: 202,
      headers: { location: `${path}/jobs/delete-space` },
      body: { job: { kind: "space.delete", space: plat.space, state: "running" } },
    });
    expect(accepted.body.job).not.toHaveProperty("pool");
    await work();
    expect(await plat.get("/v1/jobs/delete-space")).toMatchObject({
      body: { state: "done", progress: { removed: 4 }, finishedAt: expect.any(String) },
    });
    expect((await plat.get("/v1/config")).headers.etag).toBeUndefined();
    for (const list of ["reservations", "quotas", "namespaces"])
      expect((await plat.get(`/v1/${list}`)).body[list]).toEqual([]);
    expect(await call("DELETE", path)).toMatchObject({
      status: 202,
      body: { job: { state: "done" } },
    });
    expect((await plat.put("/v1/pools/main", POOL)).status).toBe(201);
  });

  it("only if it is empty: the answer names what is in it", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/nodes/n1", { labels: {} });
    expect(await plat.delete(`/v1/spaces/${plat.space}`)).toMatchObject({
      status: 409,
      body: { code: "space_in_use", contents: { pools: ["main"], nodes: ["n1"] } },
    });
  });

  it("unless a node is registered meanwhile: the job says so, and the rest stays", async () => {
    const plat = newSpace();
    await plat.put("/v1/reservations/routers", { cidrs: ["10.0.0.0/30"] });
    await call("DELETE", `/v1/spaces/${plat.space}`);
    await plat.put("/v1/nodes/n1", { labels: {} });
    await work();
    expect((await plat.get("/v1/jobs/delete-space")).body).toMatchObject({
      state: "failed",
      detail: "The space is not deleted: it has nodes n1. 0 items were removed before.",
    });
    expect((await plat.get("/v1/reservations/routers")).status).toBe(200);
  });

  it("only if it has something, and is not the probe's", async () => {
    expect((await call("DELETE", `/v1/spaces/${newSpace().space}`)).body.code).toBe("not_found");
    expect(await call("DELETE", "/v1/spaces/plat-probe")).toMatchObject({ status: 400 });
    expect(await call("DELETE", "/v1/spaces/Blue")).toMatchObject({ status: 400 });
  });

  it("by nothing that a dry run does", async () => {
    const plat = newSpace();
    await plat.put("/v1/config", { cooldownSeconds: 7 });
    const query = { dryRun: "true" };
    expect(await call("DELETE", `/v1/spaces/${plat.space}`, { query })).toMatchObject({
      status: 200,
      body: { job: { state: "running" }, dryRun: true },
    });
    expect((await plat.get("/v1/jobs")).body.jobs).toEqual([]);
  });
});

describe("a body that names a space", () => {
  const inBody = (method: string, path: string, body: unknown, headers = {}) =>
    call(method, path, { body, headers });

  it.each([7, null, "A/B", ""])(
    "that is none, %j, is told where one would stand",
    async (space) => {
      expect(await inBody("POST", "/v1/release", { handle: "h", space })).toMatchObject(
        rejection("space", space, "POST /v1/spaces/{space}/release"),
      );
    },
  );

  it("is rejected as a manifest, in a list of them, and as YAML", async () => {
    const ipPool = {
      apiVersion: "projectcalico.org/v3",
      kind: "IPPool",
      metadata: { name: "main" },
      spec: POOL,
    };
    const told = rejection("space", "blue", "PUT /v1/spaces/blue/pools/main");
    for (const body of [
      { ...ipPool, space: "blue" },
      { kind: "List", apiVersion: "v1", items: [{ ...ipPool, space: "blue" }] },
      { kind: "List", apiVersion: "v1", items: [ipPool], space: "blue" },
    ])
      expect(await inBody("PUT", "/v1/pools/main", body)).toMatchObject(told);
    const yaml = "cidr: 10.0.0.0/24\nspace: blue\n";
    expect(await inBody("PUT", "/v1/pools/main", yaml, YAML)).toMatchObject(told);
    const node = "labels: {zone: west}\nspace: blue\n";
    expect(await inBody("PUT", "/v1/nodes/n1", node, YAML)).toMatchObject(
      rejection("space", "blue", "PUT /v1/spaces/blue/nodes/n1"),
    );
  });
});

/** Returns a path of a route whose resources need not exist. */
const sample = (path: string) =>
  path
    .replace("{ip}", "10.0.0.7")
    .replace("{cidr+}", "10.0.0.0/28")
    .replace(/\{\w+\+?\}/, "x");

describe.each(ROUTES.filter(({ path }) => leavesSpaceOut(path)))(
  "$method $path",
  ({ method, path, body }) => {
    const named = inNamedSpace(path);

    it.each([path, named.replace("{space}", "red")])(
      "says what to send in the place of a space beside its path: %s",
      async (form) => {
        const instead = `${method} ${sample(named.replace("{space}", "blue"))}`;
        const inBody = { body: { space: "blue" } };
        const inQuery = { query: { space: "blue" } };
        expect(await call(method, sample(form), body ? inBody : inQuery)).toMatchObject(
          rejection(body ? "space" : "?space", "blue", instead),
        );
      },
    );
  },
);

it("a query that names a space is rejected beside a body that is right", async () => {
  const request = { body: { host: "n", ipv4: 1 }, query: { space: "blue" } };
  expect(await call("POST", "/v1/assign", request)).toMatchObject(
    rejection("?space", "blue", "POST /v1/spaces/blue/assign"),
  );
});
