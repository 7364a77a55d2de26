import { describe, expect, it } from "vitest";
import { BLOCKS_READ_AT_ONCE } from "../../src/base/limits.ts";
import {
  instanceEvent,
  leaseEvent,
  nodeEvent,
  podEvent,
  ready,
  terminationEvent,
} from "../node-objects.ts";
import { newSpace, spaceWithPool, startAnew, table, textsOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const send = async (plat: Plat, ...events: readonly unknown[]) => {
  const { status, body } = await plat.call("POST", "/v1/events", { body: { events } });
  expect(status).toBe(200);
  return body.results as { status: string; [field: string]: unknown }[];
};

const statuses = (results: readonly { status: string }[]) => results.map(({ status }) => status);

describe("an event of a Node", () => {
  it("registers the host with its labels, and says its health", async () => {
    const plat = newSpace();
    const labels = {
      "topology.kubernetes.io/region": "eu-west-1",
      "topology.kubernetes.io/zone": "eu-west-1a",
    };
    const spec = { podCIDRs: ["10.1.0.0/24"], unschedulable: true };
    const [result] = await send(plat, nodeEvent("ADDED", "n1", { labels, spec }));
    expect(result).toMatchObject({ index: 0, status: "applied", kind: "Node", name: "n1" });
    const { body } = await plat.get("/v1/nodes/n1");
    expect(body).toMatchObject({
      name: "n1",
      labels,
      status: {
        uid: "uid-of-n1",
        resourceVersion: "100",
        zone: "eu-west-1/eu-west-1a",
        podCIDRs: ["10.1.0.0/24"],
        conditions: { Ready: "True" },
        taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
      },
    });
    expect((await plat.get("/v1/nodes")).body.nodes).toEqual([{ name: "n1", labels }]);
  });

  it("is in a list of nodes with its uid and its resourceVersion, if the list asks for the status", async () => {
    const plat = newSpace();
    await send(plat, nodeEvent("ADDED", "n1"), nodeEvent("ADDED", "n3"));
    await plat.put("/v1/nodes/n2", { labels: { rack: "7" } });
    const asked = { fields: "status", limit: "2" };
    const first = await plat.get("/v1/nodes", asked);
    const { body } = await plat.get("/v1/nodes/n1");
    expect(body.status).toMatchObject({ uid: "uid-of-n1", resourceVersion: "100" });
    expect(first.body.nodes).toEqual([body, { name: "n2", labels: { rack: "7" } }]);
    const rest = await plat.get("/v1/nodes", { ...asked, cursor: first.body.next });
    expect(rest.body.nodes).toMatchObject([{ name: "n3", status: { uid: "uid-of-n3" } }]);

    const { status, body: problem } = await plat.get("/v1/nodes", { fields: "labels" });
    expect(status).toBe(400);
    expect(problem.detail).toContain("?fields must be status, or be left out");
  });

  it("takes over a host that an operator registered", async () => {
    const plat = newSpace();
    await plat.put("/v1/nodes/n1", { labels: { zone: "hand" } });
    await send(plat, nodeEvent("ADDED", "n1", { labels: { zone: "a" } }));
    const { headers, body } = await plat.get("/v1/nodes/n1");
    expect(body.labels).toEqual({ zone: "a" });
    expect((await plat.put("/v1/nodes/n1", body, headers.etag)).status).toBe(200);
    expect((await plat.get("/v1/nodes")).body.nodes).toHaveLength(1);
  });

  it("DELETED takes the node out of the register at once, and no older event brings it back", async () => {
    const plat = newSpace();
    await send(plat, nodeEvent("ADDED", "n1", { version: 5 }));
    const [result] = await send(plat, nodeEvent("DELETED", "n1", { version: 9 }));
    expect(result).toMatchObject({ status: "applied" });
    expect((await plat.get("/v1/nodes/n1")).status).toBe(404);
    expect((await plat.get("/v1/nodes")).body.nodes).toEqual([]);
    expect(statuses(await send(plat, nodeEvent("MODIFIED", "n1", { version: 8 })))).toEqual([
      "stale",
    ]);
    expect((await plat.get("/v1/nodes/n1")).status).toBe(404);
    expect(statuses(await send(plat, nodeEvent("ADDED", "n1", { version: 10 })))).toEqual([
      "applied",
    ]);
    expect((await plat.get("/v1/nodes/n1")).status).toBe(200);
  });

  it.each([
    ["taint", { spec: { taints: [{ key: "a", effect: "NoSchedule", x: "deep" }] } }, "rejected"],
    ["apiVersion", { apiVersion: "deep" }, "ignored"],
  ])("hinders no other event by a %s that is nested too deeply", async (_, nested, status) => {
    const plat = newSpace();
    const node = nodeEvent("ADDED", "n1", { conditions: [ready("False")] });
    const object = { ...node.object, ...nested };
    const events = [{ ...node, object }, nodeEvent("ADDED", "n2")];
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const { body } = await plat.call("POST", "/v1/events", {
      body: JSON.stringify({ events }).replace('"deep"', deep),
    });
    expect(body.results).toMatchObject([{ status }, { status: "applied" }]);
  });

  it("answers the taints that the object lacks or should lose, but adds no NoExecute taint", async () => {
    const plat = newSpace();
    const own = { key: "example.org/gpu", value: "a", effect: "NoSchedule" };
    const notReady = { key: "node.kubernetes.io/not-ready" };
    const [lacks] = await send(
      plat,
      nodeEvent("ADDED", "n1", { conditions: [ready("False")], spec: { taints: [own] } }),
    );
    expect(lacks?.patch).toEqual({
      metadata: { uid: "uid-of-n1", resourceVersion: "100" },
      spec: { taints: [own, { ...notReady, effect: "NoSchedule" }] },
    });
    expect((await plat.get("/v1/nodes/n1")).body.status).toMatchObject({
      conditions: { Ready: "False" },
      reason: "KubeletNotReady",
      taints: [
        { ...notReady, effect: "NoSchedule" },
        { ...notReady, effect: "NoExecute" },
      ],
    });
    const both = ["NoSchedule", "NoExecute"].map((effect) => ({ ...notReady, effect }));
    const [loses, swaps, complete] = await send(
      plat,
      nodeEvent("MODIFIED", "n1", { version: 101, spec: { taints: [own, ...both] } }),
      nodeEvent("MODIFIED", "n1", {
        version: 102,
        conditions: [ready("Unknown")],
        spec: { taints: both },
      }),
      nodeEvent("MODIFIED", "n1", { version: 103 }),
    );
    expect(loses).toMatchObject({ patch: { spec: { taints: [own] } } });
    expect(swaps).toMatchObject({
      patch: {
        spec: {
          taints: both.map((taint) => ({ ...taint, key: "node.kubernetes.io/unreachable" })),
        },
      },
    });
    expect(complete).not.toHaveProperty("patch");
  });
});

describe("silence", () => {
  it("counts by neither heartbeat nor Lease, and is judged when the node is read", async () => {
    const plat = newSpace();
    await plat.put("/v1/config", { nodeMonitorGraceSeconds: 10 });
    await send(plat, nodeEvent("ADDED", "n1"), nodeEvent("ADDED", "n2", { conditions: [] }));
    for (const name of ["n1", "n2"]) {
      const items = table.partitions.get(`NODE#${plat.space}#${name}`);
      const item = items?.get("STATUS");
      if (item) items?.set("STATUS", { ...item, seen: Number(item.seen) - 11_000 });
    }
    expect((await plat.get("/v1/nodes/n1")).body.status).toMatchObject({
      conditions: {
        Ready: "Unknown",
        MemoryPressure: "Unknown",
        DiskPressure: "Unknown",
        PIDPressure: "Unknown",
      },
      reason: "NodeStatusUnknown",
      taints: [
        { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
        { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
      ],
    });
    // A change of the object is no sign of life without a new heartbeat.
    await send(plat, nodeEvent("MODIFIED", "n1", { version: 101, labels: { a: "b" } }));
    expect((await plat.get("/v1/nodes/n1")).body.status.conditions.Ready).toBe("Unknown");
    // Another program than the kubelet writes this condition.
    const detected = { ...ready("False", "2026-03-11T09:00:00Z"), type: "KernelDeadlock" };
    const conditions = [ready("True"), detected];
    await send(plat, nodeEvent("MODIFIED", "n1", { version: 102, conditions }));
    const told = (await plat.get("/v1/nodes/n1")).body.status.conditions;
    expect(told).toMatchObject({ Ready: "Unknown", KernelDeadlock: "False" });
    await send(plat, nodeEvent("MODIFIED", "n1", { version: 103 }));
    const renewed = leaseEvent("n1", "2026-03-11T08:13:10.000000Z");
    expect(statuses(await send(plat, renewed, renewed))).toEqual(["applied", "stale"]);
    expect((await plat.get("/v1/nodes/n1")).body.status.conditions).toEqual({ Ready: "True" });
  });
});

describe("a node that never reported", () => {
  /** Returns what Plat says of a node without conditions whose object it saw so long ago. */
  async function toldAfter(seconds: number, settings: object): Promise<string | undefined> {
    const plat = newSpace();
    expect((await plat.put("/v1/config", settings)).status).toBe(201);
    await send(plat, nodeEvent("ADDED", "n1", { conditions: [] }));
    const items = table.partitions.get(`NODE#${plat.space}#n1`);
    const item = items?.get("STATUS");
    if (item) items?.set("STATUS", { ...item, seen: Number(item.seen) - 1000 * seconds });
    const { conditions, reason } = (await plat.get("/v1/nodes/n1")).body.status;
    const zones = (await plat.get("/v1/zones")).body.zones;
    expect(zones).toMatchObject([{ notReady: 1 }]);
    return conditions.Ready && `${conditions.Ready}, ${reason}`;
  }
  const NEVER = "Unknown, NodeStatusNeverUpdated";

  it("has a minute to start, as in Kubernetes, and is Unknown after it", async () => {
    const settings = { nodeMonitorGraceSeconds: 10 };
    expect(await toldAfter(55, settings)).toBeUndefined();
    expect(await toldAfter(61, settings)).toBe(NEVER);
  });

  it("has the time that the space gives it", async () => {
    const settings = { nodeMonitorGraceSeconds: 10, nodeStartupGraceSeconds: 120 };
    expect(await toldAfter(115, settings)).toBeUndefined();
    expect(await toldAfter(121, settings)).toBe(NEVER);
  });

  it("is not judged where silence is not", async () => {
    expect(await toldAfter(10_000, { nodeStartupGraceSeconds: 10 })).toBeUndefined();
  });
});

describe("the zones of a space", () => {
  it("count its nodes by readiness, and tell how disrupted they are", async () => {
    const plat = newSpace();
    const labels = { "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "a" };
    const unready = { conditions: [ready("False")] };
    await send(
      plat,
      nodeEvent("ADDED", "n1", { labels }),
      nodeEvent("ADDED", "n2", { labels, ...unready }),
      nodeEvent("ADDED", "n3", unready),
    );
    await plat.put("/v1/nodes/by-hand", { labels });
    expect((await plat.get("/v1/zones")).body).toEqual({
      zones: [
        {
          zone: "",
          nodes: 1,
          ready: 0,
          notReady: 1,
          state: "FullDisruption",
          evictionsPerSecond: 0.1,
        },
        { zone: "eu/a", nodes: 2, ready: 1, notReady: 1, state: "Normal", evictionsPerSecond: 0.1 },
      ],
      allDisrupted: false,
      gone: { due: 0, held: 0 },
    });
  });

  it("say how many ended nodes wait, because too many ended at once", async () => {
    const plat = newSpace();
    for (const name of ["n1", "n2", "n3", "n4"]) await send(plat, nodeEvent("ADDED", name));
    for (const name of ["n1", "n2", "n3"]) {
      await send(plat, nodeEvent("DELETED", name, { version: 101 }));
      const items = table.partitions.get(`NODE#${plat.space}#${name}`);
      const [tombstone] = [...(items?.values() ?? [])];
      if (tombstone) items?.set(tombstone.sk, { ...tombstone, dueAt: 1 });
    }
    expect((await plat.get("/v1/zones")).body.gone).toEqual({ due: 3, held: 3 });
    await plat.put("/v1/config", { goneNodesPercentMax: 100 });
    startAnew();
    expect((await plat.get("/v1/zones")).body.gone).toEqual({ due: 3, held: 0 });
  });
});

describe("an event of a Pod", () => {
  it("that is over releases what the handle of its uid has, and nothing else", async () => {
    const plat = await spaceWithPool();
    const [first] = textsOf(await plat.assign({ host: "n1", ipv4: 1, handle: "pod/a" }));
    await plat.assign({ host: "n1", ipv4: 1, handle: "pod/b" });
    const running = await send(plat, podEvent("ADDED", "a"), podEvent("MODIFIED", "a"));
    expect(statuses(running)).toEqual(["ignored", "ignored"]);
    const results = await send(
      plat,
      podEvent("MODIFIED", "a", "Succeeded"),
      podEvent("DELETED", "a"),
      podEvent("MODIFIED", "none", "Failed"),
    );
    // The second releases what is released, and the third a handle that nobody had.
    expect(statuses(results)).toEqual(["applied", "ignored", "ignored"]);
    expect((await plat.get(`/v1/addresses/${first}`)).body.state).toBe("cooling");
    expect((await plat.get("/v1/handles/pod%2Fb")).body.addresses).toHaveLength(1);
  });

  it("that is over ends the attachments and the instance of its uid, which a StatefulSet keeps", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { cooldownSeconds: 60, indexedAttributes: ["podUid"] });
    const assign = async (of: object, podUid: string) => {
      const body = { host: "n1", ipv4: 1, attributes: { podUid }, ...of };
      return textsOf(await plat.call("POST", "/v1/assign", { body }))[0] ?? "";
    };
    const handle = (ifName: string) => ({ handle: `cni/net/n1/c/${ifName}` });
    const member = (kind: string, uid: string) => ({
      namespace: "shop",
      workload: { kind, name: "db", instance: "db-0", uid },
    });
    const over = [
      await assign(handle("eth0"), "a"),
      await assign(handle("net1"), "a"),
      await assign(member("Deployment", "c"), "a"),
    ];
    const kept = await assign(member("StatefulSet", "c"), "a");
    const other = await assign(handle("eth1"), "b");
    const stateOf = async (address: string) =>
      (await plat.get(`/v1/addresses/${address}`)).body.state;

    const ends = [podEvent("DELETED", "a"), podEvent("DELETED", "a")];
    expect(statuses(await send(plat, ...ends))).toEqual(["applied", "ignored"]);
    expect(await Promise.all(over.map(stateOf))).toEqual(["cooling", "cooling", "cooling"]);
    expect(await stateOf(kept)).toBe("kept");
    expect(await stateOf(other)).toBe("assigned");

    // The next pod has the address now, so the end of the one before is over.
    expect(await assign(member("StatefulSet", "d"), "next")).toBe(kept);
    expect(statuses(await send(plat, podEvent("DELETED", "a")))).toEqual(["ignored"]);
    expect(await stateOf(kept)).toBe("assigned");
  });

  it("that is over leaves its host the room of many blocks that were full", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/27", blockSize: 31 });
    const maxBlocksPerHost = BLOCKS_READ_AT_ONCE + 1;
    const indexedAttributes = ["podUid"];
    await plat.put("/v1/config", { cooldownSeconds: 0, maxBlocksPerHost, indexedAttributes });
    const ask = (count: number) =>
      plat.assign({ host: "n1", ipv4: count, attributes: { podUid: "a" } });
    await ask(2 * maxBlocksPerHost);
    startAnew();
    expect((await ask(1)).body.code).toBe("block_limit");
    expect(statuses(await send(plat, podEvent("DELETED", "a")))).toEqual(["applied"]);
    startAnew();
    expect((await ask(2 * maxBlocksPerHost)).status).toBe(200);
  });

  it("that is over ends nothing by its uid unless the space indexes podUid", async () => {
    const plat = await spaceWithPool();
    const attributes = { podUid: "a" };
    const [address] = textsOf(await plat.assign({ host: "n1", ipv4: 1, handle: "x", attributes }));
    expect(statuses(await send(plat, podEvent("DELETED", "a")))).toEqual(["ignored"]);
    expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe("assigned");
  });
});

describe("the end of a machine", () => {
  const spec = { providerID: "aws:///eu-west-1a/i-0abc" };

  it.each([instanceEvent("i-0abc"), terminationEvent("i-0abc")])(
    "ends the node that runs on it, for good: %#",
    async (event) => {
      const plat = newSpace();
      await send(plat, nodeEvent("ADDED", "n1", { spec }));
      expect(await send(plat, event, event)).toMatchObject([
        { status: "applied", name: "i-0abc" },
        { status: "ignored" },
      ]);
      expect((await plat.get("/v1/nodes/n1")).status).toBe(404);
      const later = nodeEvent("MODIFIED", "n1", { version: 900, spec });
      expect(statuses(await send(plat, later))).toEqual(["stale"]);
    },
  );

  it("is ignored for a machine without a node, in another space, and before it is terminated", async () => {
    const [plat, other] = [newSpace(), newSpace()];
    await send(plat, nodeEvent("ADDED", "n1", { spec }));
    expect(statuses(await send(other, instanceEvent("i-0abc")))).toEqual(["ignored"]);
    const early = await send(plat, instanceEvent("i-0abc", "stopping"), instanceEvent("i-1"));
    expect(statuses(early)).toEqual(["ignored", "ignored"]);
    expect((await plat.get("/v1/nodes/n1")).status).toBe(200);
  });
});

describe("a request with events", () => {
  it("rejects malformed ones by their fields, and applies the others", async () => {
    const plat = newSpace();
    const { object } = nodeEvent("ADDED", "n1");
    const results = await send(
      plat,
      7,
      { type: "GONE", object },
      { type: "ADDED", object: { ...object, metadata: { ...object.metadata, uid: "?" } } },
      {
        type: "MODIFIED",
        object: { ...object, metadata: { ...object.metadata, resourceVersion: "x" } },
      },
      { type: "BOOKMARK", object: { kind: "Node", metadata: { resourceVersion: "7" } } },
      { type: "ERROR", object: { kind: "Status", code: 410 } },
      { type: "ADDED", object: { kind: "Service", metadata: { name: "s" } } },
      { type: "ADDED", object: { ...object, apiVersion: "example.org/v1" } },
      leaseEvent("leader", "2026-03-11T08:13:10.000000Z", "kube-system"),
      { type: "ADDED", object },
    );
    expect(statuses(results)).toEqual([
      ...["rejected", "rejected", "rejected", "rejected"],
      ...["ignored", "ignored", "ignored", "ignored", "ignored", "applied"],
    ]);
    expect(results[2]).toMatchObject({
      kind: "Node",
      name: "n1",
      code: "invalid_request",
      detail: expect.stringContaining("object.metadata.uid must be the uid"),
    });
  });

  it("can be a single event", async () => {
    const plat = newSpace();
    const body = nodeEvent("ADDED", "n1");
    expect((await plat.call("POST", "/v1/events", { body })).body.results).toMatchObject([
      { index: 0, status: "applied" },
    ]);
  });

  it.each([[{}], [{ events: [] }], [{ events: Array(257).fill({}) }], [{ events: {} }], [[]]])(
    "of another form is rejected: %#",
    async (body) => {
      expect(await newSpace().call("POST", "/v1/events", { body })).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
    },
  );
});
