import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

/** These tests send requests of callers as API Gateway names them. */

type Plat = ReturnType<typeof newSpace>;

const RED = "arn:aws:iam::123456789012:role/red";
const SESSION_OF_RED = "arn:aws:sts::123456789012:assumed-role/red/job-7";
const BLUE = "arn:aws:sts::123456789012:assumed-role/blue/job-8";

/** Returns a space with a pool that serves red only, and one that serves everybody. */
async function withTwoPools(): Promise<Plat> {
  const plat = newSpace();
  await plat.put("/v1/pools/red", { cidr: "10.0.0.0/26", principals: [RED] });
  await plat.put("/v1/pools/open", { cidr: "10.1.0.0/26" });
  return plat;
}

let handles = 0;

const assign = (plat: Plat, caller: string | undefined, body: object = {}) =>
  plat.call("POST", "/v1/assign", {
    body: { host: "n1", ipv4: 1, handle: `h-${handles++}`, ...body },
    ...(caller !== undefined && { caller }),
  });

describe("a pool with principals", () => {
  it("serves every session of a role that it names", async () => {
    const plat = await withTwoPools();
    const { body } = await assign(plat, SESSION_OF_RED, { pools: ["red"] });
    expect(body.addresses).toMatchObject([{ pool: "red" }]);
  });

  it.each([
    ["its name", { pools: ["red"] }],
    ["an address of it", { ipv4: 0, address: "10.0.0.7" }],
  ])(
    "rejects another caller that asks by %s, and names the limit and who may change it",
    async (_, asked) => {
      const plat = await withTwoPools();
      const { status, body } = await assign(plat, BLUE, asked);
      expect(status).toBe(403);
      expect(body).toMatchObject({
        code: "pool_forbidden",
        retryable: false,
        detail: `Pool red does not serve arn:aws:iam::123456789012:role/blue (principals ${RED}). A caller with the role operator in space ${plat.space} may change its principals.`,
        limit: { pool: "red", principals: [RED] },
        changedBy: { role: "operator", space: plat.space },
        pools: [{ pool: "red", code: "principal" }],
      });
    },
  );

  it("rejects a caller that nobody authenticated", async () => {
    const plat = await withTwoPools();
    const { body } = await assign(plat, undefined, { pools: ["red"] });
    expect(body.detail).toContain("does not serve a request without a principal");
  });

  it.each([
    ["runs", false],
    ["is down", true],
  ])(
    "gives nobody else the addresses of an instance that %s, under a later uid",
    async (_, isDown) => {
      const plat = await withTwoPools();
      const workload = { kind: "StatefulSet", name: "db", instance: "db-0" };
      const asked = { handle: undefined, namespace: "shop", pools: ["red"] };
      const of = (uid: string) => ({ ...asked, workload: { ...workload, uid } });
      const first = await assign(plat, SESSION_OF_RED, of("u-1"));
      if (isDown)
        await plat.release({
          namespace: "shop",
          workload: { ...workload, uid: "u-1" },
          keep: true,
        });
      const other = await assign(plat, BLUE, of("u-2"));
      expect([other.status, other.body.code]).toEqual([403, "pool_forbidden"]);
      const again = await assign(plat, SESSION_OF_RED, of("u-3"));
      expect(again.body.addresses[0].address).toBe(first.body.addresses[0].address);
    },
  );

  it("is left out for another caller who names no pool, and a dry run says why", async () => {
    const plat = await withTwoPools();
    expect((await assign(plat, SESSION_OF_RED)).body.addresses[0].pool).toBe("open");
    const { headers } = await plat.get("/v1/pools/open");
    await plat.put("/v1/pools/open", { cidr: "10.1.0.0/26", disabled: true }, headers.etag);
    const { status, body } = await assign(plat, BLUE);
    expect([status, body.code]).toEqual([409, "no_pool_available"]);
    const dry = await assign(plat, BLUE, { dryRun: true });
    expect(dry.body.families[0].pools).toContainEqual(
      expect.objectContaining({ pool: "red", kept: false, code: "principal" }),
    );
    expect((await assign(plat, SESSION_OF_RED)).body.addresses[0].pool).toBe("red");
  });

  it("serves the other pools of a list that has it", async () => {
    const plat = await withTwoPools();
    const { body } = await assign(plat, BLUE, { pools: ["red", "open"] });
    expect(body.addresses).toMatchObject([{ pool: "open" }]);
  });

  it("gives another caller no block of it, neither by range nor by name", async () => {
    const plat = await withTwoPools();
    const claim = (caller: string, body: object) =>
      plat.call("POST", "/v1/nodes/n1/affinities", { body, caller });
    const range = { cidr: "10.0.0.0/26" };
    expect((await claim(BLUE, range)).body.code).toBe("pool_forbidden");
    const named = { families: [4], pools: ["red"] };
    expect((await claim(BLUE, named)).body.code).toBe("pool_forbidden");
    expect((await claim(SESSION_OF_RED, named)).status).toBe(200);
    expect((await claim(SESSION_OF_RED, range)).status).toBe(200);
  });

  it("gives another caller no prefix of it, chosen or stated", async () => {
    const plat = newSpace();
    const principals = [RED];
    await plat.put("/v1/pools/pods", { cidr: "10.8.0.0/16", assign: "prefixes", principals });
    const ensure = (caller: string, body: object = {}) =>
      plat.call("POST", "/v1/nodes/n1/pod-cidrs", { body: { uid: "u-1", ...body }, caller });
    const stated = { podCIDRs: ["10.8.7.0/24"] };
    expect((await ensure(BLUE, stated)).body.code).toBe("pool_forbidden");
    expect((await ensure(BLUE)).status).toBe(409);
    expect((await ensure(SESSION_OF_RED, stated)).status).toBe(200);
  });

  it("releases to everybody: a generation is proof enough", async () => {
    const plat = await withTwoPools();
    const { body } = await assign(plat, SESSION_OF_RED, { pools: ["red"] });
    const [{ address, generation }] = body.addresses;
    const released = await plat.release({ addresses: [{ address, generation }] });
    expect(released.body.results).toMatchObject([{ status: "released" }]);
  });

  it("can be none of an application", async () => {
    const plat = newSpace();
    const ranges = ["10.0.0.1-10.0.0.9"];
    await plat.put("/v1/pools/red", { cidr: "10.0.0.0/26", ranges, principals: [RED] });
    const { body } = await plat.put("/v1/applications/shop/Deployment/web", {
      replicas: 2,
      addresses: { number: "2", pools: ["red"] },
    });
    expect(body.pools).toMatchObject([{ pool: "red", code: "principal" }]);
  });

  it.each([
    [[SESSION_OF_RED], "must name a role without its path and session"],
    [["arn:aws:iam::123456789012:role/teams/red"], "must name a role without its path and session"],
    [["token:ci", "token:ci"], "must have each name once"],
    [["a b"], "printable ASCII"],
    [[], "at least one"],
  ])("is an error with %j", async (principals, problem) => {
    const plat = newSpace();
    const { status, body } = await plat.put("/v1/pools/p", { cidr: "10.0.0.0/26", principals });
    expect(status).toBe(400);
    expect(body.fields[0].field).toContain("principals");
    expect(body.fields[0].problem).toContain(problem);
  });
});
