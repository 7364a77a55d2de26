import { expect, it } from "vitest";
import { ciliumNode } from "../../node-objects.ts";
import { spaceWithPool } from "../space.ts";
import { terminal } from "../terminal.ts";

const shell = terminal();
const { plat, platWith, call } = shell;
const pool = spaceWithPool(shell);

const nodeNamed = (name: string, uid: string, ...podCIDRs: readonly string[]) => ({
  kind: "Node",
  metadata: { name, uid },
  spec: { podCIDRs },
});

/** Checks with the nodes of a cluster, as they are in an hour. */
async function check(...items: readonly object[]) {
  const stdin = JSON.stringify({ kind: "List", items });
  const nowMs = Date.now() + 3_600_000;
  const takenAt = new Date(nowMs).toISOString();
  const inventory = ["--inventory", "-", "--covers", "nodes", "--taken-at", takenAt];
  const { out } = await platWith({ stdin, nowMs }, "check", ...inventory, "-o", "json");
  const { problems, notes } = JSON.parse(out);
  return { problems, notes };
}

it("a check names prefixes whose node is gone, and prefixes that are not assigned to their node", async () => {
  await pool("v4", { cidr: "10.64.0.0/22", blockSize: 24, assign: "prefixes" });
  const state = (node: string, uid: string, cidr: string) =>
    plat("node", "cidr", "ensure", node, "--uid", uid, "--cidr", cidr);
  await state("node-1", "a", "10.64.1.0/24");
  await state("node-2", "b", "10.64.2.0/24");
  const first = nodeNamed("node-1", "a", "10.64.1.0/24");
  expect(await check(first, nodeNamed("node-2", "b", "10.64.2.0/24"))).toEqual({
    problems: [],
    notes: [],
  });
  expect(await check(first, nodeNamed("node-2", "c", "10.64.3.0/24", "192.0.2.0/24"))).toEqual({
    problems: [
      {
        kind: "unassigned",
        message:
          "10.64.3.0/24 is a prefix of node node-2 in the cluster, and not assigned to uid c",
      },
    ],
    notes: [
      {
        kind: "no_node",
        message:
          "10.64.2.0/24 is a prefix of node node-2 under uid b, which the inventory does not have; plat node cidr release node-2 --uid b releases it",
      },
    ],
  });
});

it("a check names one prefix of two that was released while the Node object still has it", async () => {
  const cidrs = ["10.64.1.0/24", "fd00:64::/64"] as const;
  await pool("v4", { cidr: "10.64.0.0/22", blockSize: 24, assign: "prefixes" });
  await pool("v6", { cidr: "fd00:64::/62", blockSize: 64, assign: "prefixes" });
  const path = "/v1/nodes/node-1/pod-cidrs";
  await call("POST", path, { uid: "a", podCIDRs: cidrs });
  await call("DELETE", `${path}?uid=a&cidr=${cidrs[0]}`);
  expect((await check(nodeNamed("node-1", "a", ...cidrs))).problems).toEqual([
    {
      kind: "unassigned",
      message: `${cidrs[0]} is a prefix of node node-1 in the cluster, and not assigned to uid a`,
    },
  ]);
});

it("a check names prefixes of Cilium's pools whose node is gone", async () => {
  await pool("mars", { cidr: "10.64.0.0/22", blockSize: 24, assign: "prefixes" });
  const pools = { allocated: [{ pool: "mars", cidrs: ["10.64.1.0/24"] }] };
  for (const name of ["node-1", "node-2"])
    await call("PUT", `/v1/nodes/${name}/cilium?mode=multi-pool`, {
      ...ciliumNode(name, { uid: `uid-of-${name}`, ipam: { pools } }),
    });
  expect((await check(nodeNamed("node-1", "another"))).notes).toEqual([]);
  expect((await check(nodeNamed("node-2", "another"))).notes).toEqual([
    {
      kind: "no_node",
      message:
        "10.64.1.0/24 is a prefix of node node-1 under uid uid-of-node-1, which the inventory does not have; plat node cilium release node-1 --uid uid-of-node-1 releases it",
    },
  ]);
});

it("a check names addresses of a CiliumNode whose node is gone", async () => {
  await pool("pods", { cidr: "10.65.0.0/24" });
  const ipam = { pool: { "10.65.0.7": {} }, "pre-allocate": 1 };
  await call("PUT", "/v1/nodes/node-1/cilium?mode=crd", ciliumNode("node-1", { uid: "a", ipam }));
  expect((await check(nodeNamed("node-1", "a"))).notes).toEqual([]);
  expect((await check(nodeNamed("node-2", "b"))).notes).toEqual([
    {
      kind: "no_node",
      message:
        "10.65.0.7 is an address of node node-1 under uid a, which the inventory does not have; plat node cilium release node-1 --uid a releases it",
    },
  ]);
});
