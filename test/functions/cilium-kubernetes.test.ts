import { expect, it } from "vitest";
import { ciliumNode, nodeEvent } from "../node-objects.ts";
import { newSpace } from "./plat.ts";

/** Returns the calls of a cluster in mode `kubernetes`. */
function cluster() {
  const { call } = newSpace();
  return {
    apply: (query: Readonly<Record<string, string>> = {}, uid = "a") =>
      call("PUT", "/v1/nodes/node-1/cilium", {
        body: ciliumNode("node-1", { uid }),
        query: { mode: "kubernetes", ...query },
      }),
    hear: (said: NonNullable<Parameters<typeof nodeEvent>[2]>) =>
      call("POST", "/v1/events", { body: nodeEvent("MODIFIED", "node-1", { uid: "a", ...said }) }),
  };
}

const BOTH = { families: "4,6" };

it("a CiliumNode waits until its Node has all families, and then has the prefixes of the Node", async () => {
  const { apply, hear } = cluster();
  const waiting = await apply(BOTH);
  expect(waiting.body.spec.ipam).toEqual({ podCIDRs: [] });
  expect(waiting.body.status.operator.error).toMatch(/^waiting for the IPv4 and IPv6 prefix/);
  await hear({ version: 5, spec: { podCIDRs: ["10.1.2.0/24"] } });
  const half = await apply(BOTH);
  expect(half.body.spec.ipam).toEqual({ podCIDRs: [] });
  expect(half.body.status.operator.error).toMatch(/^waiting for the IPv6 prefix of Node node-1/);
  await hear({ version: 6, spec: { podCIDRs: ["10.1.2.0/24", "fd00::/64"] } });
  const { body } = await apply(BOTH);
  expect(body.spec.ipam).toEqual({ podCIDRs: ["10.1.2.0/24", "fd00::/64"] });
  expect(body.status.operator.error).toBe("");
});

it("a CiliumNode needs the IPv4 prefix only, unless it asks for more", async () => {
  const { apply, hear } = cluster();
  await hear({ spec: { podCIDR: "10.1.2.0/24" } });
  expect((await apply()).body.spec.ipam).toEqual({ podCIDRs: ["10.1.2.0/24"] });
});

it("a CiliumNode has nothing of a Node with another uid", async () => {
  const { apply, hear } = cluster();
  await hear({ spec: { podCIDR: "10.1.2.0/24" } });
  expect((await apply({}, "b")).body.spec.ipam).toEqual({ podCIDRs: [] });
});

it.each(["network.cilium.io/", "io.cilium.network."])(
  "a CiliumNode has what the annotations of its Node say: %s",
  async (start) => {
    const { apply, hear } = cluster();
    const annotations = {
      [`${start}ipv4-pod-cidr`]: "10.1.2.0/24",
      [`${start}ipv4-cilium-host`]: "10.1.2.1",
      [`${start}ipv4-health-ip`]: "10.1.2.2",
      [`${start}ipv6-health-ip`]: "fd00::2",
      "example.com/ipv4-pod-cidr": "10.9.9.0/24",
    };
    await hear({ annotations });
    const { spec } = (await apply()).body;
    expect(spec.ipam).toEqual({ podCIDRs: ["10.1.2.0/24"] });
    expect(spec.addresses).toEqual([
      { type: "InternalIP", ip: "192.168.0.7" },
      { type: "CiliumInternalIP", ip: "10.1.2.1" },
    ]);
    expect(spec.health).toEqual({ ipv4: "10.1.2.2", ipv6: "fd00::2" });
  },
);

it("of two spellings of an annotation the newer one counts", async () => {
  const { apply, hear } = cluster();
  const spelled = (start: string, last: number) => ({
    [`${start}ipv4-pod-cidr`]: `10.1.${last}.0/24`,
    [`${start}ipv4-cilium-host`]: `10.1.${last}.1`,
    [`${start}ipv4-health-ip`]: `10.1.${last}.2`,
  });
  const [newer, older] = [spelled("network.cilium.io/", 2), spelled("io.cilium.network.", 9)];
  await hear({ annotations: { ...older, ...newer } });
  const { spec } = (await apply()).body;
  expect(spec.ipam).toEqual({ podCIDRs: ["10.1.2.0/24"] });
  expect(spec.addresses).toContainEqual({ type: "CiliumInternalIP", ip: "10.1.2.1" });
  expect(spec.health).toEqual({ ipv4: "10.1.2.2" });
});

it("the prefixes in the spec of a Node come before those of its annotations", async () => {
  const { apply, hear } = cluster();
  const annotations = { "network.cilium.io/ipv4-pod-cidr": "10.9.9.0/24" };
  await hear({ annotations, spec: { podCIDRs: ["10.1.2.0/24"] } });
  expect((await apply()).body.spec.ipam).toEqual({ podCIDRs: ["10.1.2.0/24"] });
});
