import { describe, expect, it, vi } from "vitest";
import { LOOKS_PER_PAGE } from "../../src/kernel/core/bounded-work.ts";
import { newSpace, spaceWithPool, table } from "./plat.ts";

describe("a reservation", () => {
  it("that covers what is assigned, and all of a pool, is made with a warning that says so", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 5 });
    await plat.put("/v1/pools/far", { cidr: "10.9.0.0/24" });
    const reserve = (query?: Record<string, string>) =>
      plat.put("/v1/reservations/gateways", { cidrs: ["10.0.0.0/24"] }, undefined, query);
    const warnings = [
      {
        pool: "main",
        cidr: "10.0.0.0/24",
        inUse: 5,
        held: 0,
        complete: true,
        unreserved: 0,
        detail:
          "Reservation gateways covers 5 assigned addresses of pool main (10.0.0.0/24), and leaves 0 of its 256 addresses for automatic assignment.",
      },
    ];
    expect((await reserve({ dryRun: "true" })).body).toMatchObject({ warnings, dryRun: true });
    expect(await reserve()).toMatchObject({ status: 201, body: { warnings } });
    expect(await reserve()).toMatchObject({ status: 200, body: { warnings } });
  });

  it("that leaves addresses and covers none that is assigned is made without a word", async () => {
    const plat = await spaceWithPool();
    const { addresses } = (await plat.assign({ host: "n1", address: "10.0.0.9" })).body;
    expect(addresses).toHaveLength(1);
    const { status, body } = await plat.put("/v1/reservations/r", {
      cidrs: ["10.0.0.0-10.0.0.8", "10.0.0.10-10.0.0.255", "192.0.2.0/24"],
    });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("warnings");
  });

  it("is warned of with all other reservations: together they may leave nothing", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/reservations/low", { cidrs: ["10.0.0.0/25"] });
    const { body } = await plat.put("/v1/reservations/high", { cidrs: ["10.0.0.128/25"] });
    expect(body.warnings).toMatchObject([{ pool: "main", inUse: 0, unreserved: 0 }]);
  });

  it("is warned of without a look at more blocks than a page of a list looks at", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/18", blockSize: 32 });
    // Each block group of 64 blocks of one address gets one assignment.
    for (let group = 0; group < LOOKS_PER_PAGE + 3; group++)
      await plat.assign({ host: "n1", address: `10.0.${group >> 2}.${(group & 3) * 64}` });
    const { body } = await plat.put("/v1/reservations/most", { cidrs: ["10.0.0.0/19"] });
    const [{ inUse, complete, detail }] = body.warnings;
    expect({ complete, isSome: inUse > 0 && inUse <= LOOKS_PER_PAGE }).toEqual({
      complete: false,
      isSome: true,
    });
    expect(detail).toContain(`covers at least ${inUse} assigned addresses of pool main`);
  });
});

describe("a reservation over pools of one CIDR", () => {
  const CIDR = { cidr: "10.0.0.0/24", blockSize: 30 };

  it("is warned of with the addresses of each pool's own set", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/red", { ...CIDR, ranges: ["10.0.0.10-10.0.0.19"] });
    await plat.put("/v1/pools/blue", { ...CIDR, ranges: ["10.0.0.20-10.0.0.29"] });
    for (const address of ["10.0.0.10", "10.0.0.11", "10.0.0.20"])
      await plat.assign({ host: "n1", address });
    const { body } = await plat.put("/v1/reservations/r", { cidrs: ["10.0.0.0-10.0.0.15"] });
    expect(body.warnings).toEqual([
      {
        ...{ pool: "red", cidr: "10.0.0.0/24", inUse: 2, held: 0, complete: true, unreserved: 4 },
        detail:
          "Reservation r covers 2 assigned addresses of pool red (10.0.0.0/24), and leaves 4 of its 10 addresses for automatic assignment.",
      },
    ]);
  });

  it("is warned of with each address once, and with held ones as held", async () => {
    const plat = newSpace();
    const subnet = { ...CIDR, assignmentMode: "Applications", ranges: ["10.0.0.8-10.0.0.23"] };
    await plat.put("/v1/pools/subnet", subnet);
    await plat.put("/v1/pools/team", { ...CIDR, ranges: ["10.0.0.16-10.0.0.23"] });
    await plat.put("/v1/applications/shop/Deployment/web", {
      ...{ replicas: 0, addresses: { number: "3", pools: ["subnet"] } },
    });
    await plat.assign({ host: "n1", ipv4: 1, pools: ["team"] });
    const { body } = await plat.put("/v1/reservations/r", { cidrs: ["10.0.0.0/24"] });
    expect(body.warnings).toMatchObject([
      {
        ...{ pool: "subnet", inUse: 0, held: 3, unreserved: 0 },
        detail:
          "Reservation r covers 0 assigned addresses and 3 held ones of pool subnet (10.0.0.0/24), and leaves 0 of its 8 addresses for automatic assignment.",
      },
      {
        ...{ pool: "team", inUse: 1, held: 0, unreserved: 0 },
        detail:
          "Reservation r covers 1 assigned address of pool team (10.0.0.0/24), and leaves 0 of its 8 addresses for automatic assignment.",
      },
    ]);
  });

  it("is warned of with an address that was assigned while it was taken out of a pool", async () => {
    const plat = newSpace();
    const made = await plat.put("/v1/pools/red", { ...CIDR, ranges: ["10.0.0.10-10.0.0.19"] });
    const shrink = () =>
      plat.put("/v1/pools/red", { ...CIDR, ranges: ["10.0.0.10-10.0.0.14"] }, made.headers.etag);
    const spy = vi.spyOn(table, "write").mockImplementationOnce(async (write) => {
      spy.mockRestore();
      expect((await shrink()).status).toBe(200);
      return table.write(write);
    });
    expect((await plat.assign({ host: "n1", address: "10.0.0.16" })).status).toBe(200);
    const { body } = await plat.put("/v1/reservations/r", { cidrs: ["10.0.0.14-10.0.0.19"] });
    expect(body.warnings).toMatchObject([{ pool: "red", inUse: 1, unreserved: 4 }]);
    expect(body.warnings[0].detail).toContain("leaves 4 of its 5 addresses");
  });
});

it("a reservation is warned of where not all blocks were seen, though none of what was seen is assigned", async () => {
  const plat = await spaceWithPool({ cidr: "10.0.0.0/18", blockSize: 32 });
  const groups = Array.from({ length: LOOKS_PER_PAGE + 3 }, (_, n) => `10.0.${n >> 2}.`);
  const at = (n: number, last: number) => `${groups[n]}${(n & 3) * 64 + last}`;
  for (const n of groups.keys()) await plat.assign({ host: "n1", address: at(n, 0) });
  const cidrs = [...groups.keys()].map((n) => `${at(n, 32)}/27`);
  const { body } = await plat.put("/v1/reservations/gaps", { cidrs });
  expect(body.warnings).toMatchObject([{ pool: "main", inUse: 0, complete: false }]);
  expect(body.warnings[0].detail).toContain("may cover assigned addresses of pool main");
});

describe("a pool of which every address is reserved", () => {
  const shut = async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/reservations/low", { cidrs: ["10.0.0.0/25"] });
    await plat.put("/v1/reservations/rest", { cidrs: ["10.0.0.100-10.0.0.255"] });
    await plat.put("/v1/reservations/elsewhere", { cidrs: ["10.9.0.0/24"] });
    return plat;
  };
  const reason = "is covered as a whole by reservations low, rest";

  it("is named in the rejection with the reservations that do it, and to come again is no use", async () => {
    const plat = await shut();
    for (const more of [{}, { maxBlocksPerHost: 1 }]) {
      const { status, body } = await plat.assign({ host: "n1", ipv4: 1, ...more });
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: "pool_exhausted",
        retryable: false,
        detail: `There is no room for 1 more IPv4 address of host n1 in main (10.0.0.0/24); main ${reason}.`,
        pools: [{ pool: "main", code: "reserved", reason }],
      });
    }
    expect((await plat.assign({ host: "n1", address: "10.0.0.7" })).status).toBe(200);
  });
});
