import { afterAll, beforeAll, expect, it } from "vitest";
import type { NodeObject } from "../../src/controller/nodes.ts";
import { type Lab, startLab, unseenVerbs, until } from "./lab.ts";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const TAINT = "node.kubernetes.io";

let lab: Lab;

beforeAll(async () => {
  lab = await startLab();
});

afterAll(() => lab?.stop());

const now = () => new Date().toISOString();

/** Writes the condition of a Node, as its kubelet does. */
const speak = (name: string, status: "True" | "False") =>
  lab.plane.admin.send({
    method: "PATCH",
    path: `/api/v1/nodes/${name}/status`,
    body: {
      status: {
        conditions: [
          {
            type: "Ready",
            status,
            reason: "KubeletSaysSo",
            lastHeartbeatTime: now().replace(/\.\d+/, ""),
          },
        ],
      },
    },
  });

/** Renews the Lease of a node, as its kubelet does. */
async function renew(name: string): Promise<void> {
  const spec = { holderIdentity: name, renewTime: now().replace("Z", "000Z") };
  const body = { metadata: { name }, spec };
  await lab.plane.admin
    .send({ method: "PATCH", path: `${LEASES}/${name}`, body })
    .catch(() => lab.plane.admin.send({ method: "POST", path: LEASES, body }));
}

/** Waits until a Node has exactly these taints. @param meanwhile done before each look */
const tainted = (
  name: string,
  taints: readonly string[],
  meanwhile: () => Promise<void> = async () => undefined,
) =>
  until(
    async () => {
      await meanwhile();
      const path = `/api/v1/nodes/${name}`;
      const { spec } = await lab.plane.admin.send<NodeObject>({ path });
      return (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort();
    },
    (seen) => JSON.stringify(seen) === JSON.stringify(taints.map((taint) => `${TAINT}/${taint}`)),
  );

it("a Node has the taints that follow from its conditions, and from the silence of its Lease", async () => {
  await lab.install("--lifecycle", "--leases");
  await lab.command("configure", "--node-monitor-grace-seconds", "10");
  const replica = await lab.start();
  await lab.putNode("n1");
  await speak("n1", "False");
  await tainted("n1", ["not-ready:NoSchedule"]);
  await speak("n1", "True");
  await tainted("n1", [], () => renew("n1"));
  // Now it says nothing, and its conditions stay as they are.
  await tainted("n1", ["unreachable:NoSchedule"]);
  await tainted("n1", [], () => renew("n1"));
  // It would give the Nodes of other tests their ranges.
  await replica.end("SIGKILL");
});

it("the manifest has exactly the rights that taints and Leases need", async () => {
  const objects = await lab.install("--lifecycle", "--leases");
  expect(await unseenVerbs(lab, objects)).toEqual([]);
});

it("the policy lets the controller change taints, and no podCIDR where it writes none", async () => {
  await lab.install("--lifecycle", "--cilium", "crd");
  await lab.putNode("p1");
  const account = await lab.account();
  const patch = (spec: object, query = {}) =>
    account.send({ method: "PATCH", path: "/api/v1/nodes/p1", query, body: { spec } }).then(
      () => "patched",
      (error: Error) => error.message,
    );
  const range = { podCIDR: "10.64.9.0/24", podCIDRs: ["10.64.9.0/24"] };
  // The API server takes a moment to see the policy.
  await until(
    () => patch(range, { dryRun: "All" }),
    (said) => said !== "patched",
  );
  expect(await patch(range)).toContain("plat-controller must not change spec.podCIDR");
  expect(await patch({ unschedulable: true })).toContain("must not change spec.unschedulable");
  expect(await patch({ taints: [{ key: "a", effect: "NoSchedule" }] })).toBe("patched");
});
