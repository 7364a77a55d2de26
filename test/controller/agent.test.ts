import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { assertConflist } from "../../src/controller/agent.ts";
import { KubeError } from "../../src/controller/kube/api.ts";
import type { LocalPlat } from "../../src/local/plat.ts";
import { call } from "../local/process.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { type RunningAgent, startAgent } from "./running-agent.ts";

const PODS = "/api/v1/pods";
const NAMESPACES = "/api/v1/namespaces";
const REPLICA_SETS = "/apis/apps/v1/replicasets";
const JOBS = "/apis/batch/v1/jobs";
const CONFLIST = {
  cniVersion: "1.0.0",
  name: "podnet",
  plugins: [{ type: "ptp", ipam: { type: "plat-cni" } }],
};

let plat: LocalPlat;
let spaces = 0;
beforeAll(async () => {
  plat = await unhurriedPlat();
});
afterAll(() => plat.stop());

let folder: string;
let cluster: FakeCluster;
let agent: RunningAgent | undefined;

beforeEach(async () => {
  spaces++;
  folder = await mkdtemp(join(tmpdir(), "plat-agent-"));
  for (const name of ["run", "bin", "net.d"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "plugin"), "the plugin");
  await writeFile(join(folder, "10-plat.conflist"), JSON.stringify(CONFLIST));
  cluster = new FakeCluster();
  cluster.putObject(NAMESPACES, "shop", { metadata: { labels: { team: "shop" } } });
  await api("PUT", "pools/pods", { cidr: "10.1.0.0/16" });
});
afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

/** Starts the agent with the files of the test. */
async function start(): Promise<void> {
  agent = await startAgent(
    cluster,
    { endpoint: plat.url, space: `agent-${spaces}` },
    {
      folder: join(folder, "run"),
      plugin: join(folder, "plugin"),
      plugins: join(folder, "bin"),
      conflist: join(folder, "10-plat.conflist"),
      conflists: join(folder, "net.d"),
    },
  );
}

async function stop(): Promise<void> {
  await agent?.stop();
  agent = undefined;
}

const api = async (method: string, path: string, body?: unknown) =>
  (await call(plat.url, method, `/v1/spaces/agent-${spaces}/${path}`, body)).body;

/** Sends a command to the agent, as the plugin does. */
async function cni(
  command: string,
  given: { containerId?: string; ifName?: string; pod?: string; uid?: string | undefined } = {},
  ipam: object = {},
  more: object = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
): Promise<{ status: number; out: any }> {
  const { pod, ifName = "eth0", containerId = `sandbox-of-${pod}` } = given;
  const uid = "uid" in given ? given.uid : pod && uidOf(pod);
  const args = pod
    ? `IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=${pod}${uid ? `;K8S_POD_UID=${uid}` : ""}`
    : "";
  const config = {
    ...{ cniVersion: "1.1.0", name: "podnet", type: "ptp" },
    ipam: { type: "plat-cni", ...ipam },
    ...more,
  };
  return post({ command, containerId, ifName, args, config });
}

async function post(body: object, path = "/v1/cni") {
  const socketPath = join(folder, "run", "agent.sock");
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    const sending = request({ socketPath, path, method: "POST" }, resolve);
    sending.on("error", reject).end(JSON.stringify(body));
  });
  const said = await text(response);
  return { status: response.statusCode ?? 0, out: said === "" ? undefined : JSON.parse(said) };
}

const addressOf = ({ out }: { out: { ips: { address: string }[] } }): string =>
  out.ips[0]?.address.replace(/\/.*/, "") ?? "";

const read = (address: string) => api("GET", `addresses/${address}`);

const owner = (apiVersion: string, kind: string, name: string, uid = `uid-of-${name}`) => ({
  ...{ apiVersion, kind, name, uid },
  controller: true,
});

/** Creates a pod on the node, or changes it. */
function putPod(name: string, metadata: object = {}, node = "node-1"): void {
  cluster.putObject(PODS, name, { metadata, spec: { nodeName: node } }, "shop");
}

const uidOf = (pod: string) =>
  cluster.collections.get(PODS)?.get(`shop/${pod}`)?.metadata.uid ?? `uid-of-${pod}`;

/** Creates a ReplicaSet or a Job with a controller, and returns the reference of a pod to it. */
function putBetween(path: string, name: string, above: object) {
  cluster.putObject(path, name, { metadata: { ownerReferences: [above] } }, "shop");
  const uid = cluster.collections.get(path)?.get(`shop/${name}`)?.metadata.uid ?? "";
  return path === JOBS
    ? owner("batch/v1", "Job", name, uid)
    : owner("apps/v1", "ReplicaSet", name, uid);
}

const ofDeployment = () =>
  putBetween(REPLICA_SETS, "web-6d4b", owner("apps/v1", "Deployment", "web"));

describe("the instance that gets the addresses of a pod", () => {
  it.each([
    ["a Deployment of its ReplicaSet", () => ofDeployment(), "Deployment/web"],
    [
      "a CronJob of its Job",
      () => putBetween(JOBS, "night-28", owner("batch/v1", "CronJob", "night")),
      "CronJob/night",
    ],
    [
      "a foreign controller of its ReplicaSet",
      () =>
        putBetween(REPLICA_SETS, "canary-1", owner("argoproj.io/v1alpha1", "Rollout", "canary")),
      "Rollout/canary",
    ],
    ["a DaemonSet", () => owner("apps/v1", "DaemonSet", "logs"), "DaemonSet/logs"],
    ["a ReplicaSet that is gone", () => owner("apps/v1", "ReplicaSet", "old"), "ReplicaSet/old"],
    [
      "a ReplicaSet whose name another one has by now",
      () => ({ ...ofDeployment(), uid: "earlier" }),
      "ReplicaSet/web-6d4b",
    ],
    ["a foreign kind", () => owner("example.org/v1", "Game", "chess"), "Game/chess"],
  ])("is that of %s", async (_, reference, named) => {
    putPod("p", { ownerReferences: [reference()] });
    await start();
    const { handle, attributes, host } = await read(addressOf(await cni("ADD", { pod: "p" })));
    expect(handle).toBe(`workload/shop/${named}/p`);
    expect(host).toBe("node-1");
    expect(attributes).toEqual({
      network: "podnet",
      containerId: "sandbox-of-p",
      ifName: "eth0",
      namespace: "shop",
      pod: "p",
      podUid: uidOf("p"),
    });
  });

  it.each([
    ["without a controller", []],
    [
      "of a virtual machine, whose name is new each time",
      [owner("kubevirt.io/v1", "VirtualMachineInstance", "vm")],
    ],
  ])("is none for a pod %s: it gets a handle of the attachment", async (_, ownerReferences) => {
    putPod("p", { ownerReferences });
    await start();
    const { handle } = await read(addressOf(await cni("ADD", { pod: "p" })));
    expect(handle).toBe("cni/podnet/node-1/sandbox-of-p/eth0");
    expect(await cni("DEL", { pod: "p" })).toEqual({ status: 200, out: undefined });
    expect(await api("GET", "handles")).toMatchObject({ handles: [] });
  });

  it("has a name of its own for each further interface", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    await start();
    const added = [await cni("ADD", { pod: "p" }), await cni("ADD", { pod: "p", ifName: "net1" })];
    const handles = [];
    for (const one of added) handles.push((await read(addressOf(one))).handle);
    expect(handles).toEqual([
      "workload/shop/Deployment/web/p",
      "workload/shop/Deployment/web/p.net1",
    ]);
    expect(await cni("ADD", { pod: "p" })).toEqual(added[0]);
  });

  it("is released and checked although the handle of its attachment would be too long", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    await start();
    const more = { name: "n".repeat(240) };
    const added = await cni("ADD", { pod: "p" }, {}, more);
    const checking = { ...more, prevResult: added.out };
    expect((await cni("CHECK", { pod: "p" }, {}, checking)).out).toBeUndefined();
    expect((await cni("DEL", { pod: "p" }, {}, more)).out).toBeUndefined();
    expect((await read(addressOf(added))).state).toBe("cooling");
  });

  it("asks for more than one address, and some beside, as an attachment", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    await start();
    const asked = { runtimeConfig: { ips: ["10.1.7.7"] } };
    const { out: prevResult } = await cni("ADD", { pod: "p" }, { ipv4: 2 }, asked);
    expect(prevResult.ips).toHaveLength(2);
    const again = await cni("CHECK", { pod: "p" }, { ipv4: 2 }, { ...asked, prevResult });
    expect(again).toEqual({ status: 200, out: undefined });
    await cni("DEL", { pod: "p" }, { ipv4: 2 }, asked);
    expect((await read("10.1.7.7")).state).toBe("cooling");
  });
});

describe("the pod of a command", () => {
  it("is asked for at the API server only if the agent has not seen it", async () => {
    putPod("known", { ownerReferences: [ofDeployment()] });
    putPod("other", { ownerReferences: [ofDeployment()] });
    await start();
    const asked = () => cluster.requests.filter((one) => /pods\/|replicasets\//.test(one));
    await cni("ADD", { pod: "known" });
    await cni("ADD", { pod: "other" });
    expect(asked()).toEqual(["GET /apis/apps/v1/namespaces/shop/replicasets/web-6d4b"]);
    // The watch of another node sees it.
    putPod("late", { ownerReferences: [ofDeployment()] }, "");
    expect((await cni("ADD", { pod: "late" })).status).toBe(200);
    await cni("ADD", { pod: "known", uid: undefined });
    expect(asked().slice(1)).toEqual([
      "GET /api/v1/namespaces/shop/pods/late",
      "GET /api/v1/namespaces/shop/pods/known",
    ]);
  });

  it.each([
    ["is not there", () => undefined],
    ["has another uid", () => putPod("p")],
  ])("that %s gets code 11, and no address", async (_, prepare) => {
    prepare();
    await start();
    const { status, out } = await cni("ADD", { pod: "p", uid: "earlier" });
    expect(status).toBe(400);
    expect(out).toEqual({
      cniVersion: "1.1.0",
      code: 11,
      msg: "The cluster has no pod shop/p with the uid earlier.",
    });
    expect(await api("GET", "handles")).toMatchObject({ handles: [] });
  });

  it("that nobody can ask for gets code 11", async () => {
    await start();
    const path = "GET /api/v1/namespaces/shop/pods/p";
    cluster.failures.push([path, new KubeError(403, "Forbidden", "pods is forbidden")]);
    const { out } = await cni("ADD", { pod: "p" });
    expect(out).toMatchObject({ code: 11, details: "KubeError: pods is forbidden" });
    expect(out.msg).toBe("The API server did not say what the pod shop/p is.");
  });

  it("is known by the uid of its kubelet if it is static, because its mirror may go while it runs", async () => {
    putPod("etcd-node-1", { annotations: { "kubernetes.io/config.hash": "of-the-file" } });
    await start();
    const added = await cni("ADD", { pod: "etcd-node-1", uid: "of-the-file" });
    const { attributes } = await read(addressOf(added));
    expect(attributes.podUid).toBe("of-the-file");
  });

  it("is none outside of Kubernetes", async () => {
    await start();
    const added = await cni("ADD", { containerId: "c1" });
    expect((await read(addressOf(added))).handle).toBe("cni/podnet/node-1/c1/eth0");
  });
});

describe("the pools of a pod", () => {
  beforeEach(async () => {
    const manual = { assignmentMode: "Manual" };
    for (const [name, net] of Object.entries({ blue: "10.20.0", green: "10.30.0" }))
      await api("PUT", `pools/${name}`, {
        ...manual,
        cidr: `${net}.0/24`,
        ranges: [`${net}.10-${net}.99`],
      });
  });

  const annotated = (key: string, value: object, ...owners: object[]) =>
    putPod("p", {
      annotations: { [`ipam.spidernet.io/${key}`]: JSON.stringify(value), other: "x" },
      ownerReferences: owners,
    });
  const added = async (ifName = "eth0", ipam: object = {}) =>
    addressOf(await cni("ADD", { pod: "p", ifName }, ipam));

  it.each([
    [
      "names",
      [
        { interface: "net1", ipv4: ["green"] },
        { interface: "eth0", ipv4: ["blue"] },
      ],
    ],
    ["counts", [{ ipv4: ["blue"] }, { ipv4: ["green"] }]],
  ])("are those of the item that %s its interface", async (_, items) => {
    for (const owners of [[], [ofDeployment()]]) {
      annotated("ippools", items, ...owners);
      await stop();
      await start();
      expect(await added()).toMatch(/^10\.20\.0\./);
      expect(await added("net1")).toMatch(/^10\.30\.0\./);
      const { out } = await cni("ADD", { pod: "p", ifName: "net2" });
      expect(out).toMatchObject({ code: 7, msg: expect.stringContaining("interface net2") });
      for (const ifName of ["eth0", "net1"]) await cni("DEL", { pod: "p", ifName });
    }
  });

  it("are those of one item for every interface, and Plat names a mistake in it", async () => {
    annotated("ippool", { ipv4: ["green"] });
    await start();
    expect(await added("net1")).toMatch(/^10\.30\.0\./);
    annotated("ippool", { ipv4: [] });
    await stop();
    await start();
    const { out } = await cni("ADD", { pod: "p" });
    expect(out.code).toBe(7);
    expect(out.details).toContain("annotations.ipam.spidernet.io/ippool");
  });

  it("are those of the network if it names any", async () => {
    annotated("ippool", { ipv4: ["green"] });
    await start();
    expect(await added("eth0", { pools: ["blue"] })).toMatch(/^10\.20\.0\./);
  });

  it("follow from the labels of the pod and of its namespace", async () => {
    const ranges = (net: string) => ({ cidr: `${net}.0/24`, ranges: [`${net}.10-${net}.99`] });
    await api("PUT", "pools/pods", { cidr: "10.1.0.0/16", disabled: true });
    await api("PUT", "pools/web", { ...ranges("10.40.0"), podSelector: 'app == "web"' });
    await api("PUT", "pools/team", { ...ranges("10.50.0"), namespaceSelector: 'team == "shop"' });
    putPod("p", { labels: { app: "db" } });
    await start();
    expect(await added()).toMatch(/^10\.50\.0\./);
    putPod("q", { labels: { app: "web" } });
    cluster.bookmark();
    expect(addressOf(await cni("ADD", { pod: "q" }))).toMatch(/^10\.40\.0\./);
  });

  it("are those of the default pools, which the network names for pods that name none", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    await start();
    expect(await added("eth0", { defaultPools: ["blue"] })).toMatch(/^10\.20\.0\./);
  });

  it("are the addresses of its application", async () => {
    await api("PUT", "applications/shop/Deployment/web", {
      replicas: 1,
      addresses: {
        number: "2",
        interfaces: [
          { name: "eth0", pools: ["blue"] },
          { name: "net1", pools: ["green"] },
        ],
      },
    });
    annotated(
      "subnets",
      [
        { interface: "eth0", ipv4: ["blue"] },
        { interface: "net1", ipv4: ["green"] },
      ],
      ofDeployment(),
    );
    await start();
    expect(await added()).toMatch(/^10\.20\.0\./);
    expect(await added("net1")).toMatch(/^10\.30\.0\./);
    annotated("subnets", [{ interface: "eth0", ipv4: ["blue"] }]);
  });
});

describe("DEL", () => {
  it("releases what a pod has that the cluster has no more", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    putPod("q", { ownerReferences: [ofDeployment()] });
    await start();
    const [mine, other] = [await cni("ADD", { pod: "p" }), await cni("ADD", { pod: "q" })];
    const second = await cni("ADD", { pod: "p", ifName: "net1" });
    await stop();
    const uid = uidOf("p");
    cluster.deletePod("p");
    await start();
    for (const _ of [1, 2])
      expect(await cni("DEL", { pod: "p", uid })).toEqual({ status: 200, out: undefined });
    expect((await read(addressOf(mine))).state).toBe("cooling");
    expect((await read(addressOf(other))).state).toBe("assigned");
    expect((await read(addressOf(second))).state).toBe("assigned");
  });

  it("releases what a pod has whose controller is another one by now", async () => {
    putPod("p", { ownerReferences: [owner("apps/v1", "ReplicaSet", "orphaned")] });
    await start();
    const added = await cni("ADD", { pod: "p" });
    putPod("p", { ownerReferences: [ofDeployment()] });
    cluster.bookmark();
    await cni("DEL", { pod: "p" });
    expect((await read(addressOf(added))).state).toBe("cooling");
  });

  it("succeeds while the API server is silent", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    await start();
    const added = await cni("ADD", { pod: "p" });
    await stop();
    await start();
    const send = cluster.send.bind(cluster);
    cluster.send = (asked) =>
      asked.path.includes("/replicasets/") ? new Promise(() => undefined) : send(asked);
    expect(await cni("DEL", { pod: "p" })).toEqual({ status: 200, out: undefined });
    expect((await read(addressOf(added))).state).toBe("cooling");
  });
});

/** Creates a pod that the agent does not follow, and lets the API server answer for it once the test says so. */
function holdPod(name: string): () => void {
  putPod(name, {}, "");
  const send = cluster.send.bind(cluster);
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  cluster.send = async (asked) => {
    if (asked.path.endsWith(`/pods/${name}`)) await opened;
    return send(asked);
  };
  return open;
}

/** Lets the agent come to what it was sent. */
async function passed(): Promise<void> {
  for (let requests = 0; requests < 5; requests++) await cni("STATUS");
}

it("the commands of one interface of a container are carried out in turn", async () => {
  await start();
  const open = holdPod("p");
  const added = cni("ADD", { pod: "p" });
  await passed();
  const deleted = cni("DEL", { pod: "p" });
  await passed();
  open();
  expect(await deleted).toEqual({ status: 200, out: undefined });
  expect((await read(addressOf(await added))).state).toBe("cooling");
});

describe("a pod of a StatefulSet", () => {
  const statefulSet = { ownerReferences: [owner("apps/v1", "StatefulSet", "db")] };

  it("has its address again in its next sandbox on a network that keeps addresses, and a late DEL frees nothing", async () => {
    putPod("db-0", statefulSet);
    await start();
    const keep = { keep: true };
    const add = async (containerId: string) =>
      addressOf(await cni("ADD", { pod: "db-0", containerId }, keep));
    const first = await add("s1");
    await cni("DEL", { pod: "db-0", containerId: "s1" }, keep);
    expect((await read(first)).state).toBe("kept");
    expect(await add("s2")).toBe(first);
    expect(await add("s3")).toBe(first);
    await cni("DEL", { pod: "db-0", containerId: "s2" }, keep);
    expect((await read(first)).state).toBe("assigned");
  });

  it("gives its address back on another network", async () => {
    putPod("db-0", statefulSet);
    await start();
    const added = await cni("ADD", { pod: "db-0" });
    await cni("DEL", { pod: "db-0" });
    expect((await read(addressOf(added))).state).toBe("cooling");
  });

  it("is none if its name alone has an ordinal", async () => {
    putPod("web-0", { ownerReferences: [ofDeployment()] });
    await start();
    const added = await cni("ADD", { pod: "web-0" }, { keep: true });
    await cni("DEL", { pod: "web-0" }, { keep: true });
    expect((await read(addressOf(added))).state).toBe("cooling");
  });
});

it("GC gives back what instances have in no valid attachment, and lets a StatefulSet keep its own", async () => {
  putPod("p", { ownerReferences: [ofDeployment()] });
  putPod("q", { ownerReferences: [ofDeployment()] });
  putPod("db-0", { ownerReferences: [owner("apps/v1", "StatefulSet", "db")] });
  await start();
  const keep = { keep: true };
  const [p, q, db] = [
    await cni("ADD", { pod: "p" }, keep),
    await cni("ADD", { pod: "q" }, keep),
    await cni("ADD", { pod: "db-0" }, keep),
  ];
  const valid = [{ containerID: "sandbox-of-q", ifname: "eth0" }];
  const collected = await cni("GC", {}, keep, { "cni.dev/valid-attachments": valid });
  expect(collected).toEqual({ status: 200, out: undefined });
  const states = [];
  for (const one of [p, q, db]) states.push((await read(addressOf(one))).state);
  expect(states).toEqual(["cooling", "assigned", "kept"]);
});

it("STATUS and VERSION are answered, and CHECK says if the address is not held", async () => {
  putPod("p", { ownerReferences: [ofDeployment()] });
  await start();
  expect(await cni("STATUS")).toEqual({ status: 200, out: undefined });
  expect((await cni("VERSION")).out).toMatchObject({ cniVersion: "1.1.0" });
  const { out: prevResult } = await cni("ADD", { pod: "p" });
  const check = () => cni("CHECK", { pod: "p" }, {}, { prevResult });
  expect(await check()).toEqual({ status: 200, out: undefined });
  await cni("DEL", { pod: "p" });
  expect(await check()).toMatchObject({ status: 400, out: { code: 101 } });
});

it.each(["endpoint", "region", "tokenFile", "space", "host"])(
  "the network configuration has no %s, which the agent knows itself",
  async (field) => {
    await start();
    const { out } = await cni("ADD", { containerId: "c1" }, { [field]: "x" });
    expect(out).toMatchObject({ code: 2, msg: expect.stringContaining(`ipam.${field}`) });
  },
);

describe("a request that is no command", () => {
  it.each([
    ["another path", { command: "ADD", config: {} }, "/v2/cni"],
    ["no configuration", { command: "ADD" }, "/v1/cni"],
  ])("is an error of code 6: %s", async (_, body, path) => {
    await start();
    expect(await post(body, path)).toMatchObject({ status: 400, out: { code: 6 } });
  });
});

describe("the files of the node", () => {
  it("are the plugin, the list of plugins, and a socket for root alone", async () => {
    await start();
    expect(await readFile(join(folder, "bin", "plat-cni"), "utf8")).toBe("the plugin");
    expect((await stat(join(folder, "bin", "plat-cni"))).mode & 0o777).toBe(0o755);
    expect(JSON.parse(await readFile(join(folder, "net.d", "10-plat.conflist"), "utf8"))).toEqual(
      CONFLIST,
    );
    expect((await stat(join(folder, "run"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "run", "agent.sock"))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "bin"))).toEqual(["plat-cni"]);
  });

  it("are replaced if they differ, and left alone if not", async () => {
    const file = join(folder, "bin", "plat-cni");
    await writeFile(file, "an older plugin");
    await start();
    expect(await readFile(file, "utf8")).toBe("the plugin");
    const before = await stat(file);
    await stop();
    await start();
    expect((await stat(file)).ino).toBe(before.ino);
  });

  it("have no list of plugins if the plugin cannot be installed", async () => {
    await rm(join(folder, "plugin"));
    await expect(start()).rejects.toThrow("ENOENT");
    expect(await readdir(join(folder, "net.d"))).toEqual([]);
  });
});

it.each([
  ["{", "is not JSON"],
  [
    JSON.stringify({ ...CONFLIST, plugins: [] }),
    "no entry of plugins has an ipam of type plat-cni",
  ],
  [
    JSON.stringify({
      ...CONFLIST,
      plugins: [{ type: "ptp", ipam: { type: "plat-cni", endpoint: "http://p" } }],
    }),
    "ipam.endpoint is no field of plat-cni",
  ],
])("the list of plugins %s does not fit an agent", (conflist, problem) => {
  expect(() => assertConflist(conflist, "x.conflist")).toThrow(
    new RegExp(`^x\\.conflist does not fit an agent: .*${problem}`),
  );
});

describe("a DEL that the plugin left behind", () => {
  const leave = async (pod: string, more: object = {}, network = "") => {
    const deletes = join(folder, "run", "deletes");
    await mkdir(deletes, { recursive: true });
    const body = {
      command: "DEL",
      containerId: `sandbox-of-${pod}`,
      ifName: "eth0",
      args: `K8S_POD_NAMESPACE=shop;K8S_POD_NAME=${pod};K8S_POD_UID=${uidOf(pod)}`,
      config: { cniVersion: "1.1.0", name: "podnet", ipam: { type: "plat-cni" } },
      ...more,
    };
    await writeFile(join(deletes, `sandbox-of-${pod}~eth0${network}`), JSON.stringify(body));
  };
  const left = () => readdir(join(folder, "run", "deletes"));
  const seen = async (look: () => Promise<boolean>) => {
    while (!(await look())) await new Promise((resolve) => setImmediate(resolve));
  };

  it("is carried out when the agent starts", async () => {
    putPod("p", { ownerReferences: [ofDeployment()] });
    await start();
    const added = await cni("ADD", { pod: "p" });
    await stop();
    await leave("p");
    cluster.deletePod("p");
    await start();
    await seen(async () => (await left()).length === 0);
    expect((await read(addressOf(added))).state).toBe("cooling");
  });

  it("and was not written to its end is removed when the agent starts", async () => {
    const deletes = join(folder, "run", "deletes");
    await mkdir(deletes, { recursive: true });
    await writeFile(join(deletes, ".new-123"), '{"command": "DEL", "cont');
    await start();
    expect(await left()).toEqual([]);
  });

  it("is carried out while the agent runs, and again until it succeeds", async () => {
    putPod("p");
    await start();
    const added = await cni("ADD", { pod: "p" });
    await leave("p", { config: { cniVersion: "1.1.0", name: "podnet", ipam: { keep: 1 } } });
    agent?.wake();
    await seen(
      async () =>
        agent?.logged.includes("A DEL that was left behind failed, and is tried again") ?? false,
    );
    expect((await read(addressOf(added))).state).toBe("assigned");
    await leave("p");
    agent?.wake();
    await seen(async () => (await left()).length === 0);
    expect((await read(addressOf(added))).state).toBe("cooling");
  });

  const OF_OTHER_NETWORK = { name: "storage" };

  it.each([
    ["without a controller", []],
    ["of a Deployment", [ofDeployment]],
  ])("is carried out before an ADD of the same interface: a pod %s", async (_, owners) => {
    putPod("p", { ownerReferences: owners.map((each) => each()) });
    await start();
    const first = await cni("ADD", { pod: "p" });
    await leave("p");
    const second = await cni("ADD", { pod: "p" }, {}, OF_OTHER_NETWORK);
    expect(second.status).toBe(200);
    expect(await left()).toEqual([]);
    expect((await read(addressOf(first))).state).toBe("cooling");
    expect((await read(addressOf(second))).state).toBe("assigned");
    expect(await cni("ADD", { pod: "p" }, {}, OF_OTHER_NETWORK)).toEqual(second);
  });

  it("of each network of an interface is carried out before an ADD of another one", async () => {
    putPod("p");
    await start();
    const networks = ["lan", "storage"].map((name) => ({ name }));
    const added: Awaited<ReturnType<typeof cni>>[] = [];
    for (const network of networks) added.push(await cni("ADD", { pod: "p" }, {}, network));
    for (const { name } of networks)
      await leave(
        "p",
        { config: { cniVersion: "1.1.0", name, ipam: { type: "plat-cni" } } },
        `~${name}`,
      );
    expect((await cni("ADD", { pod: "p" })).status).toBe(200);
    expect(await left()).toEqual([]);
    for (const each of added) expect((await read(addressOf(each))).state).toBe("cooling");
  });

  it("that waits for its turn is carried out once, before a later ADD", async () => {
    await start();
    const open = holdPod("p");
    const first = cni("ADD", { pod: "p" });
    await passed();
    await leave("p");
    agent?.wake();
    await passed();
    const second = cni("ADD", { pod: "p" });
    await passed();
    open();
    expect((await read(addressOf(await second))).state).toBe("assigned");
    expect((await read(addressOf(await first))).state).toBe("cooling");
    expect(
      agent?.logged.filter((one) => one === "A DEL that was left behind is done"),
    ).toHaveLength(1);
  });

  it("is none if somebody removed the folder", async () => {
    putPod("p");
    await start();
    await rm(join(folder, "run", "deletes"), { recursive: true });
    expect((await cni("ADD", { pod: "p" })).status).toBe(200);
  });

  it("that fails makes an ADD of the same interface fail with its error, and stays left behind", async () => {
    putPod("p");
    await start();
    const first = await cni("ADD", { pod: "p" });
    await leave("p", { config: { cniVersion: "1.1.0", name: "podnet", ipam: { keep: 1 } } });
    const second = await cni("ADD", { pod: "p" }, {}, OF_OTHER_NETWORK);
    const msg = expect.stringMatching(/^A DEL that was left behind .* failed: .*keep/);
    const details = expect.stringContaining("deletes/sandbox-of-p~eth0");
    expect(second).toMatchObject({ status: 400, out: { code: 7, msg, details } });
    expect(await left()).toHaveLength(1);
    expect((await read(addressOf(first))).state).toBe("assigned");
  });

  it("is removed if it is none", async () => {
    await leave("p", { command: "ADD" });
    await start();
    await seen(async () => (await left()).length === 0);
    expect(agent?.logged).toContain("A file that is no DEL was removed");
    expect(await api("GET", "handles")).toMatchObject({ handles: [] });
  });
});
