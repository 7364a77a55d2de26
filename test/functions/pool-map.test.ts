import { describe, expect, it } from "vitest";
import type { HttpReply } from "../../src/local/client.ts";
import { newSpace, pagesOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const PATH = "/v1/pools/main/map";

/** Returns a space in which two hosts have blocks of two groups of a pool: 10.0.0.0/22 and 10.0.4.0/22. */
async function furnished(): Promise<Plat> {
  const plat = newSpace();
  await plat.put("/v1/config", { cooldownSeconds: 600 });
  await plat.put("/v1/pools/main", { cidr: "10.0.0.0/20", blockSize: 28 });
  await plat.put("/v1/reservations/routers", { cidrs: ["10.0.0.4/30"], reason: "routers" });
  await plat.assign({ host: "n1", address: "10.0.0.1", handle: "a" });
  await plat.assign({ host: "n1", address: "10.0.0.2", handle: "b" });
  await plat.delete("/v1/handles/b");
  await plat.assign({ host: "n2", address: "10.0.0.33", handle: "c" });
  await plat.assign({ host: "n2", address: "10.0.4.1", handle: "d" });
  return plat;
}

const GROUPS = [
  { cidr: "10.0.0.0/22", blocks: 2, hosts: [0, 1], inUse: 2, reserved: 4, cooling: 1 },
  { cidr: "10.0.4.0/22", blocks: 1, hosts: [1], inUse: 1, reserved: 0, cooling: 0 },
];

describe("the map of a pool", () => {
  it("counts the addresses of each block group that has blocks, and names their hosts", async () => {
    const plat = await furnished();
    const { status, body } = await plat.get(PATH);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      pool: "main",
      cidr: "10.0.0.0/20",
      blockSize: 28,
      hosts: ["n1", "n2"],
      groups: GROUPS,
    });
    expect(body.groups[0]).toMatchObject({ capacity: 32, hostReserved: 0, available: 25 });
    expect(body.next).toBeUndefined();
    expect(Math.abs(Date.now() - Date.parse(body.readAt))).toBeLessThan(60_000);
  });

  it("has the blocks of each group as columns on request, with the counts that a list of them has", async () => {
    const plat = await furnished();
    const { body } = await plat.get(PATH, { detail: "blocks" });
    expect(body.groups).toBeUndefined();
    expect(body.blocks).toEqual([
      {
        cidr: "10.0.0.0/22",
        blocks: [0, 2],
        hosts: [0, 1],
        inUse: [1, 1],
        hostReserved: [0, 0],
        reserved: [4, 0],
        cooling: [1, 0],
        available: [10, 15],
      },
      {
        cidr: "10.0.4.0/22",
        blocks: [0],
        hosts: [1],
        inUse: [1],
        hostReserved: [0],
        reserved: [0],
        cooling: [0],
        available: [15],
      },
    ]);
    const { blocks } = (await plat.get("/v1/blocks", { pool: "main" })).body;
    expect(blocks.map(({ available }: { available: number }) => available)).toEqual([10, 15, 15]);
  });

  it("has pages, and ranges that lead to the same as the pages that follow", async () => {
    const plat = await furnished();
    await plat.assign({ host: "n3", address: "10.0.8.1", handle: "e" });
    const all = await pagesOf(plat, PATH, { limit: "1" });
    const groupsOf = (replies: readonly HttpReply[]) =>
      replies.flatMap(({ body }) => body.groups.map(({ cidr }: { cidr: string }) => cidr));
    expect(groupsOf(all)).toEqual(["10.0.0.0/22", "10.0.4.0/22", "10.0.8.0/22"]);
    const [first] = all;
    expect(first?.body.ranges).toHaveLength(2);
    for (const [i, cursor] of first?.body.ranges.entries() ?? []) {
      const range = await plat.get(PATH, { limit: "1", cursor });
      expect(groupsOf([range])).toEqual(groupsOf(all.slice(i + 1, i + 2)));
      expect(range.body).not.toHaveProperty("next");
      expect(range.body).not.toHaveProperty("ranges");
    }
  });

  it("shows only the blocks in a network on request", async () => {
    const plat = await furnished();
    const { body } = await plat.get(PATH, { detail: "blocks", cidr: "10.0.0.32/27" });
    expect(body.hosts).toEqual(["n2"]);
    expect(body.blocks).toMatchObject([{ cidr: "10.0.0.0/22", blocks: [2], hosts: [0] }]);
    expect((await plat.get(PATH, { cidr: "2001:db8::/64" })).body.groups).toEqual([]);
  });

  it("counts only the addresses of a set in blocks that pools share", async () => {
    const plat = newSpace();
    const cidr = { cidr: "10.0.0.0/24", blockSize: 28 };
    await plat.put("/v1/pools/main", { ...cidr, ranges: ["10.0.0.2-10.0.0.5"] });
    await plat.put("/v1/pools/other", { ...cidr, ranges: ["10.0.0.6-10.0.0.20"] });
    await plat.assign({ host: "n1", address: "10.0.0.2" });
    await plat.assign({ host: "n1", address: "10.0.0.6" });
    await plat.assign({ host: "n1", address: "10.0.0.17" });
    const { groups, hosts } = (await plat.get(PATH)).body;
    expect(groups).toMatchObject([{ blocks: 1, hosts: [], capacity: 4, inUse: 1, available: 3 }]);
    expect(hosts).toEqual([]);
  });

  it("counts the prefixes of a pool of prefixes", async () => {
    const plat = newSpace();
    const ofPrefixes = { assign: "prefixes", assignmentMode: "Manual" };
    await plat.put("/v1/pools/main", { cidr: "10.64.0.0/16", ...ofPrefixes });
    const wanted = { family: 4, pools: ["main"], handle: "vpc" };
    expect((await plat.call("POST", "/v1/prefixes", { body: wanted })).status).toBe(200);
    const { body } = await plat.get(PATH, { detail: "blocks" });
    expect(body).toMatchObject({ unit: "prefixes", blocks: [{ inUse: [1], available: [0] }] });
  });

  it("is of a pool that exists, and its cursor belongs to it", async () => {
    const plat = await furnished();
    expect(await plat.get("/v1/pools/none/map")).toMatchObject({ status: 404 });
    const { next } = (await plat.get(PATH, { limit: "1" })).body;
    const other = await plat.get(PATH, { limit: "1", detail: "blocks", cursor: next });
    expect(other).toMatchObject({ status: 400 });
    expect(await plat.get(PATH, { detail: "hosts" })).toMatchObject({ status: 400 });
  });
});
