import { describe, expect, it } from "vitest";
import type { HttpReply } from "../../src/local/client.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { poolOf } from "../world.ts";
import { context, newSpace, scheduledRun } from "./plat.ts";

const matching = ({ etag }: HttpReply["headers"]) => ({ "if-match": String(etag) });

describe("the limited broadcast address", () => {
  const LAST = { cidr: "255.255.255.252/30", blockSize: 30 };

  it("is assigned to nobody, and counts as reserved, before and after its block is claimed", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/last", LAST);
    const before = (await plat.get("/v1/pools/last/utilization")).body;
    expect(before).toMatchObject({ capacity: 4, reserved: 1, available: 3 });

    const { body } = await plat.assign({ host: "n1", ipv4: 4, allowPartial: true, handle: "a" });
    expect(body.addresses.map(({ address }: { address: string }) => address).sort()).toEqual([
      "255.255.255.252",
      "255.255.255.253",
      "255.255.255.254",
    ]);
    expect(body.missing).toEqual([{ family: 4, count: 1, code: "pool_exhausted" }]);
    const after = (await plat.get("/v1/pools/last/utilization")).body;
    expect(after).toMatchObject({ capacity: 4, inUse: 3, reserved: 1, available: 0 });
    expect(after.blocks).toMatchObject([{ inUse: 3, reserved: 1, available: 0 }]);
  });

  it("is rejected to whoever names it", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/last", LAST);
    for (const dryRun of [true, false])
      expect(
        await plat.assign({ host: "n1", address: "255.255.255.255", handle: "a", dryRun }),
      ).toMatchObject({
        status: 400,
        body: { fields: [{ field: "address", value: "255.255.255.255" }] },
      });
    expect(await plat.get("/v1/addresses/255.255.255.255")).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining("RFC 919") },
    });
  });
});

describe("an IPv4-mapped address", () => {
  it("is answered in its plain form, wherever it is asked for", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
    const assigned = await plat.assign({ host: "n1", address: "::ffff:10.0.0.7", handle: "a" });
    expect(assigned.body.addresses).toMatchObject([{ address: "10.0.0.7", family: 4 }]);
    const repeated = await plat.assign({ host: "n1", address: "10.0.0.7", handle: "a" }, "k");
    expect(repeated.body).toMatchObject({ code: "already_assigned", address: "10.0.0.7" });

    const read = await plat.get("/v1/addresses/::ffff:a00:7");
    expect(read.body).toMatchObject({ address: "10.0.0.7", state: "assigned", handle: "a" });
    const block = await plat.get("/v1/blocks/::ffff:10.0.0.0/124");
    expect(block.body).toMatchObject({ cidr: "10.0.0.0/28", inUse: 1 });
    const reserved = await plat.put("/v1/reservations/r", { cidrs: ["::ffff:10.0.0.16/124"] });
    expect(reserved.body).toMatchObject({ cidrs: ["10.0.0.16/28"] });

    const { generation } = read.body;
    const address = "::ffff:10.0.0.7";
    const released = await plat.release({ addresses: [{ address, generation }] });
    expect(released.body.results).toMatchObject([{ address: "10.0.0.7", status: "released" }]);
  });
});

describe("a pool that was created before its range was rejected", () => {
  it.each([
    ["127.0.0.0/24", 28],
    ["::ffff:10.0.0.0/112", 122],
  ])("%s is read, listed, released from, drained and deleted", async (cidr, blockSize) => {
    const plat = newSpace();
    await putPool(context, plat.space, "old", poolOf(cidr, blockSize), undefined);
    const [family, shown] = cidr.startsWith("127") ? ["ipv4", cidr] : ["ipv6", "::ffff:a00:0/112"];
    expect((await plat.get("/v1/pools/old")).body).toMatchObject({ cidr: shown });
    expect((await plat.get("/v1/pools")).body.pools).toMatchObject([{ cidr: shown }]);
    await plat.assign({ host: "n1", [family as string]: 1, handle: "a" });
    await plat.assign({ host: "n2", [family as string]: 1, handle: "b" });
    const first = await plat.get("/v1/blocks", { limit: "1" });
    const second = await plat.get("/v1/blocks", { limit: "1", cursor: first.body.next });
    expect(second.body.blocks).not.toEqual(first.body.blocks);

    const { headers } = await plat.get("/v1/pools/old");
    expect(await plat.post("/v1/pools/old/drain", matching(headers))).toMatchObject({
      status: 202,
    });
    for (const handle of ["a", "b"])
      expect((await plat.delete(`/v1/handles/${handle}`)).status).toBe(200);
    await scheduledRun("work")();
    const { headers: drained } = await plat.get("/v1/pools/old");
    expect(await plat.delete("/v1/pools/old", matching(drained))).toMatchObject({ status: 202 });
  });
});
