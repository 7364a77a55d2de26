import { afterEach, describe, expect, it, vi } from "vitest";
import { UnavailableError } from "../../src/base/outcome.ts";
import { withCalls } from "../../src/kernel/core/store.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { poolOf } from "../world.ts";
import { context, newSpace, scheduledRun, spaceWithPool } from "./plat.ts";

const work = scheduledRun("work");

afterEach(() => {
  vi.useRealTimers();
});

type Plat = ReturnType<typeof newSpace>;

const ifMatch = async (plat: Plat) => ({
  "if-match": String((await plat.get("/v1/pools/main")).headers.etag),
});

const drain = async (plat: Plat) => plat.post("/v1/pools/main/drain", await ifMatch(plat));
const remove = async (plat: Plat) => plat.delete("/v1/pools/main", await ifMatch(plat));

/** Runs the worker ten times, a minute apart. */
async function work10Minutes(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  for (let minute = 0; minute < 10; minute++) {
    vi.setSystemTime(Date.now() + 60_000);
    await work();
  }
}

describe("a pool is drained", () => {
  it("by a job that is followed where the answer says", async () => {
    const plat = await spaceWithPool();
    const assigned = await plat.assign({ host: "n1", ipv4: 3, handle: "web" });
    expect(assigned.status).toBe(200);
    expect(await plat.post("/v1/pools/main/drain")).toMatchObject({
      status: 428,
      body: { code: "precondition_required" },
    });
    const accepted = await drain(plat);
    expect(accepted).toMatchObject({
      status: 202,
      body: { job: { kind: "pool.drain", pool: "main", state: "running" } },
    });
    expect(Date.parse(accepted.body.effectiveAt)).toBeGreaterThan(Date.now());
    expect(accepted.headers.location).toBe(`/v1/spaces/${plat.space}/jobs/${accepted.body.job.id}`);
    expect((await plat.assign({ host: "n1", ipv4: 1 })).body.code).toBe("no_pool_available");
    expect((await plat.get("/v1/pools/main")).body.disabled).toBe(true);

    await work10Minutes();
    const path = `/v1/jobs/${accepted.body.job.id}`;
    expect(await plat.get(path)).toMatchObject({
      status: 200,
      body: {
        state: "running",
        detail: "Waits for 3 addresses to be released.",
        progress: { last: { taken: 3, blocks: 1 } },
      },
    });
    await plat.release({ handle: "web" });
    await work10Minutes();
    const { body } = await plat.get(path);
    expect(body).toMatchObject({ state: "done", finishedAt: expect.any(String) });
    expect((await plat.get("/v1/jobs")).body).toEqual({ jobs: [body] });
  });

  it("by no job that nobody began", async () => {
    const plat = newSpace();
    expect((await plat.post("/v1/pools/main/drain")).status).toBe(404);
    expect(await plat.get("/v1/jobs/drain-x")).toMatchObject({
      status: 404,
      body: { detail: `There is no job drain-x in space ${plat.space}.` },
    });
    expect((await plat.get("/v1/jobs/a%20b")).body).toMatchObject({
      code: "invalid_request",
      fields: [{ field: "id" }],
    });
  });
});

describe("a pool is deleted", () => {
  it("at once while it is still pending: the job is done, its name and its range are free", async () => {
    const plat = newSpace();
    const spec = { cidr: "10.0.0.0/24", blockSize: 28 };
    const readPlan = () => Promise.reject(new UnavailableError("it is cut off"));
    const dying = { ...context, store: withCalls(context.store, { readPlan }) };
    await expect(
      putPool(dying, plat.space, "main", poolOf(spec.cidr, 28), undefined),
    ).rejects.toThrow(UnavailableError);
    expect((await plat.get("/v1/pools/main")).body).toMatchObject({ state: "pending" });
    const match = await ifMatch(plat);
    const dryRunOf = await plat.delete("/v1/pools/main", match, { dryRun: "true" });
    expect(dryRunOf.body).toMatchObject({ dryRun: true, job: { state: "done" } });
    expect((await plat.get("/v1/pools/main")).status).toBe(200);
    const deleted = await plat.delete("/v1/pools/main", match);
    expect(deleted).toMatchObject({
      status: 202,
      body: {
        job: { state: "done", detail: "The pool is deleted; its name and its range are free." },
      },
    });
    expect(deleted.body.job.earliestEndAt).toBeUndefined();
    expect((await plat.get("/v1/pools/main")).status).toBe(404);
    expect((await plat.put("/v1/pools/other", spec)).status).toBe(201);
  });
});

describe("the affinities of a pool are released", () => {
  it("by a job: its blocks are nobody's, its addresses their owners', and it serves on", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { blockMinAgeSeconds: 0 });
    await plat.assign({ host: "n1", address: "10.0.0.1", handle: "web" });
    await plat.assign({ host: "n2", address: "10.0.0.17", handle: "db" });
    await plat.call("POST", "/v1/nodes/n3/affinities", { body: { cidr: "10.0.0.32/28" } });
    const path = "/v1/pools/main/release-affinities";
    const dryRunOf = await plat.post(path, {}, { dryRun: "true" });
    expect(dryRunOf).toMatchObject({ status: 200, body: { dryRun: true } });
    expect((await plat.get("/v1/jobs")).body.jobs).toEqual([]);
    const accepted = await plat.post(path);
    expect(accepted).toMatchObject({
      status: 202,
      body: { job: { kind: "pool.release", state: "running" } },
    });
    expect(accepted.body.effectiveAt).toBeUndefined();
    expect((await plat.post(path)).body).toEqual(accepted.body);
    await work();
    const job = `/v1/jobs/${accepted.body.job.id}`;
    expect((await plat.get(job)).body).toMatchObject({
      state: "done",
      detail: "The affinities of all blocks were released.",
      progress: { last: { blocks: 3, deleted: 1, taken: 2 } },
    });
    const { blocks } = (await plat.get("/v1/blocks", { pool: "main" })).body;
    expect(blocks).toMatchObject([{ cidr: "10.0.0.0/28" }, { cidr: "10.0.0.16/28" }]);
    for (const { host } of blocks) expect(host).toBeUndefined();
    expect((await plat.get("/v1/handles/web")).body.addresses).toMatchObject([{ borrowed: true }]);
    expect((await plat.assign({ host: "n1", ipv4: 1 })).status).toBe(200);

    expect((await plat.post(path)).body.job).toMatchObject({ state: "running" });
    await work();
    expect((await plat.get(job)).body.progress.last).toMatchObject({ blocks: 1 });
  });

  it("by no job where there is no pool, or one that is being deleted", async () => {
    const plat = await spaceWithPool();
    const release = (name: string) => plat.post(`/v1/pools/${name}/release-affinities`);
    expect((await release("none")).status).toBe(404);
    const begun = (await release("main")).body.job;
    await remove(plat);
    expect((await release("main")).body.code).toBe("pool_deleting");
    await work();
    expect((await plat.get(`/v1/jobs/${begun.id}`)).body).toMatchObject({
      state: "cancelled",
      detail: "The pool is being deleted.",
    });
  });
});

describe("a pool is deleted", () => {
  it("and its name and its range are free for another when the job is done", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 2, handle: "web" });
    await plat.release({ handle: "web" });
    const { status, headers, body } = await remove(plat);
    expect(status).toBe(202);
    const { id } = body.job;
    const shown = await plat.get("/v1/pools/main");
    expect(shown.body).toMatchObject({ state: "deleting", job: id });
    const going = { status: 409, body: { code: "pool_deleting", job: id, retryable: true } };
    expect(await plat.put("/v1/pools/main", shown.body)).toMatchObject({
      ...going,
      headers: { "retry-after": "60" },
    });
    const changed = await plat.put("/v1/pools/main", shown.body, shown.headers.etag);
    expect(changed).toMatchObject({ status: 409, body: { job: id, retryable: false } });
    expect(changed.headers).not.toHaveProperty("retry-after");
    expect((await remove(plat)).headers.location).toBe(headers.location);
    const wanted = { cidr: "10.0.0.128/25", blockSize: 30 };
    expect(await plat.put("/v1/pools/next", wanted)).toMatchObject({
      status: 409,
      body: { code: "pool_overlap", job: id, retryable: true },
    });
    expect((await plat.get("/v1/addresses/10.0.0.1")).body).toMatchObject({ pool: "main" });

    await work10Minutes();
    const done = await plat.get(`/v1/jobs/${id}`);
    expect(done.body).toMatchObject({ state: "done" });
    expect((await plat.get("/v1/pools/main")).status).toBe(404);
    expect((await plat.put("/v1/pools/main", { ...wanted, cidr: "10.0.0.0/24" })).status).toBe(201);
    const assigned = await plat.assign({ host: "n1", ipv4: 4 });
    expect(assigned.body.addresses[0].block).toMatch(/\/30$/);
  });
});

it("jobs are listed in pages, those that were begun first before the others", async () => {
  const plat = newSpace();
  const ids: string[] = [];
  for (const name of ["c", "a", "b"]) {
    const cidr = `10.${ids.length}.0.0/24`;
    const { headers } = await plat.put(`/v1/pools/${name}`, { cidr });
    const ifMatch = { "if-match": String(headers.etag) };
    const begun = await plat.post(`/v1/pools/${name}/drain`, ifMatch);
    const { id } = begun.body.job;
    expect(begun.headers.location).toBe(`/v1/spaces/${plat.space}/jobs/${id}`);
    ids.push(id);
  }
  const all = (await plat.get("/v1/jobs")).body;
  expect(all.jobs.map(({ pool }: { pool: string }) => pool).sort()).toEqual(["a", "b", "c"]);
  expect(all).not.toHaveProperty("next");
  const first = (await plat.get("/v1/jobs", { limit: "2" })).body;
  const second = (await plat.get("/v1/jobs", { limit: "2", cursor: first.next })).body;
  expect(second).not.toHaveProperty("next");
  expect([...first.jobs, ...second.jobs]).toEqual(all.jobs);
  const times = all.jobs.map(({ createdAt }: { createdAt: string }) => createdAt);
  expect(times).toEqual(times.toSorted());
});
