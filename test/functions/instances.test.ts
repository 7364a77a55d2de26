import { describe, expect, it } from "vitest";
import { spaceWithPool, textsOf } from "./plat.ts";

type Plat = Awaited<ReturnType<typeof spaceWithPool>>;
type Addresses = { address: string; generation: string }[];

const DB = { kind: "StatefulSet", name: "db", instance: "db-0" };
const HANDLE = "workload/shop/StatefulSet/db/db-0";
const assign = (plat: Plat, uid: string, more: object = {}) =>
  plat.call("POST", "/v1/assign", {
    body: { host: "n1", ipv4: 1, namespace: "shop", workload: { ...DB, uid }, ...more },
  });
const release = (plat: Plat, uid: string, more: object = {}) =>
  plat.release({ namespace: "shop", workload: { ...DB, uid }, ...more });

describe("an instance of a workload", () => {
  it("is assigned under its own handle, without a key, and a repeat gets the same answer", async () => {
    const plat = await spaceWithPool();
    const first = await assign(plat, "a");
    expect(first).toMatchObject({ status: 200, body: { handle: HANDLE } });
    const { requestId: _, ...answer } = (await assign(plat, "a")).body;
    expect(first.body).toMatchObject(answer);
  });

  it("is kept by its uid, read as kept, and returns on another host", async () => {
    const plat = await spaceWithPool();
    const [{ address }] = (await assign(plat, "a")).body.addresses as Addresses as [
      Addresses[number],
    ];
    const kept = await release(plat, "a", { keep: true });
    expect(kept.body).toEqual({
      requestId: kept.body.requestId,
      handle: HANDLE,
      released: [],
      kept: [address],
    });
    const read = (await plat.get(`/v1/addresses/${address}`)).body;
    expect(read).toMatchObject({
      state: "kept",
      handle: HANDLE,
      workload: { ...DB, namespace: "shop", uid: "a" },
    });
    expect(read).not.toHaveProperty("host");
    expect((await plat.get(`/v1/handles/${HANDLE}`)).body.addresses).toMatchObject([
      { address, state: "kept" },
    ]);
    expect(textsOf(await assign(plat, "b", { host: "n2" }))).toEqual([address]);
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject({
      state: "assigned",
      host: "n2",
      workload: { uid: "b" },
    });
    expect(await assign(plat, "a")).toMatchObject({
      status: 409,
      body: { code: "already_released" },
    });
  });

  it("has no memory of a replaced uid after the last of its addresses was released", async () => {
    const plat = await spaceWithPool();
    for (const uid of ["a", "b"]) expect(await assign(plat, uid)).toMatchObject({ status: 200 });
    expect(await assign(plat, "a")).toMatchObject({ status: 409 });
    await release(plat, "b", { keep: true });
    expect(await assign(plat, "a")).toMatchObject({ status: 409 });
    await release(plat, "b");
    expect(await assign(plat, "a")).toMatchObject({ status: 200 });
  });

  it("is explained by a dry run with the addresses that it has", async () => {
    const plat = await spaceWithPool();
    await assign(plat, "a");
    const { body } = await assign(plat, "b", { host: "n2", dryRun: true });
    expect(body.families).toMatchObject([{ blocks: [{ action: "alreadyAssigned", count: 1 }] }]);
    expect((await plat.get(`/v1/handles/${HANDLE}`)).body.addresses).toMatchObject([
      { host: "n1", workload: { uid: "a" } },
    ]);
  });
});

describe("the handle of an instance", () => {
  it.each([
    ["assigned", (plat: Plat) => plat.assign({ host: "n1", ipv4: 1, handle: HANDLE })],
    ["released", (plat: Plat) => plat.release({ handle: HANDLE })],
    ["deleted", (plat: Plat) => plat.delete(`/v1/handles/${HANDLE}`)],
  ])("is not %s by a caller", async (_, act) => {
    const plat = await spaceWithPool();
    await assign(plat, "a");
    const { status, body } = await act(plat);
    expect(status).toBe(400);
    expect(body.fields).toMatchObject([{ field: "handle" }]);
  });

  it("is a conflict beside an address", async () => {
    const plat = await spaceWithPool();
    const [address] = textsOf(await assign(plat, "a"));
    expect((await plat.release({ addresses: [{ address, handle: HANDLE }] })).body.results).toEqual(
      [expect.objectContaining({ status: "conflict", code: "invalid_request" })],
    );
  });
});
