import { describe, expect, it } from "vitest";
import { type CiliumSaid, ciliumNode } from "../node-objects.ts";
import { newSpace } from "./plat.ts";

type Query = Readonly<Record<string, string>>;

/** Returns a space with 16 prefixes of some families, and the calls of a cluster. */
async function spaceOfPrefixes(...families: readonly ("v4" | "v6")[]) {
  const plat = newSpace();
  const cidrs = { v4: "10.64.0.0/20", v6: "fd00:64::/60" };
  for (const family of families)
    await plat.put(`/v1/pools/${family}`, { cidr: cidrs[family], assign: "prefixes" });
  const path = (node: string) => `/v1/nodes/${node}/cilium`;
  return {
    ...plat,
    apply: (node: string, said: CiliumSaid = {}, query: Query = {}) =>
      plat.call("PUT", path(node), { body: ciliumNode(node, said), query }),
    read: (node: string) => plat.get(path(node)),
    end: (node: string, uid = "a") => plat.call("DELETE", path(node), { query: { uid } }),
    podCidrs: async (node: string, uid = "a") =>
      (await plat.get(`/v1/nodes/${node}/pod-cidrs`, { uid })).body.podCIDRs.map(
        ({ cidr, state }: { readonly cidr: string; readonly state: string }) => [cidr, state],
      ),
  };
}

const V4 = expect.stringMatching(/^10\.64\.\d+\.0\/24$/);
const V6 = expect.stringMatching(/^fd00:64(:0:\w)?::\/64$/);

const errorOf = ({ body }: { readonly body: { status: { operator: { error: string } } } }) =>
  body.status.operator.error;

describe("a CiliumNode in mode cluster-pool", () => {
  it("is answered with one prefix of each family, and as it came otherwise", async () => {
    const { apply } = await spaceOfPrefixes("v4", "v6");
    const status = { ipam: { used: { "10.0.0.1": { owner: "a/b" } } }, eni: { enis: {} } };
    const { status: code, body } = await apply("node-1", { status });
    expect(code).toBe(200);
    const sent = ciliumNode("node-1", { status });
    expect(body).toEqual({
      ...sent,
      spec: { ...sent.spec, ipam: { podCIDRs: [V4, V6] } },
      status: {
        ...status,
        ipam: { ...status.ipam, "operator-status": { error: "" } },
        operator: { error: "" },
      },
    });
  });

  it("keeps what it has and what it shows, and is told so when that is another prefix", async () => {
    const { apply, podCidrs } = await spaceOfPrefixes("v4");
    await apply("node-1", { podCIDRs: ["10.64.7.0/24"] });
    const answer = await apply("node-1", { podCIDRs: ["10.64.8.0/24"], resourceVersion: "6" });
    expect(answer.status).toBe(200);
    expect(answer.body.spec.ipam.podCIDRs).toEqual(["10.64.8.0/24"]);
    expect(await podCidrs("node-1")).toEqual([["10.64.7.0/24", "confirmed"]]);
    expect(errorOf(answer)).toBe(
      "Node node-1, IPv4: The CiliumNode shows 10.64.8.0/24, but the node has 10.64.7.0/24. Write that into spec.ipam.podCIDRs, or release it first.",
    );
    expect(answer.body.status.ipam["operator-status"].error).toBe(errorOf(answer));
  });

  it("gets nothing of what it shows if one of it belongs to another node", async () => {
    const { apply, podCidrs } = await spaceOfPrefixes("v4", "v6");
    await apply("node-1", { podCIDRs: ["10.64.7.0/24"] });
    const podCIDRs = ["10.64.7.0/24", "fd00:64::/64"];
    const answer = await apply("node-2", { uid: "b", podCIDRs });
    expect(answer.body.spec.ipam.podCIDRs).toEqual(podCIDRs);
    expect(errorOf(answer)).toMatch(/^Node node-2, IPv4 and IPv6: /);
    expect(await podCidrs("node-2", "b")).toEqual([]);
  });

  it("gets none of two families if no pool serves one of them, and is told which", async () => {
    const { apply } = await spaceOfPrefixes("v4");
    const answer = await apply("node-1", {}, { families: "4,6" });
    expect(answer.body.spec.ipam.podCIDRs).toEqual([]);
    expect(errorOf(answer)).toBe("Node node-1, IPv6: No pool of prefixes serves the node.");
  });

  it("shows what the pod-cidrs of its Node show", async () => {
    const { apply, call } = await spaceOfPrefixes("v4", "v6");
    const podCIDRs = ["10.64.3.0/24", "fd00:64:0:3::/64"];
    await call("POST", "/v1/nodes/node-1/pod-cidrs", { body: { uid: "a", podCIDRs } });
    expect((await apply("node-1")).body.spec.ipam.podCIDRs).toEqual(podCIDRs);
  });

  it("is answered the same when the answer is written back, though it cannot have all of it", async () => {
    const { apply } = await spaceOfPrefixes("v4", "v6");
    await apply("node-1", { podCIDRs: ["fd00:64:0:1::/64"] });
    const stated = ["10.64.2.0/24", "fd00:64:0:1::/64"];
    let podCIDRs = stated;
    for (const resourceVersion of ["5", "6", "7"])
      ({ podCIDRs } = (
        await apply("node-2", { uid: "b", podCIDRs, resourceVersion })
      ).body.spec.ipam);
    expect(podCIDRs).toEqual(stated);
  });

  it("may be YAML", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/v4", { cidr: "10.64.0.0/20", assign: "prefixes" });
    const yaml = `
apiVersion: cilium.io/v2
kind: CiliumNode
metadata: {name: node-1, uid: a, resourceVersion: "5"}
spec:
  ipam: {}
`;
    const answer = await plat.call("PUT", "/v1/nodes/node-1/cilium", {
      body: yaml,
      headers: { "content-type": "application/yaml" },
    });
    expect(answer.body.spec.ipam.podCIDRs).toEqual([V4]);
  });
});

describe("GET of a CiliumNode", () => {
  it("lists what the object shows, also if a PUT would take it only now", async () => {
    const { apply, read, end } = await spaceOfPrefixes("v4");
    const podCIDRs = ["10.64.7.0/24"];
    await apply("node-2", { uid: "b", podCIDRs });
    await apply("node-1", { podCIDRs });
    await end("node-2", "b");
    expect((await read("node-1")).body.spec.ipam.podCIDRs).toEqual(podCIDRs);
  });

  it("answers as a PUT would, and changes nothing", async () => {
    const { apply, read, put, podCidrs } = await spaceOfPrefixes("v4");
    expect((await read("node-1")).status).toBe(404);
    const { spec, status } = (await apply("node-1")).body;
    const { body } = await read("node-1");
    expect(body).toEqual({
      apiVersion: "cilium.io/v2",
      kind: "CiliumNode",
      metadata: { name: "node-1" },
      spec: { ipam: spec.ipam },
      status,
    });
    await put("/v1/pools/v6", { cidr: "fd00:64::/60", assign: "prefixes" });
    expect((await read("node-1")).body.spec.ipam).toEqual(spec.ipam);
    expect(await podCidrs("node-1")).toHaveLength(1);
  });
});

describe("DELETE of a CiliumNode", () => {
  it("releases all that its uid has, once", async () => {
    const { apply, end, read, podCidrs } = await spaceOfPrefixes("v4", "v6");
    const { podCIDRs } = (await apply("node-1")).body.spec.ipam;
    expect((await end("node-1", "b")).body).toEqual({ released: [] });
    const { released } = (await end("node-1")).body;
    expect(released.toSorted()).toEqual(podCIDRs.toSorted());
    expect((await end("node-1")).body).toEqual({ released: [] });
    expect(await podCidrs("node-1")).toEqual([]);
    expect((await read("node-1")).status).toBe(404);
  });
});

describe("a CiliumNode is refused", () => {
  const problemOf = async (said: CiliumSaid, query: Query = {}) => {
    const { apply } = await spaceOfPrefixes("v4");
    const { status, body } = await apply("node-1", said, query);
    return [status, body.fields?.[0]?.field];
  };

  it("without a uid", async () => {
    const metadata = { uid: undefined, ownerReferences: undefined };
    expect(await problemOf({ metadata })).toEqual([400, "metadata.uid"]);
  });

  it("with fields that cannot be read", async () => {
    expect(await problemOf({ podCIDRs: ["10.0.0.0/33"] })).toEqual([400, "spec.ipam.podCIDRs[0]"]);
    expect(await problemOf({ resourceVersion: "x" })).toEqual([400, "metadata.resourceVersion"]);
    expect(await problemOf({}, { mode: "eni" })).toEqual([400, "?mode"]);
    expect(await problemOf({}, { families: "5" })).toEqual([400, "?families"]);
    expect(await problemOf({}, { releaseAfterSeconds: "3601" })).toEqual([
      400,
      "?releaseAfterSeconds",
    ]);
  });

  it("if it nests too deeply", async () => {
    let deep: object = {};
    for (let level = 0; level < 40; level++) deep = { deep };
    expect(await problemOf({ status: deep })).toEqual([400, "body"]);
  });

  it("under the name of another node", async () => {
    const { call } = await spaceOfPrefixes("v4");
    const answer = await call("PUT", "/v1/nodes/node-2/cilium", { body: ciliumNode("node-1") });
    expect([answer.status, answer.body.code]).toEqual([422, "name_mismatch"]);
  });

  it("if a later one of its uid was seen", async () => {
    const { apply } = await spaceOfPrefixes("v4");
    await apply("node-1", { resourceVersion: "10" });
    const answer = await apply("node-1", { resourceVersion: "9" });
    expect([answer.status, answer.body.code]).toEqual([412, "precondition_failed"]);
    const other = await apply("node-1", { uid: "b", resourceVersion: "9" });
    expect(other.status).toBe(200);
  });

  it("if its node has ended", async () => {
    const { apply, call } = await spaceOfPrefixes("v4");
    const metadata = {
      name: "node-1",
      uid: "a",
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
    };
    await call("POST", "/v1/events", {
      body: { type: "DELETED", object: { kind: "Node", apiVersion: "v1", metadata } },
    });
    const answer = await apply("node-1");
    expect([answer.status, answer.body.code]).toEqual([409, "node_gone"]);
  });
});

describe("a CiliumNode of a pool that serves certain callers", () => {
  const RED = "arn:aws:iam::123456789012:role/red";
  const SESSION_OF_RED = "arn:aws:sts::123456789012:assumed-role/red/job-7";

  it("is shown to its caller without an error", async () => {
    const { call, put } = newSpace();
    const pool = { cidr: "10.64.0.0/20", assign: "prefixes", principals: [RED] };
    await put("/v1/pools/red", pool);
    const path = "/v1/nodes/node-1/cilium";
    const sent = { body: ciliumNode("node-1"), caller: SESSION_OF_RED };
    expect(errorOf(await call("PUT", path, { ...sent, query: { families: "6" } }))).not.toBe("");
    await put("/v1/pools/six", { ...pool, cidr: "fd00:64::/60" });
    const read = await call("GET", path, { caller: SESSION_OF_RED });
    expect(errorOf(read)).toBe("");
    expect(errorOf(await call("GET", path))).toBe(
      "Node node-1, IPv6: No pool of prefixes serves the node.",
    );
  });
});
