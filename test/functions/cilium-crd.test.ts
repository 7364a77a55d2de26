import { describe, expect, it } from "vitest";
import { ciliumNode } from "../node-objects.ts";
import { newSpace } from "./plat.ts";

interface Shown {
  readonly uid?: string;
  readonly pool?: readonly string[];
  readonly used?: readonly string[];
  readonly releaseIps?: Readonly<Record<string, string>>;
  readonly ipam?: object;
}

type Query = Readonly<Record<string, string>>;

const entries = (addresses: readonly string[] = []) =>
  Object.fromEntries(addresses.map((address) => [address, {}]));

/** Returns a space with a pool of 256 addresses, unless a test makes others, and the agents of its nodes. */
async function spaceOf(
  pools: Readonly<Record<string, object>> = { main: { cidr: "10.0.0.0/24" } },
) {
  const plat = newSpace();
  for (const [name, pool] of Object.entries(pools)) await plat.put(`/v1/pools/${name}`, pool);
  let version = 5;
  const path = (node: string) => `/v1/nodes/${node}/cilium`;
  const send = async (node: string, shown: Shown, query: Query = {}) => {
    const { uid = "a", pool, used, releaseIps, ipam } = shown;
    version += 1;
    const body = ciliumNode(node, {
      uid,
      resourceVersion: `${version}`,
      ipam: { ...ipam, ...(pool && { pool: entries(pool) }) },
      status: { ipam: { used: entries(used), "release-ips": releaseIps ?? {} } },
    });
    return plat.call("PUT", path(node), { body, query: { mode: "crd", ...query } });
  };
  const told = async (node: string, shown: Shown = {}, query: Query = {}) => {
    const { status, body } = await send(node, shown, query);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.status.operator.error).toBe(body.status.ipam["operator-status"].error);
    return {
      pool: Object.keys(body.spec.ipam.pool),
      releaseIps: body.status.ipam["release-ips"],
      error: body.status.operator.error,
    };
  };
  const holderOf = async (address: string) =>
    (await plat.get(`/v1/addresses/${address}`)).body.handle;
  return {
    ...plat,
    holderOf,
    send,
    told,
    read: (node: string) => plat.get(path(node)),
    end: (node: string, uid = "a") => plat.call("DELETE", path(node), { query: { uid } }),
  };
}

const WITHDRAWN = { withdrawAfterSeconds: "0" };
const RELEASED = { releaseAfterSeconds: "0" };

describe("a CiliumNode in mode crd", () => {
  it("gets eight addresses, and keeps eight spare while it uses them", async () => {
    const { told } = await spaceOf();
    const { pool, error } = await told("node-1");
    expect([pool.length, error]).toEqual([8, ""]);
    expect(await told("node-1")).toEqual({ pool, releaseIps: {}, error: "" });
    const grown = (await told("node-1", { pool, used: pool.slice(0, 3) })).pool;
    expect(grown).toHaveLength(11);
    expect(grown).toEqual(expect.arrayContaining([...pool]));
    expect((await told("node-1", { pool: grown })).pool).toEqual(grown);
  });

  it("has what it lists and uses, with owner and resource, and is told what it cannot have", async () => {
    const { holderOf, told, send } = await spaceOf();
    const others = (await told("other")).pool;
    const [other = ""] = others;
    const free = Array.from({ length: 256 }, (_, n) => `10.0.0.${n}`);
    const [listed = "", used = ""] = free.filter((address) => !others.includes(address));
    const pool = { [listed]: { owner: "a/b", resource: "eni-1" }, [other]: {}, nonsense: {} };
    const { body } = await send("node-1", {
      ipam: { pool, "pre-allocate": 1 },
      used: [used, "10.9.0.1"],
    });
    expect(body.spec.ipam.pool).toMatchObject({
      [listed]: { owner: "a/b", resource: "eni-1" },
      [used]: {},
    });
    expect(body.spec.ipam.pool).not.toHaveProperty([other]);
    expect(body.spec.ipam.pool).not.toHaveProperty("nonsense");
    const { error } = body.status.operator;
    expect(error).toMatch(/^Node node-1, IPv4: 2 of 4 addresses are assigned\. /);
    expect(error).toContain("10.9.0.1 is in no pool");
    expect(error).toContain(`${other} is assigned to handle cilium/other/a.`);
    expect(await holderOf(used)).toBe("cilium/node-1/a");
  });

  it("is told, node and family named, when its pools have no more, and keeps the rest", async () => {
    const { told } = await spaceOf({ main: { cidr: "10.0.0.0/29", blockSize: 29 } });
    await told("node-1", { ipam: { "min-allocate": 5 } });
    const partly = await told("node-2", {});
    expect(partly.pool).toHaveLength(0);
    expect(partly.error).toMatch(/^Node node-2, IPv4: /);
    const less = await told("node-1", { ipam: { "min-allocate": 12 } });
    expect(less.pool).toHaveLength(8);
    expect(less.error).toMatch(/^Node node-1, IPv4: 8 of 12 addresses are assigned\. /);
    expect(await told("node-1", { ipam: { "min-allocate": 12 } })).toEqual(less);
  });

  it("is told that it cannot have more than 256 of a family", async () => {
    const { told } = await spaceOf({ main: { cidr: "10.0.0.0/23" } });
    const { pool, error } = await told("node-1", { ipam: { "min-allocate": 300 } });
    expect(pool).toHaveLength(256);
    expect(error).toBe(
      "Node node-1, IPv4: 44 of the needed addresses are too many. A node has at most 256 addresses of a family.",
    );
  });

  it("keeps a released address that it uses after all, and loses it once it is unused", async () => {
    const { told, holderOf } = await spaceOf();
    const { pool } = await told("node-1");
    const ipam = { "pre-allocate": 2 };
    const marked = await told("node-1", { pool, ipam }, RELEASED);
    const [gone = ""] = Object.keys(marked.releaseIps);
    const ready = { ...marked.releaseIps, [gone]: "ready-for-release" };
    const { pool: left } = await told("node-1", { pool, ipam, releaseIps: ready }, RELEASED);
    expect(await holderOf(gone)).toBeUndefined();
    const both = { pool: left, ipam, used: [gone], releaseIps: { [gone]: "released" } };
    expect(await told("node-1", both, WITHDRAWN)).toEqual({
      pool: left,
      releaseIps: {},
      error: "",
    });
    expect(await holderOf(gone)).toBe("cilium/node-1/a");
    await told("node-1", { pool: left, ipam }, WITHDRAWN);
    expect(await holderOf(gone)).toBeUndefined();
  });

  it("is told the same by GET, which gives nothing, and DELETE releases all", async () => {
    const { told, read, end, holderOf } = await spaceOf();
    const { pool } = await told("node-1", { ipam: { "pre-allocate": 4 } });
    const seen = await read("node-1");
    expect(seen.body.spec.ipam.pool).toEqual(entries(pool));
    await told("node-1", { pool, used: pool, ipam: { "pre-allocate": 0, "min-allocate": 4 } });
    expect(Object.keys((await read("node-1")).body.spec.ipam.pool)).toEqual(pool);
    expect((await end("node-1")).body.released.toSorted()).toEqual(pool.toSorted());
    expect((await end("node-1")).body.released).toEqual([]);
    expect((await read("node-1")).status).toBe(404);
    for (const text of pool) expect(await holderOf(text)).toBeUndefined();
  });

  it("is told by GET what it has, though its pools are full by then and no hint says so", async () => {
    const { told, read, put, assign } = await spaceOf({});
    expect((await told("node-1")).pool).toEqual([]);
    for (const [name, cidr] of Object.entries({ one: "10.0.0.0/29", two: "10.0.1.0/29" })) {
      await put(`/v1/pools/${name}`, { cidr, blockSize: 29 });
      expect((await assign({ host: "other", ipv4: 8, ipv4Pools: [name] })).status).toBe(200);
    }
    const { status, body } = await read("node-1");
    expect([status, body.spec.ipam.pool]).toEqual([200, {}]);
    expect(body.status.operator.error).toMatch(/^Node node-1, IPv4: /);
  });

  it("keeps its addresses when a caller releases them without handle, and shows no generation", async () => {
    const { told, put, call, get, holderOf } = await spaceOf();
    await put("/v1/config", { allowBareRelease: true });
    const [address = ""] = (await told("node-1")).pool;
    const { body } = await call("POST", "/v1/release", { body: { addresses: [{ address }] } });
    expect(body.results).toEqual([
      expect.objectContaining({ address, status: "conflict", code: "invalid_request" }),
    ]);
    expect(await holderOf(address)).toBe("cilium/node-1/a");
    const read = await get(`/v1/addresses/${address}`);
    expect(read.body).toMatchObject({ state: "assigned", host: "node-1" });
    expect(read.body).not.toHaveProperty("generation");
    const handle = await get("/v1/handles/cilium%2Fnode-1%2Fa");
    expect(JSON.stringify(handle.body)).not.toContain("generation");
    expect(handle.body.addresses.length).toBeGreaterThan(0);
  });
});
