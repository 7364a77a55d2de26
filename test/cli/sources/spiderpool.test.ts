import { describe, expect, it } from "vitest";
import { terminal } from "../terminal.ts";
import { wayTo } from "../way.ts";

const { call, platWith, server, space } = terminal();

const get = async (path: string) => (await call("GET", path)).body;
const importing = (items: readonly object[], ...args: readonly string[]) =>
  platWith({ stdin: listOf(items) }, ...["import", "spiderpool", "-f", "-", ...args]);
const listOf = (items: readonly object[]) =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items });

const theirs = (kind: string, metadata: object, rest: object) => ({
  apiVersion: "spiderpool.spidernet.io/v2beta1",
  kind,
  metadata,
  ...rest,
});

/**
 * A pool as Spiderpool makes one for an application of its subnet. Labels and annotations are those that docs/usage/spider-subnet.md of
 * spidernet-io/spiderpool has at 41d7d3b7; the endpoints are as in docs/reference/crd-spiderendpoint.md at a7fbd3b2.
 */
const autoPool = (
  app: string,
  ips: readonly string[],
  allocated: object = {},
  { kind = "Deployment", number = "+1" } = {},
) => {
  const ofOwner = { kind, namespace: "shop", name: app, gv: "apps_v1" };
  const labels = Object.entries(ofOwner).map(([name, value]) => [
    `ipam.spidernet.io/owner-application-${name}`,
    value,
  ]);
  return theirs(
    "SpiderIPPool",
    {
      name: `auto4-${app}-eth0-337bc`,
      annotations: { "ipam.spidernet.io/ippool-ip-number": number },
      labels: {
        ...Object.fromEntries(labels),
        "ipam.spidernet.io/interface": "eth0",
        "ipam.spidernet.io/ippool-reclaim": "true",
        "ipam.spidernet.io/owner-spider-subnet": "subnet-4",
      },
    },
    {
      spec: {
        ...{ default: false, disable: false, ipVersion: 4, subnet: "10.6.0.0/16", ips, vlan: 0 },
        podAffinity: { matchLabels: { "ipam.spidernet.io/app-name": app } },
      },
      status: { allocatedIPs: JSON.stringify(allocated), totalIPCount: 3 },
    },
  );
};
const SUBNET = theirs(
  "SpiderSubnet",
  { name: "subnet-4" },
  { spec: { ipVersion: 4, subnet: "10.6.0.0/16", ips: ["10.6.168.101-10.6.168.110"] } },
);
const POOL = theirs(
  "SpiderIPPool",
  { name: "racks" },
  {
    spec: {
      ...{ default: true, subnet: "10.7.0.0/24", ips: ["10.7.0.10-10.7.0.20"] },
      podAffinity: { matchLabels: { app: "db" } },
      nodeName: ["node-1"],
    },
    status: { allocatedIPs: '{"10.7.0.10":{"pod":"shop/db-0","podUid":"u-db-0"}}' },
  },
);
const endpoint = (name: string, owner: readonly [string, string], ips: readonly object[]) =>
  theirs(
    "SpiderEndpoint",
    { name, namespace: "shop" },
    {
      status: {
        current: { node: "node-1", uid: `u-${name}`, ips },
        ownerControllerType: owner[0],
        ownerControllerName: owner[1],
      },
    },
  );
const WEB = endpoint(
  "web-74cb-2ndzl",
  ["Deployment", "web"],
  [
    {
      ...{ cleanGateway: false, interface: "eth0", vlan: 0 },
      ...{ ipv4: "10.6.168.103/16", ipv4Pool: "auto4-web-eth0-337bc" },
    },
  ],
);
const DB = endpoint(
  "db-0",
  ["StatefulSet", "db"],
  [{ interface: "eth0", ipv4: "10.7.0.10/24", ipv4Pool: "racks" }],
);
const WEB_POOL = autoPool("web", ["10.6.168.101-10.6.168.103"]);
const OLD = "auto-old-v4-net1-6b707f3114b8";
const DUMP = [SUBNET, WEB_POOL, POOL, WEB, DB];

describe("plat import spiderpool", () => {
  it("makes the application of a pool that Spiderpool made, with its addresses, and does nothing twice", async () => {
    const { out } = await importing(DUMP, "--dry-run");
    expect(out).toMatch(/applications +1 +0 +0 +0/);
    expect(out).toMatch(/addresses +2 +0 +0 +0/);
    expect((await get("/v1/pools")).pools).toEqual([]);
    const { exit, err } = await importing(DUMP);
    expect(err).not.toMatch(/left out|Error/);
    expect(exit).toBe(0);
    const application = await get("/v1/applications/shop/Deployment/web");
    expect(application).toMatchObject({
      replicas: 2,
      addresses: { number: "+1", pools: ["auto4-web-eth0-337bc", "subnet-4"], keep: false },
      complete: true,
    });
    expect(application.members.map(({ address }: { address: string }) => address)).toEqual([
      "10.6.168.101",
      "10.6.168.102",
      "10.6.168.103",
    ]);
    expect(await get("/v1/addresses/10.6.168.103")).toMatchObject({
      handle: "workload/shop/Deployment/web/web-74cb-2ndzl",
      host: "node-1",
      attributes: {
        namespace: "shop",
        pod: "web-74cb-2ndzl",
        ifName: "eth0",
        podUid: "u-web-74cb-2ndzl",
      },
    });
    expect((await importing(DUMP)).err).toContain("everything exists already");
  });

  it("gives a pod of a StatefulSet its address, and the pool its conditions again", async () => {
    await importing(DUMP);
    expect(await get("/v1/pools/racks")).toMatchObject({
      assignmentMode: "Automatic",
      nodeNames: ["node-1"],
      podSelector: 'app == "db"',
    });
    const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "another" };
    const { body } = await call("POST", "/v1/assign", {
      ...{ host: "node-1", ipv4: 1, namespace: "shop", workload, labels: { app: "db" } },
    });
    expect(body.addresses).toMatchObject([{ address: "10.7.0.10" }]);
  });

  it("gives a pod of both families both addresses, again after a restart, and does nothing twice", async () => {
    const six = theirs(
      "SpiderIPPool",
      { name: "racks-6" },
      { spec: { default: true, subnet: "2001:db8::/64", ips: ["2001:db8::a-2001:db8::f"] } },
    );
    const ips = {
      ...{ ipv4: "10.7.0.12/24", ipv4Pool: "racks" },
      ...{ ipv6: "2001:db8::c/64", ipv6Pool: "racks-6" },
    };
    const both = endpoint("db-2", ["StatefulSet", "db"], [{ interface: "eth0", ...ips }]);
    const { exit, err } = await importing([...DUMP, six, both]);
    expect(err).not.toContain("left out");
    expect(exit).toBe(0);
    const handle = "workload/shop/StatefulSet/db/db-2";
    for (const address of ["10.7.0.12", "2001:db8::c"])
      expect(await get(`/v1/addresses/${address}`)).toMatchObject({ handle, host: "node-1" });
    expect((await importing([...DUMP, six, both])).err).toContain("everything exists already");
    const workload = { kind: "StatefulSet", name: "db", instance: "db-2", uid: "another" };
    const { body } = await call("POST", "/v1/assign", {
      ...{ host: "node-1", ipv4: 1, ipv6: 1, namespace: "shop", workload, labels: { app: "db" } },
    });
    expect(body.addresses).toMatchObject([{ address: "10.7.0.12" }, { address: "2001:db8::c" }]);
  });

  it("gives a pod of both families the addresses that its application holds", async () => {
    const pool = (name: string, ipVersion: number, subnet: string, ip: string) => {
      const { metadata, ...rest } = autoPool("api", [ip]);
      const spec = { ipVersion, subnet, ips: [ip] };
      return { ...rest, metadata: { ...metadata, name }, spec };
    };
    const pools = [
      pool("auto4-api-eth0-11111", 4, "10.8.0.0/24", "10.8.0.7"),
      pool("auto6-api-eth0-11111", 6, "2001:db8:8::/64", "2001:db8:8::7"),
    ];
    const ips = {
      ...{ ipv4: "10.8.0.7/24", ipv4Pool: "auto4-api-eth0-11111" },
      ...{ ipv6: "2001:db8:8::7/64", ipv6Pool: "auto6-api-eth0-11111" },
    };
    const api = endpoint("api-x1", ["Deployment", "api"], [{ interface: "eth0", ...ips }]);
    const { exit, err } = await importing([...pools, api]);
    expect(err).not.toContain("left out");
    expect(exit).toBe(0);
    for (const address of ["10.8.0.7", "2001:db8:8::7"])
      expect(await get(`/v1/addresses/${address}`)).toMatchObject({
        handle: "workload/shop/Deployment/api/api-x1",
      });
  });

  it.each([
    [
      "in an annotation, and the interface in its name",
      { annotations: { "ipam.spidernet.io/application": "apps/v1:Deployment:shop:old" } },
      '{"10.8.0.7":{"interface":"net1","pod":"shop/old-x1"}}',
    ],
    [
      "in one label, its addresses as an object",
      { labels: { "ipam.spidernet.io/owner-application": "Deployment_shop_old" } },
      { "10.8.0.7": { interface: "net1", namespace: "shop", pod: "old-x1" } },
    ],
  ])(
    "knows the application of a pool of an older Spiderpool, which has it %s",
    async (_, metadata, allocatedIPs) => {
      const pool = {
        ...theirs(
          "SpiderIPPool",
          { name: OLD, ...metadata },
          {
            spec: {
              ...{ ipVersion: 4, subnet: "10.8.0.0/24", ips: ["10.8.0.7-10.8.0.8"] },
              podAffinity: { matchLabels: { app: "old" } },
            },
            status: { allocatedIPs },
          },
        ),
        apiVersion: "spiderpool.spidernet.io/v1",
      };
      const ips = [{ interface: "net1", ipv4: "10.8.0.7/24", ipv4Pool: OLD }];
      const old = endpoint("old-x1", ["Deployment", "old"], ips);
      const { exit, err } = await importing([pool, old]);
      expect(err).not.toContain("left out");
      expect(exit).toBe(0);
      expect((await get("/v1/applications/shop/Deployment/old")).members).toMatchObject([
        { address: "10.8.0.7" },
        { address: "10.8.0.8" },
      ]);
      expect(await get("/v1/addresses/10.8.0.7")).toMatchObject({
        handle: "workload/shop/Deployment/old/old-x1",
      });
      expect((await importing([pool, old])).err).toContain("everything exists already");
    },
  );

  const SPARE = endpoint(
    "web-74cb-9xkqp",
    ["Deployment", "web"],
    [{ interface: "eth0", ipv4: "10.6.168.102/16", ipv4Pool: "auto4-web-eth0-337bc" }],
  );

  it("gives a pod that Spiderpool started since the spare address that its application holds", async () => {
    await importing(DUMP);
    const { exit, err } = await importing([...DUMP, SPARE]);
    expect({ exit, conflicts: /conflict/.test(err) }).toEqual({ exit: 0, conflicts: false });
    expect(await get("/v1/addresses/10.6.168.102")).toMatchObject({
      handle: "workload/shop/Deployment/web/web-74cb-9xkqp",
    });
    const application = await get("/v1/applications/shop/Deployment/web");
    expect(application.addresses).toMatchObject({ number: "+1" });
    expect((await importing([...DUMP, SPARE])).err).toContain("everything exists already");
  });

  it("completes a run that was cut off when the application held its addresses", async () => {
    const way = await wayTo(server().url, async ({ route }) =>
      route === "POST /v1/assign" ? { status: 403, body: {} } : undefined,
    );
    const cutOff = await platWith(
      { stdin: listOf(DUMP), env: { PLAT_ENDPOINT: way, PLAT_SPACE: space() } },
      ...["import", "spiderpool", "-f", "-"],
    );
    expect(cutOff.exit).not.toBe(0);
    expect(await get("/v1/addresses/10.6.168.103")).toMatchObject({ state: "held" });
    expect((await importing(DUMP)).exit).toBe(0);
    expect(await get("/v1/addresses/10.6.168.103")).toMatchObject({
      handle: "workload/shop/Deployment/web/web-74cb-2ndzl",
    });
    expect((await importing(DUMP)).err).toContain("everything exists already");
  });

  it("takes what Spiderpool assigned since, also in a pool with conditions", async () => {
    await importing(DUMP);
    const more = endpoint(
      "db-1",
      ["StatefulSet", "db"],
      [{ interface: "eth0", ipv4: "10.7.0.11/24", ipv4Pool: "racks" }],
    );
    expect((await importing([...DUMP, more])).exit).toBe(0);
    expect(await get("/v1/addresses/10.7.0.11")).toMatchObject({ host: "node-1" });
    expect(await get("/v1/pools/racks")).toMatchObject({ podSelector: 'app == "db"' });
  });

  it.each([
    [
      "a pod with two addresses of a family",
      endpoint(
        "db-1",
        ["StatefulSet", "db"],
        [
          { interface: "eth0", ipv4: "10.7.0.12/24", ipv4Pool: "racks" },
          { interface: "eth0", ipv4: "10.7.0.13/24", ipv4Pool: "racks" },
        ],
      ),
      "SpiderEndpoint shop/db-1 has 2 addresses, and an instance gets one stated address of a family",
    ],
    [
      "a pod with two interfaces",
      endpoint(
        "db-1",
        ["StatefulSet", "db"],
        [
          { interface: "eth0", ipv4: "10.7.0.12/24", ipv4Pool: "racks" },
          { interface: "net1", ipv6: "2001:db8::c/64", ipv6Pool: "racks-6" },
        ],
      ),
      "SpiderEndpoint shop/db-1 has addresses of 2 interfaces",
    ],
    [
      "a pod in the pool of another application",
      endpoint(
        "api-1",
        ["Deployment", "api"],
        [{ interface: "eth0", ipv4: "10.6.168.102/16", ipv4Pool: "auto4-web-eth0-337bc" }],
      ),
      "is of shop/Deployment/api, and its pool is that of shop/Deployment/web",
    ],
    [
      "the other address of an endpoint that outlived its pod",
      endpoint(
        "db-9",
        ["StatefulSet", "db"],
        [
          { interface: "eth0", ipv4: "10.7.0.10/24", ipv4Pool: "racks" },
          { interface: "net1", ipv4: "10.7.0.13/24", ipv4Pool: "racks" },
        ],
      ),
      "SpiderEndpoint shop/db-9 has 10.7.0.10, which is of shop/db-0 in SpiderIPPool racks",
    ],
    [
      "an address without an endpoint",
      autoPool("api", ["10.6.168.105"], { "10.6.168.105": { pod: "shop/gone" } }),
      "no SpiderEndpoint has it",
    ],
  ])("leaves out %s, reserves it, and goes on", async (_, item, reason) => {
    const { exit, err } = await importing([...DUMP, item]);
    expect(err).toContain(reason);
    expect(exit).toBe(0);
    const { cidrs } = await get("/v1/reservations/spiderpool-left-out");
    expect(cidrs.length).toBeGreaterThan(0);
    for (const end of cidrs.flatMap((run: string) => run.split("-")))
      expect(err).toContain(`${end} is left out`);
    expect(await get("/v1/addresses/10.7.0.10")).toMatchObject({ host: "node-1" });
    expect((await importing([...DUMP, item])).err).toContain("everything exists already");
  });

  it("reserves all that it leaves out, also if that is more than one reservation has room for", async () => {
    // Every second address, so that no two are one run.
    const ips = Array.from({ length: 2_010 }, (_, i) => `10.7.${i >> 7}.${(i & 127) * 2}`);
    const wide = theirs(
      "SpiderIPPool",
      { name: "wide" },
      { spec: { subnet: "10.7.0.0/16", ips: ["10.7.0.0-10.7.255.255"] } },
    );
    const pods = ips.flatMap((ip, i) =>
      i % 2 === 0
        ? [
            endpoint(
              `nic-${i}`,
              ["Deployment", "nic"],
              [
                { interface: "eth0", ipv4: `${ip}/16`, ipv4Pool: "wide" },
                { interface: "net1", ipv4: `${ips[i + 1]}/16`, ipv4Pool: "wide" },
              ],
            ),
          ]
        : [],
    );
    const { exit } = await importing([wide, ...pods]);
    expect(exit).toBe(0);
    const { reservations } = await get("/v1/reservations");
    expect(reservations.map(({ name }: { name: string }) => name)).toEqual([
      "spiderpool-left-out",
      "spiderpool-left-out-2",
      "spiderpool-left-out-3",
    ]);
    const reserved = reservations.flatMap(({ cidrs }: { cidrs: string[] }) => cidrs);
    expect(new Set(reserved)).toEqual(new Set(ips));
  });

  const SIMPLE = (name: string, ip: string) =>
    endpoint(
      name,
      ["StatefulSet", name.replace(/-\d+$/, "")],
      [{ interface: "eth0", ipv4: `${ip}/24`, ipv4Pool: "racks" }],
    );

  it("gives an address to the pod that the record of the pool names, whatever endpoints come first", async () => {
    const { exit, err } = await importing([POOL, SIMPLE("old-0", "10.7.0.10"), DB]);
    expect(exit).toBe(0);
    expect(err).toContain(
      "SpiderEndpoint shop/old-0 is left out: it has 10.7.0.10, which is of shop/db-0",
    );
    expect(await get("/v1/addresses/10.7.0.10")).toMatchObject({
      handle: "workload/shop/StatefulSet/db/db-0",
    });
    expect((await get("/v1/reservations")).reservations).toEqual([]);
  });

  it("reserves an address whose record names a pod without an endpoint", async () => {
    const { exit, err } = await importing([POOL, SIMPLE("old-0", "10.7.0.10")]);
    expect(exit).toBe(0);
    expect(err).toContain("10.7.0.10 is left out, and reserved: SpiderEndpoint shop/old-0 has");
    expect((await get("/v1/reservations/spiderpool-left-out")).cidrs).toEqual(["10.7.0.10"]);
  });

  it("takes a pod that has started again, and whose record has its former uid", async () => {
    const allocatedIPs = '{"10.7.0.10":{"pod":"shop/db-0","podUid":"former"}}';
    const { err } = await importing([{ ...POOL, status: { allocatedIPs } }, DB]);
    expect(err).not.toContain("left out");
  });

  it("leaves out both endpoints of an address without a record, and reserves it", async () => {
    const pods = [SIMPLE("one-0", "10.7.0.15"), SIMPLE("two-0", "10.7.0.15")];
    const { exit, err } = await importing([...DUMP, ...pods]);
    expect(exit).toBe(0);
    expect(err).toContain("shop/one-0 has 10.7.0.15, and so has SpiderEndpoint shop/two-0");
    expect(err).toContain("shop/two-0 has 10.7.0.15, and so has SpiderEndpoint shop/one-0");
    expect((await get("/v1/reservations/spiderpool-left-out")).cidrs).toEqual(["10.7.0.15"]);
  });

  const twice = '{"10.7.0.10":{"pod":"shop/a"},"10.7.0.10":{"pod":"shop/b"}}';
  it.each(['{"10.7.0.10":', "[]", '{"10.7.0":{}}', twice])(
    "has a conflict for a pool whose records nobody can read: %s",
    async (allocatedIPs) => {
      const { exit, err } = await importing([{ ...POOL, status: { allocatedIPs } }]);
      expect(exit).toBe(1);
      expect(err).toContain("pool racks has a status.allocatedIPs that is no JSON object");
      expect((await get("/v1/pools")).pools).toEqual([]);
    },
  );

  it("imports a pool that is being deleted as disabled, and no reservation that is", async () => {
    const ending = <Item extends { metadata: object }>(item: Item) => ({
      ...item,
      metadata: { ...item.metadata, deletionTimestamp: "2026-11-30T00:00:00Z" },
    });
    const reserved = theirs("SpiderReservedIP", { name: "kept" }, { spec: { ips: ["10.7.0.9"] } });
    const items = [ending(SUBNET), ending(POOL), ending(reserved), DB];
    const { exit, err } = await importing(items);
    expect(exit).toBe(0);
    expect(err).toContain("Pool racks is being deleted: imported as disabled.");
    expect(err).toContain("Reservation kept is being deleted: left out.");
    for (const name of ["racks", "subnet-4"])
      expect(await get(`/v1/pools/${name}`)).toMatchObject({ disabled: true });
    expect((await get("/v1/reservations")).reservations).toEqual([]);
    expect(await get("/v1/addresses/10.7.0.10")).toMatchObject({ state: "assigned" });
    expect((await importing(items)).err).toContain("everything exists already");
  });

  it("starts a StatefulSet at its lowest ordinal, and leaves the start that an application has", async () => {
    const set = autoPool("kv", ["10.6.168.101-10.6.168.103"], {}, { kind: "StatefulSet" });
    const pod = (name: string, ip: string) =>
      endpoint(
        name,
        ["StatefulSet", "kv"],
        [{ interface: "eth0", ipv4: `${ip}/16`, ipv4Pool: "auto4-kv-eth0-337bc" }],
      );
    const [five, six] = [pod("kv-5", "10.6.168.101"), pod("kv-6", "10.6.168.102")];
    expect((await importing([SUBNET, set, five, six])).exit).toBe(0);
    const path = "/v1/applications/shop/StatefulSet/kv";
    expect(await get(path)).toMatchObject({ start: 5, replicas: 2 });
    expect((await importing([SUBNET, set, six])).err).toContain("everything exists already");
    expect(await get(path)).toMatchObject({ start: 5 });
    const workload = { kind: "StatefulSet", name: "kv", instance: "kv-6", uid: "another" };
    const { body } = await call("POST", "/v1/assign", {
      ...{ host: "node-1", ipv4: 1, namespace: "shop", workload },
    });
    expect(body.addresses).toMatchObject([{ address: "10.6.168.102" }]);
  });

  it("counts the replicas of a StatefulSet with a fixed number up to its highest ordinal", async () => {
    const set = autoPool(
      "kv",
      ["10.6.168.101-10.6.168.105"],
      {},
      { kind: "StatefulSet", number: "5" },
    );
    const pods = ["kv-5", "kv-7"].map((name, i) =>
      endpoint(
        name,
        ["StatefulSet", "kv"],
        [{ interface: "eth0", ipv4: `10.6.168.10${i + 1}/16`, ipv4Pool: "auto4-kv-eth0-337bc" }],
      ),
    );
    expect((await importing([SUBNET, set, ...pods])).exit).toBe(0);
    expect(await get("/v1/applications/shop/StatefulSet/kv")).toMatchObject({
      ...{ start: 5, replicas: 3 },
    });
  });

  it("imports a virtual machine by its own name, which no pod has", async () => {
    const machine = endpoint(
      "vm-a",
      ["VirtualMachineInstance", "vm-a"],
      [{ interface: "net1", ipv4: "10.7.0.14/24", ipv4Pool: "racks" }],
    );
    expect((await importing([POOL, machine])).exit).toBe(0);
    expect((await get("/v1/addresses/10.7.0.14")).attributes).toEqual({
      ...{ namespace: "shop", "vmi-name": "vm-a", ifName: "net1", podUid: "u-vm-a" },
    });
  });

  const RESERVED = (...ips: readonly string[]) =>
    theirs("SpiderReservedIP", { name: "later" }, { spec: { ips } });

  it.each([[["10.6.168.103"]], [["10.6.168.103", "10.6.168.109"]]])(
    "assigns to an instance what was reserved after Spiderpool gave it: %j",
    async (ips) => {
      const items = [...DUMP, RESERVED(...ips)];
      const { exit, err } = await importing(items);
      expect(err).not.toContain("Error");
      expect(exit).toBe(0);
      expect(await get("/v1/addresses/10.6.168.103")).toMatchObject({
        handle: "workload/shop/Deployment/web/web-74cb-2ndzl",
      });
      expect((await get("/v1/reservations/later")).cidrs).toEqual(ips);
      expect((await importing(items)).err).toContain("everything exists already");
    },
  );

  it("assigns to an instance what an earlier import left out, and ends that reservation", async () => {
    const pool = (allocated: object) => autoPool("web", ["10.6.168.101-10.6.168.103"], allocated);
    const first = [SUBNET, pool({ "10.6.168.102": { pod: "shop/gone" } }), WEB];
    expect((await importing(first)).exit).toBe(0);
    expect((await get("/v1/reservations/spiderpool-left-out")).cidrs).toEqual(["10.6.168.102"]);
    const next = endpoint(
      "web-74cb-next",
      ["Deployment", "web"],
      [{ interface: "eth0", ipv4: "10.6.168.102/16", ipv4Pool: "auto4-web-eth0-337bc" }],
    );
    const second = [SUBNET, pool({}), WEB, next];
    const { exit, err } = await importing(second);
    expect(err).not.toContain("Error");
    expect(exit).toBe(0);
    expect(await get("/v1/addresses/10.6.168.102")).toMatchObject({
      handle: "workload/shop/Deployment/web/web-74cb-next",
    });
    expect((await get("/v1/reservations")).reservations).toEqual([]);
    expect(await get("/v1/applications/shop/Deployment/web")).toMatchObject({ complete: true });
    expect((await importing(second)).err).toContain("everything exists already");
  });

  it("has a conflict if an operator of Plat reserved what an instance has, and writes nothing", async () => {
    await call("PUT", "/v1/reservations/ours", { cidrs: ["10.6.168.100/30"] });
    const { exit, err } = await importing(DUMP);
    expect(exit).toBe(1);
    expect(err).toContain("reservation ours of Plat reserves 10.6.168.103");
    expect((await get("/v1/pools")).pools).toEqual([]);
  });

  it("has a conflict for an application with more addresses than one can have", async () => {
    const wide = autoPool("wide", ["10.6.1.1-10.6.6.0"], {}, { number: "+0" });
    const { exit, err } = await importing([wide], "--dry-run");
    expect(exit).toBe(1);
    expect(err).toContain(
      "application shop/Deployment/wide comes to 1280 addresses in all interfaces and families",
    );
  });

  it("says which application does not get all its addresses, and why", async () => {
    const few = autoPool("few", ["10.6.1.1-10.6.1.2"], {}, { number: "5" });
    const { exit, err } = await importing([few]);
    expect(exit).toBe(0);
    expect(err).toContain(
      "Note: application shop/Deployment/few does not have all its addresses: The pools have no",
    );
  });

  it("takes a pool none of whose addresses is in use, which has none in its status", async () => {
    const free = { ...POOL, status: { totalIPCount: 11, allocatedIPCount: 0 } };
    expect((await importing([free])).exit).toBe(0);
  });

  it("has a conflict for a pool that Plat does not take, and writes nothing", async () => {
    const bad = theirs("SpiderIPPool", { name: "bad" }, { spec: { subnet: "10.9.0.1/24" } });
    const { exit, err } = await importing([...DUMP, bad]);
    expect(err).toContain("pool bad is rejected");
    expect(exit).toBe(1);
    expect((await get("/v1/pools")).pools).toEqual([]);
  });
});
