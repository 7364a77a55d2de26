import { expect, it } from "vitest";
import { ApiError, clientOver } from "../../src/client/index.ts";
import { KubeError } from "../../src/controller/kube/api.ts";
import { Lifecycle } from "../../src/controller/lifecycle.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import type { NodeObject } from "../../src/controller/nodes.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const UNREACHABLE = { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" };
const OWN = { key: "team", value: "a", effect: "NoExecute" };

/** Plat as the search for silent nodes sees it. */
class FakePlat {
  graceSeconds = 40;
  /** The nodes that Plat finds to be silent. */
  readonly silent = new Set<string>();
  /** The nodes that it does not know. */
  readonly unknown = new Set<string>();
  /** The nodes that it was asked about. */
  readonly asked: string[] = [];
  readonly failures: Error[] = [];
  readonly #cluster: FakeCluster;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  readonly client = clientOver(async <Body>({ path }: { path: string }) => {
    const body = path === "/v1/config" ? this.#config() : this.#node(path);
    return { status: 200, etag: undefined, body: body as Body };
  });

  #config = () => ({ nodeMonitorGraceSeconds: this.graceSeconds });

  #node(path: string): object {
    const failure = this.failures.shift();
    if (failure) throw failure;
    const name = path.slice("/v1/nodes/".length);
    this.asked.push(name);
    if (this.unknown.has(name))
      throw new ApiError({ code: "not_found", status: 404, detail: "no node" } as never);
    const uid = this.#cluster.nodes.get(name)?.metadata.uid;
    const taints = this.silent.has(name)
      ? [UNREACHABLE, { ...UNREACHABLE, effect: "NoExecute" }]
      : [];
    return { name, status: { uid, taints } };
  }
}

/** Lets a replica look for silent nodes while a test acts. */
async function looking(
  prepare: (cluster: FakeCluster, plat: FakePlat) => void,
  act: (of: {
    readonly cluster: FakeCluster;
    readonly plat: FakePlat;
    readonly metrics: Metrics;
    readonly lifecycle: Lifecycle;
    readonly renewals: Map<string, string>;
    readonly sleep: (ms: number) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, metrics, renewals] = [new FakeCluster(), new Metrics(), new Map()];
  const plat = new FakePlat(cluster);
  prepare(cluster, plat);
  const lifecycle = new Lifecycle({
    plat: plat.client,
    api: cluster,
    nodes: () => cluster.nodes,
    renewedAt: (name) => renewals.get(name),
    waits: waitsOf(clock),
    metrics,
    log: () => undefined,
  });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = lifecycle.run(ending.signal);
    await clock.sleep(1_000);
    const of = { cluster, plat, metrics, lifecycle, renewals, sleep: clock.sleep };
    await act(of).finally(() => ending.abort());
    await running;
  });
}

const taintsOf = (cluster: FakeCluster, name: string) => cluster.nodes.get(name)?.spec?.taints;
const nodeOf = (cluster: FakeCluster, name: string) => cluster.nodes.get(name) as NodeObject;

it("a node that gives no sign for the grace period gets the taint that Plat says, and keeps its own", () =>
  looking(
    (cluster, plat) => {
      cluster.put("n1", { taints: [OWN] });
      plat.silent.add("n1");
    },
    async ({ cluster, plat, lifecycle, metrics, sleep }) => {
      await sleep(35_000);
      expect(plat.asked).toEqual([]);
      expect(lifecycle.isSilent(nodeOf(cluster, "n1"))).toBe(false);
      await sleep(20_000);
      expect(taintsOf(cluster, "n1")).toEqual([OWN, UNREACHABLE]);
      expect(lifecycle.isSilent(nodeOf(cluster, "n1"))).toBe(true);
      expect(metrics.text()).toContain("plat_controller_silent_nodes 1\n");
      await sleep(110_000);
      expect(plat.asked).toEqual(["n1", "n1"]);
    },
  ));

it("a node is silent whatever heartbeats its conditions other than Ready have", () =>
  looking(
    (cluster, plat) => {
      cluster.put("n1");
      plat.silent.add("n1");
    },
    async ({ cluster, plat, lifecycle, sleep }) => {
      for (let at = 10; at < 40; at++) {
        cluster.beat("n1", `2026-03-11T08:20:${at}Z`, "False", "KernelDeadlock");
        await sleep(2_000);
      }
      expect(plat.asked).toEqual(["n1"]);
      expect(lifecycle.isSilent(nodeOf(cluster, "n1"))).toBe(true);
      expect(taintsOf(cluster, "n1")).toEqual([UNREACHABLE]);
    },
  ));

it("a node that Plat does not know is asked about once a minute, and hides no silent one", () =>
  looking(
    (cluster, plat) => {
      for (let n = 0; n < 300; n++) {
        cluster.put(`a${n}`);
        plat.unknown.add(`a${n}`);
      }
      cluster.put("silent");
      plat.silent.add("silent");
    },
    async ({ cluster, plat, sleep }) => {
      await sleep(120_000);
      expect(taintsOf(cluster, "silent")).toEqual([UNREACHABLE]);
      expect(plat.asked.filter((name) => name === "a0")).toHaveLength(2);
    },
  ));

it("Plat decides: a node that it does not find to be silent gets no taint", () =>
  looking(
    (cluster) => cluster.put("n1"),
    async ({ cluster, plat, sleep }) => {
      await sleep(60_000);
      expect(plat.asked).toEqual(["n1"]);
      expect(taintsOf(cluster, "n1")).toBeUndefined();
    },
  ));

it("a node that renews its Lease is not asked about", () =>
  looking(
    (cluster) => cluster.put("n1"),
    async ({ plat, renewals, sleep }) => {
      for (let at = 0; at < 20; at++) {
        renewals.set("n1", `renewal ${at}`);
        await sleep(10_000);
      }
      expect(plat.asked).toEqual([]);
    },
  ));

it("a silent node that renews its Lease loses its taint at once, and one with a heartbeat is left to its event", () =>
  looking(
    (cluster, plat) => {
      for (const name of ["n1", "n2"]) cluster.put(name);
      plat.silent.add("n1").add("n2");
    },
    async ({ cluster, plat, lifecycle, renewals, sleep }) => {
      await sleep(60_000);
      expect(taintsOf(cluster, "n1")).toEqual([UNREACHABLE]);
      plat.silent.clear();
      renewals.set("n1", "renewed");
      cluster.beat("n2", "2026-03-11T09:00:00Z");
      expect(lifecycle.isSilent(nodeOf(cluster, "n2"))).toBe(false);
      await sleep(11_000);
      expect(taintsOf(cluster, "n1")).toEqual([]);
      expect(lifecycle.isSilent(nodeOf(cluster, "n1"))).toBe(false);
    },
  ));

it("a replica that begins to lead takes a node with the taint for silent until Plat says otherwise", () =>
  looking(
    (cluster, plat) => {
      for (const name of ["n1", "n2"]) cluster.put(name, { taints: [UNREACHABLE] });
      plat.silent.add("n1");
    },
    async ({ cluster, plat, lifecycle, sleep }) => {
      await sleep(1_000);
      expect(plat.asked).toEqual(["n1", "n2"]);
      expect(["n1", "n2"].map((name) => lifecycle.isSilent(nodeOf(cluster, name)))).toEqual([
        true,
        false,
      ]);
      expect(taintsOf(cluster, "n1")).toEqual([UNREACHABLE]);
      expect(taintsOf(cluster, "n2")).toEqual([]);
    },
  ));

it("a Node that changed meanwhile is written again, as it is then", () =>
  looking(
    (cluster, plat) => {
      cluster.put("n1");
      plat.silent.add("n1");
    },
    async ({ cluster, plat, sleep }) => {
      cluster.failures.push(["PATCH /api/v1/nodes/n1", new KubeError(409, "Conflict", "modified")]);
      await sleep(65_000);
      expect(plat.asked).toEqual(["n1", "n1"]);
      expect(taintsOf(cluster, "n1")).toEqual([UNREACHABLE]);
    },
  ));

it("a Node whose patch is refused is tried again once a minute", () =>
  looking(
    (cluster, plat) => {
      cluster.put("n1");
      plat.silent.add("n1");
      const denied = new KubeError(403, "Forbidden", "denied");
      for (let n = 0; n < 1_000; n++) cluster.failures.push(["PATCH /api/v1/nodes/n1", denied]);
    },
    async ({ cluster, sleep }) => {
      await sleep(600_000);
      const patches = cluster.requests.filter((one) => one.startsWith("PATCH"));
      expect(patches.length).toBeGreaterThan(5);
      expect(patches.length).toBeLessThan(12);
    },
  ));

it("nobody is asked about where the space judges no silence", () =>
  looking(
    (cluster, plat) => {
      cluster.put("n1", { taints: [UNREACHABLE] });
      plat.graceSeconds = 0;
    },
    async ({ cluster, plat, lifecycle, sleep }) => {
      await sleep(600_000);
      expect(plat.asked).toEqual([]);
      // What the Node says counts then.
      expect(lifecycle.isSilent(nodeOf(cluster, "n1"))).toBe(false);
    },
  ));
