import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { KubeObject } from "../../src/controller/kube/reflector.ts";
import {
  type Agent,
  CONFLIST,
  type Lab,
  type Manifest,
  startLab,
  unseenVerbs,
  until,
} from "./lab.ts";

const PODS = "/api/v1/namespaces/shop/pods";
const APPS = "/apis/apps/v1/namespaces/shop";
const CONTAINERS = [{ name: "main", image: "example/main" }];

let lab: Lab;
let folder: string;
let objects: readonly Manifest[];
/** The agents of two nodes. */
let one: Agent;
let other: Agent;

beforeAll(async () => {
  lab = await startLab();
  await lab.plane.kubectl(["create", "namespace", "shop"]);
  // No controller makes it, and a pod needs it.
  await lab.plane.kubectl(["create", "serviceaccount", "default", "-n", "shop"]);
  folder = await mkdtemp(join(tmpdir(), "plat-conflist-"));
  const file = join(folder, "10-plat.conflist");
  await writeFile(file, CONFLIST);
  objects = await lab.install("--no-nodes", "--end-pods", "--agent", file);
  for (const [name, net] of Object.entries({ red: 81, blue: 82, green: 83, grey: 84, black: 85 }))
    await lab.call("PUT", `/pools/${name}`, {
      cidr: `10.${net}.0.0/24`,
      ranges: [`10.${net}.0.10-10.${net}.0.99`],
      assignmentMode: name === "black" ? "Automatic" : "Manual",
    });
  one = await lab.startAgent("n1");
  other = await lab.startAgent("n2");
  for (const agent of [one, other])
    await until(
      async () => (await fetch(`${agent.url}/readyz`)).status,
      (status) => status === 200,
    );
});

afterAll(async () => {
  await lab?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Owner extends KubeObject {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Creates an object of `apps/v1` with a template of pods. */
const create = (resource: string, kind: string, name: string, by?: Owner) =>
  lab.plane.admin.send<Owner>({
    method: "POST",
    path: `${APPS}/${resource}`,
    body: {
      ...{ apiVersion: "apps/v1", kind },
      metadata: { name, ownerReferences: referencesTo(by) },
      spec: {
        ...(kind === "StatefulSet" && { serviceName: name }),
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: CONTAINERS } },
      },
    },
  });

const referencesTo = (by: Owner | undefined) =>
  by
    ? [
        {
          ...{ apiVersion: by.apiVersion, kind: by.kind, controller: true },
          ...{ name: by.metadata.name, uid: by.metadata.uid },
        },
      ]
    : [];

/** Creates a pod on a node, as the controller of its owner and the scheduler do. Returns its uid. */
async function createPod(name: string, nodeName: string, by?: Owner, annotations: object = {}) {
  const pod = await lab.plane.admin.send<KubeObject>({
    method: "POST",
    path: PODS,
    body: {
      metadata: { name, annotations, ownerReferences: referencesTo(by) },
      spec: { nodeName, containers: CONTAINERS },
    },
  });
  return pod.metadata.uid;
}

const deletePod = (name: string) =>
  lab.plane.kubectl(["delete", "pod", name, "-n", "shop", "--force"]);

/** Lets the plugin of a node carry out a command for the sandbox of a pod, as its kubelet does. */
const kubelet = (agent: Agent, command: string, name: string, uid: string, ipam: object = {}) =>
  agent.plugin(
    {
      CNI_COMMAND: command,
      CNI_CONTAINERID: `sandbox-${uid}`,
      CNI_IFNAME: "eth0",
      CNI_ARGS: `K8S_POD_NAMESPACE=shop;K8S_POD_NAME=${name};K8S_POD_UID=${uid}`,
    },
    ipam,
  );

/** Returns the address of a pod that a node starts. */
async function started(
  ...of: Parameters<typeof kubelet> extends [Agent, string, ...infer R] ? [Agent, ...R] : never
) {
  const [agent, name, uid, ipam] = of;
  const result = (await kubelet(agent, "ADD", name, uid, ipam)) as { ips: { address: string }[] };
  return result.ips[0]?.address.replace(/\/.*/, "") ?? "";
}

const read = async (address: string) =>
  (await lab.call("GET", `/addresses/${address}`)) as Readonly<Record<string, unknown>>;

it("the pods of a Deployment are its instances on every node, and give back what they had", async () => {
  const deployment = await create("deployments", "Deployment", "web");
  const replicaSet = await create("replicasets", "ReplicaSet", "web-6d4b", deployment);
  const seen: unknown[] = [];
  for (const [name, agent, node] of [
    ["web-6d4b-a", one, "n1"],
    ["web-6d4b-b", other, "n2"],
  ] as const) {
    const uid = await createPod(name, node, replicaSet);
    const address = await started(agent, name, uid);
    const { handle, host, state, attributes } = await read(address);
    seen.push([handle, host, state]);
    expect(attributes).toMatchObject({ podUid: uid, pod: name });
    // A kubelet can call it when nobody has the pod any more.
    await deletePod(name);
    await kubelet(agent, "DEL", name, uid);
    expect((await read(address)).state).toBe("cooling");
  }
  expect(seen).toEqual([
    ["workload/shop/Deployment/web/web-6d4b-a", "n1", "assigned"],
    ["workload/shop/Deployment/web/web-6d4b-b", "n2", "assigned"],
  ]);
});

it("the pods of a CronJob are its instances, and not those of its Jobs", async () => {
  const job = await lab.plane.admin.send<Owner>({
    method: "POST",
    path: "/apis/batch/v1/namespaces/shop/jobs",
    body: {
      metadata: {
        name: "night-1",
        ownerReferences: [
          { apiVersion: "batch/v1", kind: "CronJob", name: "night", uid: "u", controller: true },
        ],
      },
      spec: { template: { spec: { restartPolicy: "Never", containers: CONTAINERS } } },
    },
  });
  const uid = await createPod("night-1-a", "n1", job);
  const { handle } = await read(await started(one, "night-1-a", uid));
  expect(handle).toBe("workload/shop/CronJob/night/night-1-a");
});

it("a pod of a StatefulSet has its address again on another node, whether DEL was called or not", async () => {
  const db = await create("statefulsets", "StatefulSet", "db");
  const first = await createPod("db-0", "n1", db);
  const address = await started(one, "db-0", first);
  await kubelet(one, "DEL", "db-0", first);
  expect((await read(address)).state).toBe("kept");
  await deletePod("db-0");
  const second = await createPod("db-0", "n2", db);
  expect(await started(other, "db-0", second)).toBe(address);
  expect(await read(address)).toMatchObject({ host: "n2", state: "assigned" });
  // The node is lost.
  await deletePod("db-0");
  const third = await createPod("db-0", "n1", db);
  expect(await started(one, "db-0", third)).toBe(address);
  // The DEL of the lost node comes late.
  await kubelet(other, "DEL", "db-0", second);
  expect(await read(address)).toMatchObject({ host: "n1", state: "assigned" });
});

it("the pools of a pod follow from the first of Spiderpool's five rules that applies", async () => {
  const api = await create("deployments", "Deployment", "api");
  const replicaSet = await create("replicasets", "ReplicaSet", "api-1", api);
  const annotated = (key: string, pool: string) => ({
    [`ipam.spidernet.io/${key}`]: JSON.stringify({ ipv4: [pool] }),
  });
  const poolOf = async (name: string, annotations: object, ipam: object = {}, by = replicaSet) => {
    const uid = await createPod(name, "n1", by, annotations);
    return (await read(await started(one, name, uid, ipam))).pool;
  };
  const defaults = { defaultPools: ["grey"] };
  const addresses = { number: "2", pools: ["red"] };
  expect(await poolOf("rule-5", {})).toBe("black");
  expect(await poolOf("rule-4", {}, defaults)).toBe("grey");
  await lab.call("PUT", "/namespaces/shop", { labels: {}, defaultPools: ["green"] });
  expect(await poolOf("rule-3", {}, defaults)).toBe("green");
  expect(await poolOf("rule-2", annotated("ippool", "blue"), defaults)).toBe("blue");
  await lab.call("PUT", "/applications/shop/Deployment/api", { replicas: 1, addresses });
  expect(await poolOf("rule-1", annotated("subnet", "red"), defaults)).toBe("red");
  const lonely = await createPod("lonely", "n1", undefined, annotated("subnet", "red"));
  await expect(started(one, "lonely", lonely)).rejects.toThrow("no_pool_available");
});

it("the manifest has exactly the rights that an agent needs", async () => {
  const own = objects.filter(({ metadata }) => metadata.name === "plat-agent");
  expect(await unseenVerbs(lab, own, () => lab.startAgent("n3"))).toEqual([]);
});
