import { describe, expect, it } from "vitest";
import { ApiError, clientOver, type PlatClient } from "../../src/client/index.ts";
import { type CiliumNodeObject, CiliumNodes } from "../../src/controller/cilium.ts";
import { KubeError } from "../../src/controller/kube/api.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const PATH = "/apis/cilium.io/v2/ciliumnodes";

/** Plat as the controller sees it: it notes the CiliumNodes that it is sent, and grants what a test says. */
class FakePlat {
  /** The requests, as `PUT n1` with the networks of the object. */
  readonly requests: string[] = [];
  /** The parameters of the last request. */
  query: object = {};
  /** Errors of the next requests. */
  readonly failures: Error[] = [];
  /** The bodies of the next answers, of a server that is not Plat. */
  readonly strange: object[] = [];
  /** Returns the networks that an object should have, and what is wrong. */
  grant: (name: string) => { readonly podCIDRs?: readonly string[]; readonly error?: string } =
    () => ({});

  readonly client: PlatClient = clientOver(
    async <Body>({ method, path, query = {}, body }: Asked) => {
      const name = /nodes\/([^/]+)\/cilium$/.exec(path)?.[1] ?? "";
      this.query = query;
      const object = body as CiliumNodeObject | undefined;
      const networks = object?.spec.ipam?.podCIDRs ?? [];
      this.requests.push([method, name, query.mode ?? query.uid, ...networks].join(" "));
      const failure = this.failures.shift();
      if (failure) throw failure;
      const strange = this.strange.shift();
      if (strange) return { status: 200, etag: undefined, body: strange as Body };
      const { error = "", ...ipam } = this.grant(name);
      const answered = object && {
        ...object,
        spec: { ...object.spec, ipam: { ...object.spec.ipam, ...ipam } },
        status: {
          ...object.status,
          ipam: { ...object.status?.ipam, "operator-status": { error } },
          operator: { error },
        },
      };
      return { status: 200, etag: undefined, body: (answered ?? { released: [] }) as Body };
    },
  );
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const problem = (code: string, retryable: boolean) =>
  new ApiError({ type: "", title: "", status: 409, detail: "no", code, retryable } as never);

/** Lets a controller work for CiliumNodes while a test acts. */
async function working(
  prepare: (cluster: FakeCluster, plat: FakePlat) => void,
  act: (of: {
    readonly cluster: FakeCluster;
    readonly plat: FakePlat;
    readonly nodes: CiliumNodes;
    readonly sleep: (ms: number) => Promise<void>;
    readonly lead: () => void;
  }) => Promise<void>,
  { follows = false, parameters = {} }: { follows?: boolean; parameters?: object } = {},
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, plat] = [new FakeCluster(), new FakePlat()];
  prepare(cluster, plat);
  const nodes = new CiliumNodes({
    plat: plat.client,
    api: cluster,
    parameters: { mode: "cluster-pool", ...parameters },
    everyMs: 60_000,
    waits: waitsOf(clock),
    metrics: new Metrics(),
    log: () => undefined,
  });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = [nodes.reflector.run(ending.signal)];
    const lead = () => void running.push(nodes.run(ending.signal));
    if (!follows) lead();
    await clock.sleep(2_000);
    await act({ cluster, plat, nodes, sleep: clock.sleep, lead }).finally(() => ending.abort());
    await Promise.all(running);
  });
}

const giving = (_: FakeCluster, plat: FakePlat) => {
  plat.grant = () => ({ podCIDRs: ["10.0.1.0/24"] });
};
const patches = ({ requests }: FakeCluster) => requests.filter((one) => one.startsWith("PATCH"));

describe("a CiliumNode", () => {
  it("gets what Plat grants, as a whole and under the version that Plat saw", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      cluster.putCilium("n1", { spec: { ipam: { "pre-allocate": 8 } } });
      await sleep(1_000);
      expect(cluster.ciliumNodes.get("n1")?.spec).toEqual({
        ipam: { "pre-allocate": 8, podCIDRs: ["10.0.1.0/24"] },
      });
      expect(patches(cluster)).toEqual([`PATCH ${PATH}/n1`]);
      expect(plat.requests[0]).toBe("PUT n1 cluster-pool");
    }));

  it("is sent with the families and the times of the configuration", async () => {
    const parameters = { families: "4,6", releaseAfterSeconds: 180, withdrawAfterSeconds: 0 };
    const joining = (cluster: FakeCluster) => cluster.putCilium("n1");
    await working(
      joining,
      async ({ plat }) => expect(plat.query).toEqual({ mode: "cluster-pool", ...parameters }),
      { parameters },
    );
    await working(joining, async ({ plat }) =>
      expect(plat.query).toEqual({ mode: "cluster-pool" }),
    );
  });

  it("is sent each minute although it does not change, and not written again", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      cluster.putCilium("n1");
      await sleep(1_000);
      const [sent, written] = [plat.requests.length, patches(cluster).length];
      await sleep(600_000);
      expect(plat.requests.length - sent).toBe(10);
      expect(patches(cluster)).toHaveLength(written);
    }));

  it("has in its status why it lacks something, until it lacks nothing", () =>
    working(
      (_, plat) => {
        plat.grant = () => ({ error: "The pool is full." });
      },
      async ({ cluster, plat, sleep }) => {
        cluster.putCilium("n1", { status: { ipam: { used: { "10.0.1.1": {} } } } });
        await sleep(1_000);
        const used = { "10.0.1.1": {} };
        expect(cluster.ciliumNodes.get("n1")?.status).toEqual({
          ipam: { used, "operator-status": { error: "The pool is full." } },
        });
        giving(cluster, plat);
        await sleep(60_000);
        expect(cluster.ciliumNodes.get("n1")?.status).toEqual({ ipam: { used } });
        expect(cluster.ciliumNodes.get("n1")?.spec.ipam?.podCIDRs).toEqual(["10.0.1.0/24"]);
      },
    ));

  it("is sent again as it is after a conflict", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      cluster.failures.push([`PATCH ${PATH}/n1`, new KubeError(409, "Conflict", "modified")]);
      cluster.putCilium("n1");
      await sleep(10_000);
      expect(cluster.ciliumNodes.get("n1")?.spec.ipam?.podCIDRs).toEqual(["10.0.1.0/24"]);
      expect(plat.requests.slice(0, 2)).toEqual(["PUT n1 cluster-pool", "PUT n1 cluster-pool"]);
      expect(cluster.events.size).toBe(0);
    }));

  it("is sent again if the answer is no CiliumNode, and not written", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      plat.strange.push({ ok: true });
      cluster.putCilium("n1");
      await sleep(500);
      expect(patches(cluster)).toEqual([]);
      await sleep(10_000);
      expect(cluster.ciliumNodes.get("n1")?.spec.ipam?.podCIDRs).toEqual(["10.0.1.0/24"]);
    }));

  it("that Plat rejects has an Event, and is sent again in a minute", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      plat.failures.push(problem("invalid_request", false));
      cluster.putCilium("n1");
      await sleep(50_000);
      expect(plat.requests).toHaveLength(1);
      expect([...cluster.events.values()]).toMatchObject([
        { reason: "CiliumNodeRejected", involvedObject: { kind: "CiliumNode", name: "n1" } },
      ]);
      await sleep(20_000);
      expect(plat.requests.length).toBeGreaterThan(1);
    }));
});

it("what CiliumNodes list is sent before others ask, also if Plat fails first", () =>
  working(
    (cluster, plat) => {
      giving(cluster, plat);
      cluster.putCilium("a-asking");
      cluster.putCilium("stating", { spec: { ipam: { podCIDRs: ["10.9.1.0/24"] } } });
      plat.failures.push(problem("unavailable", true));
    },
    async ({ plat, nodes, sleep }) => {
      await sleep(5_000);
      expect(plat.requests.slice(0, 3)).toEqual([
        "PUT stating cluster-pool 10.9.1.0/24",
        "PUT stating cluster-pool 10.9.1.0/24",
        "PUT a-asking cluster-pool",
      ]);
      expect(nodes.isOpen).toBe(true);
    },
  ));

describe("a CiliumNode that is gone", () => {
  it("keeps what it has if a Node owns it, because the end of the Node ends that", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      cluster.putCilium("n1");
      await sleep(1_000);
      cluster.deleteCilium("n1");
      await sleep(100_000);
      expect(plat.requests.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    }));

  it("loses what it has if no Node owns it, also if Plat fails first", () =>
    working(giving, async ({ cluster, plat, sleep }) => {
      cluster.putCilium("n1", {}, []);
      await sleep(1_000);
      const uid = cluster.ciliumNodes.get("n1")?.metadata.uid;
      plat.failures.push(problem("unavailable", true));
      cluster.deleteCilium("n1");
      await sleep(100_000);
      const released = plat.requests.filter((one) => one.startsWith("DELETE"));
      expect(released).toEqual([`DELETE n1 ${uid}`, `DELETE n1 ${uid}`]);
    }));

  it("while another replica leads is released by the one that leads next, an hour later too", () =>
    working(
      giving,
      async ({ cluster, plat, sleep, lead }) => {
        for (const name of ["early", "late"]) cluster.putCilium(name, {}, []);
        await sleep(1_000);
        const uidOf = (name: string) => cluster.ciliumNodes.get(name)?.metadata.uid;
        const ends = ["early", "late"].map((name) => `DELETE ${name} ${uidOf(name)}`);
        cluster.deleteCilium("early");
        await sleep(60 * 60_000);
        cluster.deleteCilium("late");
        await sleep(1_000);
        lead();
        await sleep(2_000);
        expect(plat.requests).toEqual(ends);
      },
      { follows: true },
    ));
});
