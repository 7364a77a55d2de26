import { describe, expect, it, vi } from "vitest";
import { BLOCKS_READ_AT_ONCE } from "../../src/base/limits.ts";
import { spaceWithPool, startAnew, textsOf } from "./plat.ts";

describe("a release", () => {
  it("leaves the time at which the other addresses of a request were assigned as it is", async () => {
    const plat = await spaceWithPool();
    const now = vi.spyOn(Date, "now");
    const startedAtMs = Date.now();
    now.mockImplementation(() => startedAtMs);
    const { body } = await plat.assign({ host: "n1", ipv4: 2, handle: "web" }, "key");
    const [first, second] = body.addresses;
    now.mockImplementation(() => startedAtMs + 3_600_000);
    await plat.release({ addresses: [{ address: first.address, generation: first.generation }] });
    const read = await plat.get(`/v1/addresses/${second.address}`);
    expect(read.body.assignedAt).toBe(new Date(startedAtMs).toISOString());
    vi.restoreAllMocks();
  });

  it("answers for each address in the order of the request, the good ones beside the bad", async () => {
    const plat = await spaceWithPool();
    const mine = (await plat.assign({ host: "n1", ipv4: 1, handle: "mine" })).body.addresses[0];
    const other = (await plat.assign({ host: "n1", ipv4: 1, handle: "other" })).body.addresses[0];
    const { status, body } = await plat.release({
      addresses: [
        { address: "10.0.0", handle: "mine" },
        { address: other.address, handle: "mine" },
        { address: mine.address, handle: "mine" },
        { address: "10.0.0.300", generation: mine.generation },
        { address: "192.0.2.1", handle: "mine" },
      ],
    });
    expect(status).toBe(200);
    expect(body.requestId).toBe("request-1");
    expect(body.results).toMatchObject([
      { address: "10.0.0", status: "conflict", code: "invalid_request" },
      { address: other.address, status: "conflict", code: "generation_conflict" },
      { address: mine.address, status: "released" },
      { address: "10.0.0.300", status: "conflict", code: "invalid_request" },
      { address: "192.0.2.1", status: "not_assigned" },
    ]);
    expect((await plat.get(`/v1/addresses/${other.address}`)).body.handle).toBe("other");
  });

  it("that comes twice is no error and changes nothing", async () => {
    const plat = await spaceWithPool({ cooldownSeconds: 0 });
    const [{ address, generation }] = (await plat.assign({ host: "n1", address: "10.0.0.7" })).body
      .addresses;
    const release = () => plat.release({ addresses: [{ address, generation }] });
    expect((await release()).body.results).toEqual([{ address, status: "released" }]);
    expect((await release()).body.results).toEqual([{ address, status: "not_assigned" }]);

    await plat.assign({ host: "n1", address, handle: "next" });
    expect((await release()).body.results).toMatchObject([
      { status: "conflict", code: "generation_conflict" },
    ]);
    expect((await plat.get(`/v1/addresses/${address}`)).body.handle).toBe("next");
  });

  it("of an address without handle or generation needs the configuration's leave", async () => {
    const plat = await spaceWithPool();
    const [{ address }] = (await plat.assign({ host: "n1", ipv4: 1 })).body.addresses;
    const release = () => plat.release({ addresses: [{ address }] });
    expect((await release()).body.results).toMatchObject([{ code: "invalid_request" }]);
    await plat.put("/v1/config", { allowBareRelease: true });
    expect((await release()).body.results).toEqual([{ address, status: "released" }]);
  });

  it.each(["body", "path"])(
    "of a handle in the %s frees all it has, also if that is nothing",
    async (where) => {
      const plat = await spaceWithPool();
      const release = () =>
        where === "body" ? plat.release({ handle: "h" }) : plat.delete("/v1/handles/h");
      // The specific address comes first, because one of the others, which Plat chooses, could be the same.
      await plat.assign({ host: "n1", address: "10.0.0.7", handle: "h" });
      await plat.assign({ host: "n1", ipv4: 2, handle: "h" });
      const { status, body } = await release();
      expect(status).toBe(200);
      expect(body).toMatchObject({ requestId: "request-1", handle: "h", complete: true });
      expect(body.released).toHaveLength(3);
      expect(body.released).toContain("10.0.0.7");
      expect(await release()).toMatchObject({ status: 200, body: { handle: "h", released: [] } });
    },
  );

  it("under any generation that can be written changes nothing that it does not name", async () => {
    const plat = await spaceWithPool();
    const [{ address, generation }] = (await plat.assign({ host: "n1", ipv4: 1 })).body.addresses;
    const [version, token, , ...rest] = generation.split(".");
    const forged = [0, 1, 27, 31, 33, 128, 999].map((size) =>
      [version, token, size, ...rest].join("."),
    );
    const { body } = await plat.release({
      addresses: forged.map((generation) => ({ address, generation })),
    });
    for (const { status } of body.results) expect(status).not.toBe("released");
    expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe("assigned");
  });
});

it.each([
  ["POST", "/v1/release", { handle: "h" }],
  ["DELETE", "/v1/handles/h", undefined],
])("a release takes no Idempotency-Key, and says why: %s %s", async (method, path, body) => {
  const plat = await spaceWithPool();
  await plat.assign({ host: "n1", ipv4: 1, handle: "h" });
  const refused = await plat.call(method, path, { body, headers: { "idempotency-key": "k" } });
  expect(refused).toMatchObject({ status: 400, body: { fields: [{ field: "Idempotency-Key" }] } });
  expect(refused.body.detail).toContain("name each address with its generation");
  expect((await plat.get("/v1/handles/h")).body.addresses).toHaveLength(1);
});

it("what is released of a host's many full blocks is assigned to it again, by functions that know nothing of each other", async () => {
  const plat = await spaceWithPool({ cidr: "10.0.0.0/27", blockSize: 31, cooldownSeconds: 0 });
  const count = 2 * (BLOCKS_READ_AT_ONCE + 1);
  await plat.put("/v1/config", { maxBlocksPerHost: count / 2 });
  const { body } = await plat.assign({ host: "n1", ipv4: count, handle: "h" });
  startAnew();
  expect((await plat.assign({ host: "n1", ipv4: 1 })).body.code).toBe("block_limit");
  startAnew();
  const [, { address, generation }] = body.addresses;
  await plat.release({ addresses: [{ address, generation }] });
  startAnew();
  expect(textsOf(await plat.assign({ host: "n1", ipv4: 1 }))).toEqual([address]);
});
