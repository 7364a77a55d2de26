import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { OPERATIONS } from "../../src/client/generated/operations.ts";
import {
  type Answer,
  ApiError,
  clientOver,
  found,
  isRejection,
  type Parameters,
  type PlatClient,
  platClient,
  type Request,
} from "../../src/client/index.ts";
import { isRepeatable } from "../../src/client/repeatable.ts";
import type { LocalPlat } from "../../src/local/plat.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";

/** Makes a client that records its requests, and answers each with the next of the bodies. */
function recording(...bodies: readonly object[]) {
  const sent: Request[] = [];
  const plat = clientOver(async <Body>(request: Request) => {
    sent.push(request);
    const body = bodies[Math.min(sent.length, bodies.length) - 1] ?? {};
    return { status: 200, etag: undefined, body: body as Body };
  });
  return { plat, sent };
}

const ASSIGN = { host: "node-1", ipv4: 1, handle: "web-0" };

describe("an operation", () => {
  it("puts each parameter where the contract has it", async () => {
    const { plat, sent } = recording();
    await plat.putPool({
      name: "a b",
      dryRun: true,
      ifMatch: '"r1"',
      body: { cidr: "10.0.0.0/16" },
    });
    await plat.listBlocks({ pool: "web", host: undefined });
    await plat.readApplication({ namespace: "shop", kind: "Deployment", name: "web" });
    expect(sent).toEqual([
      {
        method: "PUT",
        path: "/v1/pools/a%20b",
        query: { dryRun: true },
        headers: { "If-Match": '"r1"' },
        body: { cidr: "10.0.0.0/16" },
      },
      { method: "GET", path: "/v1/blocks", query: { pool: "web" }, headers: {} },
      { method: "GET", path: "/v1/applications/shop/Deployment/web", query: {}, headers: {} },
    ]);
  });

  it("sends each entry of an object in its query as a parameter of its own", async () => {
    const { plat, sent } = recording();
    await plat.listAddresses({ pool: "web", attributes: { "attribute.tenant": "red" } });
    expect(sent[0]?.query).toEqual({ pool: "web", "attribute.tenant": "red" });
  });

  it("rejects its promise for a name that no URL can contain, and sends nothing", async () => {
    const { plat, sent } = recording();
    await expect(plat.readPool({ name: ".." })).rejects.toThrow('".." is no name');
    expect(sent).toEqual([]);
  });

  it("has types: a parameter or a field that the contract does not have is no TypeScript", () => {
    const { plat } = recording();
    // @ts-expect-error -- the path needs a name
    void plat.readPool({}).catch(() => {});
    // @ts-expect-error -- the answer 304 has no body, so only a write takes it
    void plat.readPool({ name: "web", ifNoneMatch: '"r1"' });
    // @ts-expect-error -- no such field
    void plat.assign({ body: { ...ASSIGN, ipv5: 1 } });
    // @ts-expect-error -- not a list in pages
    expect(plat.pages.readPool).toBeUndefined();
    expectTypeOf<Answer<"readPool">["cidr"]>().toEqualTypeOf<string>();
  });

  it("has the answer to a dry run in its type only if the request may be one", async () => {
    const addresses = [{ address: "10.0.0.7" }];
    const { plat } = recording({ addresses });
    const body = { host: "node-1", ipv4: 1 };
    expect((await plat.assign({ body })).body.addresses).toEqual(addresses);
    const dry = await plat.assign({ body, dryRun: true });
    // @ts-expect-error -- an explanation has no addresses
    void dry.body.addresses;
    const dryByBody = await plat.assign({ body: { ...body, dryRun: true } });
    // @ts-expect-error -- nor has this one
    void dryByBody.body.addresses;
    const maybe: Parameters<"assign"> = { body };
    // @ts-expect-error -- nobody knows whether this is a dry run
    void (await plat.assign(maybe)).body.addresses;
    if ("families" in dry.body) expectTypeOf(dry.body.families).toBeArray();
    const { body: begun } = await plat.drainPool({ name: "a", ifMatch: "*" });
    expectTypeOf(begun).not.toHaveProperty("dryRun");
  });
});

describe("the key of an assign", () => {
  it("is made for each call that has none", async () => {
    const { plat, sent } = recording();
    await plat.assign({ body: ASSIGN });
    await plat.assign({ body: ASSIGN });
    const keys = sent.map(({ headers }) => headers?.["Idempotency-Key"]);
    expect(new Set(keys).size).toBe(2);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.any(String)]);
  });

  it("is the caller's where there is one, and none beside the uid of an instance", async () => {
    const { plat, sent } = recording();
    await plat.assign({ idempotencyKey: "k", body: ASSIGN });
    const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "u1" };
    await plat.assign({ body: { host: "node-1", ipv4: 1, namespace: "shop", workload } });
    expect(sent.map(({ headers }) => headers?.["Idempotency-Key"])).toEqual(["k", undefined]);
    expect(sent.map(isRepeatable)).toEqual([true, true]);
  });
});

describe("a repeat is known to be safe", () => {
  const repeatable = async (act: (plat: PlatClient) => Promise<unknown>): Promise<boolean> => {
    const { plat, sent } = recording();
    await act(plat);
    return isRepeatable(sent[0] as Request);
  };
  const proven = { address: "10.0.0.1", generation: "g1" };

  it.each<[string, (plat: PlatClient) => Promise<unknown>]>([
    ["of a read", (plat) => plat.listPools()],
    ["of an assign, by its key", (plat) => plat.assign({ body: ASSIGN })],
    ["of a release by generation", (plat) => plat.release({ body: { addresses: [proven] } })],
    [
      "of a dry run",
      (plat) => plat.putPool({ name: "a", dryRun: true, body: { cidr: "10.0.0.0/8" } }),
    ],
    ["of events", (plat) => plat.applyEvents({ body: { events: [] } })],
    ["by the caller's word", (plat) => plat.liftQuarantine({ ip: "10.0.0.1", isRepeatable: true })],
  ])("%s", async (_, act) => {
    expect(await repeatable(act)).toBe(true);
  });

  it.each<[string, (plat: PlatClient) => Promise<unknown>]>([
    [
      "of a release of all that a handle then has",
      (plat) => plat.release({ body: { handle: "h" } }),
    ],
    [
      "of a release of which one entry names no generation",
      (plat) =>
        plat.release({ body: { addresses: [proven, { address: "10.0.0.2", handle: "h" }] } }),
    ],
    ["of a deletion of a handle", (plat) => plat.releaseHandle({ handle: "h" })],
    ["of a write of a pool", (plat) => plat.putPool({ name: "a", body: { cidr: "10.0.0.0/8" } })],
    [
      "of a lease that is renewed",
      (plat) => plat.amendAddress({ ip: "10.0.0.1", body: { handle: "h" } }),
    ],
  ])("but not %s", async (_, act) => {
    expect(await repeatable(act)).toBe(false);
  });
});

describe("the pages of a long answer", () => {
  it("are read one after the other, as the caller comes to them", async () => {
    const { plat, sent } = recording(
      { pools: [1], next: "a" },
      { pools: [2], next: "b" },
      { pools: [3] },
    );
    const read: unknown[] = [];
    for await (const { pools } of plat.pages.listPools({ limit: 1 })) {
      read.push(...pools);
      expect(sent).toHaveLength(read.length);
    }
    expect(read).toEqual([1, 2, 3]);
    expect(sent.map(({ query }) => query)).toEqual([
      { limit: 1 },
      { limit: 1, cursor: "a" },
      { limit: 1, cursor: "b" },
    ]);
  });

  it("are not read on after the caller has seen enough", async () => {
    const { plat, sent } = recording({ pools: [1], next: "a" });
    for await (const _ of plat.pages.listPools()) break;
    expect(sent).toHaveLength(1);
  });
});

describe("against a server", () => {
  let server: LocalPlat;
  let plat: PlatClient;
  beforeAll(async () => {
    server = await unhurriedPlat();
    plat = platClient({ endpoint: server.url, space: "blue" });
  });
  afterAll(() => server.stop());

  it("an address is assigned, read, and released by its generation", async () => {
    const made = await plat.putPool({ name: "main", body: { cidr: "10.0.0.0/24" } });
    expect(made.status).toBe(201);
    const { body } = await plat.assign({ body: ASSIGN });
    if (!("addresses" in body)) throw new Error("it explains");
    const [held] = body.addresses;
    const { address = "", generation = "" } = held ?? {};
    expect((await plat.readAddress({ ip: address })).body).toMatchObject({ handle: "web-0" });
    const released = await plat.release({ body: { addresses: [{ address, generation }] } });
    expect(released.body).toMatchObject({ results: [{ status: "released" }] });
    expect(await found(plat.readHandle({ handle: "web-0" }))).toBeUndefined();
  });

  it("a version that changed since is not overwritten, and the problem has its code", async () => {
    const { etag } = await plat.readPool({ name: "main" });
    await plat.putPool({
      name: "main",
      ifMatch: etag,
      body: { cidr: "10.0.0.0/24", disabled: true },
    });
    const overwritten = plat.putPool({
      name: "main",
      ifMatch: etag,
      body: { cidr: "10.0.0.0/24" },
    });
    const error = await overwritten.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(isRejection(error, "precondition_failed")).toBe(true);
    expect(isRejection(error, "not_found", "pool_overlap")).toBe(false);
  });

  it("every operation of the contract has its function", () => {
    for (const name of Object.keys(OPERATIONS)) expect(plat).toHaveProperty(name);
  });
});
