import { afterEach, describe, expect, it, vi } from "vitest";
import { failWrites, type newSpace, spaceWithPool } from "./plat.ts";

/** These tests send requests of callers that IAM authorised, named as API Gateway names them. */

const ALICE = "arn:aws:iam::123456789012:user/alice";
const BOB = "arn:aws:sts::123456789012:assumed-role/deploy/bob";

type Plat = ReturnType<typeof newSpace>;

afterEach(() => {
  vi.restoreAllMocks();
});

const assign = (plat: Plat, body: object, caller: string | undefined, key?: string) =>
  plat.call("POST", "/v1/assign", {
    body,
    ...(caller !== undefined && { caller }),
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });

describe("the caller of an assign", () => {
  it("is shown with the address and under its handle, and in no list of addresses", async () => {
    const plat = await spaceWithPool();
    const { body } = await assign(plat, { host: "n1", ipv4: 1, handle: "web" }, ALICE);
    const [{ address, block }] = body.addresses;
    expect(JSON.stringify(body)).not.toContain("alice");
    expect((await plat.get(`/v1/addresses/${address}`)).body.assignedBy).toBe(ALICE);
    const { addresses } = (await plat.get("/v1/handles/web")).body;
    expect(addresses).toMatchObject([{ address, assignedBy: ALICE }]);
    const ofBlock = (await plat.get(`/v1/blocks/${block}`)).body;
    expect(JSON.stringify(ofBlock.addresses)).not.toContain("alice");
    const blocks = (await plat.get("/v1/blocks", { pool: "main" })).body;
    expect(JSON.stringify(blocks)).not.toContain("alice");
  });

  it("is absent where callers are not authenticated", async () => {
    const plat = await spaceWithPool();
    const { body } = await assign(plat, { host: "n1", ipv4: 1, handle: "h" }, undefined);
    const read = await plat.get(`/v1/addresses/${body.addresses[0].address}`);
    expect(read.body).not.toHaveProperty("assignedBy");
  });

  it("is each request's own, where one handle has addresses of several", async () => {
    const plat = await spaceWithPool();
    await assign(plat, { host: "n1", ipv4: 1, handle: "web" }, ALICE);
    await assign(plat, { host: "n1", ipv4: 1, handle: "web" }, BOB);
    const { addresses } = (await plat.get("/v1/handles/web")).body;
    const callers = addresses.map(({ assignedBy }: { assignedBy: string }) => assignedBy);
    expect(callers.sort()).toEqual([ALICE, BOB]);
  });

  it("stays who asked first, where another repeats the request under its key", async () => {
    const plat = await spaceWithPool();
    const request = { host: "n1", ipv4: 1, handle: "web" };
    const first = await assign(plat, request, ALICE, "k");
    const again = await assign(plat, request, BOB, "k");
    expect(again.body.addresses).toEqual(first.body.addresses);
    const { address } = first.body.addresses[0];
    expect((await plat.get(`/v1/addresses/${address}`)).body.assignedBy).toBe(ALICE);
  });

  it("stays who asked first, where another goes on with what was cut off", async () => {
    const plat = await spaceWithPool();
    const request = { host: "n1", ipv4: 1, handle: "web" };
    const startedAtMs = Date.now();
    failWrites("take-slots", new Error("cut off"));
    expect((await assign(plat, request, ALICE, "k")).status).toBe(500);
    vi.restoreAllMocks();
    vi.spyOn(Date, "now").mockImplementation(() => startedAtMs + 60_000);
    const { body } = await assign(plat, request, BOB, "k");
    const { address } = body.addresses[0];
    expect((await plat.get(`/v1/addresses/${address}`)).body.assignedBy).toBe(ALICE);
  });

  it.each(["Job", "StatefulSet"])(
    "is who asked for the uid that has the addresses, of a %s",
    async (kind) => {
      const plat = await spaceWithPool();
      const workload = { kind, name: "db", instance: "db-0" };
      const asked = (uid: string) => ({
        host: "n1",
        ipv4: 1,
        namespace: "shop",
        workload: { ...workload, uid },
      });
      await assign(plat, asked("u-1"), ALICE);
      const { body } = await assign(plat, asked("u-2"), BOB);
      const { address } = body.addresses[0];
      expect((await plat.get(`/v1/addresses/${address}`)).body.assignedBy).toBe(BOB);
    },
  );

  it("stays when the owner of the address changes", async () => {
    const plat = await spaceWithPool();
    const { body } = await assign(plat, { host: "n1", ipv4: 1, handle: "web" }, ALICE);
    const { address, generation } = body.addresses[0];
    await plat.call("PATCH", `/v1/addresses/${address}`, {
      body: { generation, owner: { active: { pod: "other" } } },
      caller: BOB,
    });
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject({
      assignedBy: ALICE,
      owner: { active: { pod: "other" } },
    });
  });
});
