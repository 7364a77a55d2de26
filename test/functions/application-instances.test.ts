import { describe, expect, it } from "vitest";
import { podEvent } from "../node-objects.ts";
import { newSpace } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const WEB = "/v1/applications/shop/Deployment/web";
const DB = "/v1/applications/shop/StatefulSet/db";

interface Member {
  readonly address: string;
}

/** A space with a pool of eight addresses in blocks of four, and an ordinary pool. Released addresses cool. */
async function spaceWithRanges() {
  const plat = newSpace();
  const pool = { cidr: "10.0.0.0/24", blockSize: 30, ranges: ["10.0.0.8-10.0.0.15"] };
  await plat.put("/v1/pools/web", { ...pool, assignmentMode: "Manual", gateway: "10.0.0.1" });
  await plat.put("/v1/pools/any", { cidr: "10.1.0.0/28", blockSize: 30 });
  return plat;
}

const addresses = { number: "+0", pools: ["web"] };
const membersOf = ({ body }: { body: { members: readonly Member[] } }) =>
  body.members.map(({ address }) => address).toSorted();

/** Writes an application over the version that there is. */
async function scale(plat: Plat, path: string, body: object) {
  const { headers } = await plat.get(path);
  const reply = await plat.put(path, body, headers.etag);
  expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status);
  return reply;
}

const pod = (n: number, uid = `uid-${n}`) => ({
  kind: "Deployment",
  name: "web",
  instance: `web-${n}`,
  uid,
});
const dbPod = (n: number, uid = `uid-${n}`) => ({
  kind: "StatefulSet",
  name: "db",
  instance: `db-${n}`,
  uid,
});

/** Assigns to an instance. Its handle replaces that of the caller. */
const ask = (plat: Plat, workload: object, more: object = {}) => {
  const body = { host: "n1", ipv4: 1, namespace: "shop", workload, ...more };
  return plat.call("POST", "/v1/assign", { body });
};

async function addressOf(plat: Plat, workload: object, more: object = {}): Promise<string> {
  const { status, body } = await ask(plat, workload, more);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.addresses[0].address;
}

const release = (plat: Plat, workload: object, more: object = {}) =>
  plat.call("POST", "/v1/release", { body: { namespace: "shop", workload, ...more } });

const stateOf = async (plat: Plat, address: string) =>
  (await plat.get(`/v1/addresses/${address}`)).body.state;

describe("an instance of an application", () => {
  it("gives its address back when its pod is over: to the application, or to all if that is gone", async () => {
    const plat = await spaceWithRanges();
    await plat.put("/v1/config", { cooldownSeconds: 60, indexedAttributes: ["podUid"] });
    const { headers } = await plat.put(WEB, { replicas: 1, addresses });
    const isOver = (uid: string) =>
      plat.call("POST", "/v1/events", { body: { events: [podEvent("MODIFIED", uid, "Failed")] } });
    const address = await addressOf(plat, pod(1), { attributes: { podUid: "a" } });
    await isOver("a");
    expect(await stateOf(plat, address)).toBe("held");

    expect(await addressOf(plat, pod(2), { attributes: { podUid: "b" } })).toBe(address);
    await plat.delete(WEB, { "if-match": String(headers.etag) });
    await isOver("b");
    expect(await stateOf(plat, address)).toBe("cooling");
    expect((await plat.get(WEB)).status).toBe(404);
  });

  it("gets one of the addresses that the application holds, with the gateway of its pool", async () => {
    const plat = await spaceWithRanges();
    const members = membersOf(await plat.put(WEB, { replicas: 2, addresses }));
    const { body } = await ask(plat, pod(1));
    expect(body.addresses).toMatchObject([{ pool: "web", gateway: "10.0.0.1", borrowed: false }]);
    expect(members).toContain(body.addresses[0].address);
    expect(await stateOf(plat, body.addresses[0].address)).toBe("assigned");
  });

  it("gets nothing else, whatever pools it names, when all of them are in use", async () => {
    const plat = await spaceWithRanges();
    const members = membersOf(await plat.put(WEB, { replicas: 2, addresses }));
    const got = [await addressOf(plat, pod(1)), await addressOf(plat, pod(2))];
    expect(got.toSorted()).toEqual(members);
    expect(await ask(plat, pod(3), { ipv4Pools: ["any"] })).toMatchObject({
      status: 409,
      body: {
        code: "pool_exhausted",
        rule: "application",
        pools: [{ pool: "web", code: "full" }],
      },
    });
  });

  it.each([
    [
      "the pools of its annotation",
      { annotations: { "ipam.spidernet.io/ippool": '{"ipv4": ["any", "lost", "web"]}' } },
      "any, lost (does not exist)",
    ],
    [
      "the subnets of its annotation",
      { annotations: { "ipam.spidernet.io/subnet": '{"ipv4": ["any"]}' } },
      "any",
    ],
    ["the pools of its request", { pools: ["10.1.0.0/28", "six"] }, "10.1.0.0/28"],
    ["the pools of its request, by family", { ipv4Pools: ["a*"] }, "a*"],
  ])(
    "is told that %s are passed over, also under the same uid and in a dry run",
    async (_, named, told) => {
      const plat = await spaceWithRanges();
      await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
      await plat.put(WEB, { replicas: 1, addresses });
      const messages = [
        `The IPv4 addresses are those of application shop/Deployment/web, in web. The request also names ${told}, and gets none of that.`,
      ];
      const once = await ask(plat, pod(1), named);
      expect(once.body).toMatchObject({ addresses: [{ pool: "web" }], messages });
      const again = await ask(plat, pod(1), named);
      expect(again.body).toMatchObject({ addresses: once.body.addresses, messages });
      expect((await ask(plat, pod(1), { ...named, dryRun: true })).body).toMatchObject({
        messages,
      });
    },
  );

  it("is told nothing of pools that it names and that its application has", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 1, addresses });
    const named = {
      annotations: { "ipam.spidernet.io/subnets": '[{"interface": "eth0", "ipv4": ["web"]}]' },
    };
    expect((await ask(plat, pod(1), named)).body).toMatchObject({ messages: [] });
  });

  it("gets no address of a family that the application does not have", async () => {
    const plat = await spaceWithRanges();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    await plat.put(WEB, { replicas: 1, addresses });
    expect(await ask(plat, pod(1), { ipv6: 1 })).toMatchObject({
      status: 409,
      body: { code: "no_pool_available", rule: "application" },
    });
  });

  it("gets a specific address only of those", async () => {
    const plat = await spaceWithRanges();
    const [member = ""] = membersOf(await plat.put(WEB, { replicas: 2, addresses }));
    const named = (address: string, n: number) => ask(plat, pod(n), { ipv4: undefined, address });
    expect((await named(member, 1)).body.addresses).toMatchObject([{ address: member }]);
    expect((await named(member, 2)).body).toMatchObject({
      code: "already_assigned",
      assignedTo: "workload/shop/Deployment/web/web-1",
    });
    expect((await named("10.1.0.3", 2)).body).toMatchObject({
      code: "no_pool_available",
      rule: "application",
    });
  });

  it("gets them by the rule application, as a dry run says", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 1, addresses });
    const { body } = await ask(plat, pod(1), { dryRun: true });
    expect(body.families).toMatchObject([
      {
        rule: "application",
        pools: [
          { pool: "web", order: 1 },
          { pool: "any", code: "not_named" },
        ],
        blocks: [{ pool: "web", count: 1 }],
      },
    ]);
  });

  it("gets them by annotations that name subnets, which no other workload does", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 1, addresses });
    const annotations = { "ipam.spidernet.io/subnet": '{"ipv4":["web"]}' };
    expect((await ask(plat, pod(1), { annotations })).status).toBe(200);
    const job = { kind: "Job", name: "count", uid: "count" };
    expect((await ask(plat, job, { annotations })).body).toMatchObject({
      code: "no_pool_available",
      rule: "application",
    });
  });

  it("gets addresses for each of its interfaces, and others for an interface that the application does not name", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, {
      replicas: 1,
      addresses: { number: "+1", interfaces: [{ name: "eth0", pools: ["web"] }] },
    });
    const interfaces = [
      { name: "eth0", ipv4: 2 },
      { name: "net1", ipv4: 1 },
    ];
    const { body } = await ask(plat, pod(1), { ipv4: undefined, interfaces });
    const pools = body.addresses.map((each: { interface: string; pool: string }) =>
      [each.interface, each.pool].join(" "),
    );
    expect(pools.toSorted()).toEqual(["eth0 web", "eth0 web", "net1 any"]);
  });

  it("gets them also from a pool that is disabled", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 2, addresses });
    const { headers, body } = await plat.get("/v1/pools/web");
    const { cidr, blockSize, ranges, assignmentMode, gateway } = body;
    const disabled = { cidr, blockSize, ranges, assignmentMode, gateway, disabled: true };
    expect((await plat.put("/v1/pools/web", disabled, headers.etag)).status).toBe(200);
    expect((await ask(plat, pod(1))).status).toBe(200);
  });
});

describe("what an instance releases", () => {
  it("is held again, and the next instance gets it at once", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 1, addresses });
    const address = await addressOf(plat, pod(1));
    expect((await release(plat, pod(1))).body).toMatchObject({ released: [address], kept: [] });
    expect(await stateOf(plat, address)).toBe("held");
    expect(await addressOf(plat, pod(2))).toBe(address);
  });

  it("is held again whether its generation, its host or another uid releases it", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 1, addresses });
    const { body } = await ask(plat, pod(1));
    const [{ address, generation }] = body.addresses;
    const named = { body: { addresses: [{ address, generation }] } };
    expect((await plat.call("POST", "/v1/release", named)).body.results).toMatchObject([
      { status: "released" },
    ]);
    expect(await stateOf(plat, address)).toBe("held");
    await addressOf(plat, pod(2));
    await plat.call("POST", "/v1/release", { body: { host: "n1" } });
    expect(await stateOf(plat, address)).toBe("held");
    expect(await addressOf(plat, pod(3))).toBe(address);
    expect(await addressOf(plat, pod(3, "again"))).toBe(address);
  });

  it("goes if the application has more than its number by then", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 2, addresses });
    const first = await addressOf(plat, pod(1));
    await addressOf(plat, pod(2));
    const smaller = await scale(plat, WEB, { replicas: 1, addresses });
    expect(smaller.body).toMatchObject({ complete: false });
    expect(smaller.body.members).toHaveLength(2);
    await release(plat, pod(1));
    expect(await stateOf(plat, first)).toBe("cooling");
    const { body } = await plat.get(WEB);
    expect(body).toMatchObject({ complete: true });
    expect(body.members).toHaveLength(1);
  });

  it("goes under another uid as well, and the instance gets nothing while its application has too many in use", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 2, addresses });
    const first = await addressOf(plat, pod(1));
    await addressOf(plat, pod(2));
    await scale(plat, WEB, { replicas: 1, addresses });
    expect((await ask(plat, pod(1, "next"))).body.code).toBe("pool_exhausted");
    expect(await stateOf(plat, first)).toBe("cooling");
  });

  it("goes under another uid after the deletion, and the instance gets an address of another pool", async () => {
    const plat = await spaceWithRanges();
    const { headers } = await plat.put(WEB, { replicas: 1, addresses });
    const first = await addressOf(plat, pod(1));
    await plat.delete(WEB, { "if-match": String(headers.etag) });
    const { body } = await ask(plat, pod(1, "next"));
    expect(body.addresses).toMatchObject([{ pool: "any" }]);
    expect(await stateOf(plat, first)).toBe("cooling");
    expect((await plat.get(WEB)).status).toBe(404);
  });

  it("goes with a deleted application, whose item goes with the last address", async () => {
    const plat = await spaceWithRanges();
    const { headers } = await plat.put(WEB, { replicas: 2, addresses });
    const address = await addressOf(plat, pod(1));
    const deleted = await plat.delete(WEB, { "if-match": String(headers.etag) });
    expect(deleted.body).toMatchObject({ left: 1 });
    expect(deleted.body.released).toHaveLength(1);
    await release(plat, pod(1));
    expect(await stateOf(plat, address)).toBe("cooling");
    expect((await plat.get(WEB)).status).toBe(404);
  });

  it("goes into quarantine after a conflict, and the next PUT makes up for it", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 2, addresses });
    const { body } = await ask(plat, pod(1));
    const [{ address, generation }] = body.addresses;
    await plat.call("POST", `/v1/addresses/${address}/conflict`, { body: { generation } });
    expect(await stateOf(plat, address)).toBe("quarantined");
    expect(membersOf(await plat.get(WEB))).toHaveLength(1);
    const again = await scale(plat, WEB, { replicas: 2, addresses });
    expect(again.body).toMatchObject({ complete: true });
    expect(membersOf(again)).toHaveLength(2);
    expect(membersOf(again)).not.toContain(address);
  });
});

it("a registered virtual machine keeps its address while it is stopped, and loses it with the deletion", async () => {
  const plat = await spaceWithRanges();
  const path = "/v1/applications/shop/VirtualMachine/vm";
  const vm = { kind: "VirtualMachine", name: "vm", uid: "uid" };
  await plat.put(path, { replicas: 1, addresses });
  const address = await addressOf(plat, vm);
  expect((await release(plat, vm, { keep: true })).body.kept).toEqual([address]);
  await scale(plat, path, { replicas: 0, addresses });
  expect(await stateOf(plat, address)).toBe("kept");
  const { headers } = await plat.get(path);
  const deleted = await plat.delete(path, { "if-match": String(headers.etag) });
  expect(deleted.body).toMatchObject({ released: [address], left: 0 });
  expect(await stateOf(plat, address)).toBe("cooling");
});

describe("an instance of a registered StatefulSet", () => {
  it("keeps its address while its ordinal has a replica, and returns to it", async () => {
    const plat = await spaceWithRanges();
    await plat.put(DB, { replicas: 2, addresses });
    const address = await addressOf(plat, dbPod(1));
    const kept = await release(plat, dbPod(1), { keep: true });
    expect(kept.body).toMatchObject({ released: [], kept: [address] });
    expect(await stateOf(plat, address)).toBe("kept");
    expect(await addressOf(plat, dbPod(1, "next"), { host: "n2" })).toBe(address);
  });

  it("leaves its old address for one of the application that was registered since", async () => {
    const plat = await spaceWithRanges();
    const old = await addressOf(plat, dbPod(0), { ipv4Pools: ["any"] });
    await release(plat, dbPod(0), { keep: true });
    const members = membersOf(await plat.put(DB, { replicas: 1, addresses }));
    expect(members).toContain(await addressOf(plat, dbPod(0, "next"), { ipv4Pools: ["any"] }));
    expect(await stateOf(plat, old)).toBe("cooling");
  });

  it("keeps it when its pod is over, and gives it back when its ordinal has none", async () => {
    const plat = await spaceWithRanges();
    await plat.put("/v1/config", { cooldownSeconds: 60, indexedAttributes: ["podUid"] });
    await plat.put(DB, { replicas: 1, addresses: { ...addresses, number: "2" } });
    const attributes = { podUid: "a" };
    const [first, lost] = [
      await addressOf(plat, dbPod(0), { attributes }),
      await addressOf(plat, dbPod(1), { attributes }),
    ];
    const events = [podEvent("DELETED", "a")];
    const { body } = await plat.call("POST", "/v1/events", { body: { events } });
    expect(body.results).toMatchObject([{ status: "applied" }]);
    expect([await stateOf(plat, first), await stateOf(plat, lost)]).toEqual(["kept", "held"]);
  });

  it("loses what it kept when the StatefulSet becomes smaller", async () => {
    const plat = await spaceWithRanges();
    await plat.put(DB, { replicas: 3 });
    const got: string[] = [];
    for (const n of [0, 1, 2]) {
      got.push(await addressOf(plat, dbPod(n)));
      await release(plat, dbPod(n), { keep: true });
    }
    expect((await scale(plat, DB, { replicas: 1 })).body).toMatchObject({ complete: true });
    const states = await Promise.all(got.map((address) => stateOf(plat, address)));
    expect(states).toEqual(["kept", "cooling", "cooling"]);
  });

  it("keeps what another interface kept before, until a release by its name", async () => {
    const plat = await spaceWithRanges();
    const ofInterface = (n: number) => ({ ...dbPod(n), instance: `db-${n}.net1` });
    await plat.put(DB, { replicas: 3 });
    const got: string[] = [];
    for (const n of [1, 2]) {
      got.push(await addressOf(plat, ofInterface(n)));
      if (n === 2) await release(plat, ofInterface(n), { keep: true });
    }
    await scale(plat, DB, { replicas: 1 });
    const { headers } = await plat.get(DB);
    expect(await Promise.all(got.map((address) => stateOf(plat, address)))).toEqual([
      "assigned",
      "kept",
    ]);
    // One that is kept after the change is ended by its keep.
    const late = await release(plat, ofInterface(1), { keep: true });
    expect(late.body).toMatchObject({ released: [got[0]], kept: [] });
    await plat.delete(DB, { "if-match": String(headers.etag) });
    const { body } = await plat.get("/v1/addresses", { state: "kept" });
    expect(body.addresses).toMatchObject([{ address: got[1] }]);
    const released = await release(plat, ofInterface(2));
    expect(released.body).toMatchObject({ released: [got[1]], kept: [] });
  });

  it("loses what it kept when the StatefulSet is deleted, and what it has when it releases it", async () => {
    const plat = await spaceWithRanges();
    await plat.put(DB, { replicas: 2, addresses });
    const kept = await addressOf(plat, dbPod(0));
    await release(plat, dbPod(0), { keep: true });
    const live = await addressOf(plat, dbPod(1));
    const { headers } = await plat.get(DB);
    const deleted = await plat.delete(DB, { "if-match": String(headers.etag) });
    expect(deleted.body).toMatchObject({ released: [kept], left: 1 });
    expect(await stateOf(plat, kept)).toBe("cooling");
    const { body } = await release(plat, dbPod(1), { keep: true });
    expect(body).toMatchObject({ released: [live], kept: [] });
    expect(await stateOf(plat, live)).toBe("cooling");
  });

  it("gives kept addresses back to a StatefulSet that keeps its addresses after its deletion", async () => {
    const plat = await spaceWithRanges();
    const keep = { ...addresses, keep: true };
    const { headers } = await plat.put(DB, { replicas: 1, addresses: keep });
    const address = await addressOf(plat, dbPod(0));
    await release(plat, dbPod(0), { keep: true });
    const deleted = await plat.delete(DB, { "if-match": String(headers.etag) });
    expect(deleted.body).toMatchObject({ released: [], left: 1 });
    expect(await stateOf(plat, address)).toBe("held");
  });
});
