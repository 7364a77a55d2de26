import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Lab,
  OFTEN,
  probe,
  type Replica,
  type ReplicaOptions,
  served,
  startLab,
  unseenVerbs,
  until,
} from "./lab.ts";

let lab: Lab;
const running: Replica[] = [];

beforeAll(async () => {
  lab = await startLab();
});

afterAll(() => lab?.stop());

/** Each test has a cluster without nodes, and no replica of another test. */
beforeEach(async () => {
  for (const replica of running.splice(0)) await replica.end();
  await lab.plane.kubectl(["delete", "nodes", "--all"]);
});

async function start(options?: ReplicaOptions): Promise<Replica> {
  const replica = await lab.start(options);
  running.push(replica);
  return replica;
}

/** Waits until Plat holds nothing for a name. */
const freed = (name: string) =>
  until(
    () => lab.held(),
    (held) => !(name in held),
  );

describe("a Node", () => {
  it("gets its podCIDRs, and loses them after its end", async () => {
    await lab.install();
    await start();
    await lab.putNode("n1");
    await lab.putNode("n2");
    const { ranges } = await served(lab, 2);
    expect(Object.values(ranges).every((range) => /^10\.64\.\d+\.0\/24$/.test(range))).toBe(true);
    await lab.deleteNode("n1");
    await freed("n1");
    expect(await lab.ranges()).toEqual({ n2: ranges.n2 });
    expect((await lab.held()).n2).toBe(ranges.n2);
  });

  it("keeps the range that it has, also where another one asks at the same start", async () => {
    await lab.install();
    const stated = { podCIDR: "10.64.200.0/24", podCIDRs: ["10.64.200.0/24"] };
    for (let n = 0; n < 20; n++) await lab.putNode(`a${n}`);
    await lab.putNode("z", stated);
    await start();
    const { ranges } = await served(lab, 21);
    expect(ranges.z).toBe("10.64.200.0/24");
  });

  it("whose deletion nobody saw loses its range", async () => {
    await lab.install();
    const first = await start(OFTEN);
    for (const name of ["m1", "m2", "m3"]) await lab.putNode(name);
    const { ranges } = await served(lab, 3);
    expect(await first.end()).toBe(0);
    await lab.deleteNode("m2");
    await start(OFTEN);
    await freed("m2");
    expect((await lab.held()).m1).toBe(ranges.m1);
    expect((await lab.held()).m3).toBe(ranges.m3);
  });

  it("that was deleted while the API server forgot it loses its range", async () => {
    await lab.install();
    await start(OFTEN);
    for (const name of ["c1", "c2", "c3"]) await lab.putNode(name);
    await served(lab, 3);
    await lab.plane.restart();
    await lab.deleteNode("c2");
    await lab.plane.compact();
    await lab.plane.restart();
    await freed("c2");
    await lab.putNode("c4");
    await served(lab, 3);
  });
});

describe("two replicas", () => {
  it("act one at a time, and the second one goes on when the first one dies", async () => {
    await lab.install();
    const replicas = [await start(), await start()];
    await lab.putNode("r1");
    await served(lab, 1);
    const leads = async (replica: Replica) =>
      /^plat_controller_leader 1$/m.test(await probe(replica, "/metrics"));
    const leading = await Promise.all(replicas.map(leads));
    expect(leading.filter(Boolean)).toHaveLength(1);
    await replicas[leading.indexOf(true)]?.end("SIGKILL");
    await lab.putNode("r2");
    await served(lab, 2);
  });

  it("harm nothing if both act", async () => {
    await lab.install();
    const account = "plat-system:plat-controller";
    const namespace = "plat-other";
    // A Lease of its own lets the other one act, too.
    for (const command of [
      `create namespace ${namespace}`,
      `create role lease -n ${namespace} --verb=create,get,update --resource=leases.coordination.k8s.io`,
      `create rolebinding lease -n ${namespace} --role=lease --serviceaccount=${account}`,
    ])
      await lab.plane.kubectl(command.split(" "));
    for (let n = 0; n < 40; n++) await lab.putNode(`b${n}`);
    await Promise.all([start(), start({ namespace })]);
    for (let n = 40; n < 60; n++) await lab.putNode(`b${n}`);
    await served(lab, 60);
  });
});

describe("the manifest", () => {
  it("has exactly the rights that the controller needs: each verb that is missing shows in /readyz", async () => {
    const objects = await lab.install("--cilium", "cluster-pool");
    expect(await unseenVerbs(lab, objects)).toEqual([]);
  });

  it("denies the controller every change of a Node but its podCIDRs", async () => {
    await lab.install();
    await lab.putNode("p1", { taints: [{ key: "a", effect: "NoSchedule" }] });
    const account = await lab.account();
    const patch = (body: object, query = {}) =>
      account.send({ method: "PATCH", path: "/api/v1/nodes/p1", query, body }).then(
        () => "patched",
        (error: Error) => error.message,
      );
    // The API server takes a moment to see the policy.
    await until(
      () => patch({ spec: { unschedulable: true } }, { dryRun: "All" }),
      (said) => said !== "patched",
    );
    for (const [field, body] of [
      ["metadata.labels", { metadata: { labels: { a: "b" } } }],
      ["metadata.annotations", { metadata: { annotations: { a: "b" } } }],
      ["metadata.finalizers", { metadata: { finalizers: ["a.example/b"] } }],
      ["spec.unschedulable", { spec: { unschedulable: true } }],
      ["spec.taints", { spec: { taints: [] } }],
      ["spec.providerID", { spec: { providerID: "aws:///a/i-1" } }],
    ] as const)
      expect(await patch(body), field).toContain(`plat-controller must not change ${field}`);
    const range = { podCIDR: "10.64.9.0/24", podCIDRs: ["10.64.9.0/24"] };
    expect(await patch({ spec: range })).toBe("patched");
  });
});

it("a controller that observes writes nothing into the cluster", async () => {
  await lab.install("--observe");
  await start(OFTEN);
  const stated = { podCIDR: "10.64.201.0/24", podCIDRs: ["10.64.201.0/24"] };
  await lab.putNode("o1", stated);
  await lab.putNode("o2");
  await until(
    () => lab.held(),
    (held) => held.o1 === "10.64.201.0/24",
  );
  expect(await lab.ranges()).toEqual({ o1: "10.64.201.0/24", o2: "" });
});
