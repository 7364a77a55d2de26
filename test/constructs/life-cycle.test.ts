import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EFFECTIVE_MS_MAX } from "../../src/base/limits.ts";
import { POOL_RESOURCE } from "../../src/constructs/handler/pool.ts";
import { newSpace } from "../functions/plat.ts";
import { fewerRuns } from "../property-runs.ts";
import { type Invoke, Stack, type Template } from "./cloud-formation.ts";
import { type Fate, handle } from "./world.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-24T00:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

type Properties = Readonly<Record<string, unknown>>;

const attributeOf = (id: string, name: string) => ({ "Fn::GetAtt": [id, name] });

/** A space with pools for addresses and for prefixes. */
async function world() {
  const plat = newSpace();
  await plat.put("/v1/pools/lan", { cidr: "10.1.0.0/24", kind: "subnet", gateway: "10.1.0.1" });
  await plat.put("/v1/pools/wan", { cidr: "10.2.0.0/24" });
  await plat.put("/v1/pools/wan6", { cidr: "fd00:1::/64" });
  await plat.put("/v1/pools/clusters", { cidr: "10.64.0.0/16", assign: "prefixes", blockSize: 20 });
  /** A template with the properties of each resource, by the end of its type. */
  const template = (
    resources: Readonly<Record<string, readonly [string, Properties]>>,
  ): Template => ({
    Resources: Object.fromEntries(
      Object.entries(resources).map(([id, [kind, properties]]) => {
        const place = { Endpoint: "https://plat.example.com", Space: plat.space };
        return [id, { Type: `Custom::Plat${kind}`, Properties: { ...place, ...properties } }];
      }),
    ),
  });
  return {
    plat,
    template,
    address: (properties: Properties = {}) =>
      template({ Ip: ["Address", { Pool: "lan", ...properties }] }),
    prefix: (properties: Properties = {}) =>
      template({ Net: ["Prefix", { Pool: "clusters", ...properties }] }),
    pool: (body: object, properties: Properties = {}) =>
      template({ Lan: ["Pool", { Body: JSON.stringify(body), ...properties }] }),
    addressesOf: async (handle: string) => {
      const { status, body } = await plat.get(`/v1/handles/${encodeURIComponent(handle)}`);
      return status === 200 ? body.addresses : [];
    },
    prefixesOf: async (handle: string) =>
      (await plat.get("/v1/prefixes", { handle })).body.prefixes ?? [],
    /** Returns how many addresses and prefixes all pools have assigned. */
    inUse: async () => {
      const { body } = await plat.get("/v1/utilization");
      return body.pools.reduce((sum: number, pool: { inUse: number }) => sum + pool.inUse, 0);
    },
  };
}

/** Delivers each event as often as Lambda may, and keeps it. */
function delivering({ times = 1, fateOf }: { times?: number; fateOf?: () => Fate } = {}) {
  const events: CloudFormationCustomResourceEvent[] = [];
  const invoke: Invoke = async (event) => {
    events.push(event);
    for (let delivered = 1; delivered < times; delivered++) await handle(event, fateOf);
    return handle(event, fateOf);
  };
  return { events, invoke };
}

describe("an address", () => {
  it("has its address, network, gateway and handle as attributes, and names its resource", async () => {
    const { plat, address, addressesOf, inUse } = await world();
    const stack = new Stack(delivering().invoke);
    expect(await stack.deploy(address())).toBeUndefined();
    const { Address, Cidr, Gateway, Handle = "" } = stack.dataOf("Ip");
    expect([Cidr, Gateway]).toEqual([`${Address}/24`, "10.1.0.1"]);
    expect(await addressesOf(Handle)).toMatchObject([
      { address: Address, host: "cloudformation", attributes: { stack: stack.id, resource: "Ip" } },
    ]);
    const found = await plat.get("/v1/addresses", { "attribute.stack": stack.id });
    expect(found.body.addresses).toMatchObject([{ address: Address }]);
    await stack.delete();
    expect(await inUse()).toBe(0);
  });

  it("is one address when each event comes three times", async () => {
    const { address, inUse } = await world();
    const stack = new Stack(delivering({ times: 3 }).invoke);
    await stack.deploy(address());
    expect(await inUse()).toBe(1);
    await stack.deploy(address({ Pool: "wan" }));
    expect(await inUse()).toBe(1);
    await stack.delete();
    expect(await inUse()).toBe(0);
  });

  it("is one address when an event comes twice at once", async () => {
    const { address, inUse } = await world();
    const stack = new Stack(
      async (event) => (await Promise.all([handle(event), handle(event)]))[0],
    );
    await stack.deploy(address());
    expect(await inUse()).toBe(1);
    await stack.delete();
    expect(await inUse()).toBe(0);
  });

  it.each([
    [{}, { Pool: "wan" }, /^10\.2\./],
    [{}, { Pool: "wan6", Family: "6" }, /^fd00:1::/],
    [{ Address: "10.1.0.76" }, { Address: "10.1.0.77" }, /^10\.1\.0\.77$/],
    [{}, { Host: "node-1" }, /^10\.1\./],
  ])(
    "is replaced when %j becomes %j: the new one comes before the old one goes",
    async (before, change, form) => {
      const { address, inUse } = await world();
      const counts: number[] = [];
      const stack = new Stack(async (event) => {
        const outcome = await handle(event);
        counts.push(await inUse());
        return outcome;
      });
      await stack.deploy(address(before));
      const { Address: old } = stack.dataOf("Ip");
      await stack.deploy(address(change));
      expect(stack.dataOf("Ip").Address).toMatch(form);
      expect(stack.dataOf("Ip").Address).not.toBe(old);
      expect(counts).toEqual([1, 2, 1]);
    },
  );

  it("stays when an update is rolled back after its replacement was there", async () => {
    const { address, inUse } = await world();
    const stack = new Stack(delivering().invoke);
    await stack.deploy(address());
    const before = stack.dataOf("Ip");
    expect(await stack.deploy(address({ Pool: "wan" }), true)).toBe("another resource failed");
    expect(stack.dataOf("Ip")).toEqual(before);
    expect(await inUse()).toBe(1);
  });

  it("leaves nothing of an update that assigned and then got no answer through", async () => {
    const { address, inUse } = await world();
    let isLost = false;
    const stack = new Stack(async (event) => {
      const outcome = await handle(event);
      const lost = isLost;
      isLost = false;
      return lost ? undefined : outcome;
    });
    await stack.deploy(address());
    const before = stack.dataOf("Ip");
    isLost = true;
    expect(await stack.deploy(address({ Pool: "wan" }))).toBe("no answer");
    expect(stack.dataOf("Ip")).toEqual(before);
    expect(await inUse()).toBe(1);
  });

  it("of a create without an answer is freed by a delete under an id that CloudFormation made up", async () => {
    const { address, inUse } = await world();
    let events = 0;
    const stack = new Stack(async (event) => {
      const outcome = await handle(event);
      return events++ === 0 ? undefined : outcome;
    });
    expect(await stack.deploy(address())).toBe("no answer");
    expect(await inUse()).toBe(0);
  });

  it("that a pool cannot give fails with Plat's words, and its delete finds nothing to free", async () => {
    const { address } = await world();
    const { events, invoke } = delivering();
    const stack = new Stack(invoke);
    expect(await stack.deploy(address({ Address: "10.9.0.1" }))).toMatch(/10\.9\.0\.1/);
    expect(events.map(({ RequestType }) => RequestType)).toEqual(["Create", "Delete"]);
  });

  it("whose replacement fails keeps the id that CloudFormation knows", async () => {
    const { address } = await world();
    const ids: string[] = [];
    const stack = new Stack(async (event) => {
      const outcome = await handle(event);
      ids.push(outcome.physicalId);
      return outcome;
    });
    await stack.deploy(address());
    expect(await stack.deploy(address({ Address: "10.9.0.1" }))).toMatch(/10\.9\.0\.1/);
    expect(ids).toEqual([ids[0], ids[0], ids[0]]);
  });

  it("comes to life no more when an event of its life is repeated after its delete", async () => {
    const { address, inUse } = await world();
    const { events, invoke } = delivering();
    const stack = new Stack(invoke);
    await stack.deploy(address());
    await stack.deploy(address({ Pool: "wan" }));
    await stack.deploy(address({ Pool: "lan" }), true);
    await stack.delete();
    for (const event of [...events].reverse()) await handle(event);
    expect(await inUse()).toBe(0);
  });

  it("waits for one specific address that still cools", async () => {
    const { address } = await world();
    const [first, second] = [delivering(), delivering()].map(({ invoke }) => new Stack(invoke));
    await first?.deploy(address({ Address: "10.1.0.9" }));
    await first?.delete();
    expect(await second?.deploy(address({ Address: "10.1.0.9" }))).toBeUndefined();
    expect(second?.dataOf("Ip").Address).toBe("10.1.0.9");
  });

  it("in a space that no space can be named fails, and can be deleted", async () => {
    const { address } = await world();
    const { events, invoke } = delivering();
    const stack = new Stack(invoke);
    expect(await stack.deploy(address({ Space: "Shop 1" }))).toMatch('The space is "Shop 1"');
    expect(events.map(({ RequestType }) => RequestType)).toEqual(["Create", "Delete"]);
  });

  it("waits a minute for rights that IAM has not spread yet, and no longer", async () => {
    const { address } = await world();
    let denials = 3;
    const fateOf = () => (denials-- > 0 ? "denied" : "answered");
    expect(await new Stack(delivering({ fateOf }).invoke).deploy(address())).toBeUndefined();
    denials = Number.POSITIVE_INFINITY;
    const beganMs = Date.now();
    const { events, invoke } = delivering({ fateOf });
    await expect(new Stack(invoke).deploy(address())).rejects.toThrow("answers 403");
    expect((Date.now() - beganMs) / events.length).toBe(60_000);
  });
});

describe("a handle of its own", () => {
  it("is the handle of the address, which stays through an update and a rollback", async () => {
    const { address, addressesOf } = await world();
    const stack = new Stack(delivering().invoke);
    await stack.deploy(address({ Handle: "web-0" }));
    const { Address } = stack.dataOf("Ip");
    expect(await stack.deploy(address({ Handle: "web-0", Pool: "wan" }))).toMatch(
      "Change the handle too",
    );
    expect(await addressesOf("web-0")).toMatchObject([{ address: Address }]);
    await stack.deploy(address({ Handle: "web-1", Pool: "wan" }));
    expect(await addressesOf("web-0")).toEqual([]);
    expect(await addressesOf("web-1")).toMatchObject([{ pool: "wan" }]);
    await stack.delete();
    expect(await addressesOf("web-1")).toEqual([]);
  });

  it("that another resource has is rejected, and the other keeps its address", async () => {
    const { address, addressesOf } = await world();
    const [first, second] = [delivering(), delivering()].map(({ invoke }) => new Stack(invoke));
    await first?.deploy(address({ Handle: "web-0" }));
    expect(await second?.deploy(address({ Handle: "web-0" }))).toMatch("in use by something else");
    await second?.delete();
    expect(await addressesOf("web-0")).toMatchObject([{ address: first?.dataOf("Ip").Address }]);
  });

  it.each([
    ["Address", "lan"],
    ["Prefix", "clusters"],
  ])("that two resources ask for at once is that of one %s", async (kind, Pool) => {
    const { template, inUse } = await world();
    const tried: [Stack, Promise<string | undefined>][] = [1, 2].map(() => {
      const stack = new Stack(delivering().invoke);
      return [stack, stack.deploy(template({ R: [kind, { Pool, Handle: "both" }] }))];
    });
    const reasons = await Promise.all(tried.map(([, reason]) => reason));
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
    expect(reasons.join()).toMatch("in use by something else");
    expect(await inUse()).toBe(1);
    for (const [stack] of tried) await stack.delete();
    expect(await inUse()).toBe(0);
  });

  it("that a program has is rejected, and the program keeps its address", async () => {
    const { plat, address, addressesOf } = await world();
    await plat.assign({ host: "node-1", ipv4: 1, handle: "web-0" });
    const stack = new Stack(delivering().invoke);
    expect(await stack.deploy(address({ Handle: "web-0" }))).toMatch("in use by something else");
    await stack.delete();
    expect(await addressesOf("web-0")).toHaveLength(1);
  });
});

describe("a prefix", () => {
  it("has its CIDR as an attribute, and is replaced and released as an address is", async () => {
    const { prefix, prefixesOf, inUse } = await world();
    const stack = new Stack(delivering({ times: 2 }).invoke);
    await stack.deploy(prefix());
    const { Cidr, Handle = "" } = stack.dataOf("Net");
    expect(await prefixesOf(Handle)).toMatchObject([{ cidr: Cidr }]);
    await stack.deploy(prefix({ Cidr: "10.64.240.0/20" }));
    expect(stack.dataOf("Net").Cidr).toBe("10.64.240.0/20");
    expect(await inUse()).toBe(1);
    await stack.deploy(prefix({ Handle: "vpc-1" }), true);
    expect(stack.dataOf("Net").Cidr).toBe("10.64.240.0/20");
    await stack.deploy(prefix({ Handle: "vpc-1" }));
    expect(await prefixesOf("vpc-1")).toHaveLength(1);
    await stack.delete();
    expect(await inUse()).toBe(0);
  });

  it("of another resource stays when the handle is the same", async () => {
    const { prefix, prefixesOf } = await world();
    const [first, second] = [delivering(), delivering()].map(({ invoke }) => new Stack(invoke));
    await first?.deploy(prefix({ Handle: "vpc-1" }));
    expect(await second?.deploy(prefix({ Handle: "vpc-1" }))).toMatch("in use by something else");
    await second?.delete();
    expect(await prefixesOf("vpc-1")).toHaveLength(1);
  });
});

describe("a pool", () => {
  const BODY = { cidr: "10.5.0.0/24", gateway: "10.5.0.1", kind: "subnet" };
  const readPool = async (plat: ReturnType<typeof newSpace>, name = "") =>
    (await plat.get(`/v1/pools/${name}`)).status;

  it("serves when its resource is there, changes in place, and is gone with it", async () => {
    const { plat, pool } = await world();
    const stack = new Stack(delivering().invoke);
    const beganMs = Date.now();
    expect(await stack.deploy(pool(BODY))).toBeUndefined();
    // From then on every function knows it.
    expect(Date.now() - beganMs).toBe(EFFECTIVE_MS_MAX);
    const { PoolName, Cidr } = stack.dataOf("Lan");
    expect(Cidr).toBe("10.5.0.0/24");
    await stack.deploy(pool({ ...BODY, mtu: 9000 }));
    expect(stack.dataOf("Lan").PoolName).toBe(PoolName);
    expect((await plat.get(`/v1/pools/${PoolName}`)).body).toMatchObject({ mtu: 9000 });
    await stack.delete();
    expect(await readPool(plat, PoolName)).toBe(404);
  });

  it("is one pool when each event comes twice", async () => {
    const { plat, pool } = await world();
    const stack = new Stack(delivering({ times: 2 }).invoke);
    await stack.deploy(pool(BODY));
    await stack.deploy(pool({ ...BODY, mtu: 9000 }));
    expect((await plat.get("/v1/pools")).body.pools).toHaveLength(5);
    await stack.delete();
    expect((await plat.get("/v1/pools")).body.pools).toHaveLength(4);
  });

  it.each([
    [{ description: "of the lab" }, true],
    [{ allowedUses: ["Tunnel"] }, true],
    [{ allowedUses: ["LoadBalancer"] }, false],
    [{ assignmentMode: "Applications" }, false],
    [{ parent: "region" }, false],
    [{ blockSize: 28 }, false],
  ])("that gets %j keeps its name: %s; otherwise it is replaced", (more, keeps) => {
    const owner = { stack: "arn:aws:cloudformation:r:1:stack/s/u-1", resource: "Lan" };
    const named = (body: object) => POOL_RESOURCE.nameOf({ Body: JSON.stringify(body) }, owner);
    expect(named({ ...BODY, ...more }) === named(BODY)).toBe(keeps);
  });

  it("whose fields a parameter broke keeps those it had, through the rollback", async () => {
    const { plat, template, pool } = await world();
    const stack = new Stack(delivering().invoke);
    const broken = template({ Lan: ["Pool", { Body: '{"cidr":"10.5.0.0/24","domain":"a"b"}' }] });
    expect(await stack.deploy(broken)).toMatch("are not JSON");
    await stack.deploy(pool(BODY));
    expect(await stack.deploy(broken)).toMatch("are not JSON");
    const { PoolName } = stack.dataOf("Lan");
    expect((await plat.get(`/v1/pools/${PoolName}`)).body).toMatchObject(BODY);
  });

  it("is replaced with the addresses that name it", async () => {
    const { plat, template, inUse } = await world();
    const both = (body: object) =>
      template({
        Ip: ["Address", { Pool: attributeOf("Lan", "PoolName") }],
        Lan: ["Pool", { Body: JSON.stringify(body) }],
      });
    const stack = new Stack(delivering().invoke);
    await stack.deploy(both(BODY));
    const { PoolName: old } = stack.dataOf("Lan");
    await stack.deploy(both({ cidr: "10.6.0.0/24" }));
    expect(stack.dataOf("Ip").Address).toMatch(/^10\.6\./);
    expect(await readPool(plat, old)).toBe(404);
    await stack.delete();
    expect(await inUse()).toBe(0);
    expect((await plat.get("/v1/pools")).body.pools).toHaveLength(4);
  });

  it("that somebody else made is neither changed nor deleted", async () => {
    const { plat, pool } = await world();
    const stack = new Stack(delivering().invoke);
    const body = { cidr: "10.2.0.0/24" };
    expect(await stack.deploy(pool(body, { PoolName: "wan" }))).toMatch("is not of this resource");
    await stack.delete();
    expect(await readPool(plat, "wan")).toBe(200);
  });

  it("with assigned addresses of others is not deleted, and the reason says so", async () => {
    const { plat, pool } = await world();
    const { events, invoke } = delivering();
    const stack = new Stack(invoke);
    await stack.deploy(pool(BODY, { PoolName: "team" }));
    await plat.assign({ host: "node-1", ipv4: 1, handle: "web-0", pools: ["team"] });
    await expect(stack.delete()).rejects.toThrow("team");
    expect(events.at(-1)?.RequestType).toBe("Delete");
    await plat.release({ handle: "web-0" });
    await stack.delete();
    expect(await readPool(plat, "team")).toBe(404);
  });
});

it("a resource keeps its names in later releases, because another name is a replacement", async () => {
  const { template } = await world();
  const { events, invoke } = delivering();
  const answered: string[] = [];
  const stack = new Stack(async (event) => {
    const outcome = await invoke({ ...event, StackId: "arn:aws:cloudformation:r:1:stack/s/u-1" });
    answered.push(outcome?.physicalId ?? "");
    return outcome;
  });
  await stack.deploy(
    template({
      Ip: ["Address", { Pool: "lan" }],
      Net: ["Prefix", { Pool: "clusters" }],
      Lan: ["Pool", { Body: '{"cidr":"10.5.0.0/24"}' }],
    }),
  );
  expect(events).toHaveLength(3);
  expect(answered).toEqual([
    "Custom::PlatAddress/cfn/u-1/Ip/403fa7242cf7",
    "Custom::PlatPrefix/cfn/u-1/Net/f2965d29a017",
    "Custom::PlatPool/lan-fdb3004c20e0",
  ]);
  await stack.delete();
});

describe("any life of a stack", () => {
  /** The forms that an address and a prefix take in turn. */
  const addresses = fc.constantFrom<Properties>(
    { Pool: "lan" },
    { Pool: "wan" },
    { Pool: "wan6", Family: "6" },
    { Pool: "wan", Handle: "web-0" },
    { Pool: "lan", Handle: "web-1" },
  );
  const prefixes = fc.constantFrom<Properties>(
    { Pool: "clusters" },
    { Pool: "clusters", Handle: "vpc-0" },
    { Pool: "clusters", Handle: "vpc-1" },
  );
  const fates = fc.infiniteStream(
    fc.constantFrom<Fate>("answered", "answered", "answered", "answer lost", "not sent"),
  );
  const deployments = fc.array(
    fc.record({
      resources: fc.record(
        {
          Ip: fc.tuple(fc.constant("Address"), addresses),
          Net: fc.tuple(fc.constant("Prefix"), prefixes),
        },
        { requiredKeys: [] },
      ),
      fails: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const deliveries = fc.infiniteStream(fc.constantFrom("once", "once", "twice", "lost"));

  it("holds one address for each resource, two in a replacement, and none after its delete", async () => {
    await fc.assert(
      fc.asyncProperty(deployments, fates, deliveries, async (steps, fate, delivery) => {
        const { plat, template, inUse } = await world();
        const carriedOut: CloudFormationCustomResourceEvent[] = [];
        let isCalm = false;
        const fateOf = (): Fate => (isCalm ? "answered" : fate.next().value);
        const stack = new Stack(async (event) => {
          const how = isCalm ? "once" : delivery.next().value;
          const first = await handle(event, fateOf);
          const outcome = how === "twice" ? await handle(event, fateOf) : first;
          if (outcome.failure === undefined) carriedOut.push(event);
          expect(await inUse()).toBeLessThanOrEqual(4);
          return how === "lost" ? undefined : outcome;
        });
        for (const { resources, fails } of steps) {
          const reason = await stack.deploy(template(resources), fails);
          if (reason === undefined) expect(await inUse()).toBe(Object.keys(resources).length);
          else expect(await inUse()).toBeLessThanOrEqual(2);
        }
        isCalm = true;
        await stack.delete();
        for (const event of carriedOut) await handle(event);
        expect(await inUse()).toBe(0);
        expect((await plat.get("/v1/pools")).body.pools).toHaveLength(4);
      }),
      { numRuns: fewerRuns(1 / 4) },
    );
  });
});
