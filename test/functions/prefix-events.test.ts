import { describe, expect, it } from "vitest";
import { newSpace, scheduledRun } from "./plat.ts";

const NODE = "/v1/nodes/node-1/pod-cidrs";

/** Returns a space with 16 prefixes, and what a cluster sends. */
async function clusterSpace(pool: object = { cidr: "10.64.0.0/20", assign: "prefixes" }) {
  const plat = newSpace();
  await plat.put("/v1/pools/v4", pool);
  let version = 1;
  const send = async (type: string, uid: string, spec: object = {}, labels: object = {}) => {
    const metadata = {
      name: "node-1",
      uid,
      resourceVersion: `${version++}`,
      creationTimestamp: `2026-01-01T00:00:0${uid.length}Z`,
      labels,
    };
    const object = { apiVersion: "v1", kind: "Node", metadata, spec };
    const { body } = await plat.call("POST", "/v1/events", { body: { type, object } });
    return body.results[0];
  };
  return { ...plat, send };
}

const CIDR = expect.stringMatching(/^10\.64\.\d+\.0\/24$/);

describe("the event of a node", () => {
  it("without prefixes gives it one, and a patch that writes it", async () => {
    const { send, get } = await clusterSpace();
    const result = await send("ADDED", "a");
    expect(result).toMatchObject({
      status: "applied",
      podCIDRs: [{ cidr: CIDR, pool: "v4", state: "pending" }],
      patch: { metadata: { uid: "a", resourceVersion: "1" }, spec: { podCIDR: CIDR } },
    });
    const [{ cidr }] = result.podCIDRs;
    expect(result.patch.spec).toEqual({ podCIDR: cidr, podCIDRs: [cidr] });
    expect((await get(NODE, { uid: "a" })).body.podCIDRs).toMatchObject([{ cidr }]);
  });

  it("with its prefix confirms it, and then there is nothing to write", async () => {
    const { send, get } = await clusterSpace();
    const [{ cidr }] = (await send("ADDED", "a")).podCIDRs;
    for (const podCIDRs of [[cidr], [cidr]])
      expect(await send("MODIFIED", "a", { podCIDR: cidr, podCIDRs })).toEqual({
        ...{ index: 0, kind: "Node", name: "node-1", status: "applied" },
        podCIDRs: [{ cidr, family: 4, pool: "v4", state: "confirmed" }],
      });
    expect((await get(NODE)).body.podCIDRs).toMatchObject([{ cidr, state: "confirmed" }]);
  });

  it("is applied with a code if the allocator rejects its prefix", async () => {
    const { send, call, get } = await clusterSpace();
    await call("POST", "/v1/nodes/node-2/pod-cidrs", {
      body: { uid: "b", podCIDRs: ["10.64.1.0/24"] },
    });
    expect(await send("ADDED", "a", { podCIDRs: ["10.64.1.0/24"] })).toMatchObject({
      status: "applied",
      code: "already_assigned",
    });
    for (const podCIDRs of [["10.64.1.0/24", "10.64.2.0/24"], ["no network"]])
      expect(await send("MODIFIED", "a", { podCIDRs })).toMatchObject({
        status: "applied",
        code: "invalid_request",
      });
    expect((await get("/v1/nodes/node-1")).status).toBe(200);
    expect((await get(NODE)).body.podCIDRs).toEqual([]);
  });

  it("brings the labels by which pools select it", async () => {
    const pool = { cidr: "10.64.0.0/20", assign: "prefixes", nodeSelector: "zone == 'west'" };
    const { send } = await clusterSpace(pool);
    expect((await send("ADDED", "a")).podCIDRs).toBeUndefined();
    expect((await send("MODIFIED", "a", {}, { zone: "west" })).podCIDRs).toHaveLength(1);
  });

  it("has no prefixes in a space without pools of them", async () => {
    const { send } = await clusterSpace({ cidr: "10.0.0.0/24" });
    expect(await send("ADDED", "a", { podCIDRs: ["10.64.1.0/24"] })).toEqual({
      ...{ index: 0, kind: "Node", name: "node-1", status: "applied" },
    });
  });
});

describe("a node that has ended", () => {
  it("gets no prefix, until a later event revives it", async () => {
    const { send, call } = await clusterSpace();
    await send("ADDED", "a");
    await send("DELETED", "a");
    const ensure = () => call("POST", NODE, { body: { uid: "a" } });
    expect(await ensure()).toMatchObject({
      status: 409,
      body: { code: "node_gone", node: "node-1", uid: "a" },
    });
    await send("MODIFIED", "a");
    expect(await ensure()).toMatchObject({ status: 200 });
    await scheduledRun("repair")();
  });
});
