import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { CiliumNodeObject } from "../../src/controller/cilium.ts";
import type { NodeObject } from "../../src/controller/nodes.ts";
import { type Lab, startLab, until } from "./lab.ts";

const PATH = "/apis/cilium.io/v2/ciliumnodes";

let lab: Lab;
let endReplica = async (): Promise<unknown> => undefined;

beforeAll(async () => {
  lab = await startLab();
});

afterAll(() => lab?.stop());

/** Each test has a cluster without nodes, and no replica of another test. */
beforeEach(async () => {
  await endReplica();
  await lab.plane.kubectl(["delete", "nodes,ciliumnodes", "--all"]);
});

/** Starts a replica, which sends each CiliumNode every 10 s. */
async function start(): Promise<void> {
  const change = (config: string) => config.replace("cilium:", "cilium:\n  everySeconds: 10");
  const { end } = await lab.start({ change });
  endReplica = () => end();
}

/** Creates a Node and its CiliumNode, as a kubelet and an agent do. */
async function join(name: string, ipam: object = {}): Promise<void> {
  await lab.putNode(name);
  const { metadata } = await lab.plane.admin.send<NodeObject>({ path: `/api/v1/nodes/${name}` });
  const owner = { apiVersion: "v1", kind: "Node", name, uid: metadata.uid };
  const body = {
    apiVersion: "cilium.io/v2",
    kind: "CiliumNode",
    metadata: { name, ownerReferences: [owner] },
    spec: { ipam },
  };
  await lab.plane.admin.send({ method: "POST", path: PATH, body });
}

/** Deletes a Node and its CiliumNode, as a cloud and the garbage collector do. */
async function leave(name: string): Promise<void> {
  await lab.deleteNode(name);
  await lab.plane.kubectl(["delete", "ciliumnode", name]);
}

/** Writes a part of a CiliumNode, as the agent does. */
const write = (name: string, part: "spec" | "status", value: object) =>
  lab.plane.admin.send({
    method: "PATCH",
    path: `${PATH}/${name}${part === "status" ? "/status" : ""}`,
    body: { [part]: value },
  });

const read = (name: string) => lab.plane.admin.send<CiliumNodeObject>({ path: `${PATH}/${name}` });

/** Waits until a CiliumNode is what a test wants. */
const shows = (name: string, isIt: (object: CiliumNodeObject) => boolean) =>
  until(() => read(name), isIt);

/** The handles of what CiliumNodes have in the space. */
async function handles(): Promise<readonly string[]> {
  const listed = (await lab.call("GET", "/handles?limit=1000")) as {
    readonly handles: readonly { readonly handle: string }[];
  };
  return listed.handles.map(({ handle }) => handle).filter((one) => one.startsWith("cilium/"));
}

const sizeOf = ({ spec }: CiliumNodeObject) => Object.keys(spec.ipam?.pool ?? {}).length;
const prefixesOf = ({ spec }: CiliumNodeObject, pool: string) =>
  spec.ipam?.pools?.allocated?.find((each) => each.pool === pool)?.cidrs ?? [];

it("in cluster-pool a CiliumNode and its Node have one prefix, until the end of the Node", async () => {
  await lab.install("--cilium", "cluster-pool");
  await start();
  await join("c1");
  const { spec } = await shows("c1", (object) => object.spec.ipam?.podCIDRs?.length === 1);
  const ranges = await until(
    () => lab.ranges(),
    ({ c1 }) => c1 !== "",
  );
  expect(spec.ipam?.podCIDRs).toEqual([ranges.c1]);
  await leave("c1");
  await until(
    () => lab.held(),
    (held) => !("c1" in held),
  );
});

it("in cluster-pool a prefix that a CiliumNode lists stays, also where its Node and others ask at the same start", async () => {
  await lab.install("--cilium", "cluster-pool");
  for (let n = 0; n < 10; n++) await join(`a${n}`);
  await join("z", { podCIDRs: ["10.64.200.0/24"] });
  await start();
  const ranges = await until(
    () => lab.ranges(),
    (all) => Object.values(all).every((range) => range !== ""),
  );
  expect(ranges.z).toBe("10.64.200.0/24");
  expect(new Set(Object.values(ranges)).size).toBe(11);
  expect((await read("z")).spec.ipam?.podCIDRs).toEqual(["10.64.200.0/24"]);
});

it("in kubernetes a CiliumNode shows the podCIDRs that its Node gets", async () => {
  await lab.install("--cilium", "kubernetes");
  await start();
  await join("k1");
  const { spec } = await shows("k1", (object) => object.spec.ipam?.podCIDRs?.length === 1);
  expect(spec.ipam?.podCIDRs).toEqual([(await lab.ranges()).k1]);
});

it("in crd a CiliumNode gets addresses as it uses them, and loses them after the end of its Node", async () => {
  await lab.install("--cilium", "crd");
  await lab.call("PUT", "/pools/addresses", { cidr: "10.65.0.0/16" });
  await start();
  await join("d1", { "pre-allocate": 8 });
  const first = await shows("d1", (object) => sizeOf(object) === 8);
  const used = Object.fromEntries(
    Object.keys(first.spec.ipam?.pool ?? {})
      .slice(0, 5)
      .map((address) => [address, { owner: "default/web" }]),
  );
  await write("d1", "status", { ipam: { used } });
  const later = await shows("d1", (object) => sizeOf(object) === 13);
  expect(later.spec.ipam?.pool).toMatchObject(first.spec.ipam?.pool ?? {});
  expect(later.status?.ipam?.used).toEqual(used);
  // The addresses are all that the node has: its Node gets no range.
  expect(await lab.ranges()).toEqual({ d1: "" });
  expect(await handles()).toHaveLength(1);
  await leave("d1");
  await until(handles, (each) => each.length === 0);
});

it("in multi-pool a CiliumNode gets prefixes of the pools that it names, and an error for one without prefixes", async () => {
  await lab.install("--cilium", "multi-pool");
  const mars = { cidr: "10.66.0.0/16", assign: "prefixes", blockSize: 27 };
  await lab.call("PUT", "/pools/mars.10-66-0-0-16", mars);
  await start();
  const wants = (pool: string, count: number) => ({ pool, needed: { "ipv4-addrs": count } });
  await join("m1", { pools: { requested: [wants("mars", 40), wants("venus", 8)] } });
  const first = await shows("m1", (object) => prefixesOf(object, "mars").length === 2);
  const lacking = await shows(
    "m1",
    ({ status }) => status?.ipam?.["operator-status"] !== undefined,
  );
  expect(lacking.status?.ipam?.["operator-status"]?.error).toContain("venus");
  // The agent alone lets a prefix go: it leaves it out, again if Plat has not seen yet that it had it.
  const [kept = ""] = prefixesOf(first, "mars");
  const pools = {
    requested: [wants("mars", 20)],
    allocated: [{ pool: "mars", cidrs: [kept] }],
  };
  const granted = async () => (await lab.call("GET", "/nodes/m1/cilium")) as CiliumNodeObject;
  const letGo = async () => {
    if (prefixesOf(await read("m1"), "mars").length > 1)
      await write("m1", "spec", { ipam: { pools } });
    return prefixesOf(await granted(), "mars");
  };
  expect(await until(letGo, (has) => has.length === 1)).toEqual([kept]);
  await shows("m1", ({ status }) => status?.ipam?.["operator-status"] === undefined);
  expect(await lab.ranges()).toEqual({ m1: "" });
  await leave("m1");
  await until(handles, (each) => each.length === 0);
});
