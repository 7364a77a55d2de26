import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { KubeObject } from "../../src/controller/kube/reflector.ts";
import { type Lab, type Replica, startLab, unseenVerbs, until } from "./lab.ts";

const PODS = "/api/v1/namespaces/shop/pods";

let lab: Lab;

beforeAll(async () => {
  lab = await startLab();
  await lab.plane.kubectl(["create", "namespace", "shop"]);
  // No controller makes it, and a pod needs it.
  await lab.plane.kubectl(["create", "serviceaccount", "default", "-n", "shop"]);
});

afterAll(() => lab?.stop());

/** Each test begins without replicas of another one, which would keep the Lease. */
const running: Replica[] = [];
beforeEach(async () => {
  for (const replica of running.splice(0)) await replica.end();
});

/** Creates a pod, with an address for its interface, and returns the handle. */
async function runPod(name: string, more: object = {}): Promise<string> {
  const body = {
    metadata: { name },
    spec: { nodeName: "n1", containers: [{ name: "main", image: "example/main" }] },
  };
  const pod = await lab.plane.admin.send<KubeObject>({ method: "POST", path: PODS, body });
  const attributes = { podUid: pod.metadata.uid, pod: name, namespace: "shop" };
  const asked = { handle: `cni/podnet/n1/${name}/eth0`, ...more };
  const request = { host: "n1", ipv4: 1, pools: ["attachments"], attributes, ...asked };
  return ((await lab.call("POST", "/assign", request)) as { handle: string }).handle;
}

const deletePod = (name: string) =>
  lab.plane.kubectl(["delete", "pod", name, "-n", "shop", "--force", "--wait=false"]);

/** Returns the state of the address of each handle that has one. */
async function states(): Promise<Readonly<Record<string, string>>> {
  const { addresses } = (await lab.call("GET", "/addresses?pool=attachments")) as {
    addresses: readonly { handle?: string; state: string }[];
  };
  return Object.fromEntries(addresses.map(({ handle = "", state }) => [handle, state]));
}

it("a pod that is over loses its attachments, whoever saw it, and a StatefulSet keeps its address", async () => {
  await lab.install("--no-nodes", "--end-pods");
  await lab.call("PUT", "/pools/attachments", { cidr: "10.80.0.0/24" });
  await lab.command("configure", "--indexed-attributes", "podUid");
  const [runs, deleted, succeeded, unseen] = [
    await runPod("runs"),
    await runPod("deleted"),
    await runPod("succeeded"),
    await runPod("unseen"),
  ];
  const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "sandbox" };
  const kept = await runPod("db-0", { handle: undefined, namespace: "shop", workload });

  // The one that leads ends if the API server is away for longer than its Lease. The other one then knows what is gone.
  running.push(await lab.start(), await lab.start());
  const path = `${PODS}/succeeded/status`;
  const body = { status: { phase: "Succeeded" } };
  await lab.plane.admin.send({ method: "PATCH", path, body });
  await deletePod("deleted");
  await deletePod("db-0");
  const after = await until(states, (seen) => !(deleted in seen) && !(succeeded in seen));
  expect(after[runs]).toBe("assigned");
  await until(states, (seen) => seen[kept] === "kept");

  // The server forgets the changes, so that only a list can tell what is gone.
  await lab.plane.restart();
  await deletePod("unseen");
  await lab.plane.compact();
  await lab.plane.restart();
  const end = await until(states, (seen) => !(unseen in seen));
  expect(end).toMatchObject({ [runs]: "assigned", [kept]: "kept" });
});

it("a pod whose end nobody saw loses its attachments by a collection, and one that runs keeps them", async () => {
  await lab.install("--no-nodes", "--collect-pods", "release");
  await lab.call("PUT", "/pools/attachments", { cidr: "10.80.0.0/24" });
  await lab.command("configure", "--indexed-attributes", "podUid");
  const [runs, lost] = [await runPod("stays"), await runPod("lost")];
  await deletePod("lost");
  const change = (config: string) => config.replace("pods:", "pods:\n  collectSeconds: 10");
  running.push(await lab.start({ change }));
  const after = await until(states, (seen) => !(lost in seen));
  expect(after[runs]).toBe("assigned");
});

it("the manifest has exactly the rights that the ends of pods need", async () => {
  const objects = await lab.install("--no-nodes", "--end-pods", "--collect-pods", "report");
  expect(await unseenVerbs(lab, objects)).toEqual([]);
});
