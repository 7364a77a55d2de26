import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ciliumNode, nodeEvent } from "../node-objects.ts";
import { newSpace, scheduledRun } from "./plat.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a space with two prefixes of /24, and the calls of a cluster. */
async function smallSpace(pool: object = { cidr: "10.244.0.0/23", blockSize: 24 }) {
  const plat = newSpace();
  await plat.put("/v1/config", { cooldownSeconds: 0 });
  expect((await plat.put("/v1/pools/pods", { ...pool, assign: "prefixes" })).status).toBe(201);
  let version = 100;
  const send = async (name: string, podCIDRs: readonly string[], type = "MODIFIED") => {
    const said = { version: ++version, spec: { podCIDRs } };
    const body = nodeEvent(type, name, said);
    return (await plat.call("POST", "/v1/events", { body })).body.results[0];
  };
  const putCilium = async (node: string, mode: string, ipam: object) => {
    const body = ciliumNode(node, { resourceVersion: String(++version), ipam });
    const answer = await plat.call("PUT", `/v1/nodes/${node}/cilium`, { body, query: { mode } });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  return {
    ...plat,
    send,
    putCilium,
    /** Returns the prefixes that new nodes get until none is left. */
    async free(): Promise<readonly string[]> {
      const got: string[] = [];
      for (;;) {
        const node = `new-${++version}`;
        const { status, body } = await plat.call("POST", `/v1/nodes/${node}/pod-cidrs`, {
          body: { uid: "u" },
        });
        if (status !== 200) {
          expect(body.code).toBe("pool_exhausted");
          return got.toSorted();
        }
        got.push(body.podCIDRs[0].cidr);
      }
    },
    /** Ends a node, and lets its quarantine pass. */
    async end(name: string) {
      await send(name, [], "DELETED");
      vi.setSystemTime(Date.now() + 60_000);
      for (let runs = 0; runs < 64; runs++) await scheduledRun("repair")();
    },
  };
}

describe("a Node that states a prefix of another size", () => {
  it.each([
    ["10.244.0.0/23", 24, "10.244.0.0/27", ["10.244.0.0/24", "10.244.1.0/24"]],
    ["fd00:244::/63", 64, "fd00:244::/80", ["fd00:244::/64", "fd00:244:0:1::/64"]],
  ])(
    "keeps every prefix that it touches from others until it ends, in %s",
    async (cidr, blockSize, stated, [touched, other]) => {
      const { send, free, end } = await smallSpace({ cidr, blockSize });
      expect(await send("a", [stated])).toMatchObject({
        status: "applied",
        code: "no_pool_available",
      });
      expect(await free()).toEqual([other]);
      await end("a");
      expect(await free()).toEqual([touched]);
    },
  );

  it("keeps them also if it is larger than the pool, or in part outside of it", async () => {
    const { send, free } = await smallSpace({ cidr: "10.244.0.0/22", blockSize: 24 });
    await send("a", ["10.244.2.0/23"]);
    expect(await free()).toEqual(["10.244.0.0/24", "10.244.1.0/24"]);
    const all = await smallSpace();
    await all.send("a", ["10.0.0.0/8"]);
    expect(await all.free()).toEqual([]);
  });

  it("shares a prefix with another one, and it is free when the last has ended", async () => {
    const { send, free, end } = await smallSpace();
    await send("a", ["10.244.0.0/27"]);
    await send("b", ["10.244.0.32/27"]);
    expect(await free()).toEqual(["10.244.1.0/24"]);
    await end("a");
    expect(await free()).toEqual([]);
    await end("b");
    expect(await free()).toEqual(["10.244.0.0/24"]);
  });

  it("keeps a prefix from a handle that names it", async () => {
    const { send, call } = await smallSpace();
    await send("a", ["10.244.0.0/27"]);
    const body = { handle: "h", cidr: "10.244.0.0/24" };
    expect(await call("POST", "/v1/prefixes", { body })).toMatchObject({
      status: 409,
      body: {
        code: "already_assigned",
        node: "a",
        detail: "Prefix 10.244.0.0/24 is in use: node a states 10.244.0.0/27.",
      },
    });
  });

  it("does the same by a request, and a DELETE frees it", async () => {
    const { call, free } = await smallSpace();
    const path = "/v1/nodes/a/pod-cidrs";
    const stated = { uid: "u", podCIDRs: ["10.244.0.0/27"] };
    expect((await call("POST", path, { body: stated })).body.code).toBe("no_pool_available");
    expect(await free()).toEqual(["10.244.1.0/24"]);
    expect((await call("DELETE", path, { query: { uid: "u" } })).body.released).toEqual([
      "10.244.0.0/27",
    ]);
    expect(await free()).toEqual(["10.244.0.0/24"]);
  });
});

describe("a Node that states what it cannot have", () => {
  it("keeps a prefix of another node when that one has ended", async () => {
    const { send, free, end } = await smallSpace();
    await send("a", ["10.244.0.0/24"]);
    expect(await send("b", ["10.244.0.0/24"])).toMatchObject({ code: "already_assigned" });
    await end("a");
    expect(await free()).toEqual(["10.244.1.0/24"]);
    expect(await send("b", ["10.244.0.0/24"])).toMatchObject({
      podCIDRs: [{ cidr: "10.244.0.0/24" }],
    });
  });

  it("keeps two of one family", async () => {
    const { send, free } = await smallSpace({ cidr: "10.244.0.0/22", blockSize: 24 });
    await send("a", ["10.244.0.0/24", "10.244.1.0/24"]);
    expect(await free()).toEqual(["10.244.2.0/24", "10.244.3.0/24"]);
  });
});

describe("a CiliumNode that lists a prefix of another size", () => {
  it("keeps it and what it touches, and its answer lists it, in cluster-pool", async () => {
    const { putCilium, free, call } = await smallSpace();
    const { spec, status } = await putCilium("a", "cluster-pool", { podCIDRs: ["10.244.0.0/27"] });
    expect(spec.ipam.podCIDRs).toEqual(["10.244.0.0/27"]);
    expect(status.operator.error).toContain("10.244.0.0/27");
    expect(await free()).toEqual(["10.244.1.0/24"]);
    await call("DELETE", "/v1/nodes/a/cilium", { query: { uid: "a" } });
    expect(await free()).toEqual(["10.244.0.0/24"]);
  });

  it("keeps it and what it touches, and its answer lists it, in multi-pool", async () => {
    const { putCilium, free, end } = await smallSpace();
    const allocated = [{ pool: "pods", cidrs: ["10.244.0.0/27", "10.244.0.64/27"] }];
    const { spec } = await putCilium("a", "multi-pool", { pools: { requested: [], allocated } });
    expect(spec.ipam.pools.allocated).toEqual(allocated);
    expect(await free()).toEqual(["10.244.1.0/24"]);
    await putCilium("a", "multi-pool", { pools: { requested: [], allocated: [] } });
    expect(await free()).toEqual(["10.244.0.0/24"]);
    await end("a");
  });
});

it("a network that a CiliumNode lists, and that its node got as a prefix since, is released once", async () => {
  const { putCilium, call } = await smallSpace();
  const cidr = "10.244.0.0/24";
  const path = (node: string) => `/v1/nodes/${node}/pod-cidrs`;
  const state = (uid: string) => call("POST", path(uid), { body: { uid, podCIDRs: [cidr] } });
  await state("b");
  await putCilium("a", "cluster-pool", { podCIDRs: [cidr] });
  await call("DELETE", path("b"), { query: { uid: "b" } });
  expect((await state("a")).status).toBe(200);
  const { body } = await call("DELETE", "/v1/nodes/a/cilium", { query: { uid: "a" } });
  expect(body.released).toEqual([cidr]);
});
