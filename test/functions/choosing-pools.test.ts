import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

/** Creates pools of 64 addresses, each with its fields. */
async function withPools(pools: Readonly<Record<string, object>>): Promise<Plat> {
  const plat = newSpace();
  for (const [n, [name, fields]] of Object.entries(pools).entries()) {
    const { status } = await plat.put(`/v1/pools/${name}`, { cidr: `10.${n}.0.0/26`, ...fields });
    expect(status).toBe(201);
  }
  return plat;
}

const ask = (plat: Plat, request: object = {}) => plat.assign({ host: "n1", ipv4: 1, ...request });

/** Returns the pool that serves a request, or the rule and the codes of its rejection. */
async function outcomeOf(plat: Plat, request: object = {}): Promise<string> {
  const { status, body } = await ask(plat, request);
  if (status === 200) return body.addresses[0].pool;
  const codes = (body.pools ?? []).map(
    ({ pool, code }: { pool: string; code?: string }) => `${pool} ${code}`,
  );
  return [body.rule ?? body.code, ...codes].join(", ");
}

describe("the conditions of a pool", () => {
  const CONDITIONS = {
    podSelector: "app == 'web'",
    nodeNames: ["n1"],
    namespaceNames: ["shop"],
    networks: ["kube-system/macvlan-100", "ovs"],
  };

  it("let a request pass that meets them all, and tell any other which one excludes it", async () => {
    const plat = await withPools({ web: CONDITIONS });
    const met = { namespace: "shop", labels: { app: "web" }, network: "ovs" };
    expect(await outcomeOf(plat, met)).toBe("web");
    expect(await outcomeOf(plat, { ...met, host: "n2" })).toBe("automatic, web node");
    expect(await outcomeOf(plat, { ...met, namespace: "bank" })).toBe("automatic, web namespace");
    expect(await outcomeOf(plat, { ...met, labels: {} })).toBe("automatic, web pod");
    expect(await outcomeOf(plat, { ...met, network: "macvlan-100" })).toBe(
      "automatic, web network",
    );
    expect(await outcomeOf(plat, { pools: ["web"], host: "n2" })).toBe("web");
  });

  it("of a ranged pool bind a request that names it, or an address of it, and score", async () => {
    const plat = await withPools({
      a: { ranges: ["10.0.0.1-10.0.0.9"], nodeSelector: "zone == 'west'" },
      b: { ranges: ["10.1.0.1-10.1.0.9"], namespaceSelector: "has(team)", podSelector: "has(app)" },
    });
    const west = { hostLabels: { zone: "west" } };
    expect(await outcomeOf(plat, { pools: ["a"] })).toBe("pools, a node");
    expect(await outcomeOf(plat, { ipv4: 0, address: "10.0.0.3" })).toContain("a node");
    expect(await outcomeOf(plat, { ipv4: 0, address: "10.0.0.3", ...west })).toBe("a");
    expect(await outcomeOf(plat, { pools: ["a"], ...west })).toBe("a");
    await plat.put("/v1/namespaces/shop", { labels: { team: "web" } });
    const shop = { namespace: "shop", labels: { app: "web" }, ...west };
    const { body } = await ask(plat, { ...shop, pools: ["a", "b"], dryRun: true });
    expect(body.families[0].pools).toMatchObject([
      { pool: "b", score: 34 },
      { pool: "a", score: 8 },
    ]);
    expect(await outcomeOf(plat, { ...shop, pools: ["b"], labels: {} })).toBe("pools, b pod");
  });
});

describe("the rules that give a request its pools", () => {
  const POOLS = {
    auto: {},
    "default-1": { assignmentMode: "Manual" },
    "net-1": { assignmentMode: "Manual" },
    "own-1": { assignmentMode: "Manual" },
  };

  it("apply in the order pools, namespace, network, automatic", async () => {
    const plat = await withPools(POOLS);
    await plat.put("/v1/namespaces/shop", { defaultPools: ["default-*"] });
    await plat.put("/v1/namespaces/bank", {});
    const network = { defaultPools: ["net-1"] };
    expect(await outcomeOf(plat)).toBe("auto");
    expect(await outcomeOf(plat, network)).toBe("net-1");
    expect(await outcomeOf(plat, { ...network, namespace: "bank" })).toBe("net-1");
    expect(await outcomeOf(plat, { ...network, namespace: "shop" })).toBe("default-1");
    const own = { ...network, namespace: "shop", pools: ["own-?"] };
    expect(await outcomeOf(plat, own)).toBe("own-1");
    const { body } = await ask(plat, { ...own, pools: [], dryRun: true });
    expect(body.families).toMatchObject([
      { rule: "namespace", pools: [{ pool: "default-1", score: 0, order: 1 }, {}, {}, {}] },
    ]);
  });

  it("pass over a pool that is full or reserved, and tell of it once all are", async () => {
    const plat = await withPools({ a: { cidr: "10.8.0.0/32" }, b: { cidr: "10.9.0.0/32" } });
    await plat.put("/v1/reservations/r", { cidrs: ["10.8.0.0"] });
    expect(await outcomeOf(plat)).toBe("b");
    expect((await ask(plat)).body).toMatchObject({
      code: "pool_exhausted",
      pools: expect.arrayContaining([
        expect.objectContaining({ pool: "a", code: "reserved" }),
        expect.objectContaining({ pool: "b", code: "full", reason: expect.any(String) }),
      ]),
    });
  });

  it.each([
    ["a pool with blocks of hosts", {}, false],
    ["a set", { ranges: ["10.0.0.0"] }, false],
    ["a pool of prefixes", { assign: "prefixes", blockSize: 26 }, true],
  ])(
    "tell which pools their conditions left out, with the code of each, when %s is full",
    async (_, fields, isOfPrefixes) => {
      const plat = newSpace();
      const cidr = "ranges" in fields || isOfPrefixes ? "10.0.0.0/26" : "10.0.0.0/32";
      const others = isOfPrefixes ? { assign: "prefixes", blockSize: 26 } : {};
      await plat.put("/v1/pools/one", { cidr, ...fields });
      await plat.put("/v1/pools/bank", {
        cidr: "10.1.0.0/26",
        ...others,
        principals: ["arn:aws:iam::210987654321:role/bank"],
      });
      await plat.put("/v1/pools/off", { cidr: "10.2.0.0/26", ...others, disabled: true });
      await plat.put("/v1/pools/six", { cidr: "2001:db8::/120" });
      const asking = (handle: string) =>
        isOfPrefixes
          ? plat.call("POST", "/v1/prefixes", {
              body: { handle, family: 4 },
              headers: { "idempotency-key": handle },
            })
          : ask(plat, { handle });
      expect([200, 201]).toContain((await asking("a")).status);
      const { body } = await asking("b");
      expect(body.code).toBe("pool_exhausted");
      expect(body.pools).toMatchObject([
        { pool: "one", code: "full" },
        { pool: "bank", cidr: "10.1.0.0/26", code: "principal", reason: expect.any(String) },
        { pool: "off", code: "disabled" },
      ]);
      expect(body.pools).toHaveLength(3);
    },
  );

  it("tell of each interface which pools their conditions left out", async () => {
    const plat = await withPools({
      a: { cidr: "10.8.0.0/32", networks: ["one"] },
      b: { networks: ["two"], nodeNames: ["n2"] },
      c: { cidr: "10.9.0.0/32", networks: ["two"] },
    });
    const interfaces = [
      { name: "eth0", ipv4: 1, network: "one" },
      { name: "net1", ipv4: 2, network: "two" },
    ];
    const { body } = await ask(plat, { ipv4: undefined, interfaces });
    expect(body.pools).toMatchObject([
      { pool: "c", code: "full", interface: "net1" },
      { pool: "a", code: "network", interface: "net1" },
      { pool: "b", code: "node", interface: "net1" },
    ]);
  });
});

describe("the default pools of a namespace", () => {
  const V4 = "ipam.spidernet.io/default-ipv4-ippool";
  const V6 = "ipam.spidernet.io/default-ipv6-ippool";
  const manifest = (annotations: object) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop", labels: { team: "web" }, annotations },
  });

  it("are read from the annotations of its manifest", async () => {
    const plat = newSpace();
    const annotations = { [V4]: '["a", "web-*"]', [V6]: '["a","six"]', "example.org/x": "y" };
    await plat.put("/v1/namespaces/shop", manifest(annotations));
    const { body } = await plat.get("/v1/namespaces/shop");
    expect(body).toEqual({
      name: "shop",
      labels: { team: "web" },
      ipv4DefaultPools: ["a", "web-*"],
      ipv6DefaultPools: ["a", "six"],
    });
    expect((await plat.put("/v1/namespaces/again", { ...body, name: "again" })).body).toMatchObject(
      { ...body, name: "again" },
    );
  });

  /** A space with a pool of each family for a team, and one of each for all. */
  const spaceOfTeams = async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/team-v4", { cidr: "10.1.0.0/24" });
    await plat.put("/v1/pools/team-v6", { cidr: "2001:db8:1::/64" });
    await plat.put("/v1/pools/all-v4", { cidr: "10.2.0.0/24" });
    await plat.put("/v1/pools/all-v6", { cidr: "2001:db8:2::/64" });
    return plat;
  };

  it("of a request have the same form: one list, or one for each family", async () => {
    const plat = await spaceOfTeams();
    const host = "n1";
    const byFamily = { ipv4DefaultPools: ["team-v4"], ipv6DefaultPools: ["all-*"] };
    const { body } = await plat.assign({ host, ipv4: 1, ipv6: 1, ...byFamily });
    expect(body.addresses).toMatchObject([{ pool: "team-v4" }, { pool: "all-v6" }]);
    const alone = await plat.assign({ host, ipv6: 1, ipv4DefaultPools: ["team-*"] });
    expect(alone.body).toMatchObject({ code: "no_pool_available" });
    const one = await plat.assign({ host, ipv4: 1, ipv6: 1, defaultPools: ["team-*"] });
    expect(one.body.addresses).toMatchObject([{ pool: "team-v4" }, { pool: "team-v6" }]);
    for (const reply of [
      await plat.assign({ host, ipv4: 1, defaultPools: ["a"], ...byFamily }),
      await plat.put("/v1/namespaces/shop", { defaultPools: ["a"], ...byFamily }),
    ])
      expect(reply).toMatchObject({
        status: 400,
        body: { fields: [{ field: "defaultPools" }] },
      });
    const name = "eth0";
    const interfaces = [{ name, ipv4: 1 }];
    expect((await plat.assign({ host, interfaces, ...byFamily })).body.fields).toMatchObject([
      { field: "ipv4DefaultPools" },
      { field: "ipv6DefaultPools" },
    ]);
  });
});
