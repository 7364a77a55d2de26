import "./silent.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionsOver } from "../../src/local/functions.ts";
import { type Serving, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";
import { call } from "./process.ts";

let serving: Serving;
let url: string;

beforeAll(async () => {
  const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
  serving = await serve(handlers, { port: 0 });
  url = `http://127.0.0.1:${serving.port}`;
});

afterAll(() => serving.stop());

/** The field of `spec.ipam` that the test reads. */
interface Ipam {
  readonly podCIDRs: readonly string[];
}

/** An agent of Cilium with its object in a cluster. Each write of the object makes its resourceVersion greater. */
class Agent {
  readonly #path: string;
  readonly #space: string;
  #version = 4711;
  object: ReturnType<typeof manifest>;

  constructor(space: string, name: string, query: string) {
    this.#space = `/v1/spaces/${space}`;
    this.#path = `${this.#space}/nodes/${name}/cilium`;
    this.object = manifest(name);
    this.query = query;
  }

  readonly query: string;

  /** Writes fields of the object, and does what the recipe does: a PUT, and a write of the answer. */
  async show(ipam: object = {}): Promise<Ipam & { readonly error: string }> {
    const { spec, metadata } = this.object;
    const resourceVersion = String(++this.#version);
    this.object = {
      ...this.object,
      metadata: { ...metadata, resourceVersion },
      spec: { ...spec, ipam: { ...spec.ipam, ...ipam } },
    };
    const answer = await call(url, "PUT", `${this.#path}?${this.query}`, this.object);
    expect(answer.status).toBe(200);
    // All but the fields that Plat fills in is as it came.
    const { addresses: _, ipam: __, ...others } = this.object.spec;
    expect(answer.body).toMatchObject({ ...this.object, spec: others, status: {} });
    expect(answer.body.spec.ipam.resourcepools).toEqual({});
    expect(answer.body.status["alibaba-cloud"]).toEqual({});
    this.object = answer.body;
    return { ...answer.body.spec.ipam, error: answer.body.status.operator.error };
  }

  async end(): Promise<readonly string[]> {
    const { uid } = this.object.metadata.ownerReferences[0] as { readonly uid: string };
    return (await call(url, "DELETE", `${this.#path}?uid=${uid}`)).body.released;
  }
}

/**
 * A CiliumNode as `kubectl get ciliumnode -o json` prints that of an agent which has just started, with the empty fields that the API
 * server keeps (the objects that Cilium expects in operator/pkg/ipam/testdata/multipool).
 */
const manifest = (name: string) => ({
  apiVersion: "cilium.io/v2",
  kind: "CiliumNode",
  metadata: {
    creationTimestamp: "2026-03-11T08:12:45Z",
    generation: 1,
    labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" },
    name,
    ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: `node-of-${name}` }],
    resourceVersion: "4711",
    uid: `ciliumnode-of-${name}`,
  },
  spec: {
    addresses: [{ ip: "172.18.0.3", type: "InternalIP" }],
    "alibaba-cloud": {},
    azure: {},
    bootid: "0f3a1c1e-8a2f-4d53-9d33-1f5e4a1b2c3d",
    encryption: {},
    eni: {},
    health: { ipv4: "10.244.1.170" },
    ingress: {},
    ipam: { pools: {}, resourcepools: {} },
  },
  status: { "alibaba-cloud": {}, azure: {}, eni: {}, ipam: { "operator-status": {} } },
});

/** Adds pools to a space, by their names. */
async function pools(space: string, named: Readonly<Record<string, object>>): Promise<void> {
  for (const [name, pool] of Object.entries(named))
    expect(await call(url, "PUT", `/v1/spaces/${space}/pools/${name}`, pool)).toMatchObject({
      status: 201,
    });
}

describe("a cluster of Cilium over the local server", () => {
  it("gets one prefix of each family for a node in mode cluster-pool", async () => {
    await pools("cluster-pool", {
      v4: { cidr: "10.64.0.0/20", assign: "prefixes" },
      v6: { cidr: "fd00:64::/60", assign: "prefixes" },
    });
    const agent = new Agent("cluster-pool", "kind-worker", "mode=cluster-pool");
    const { podCIDRs, error } = await agent.show();
    expect({ podCIDRs, error }).toEqual({
      podCIDRs: [expect.stringContaining("10.64."), expect.stringContaining("fd00:64:")],
      error: "",
    });
    expect((await agent.show()).podCIDRs).toEqual(podCIDRs);
    const other = new Agent("cluster-pool", "kind-worker2", "mode=cluster-pool");
    expect(await other.show({ podCIDRs })).toMatchObject({
      podCIDRs,
      error: expect.stringContaining("kind-worker"),
    });
    expect((await agent.end()).toSorted()).toEqual(podCIDRs.toSorted());
    expect(await other.show({ podCIDRs })).toMatchObject({ podCIDRs, error: "" });
  });
});
