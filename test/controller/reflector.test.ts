import { describe, expect, it } from "vitest";
import { KubeError } from "../../src/controller/kube/api.ts";
import { Reflector } from "../../src/controller/kube/reflector.ts";
import type { NodeObject } from "../../src/controller/nodes.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const LIST = "GET /api/v1/nodes";
const WATCH = "WATCH /api/v1/nodes";

/** Follows the nodes of a cluster while a test acts, and returns what was told. */
async function following(
  act: (of: {
    readonly cluster: FakeCluster;
    readonly told: string[];
    readonly reflector: Reflector<NodeObject>;
    readonly sleep: (ms: number) => Promise<void>;
  }) => Promise<void>,
  prepare: (cluster: FakeCluster) => void = () => undefined,
): Promise<void> {
  const clock = new VirtualClock();
  const cluster = new FakeCluster();
  prepare(cluster);
  const told: string[] = [];
  const reflector = new Reflector<NodeObject>(
    cluster,
    {
      path: "/api/v1/nodes",
      keep: (node) => node,
      present: ({ metadata }) => told.push(`${metadata.name} ${metadata.uid}`),
      gone: ({ metadata }) => told.push(`${metadata.name} gone at ${metadata.resourceVersion}`),
      listed: () => undefined,
      failed: (error) => told.push(error instanceof Error ? error.message : "?"),
    },
    waitsOf(clock),
  );
  await clock.run(async () => {
    const ending = new AbortController();
    const running = reflector.run(ending.signal);
    await clock.sleep(1);
    await act({ cluster, told, reflector, sleep: clock.sleep }).finally(() => ending.abort());
    await running;
  });
}

describe("a reflector", () => {
  it("lists all pages once, and then follows the changes", () =>
    following(
      async ({ cluster, told, reflector, sleep }) => {
        expect(reflector.objects.size).toBe(1_100);
        expect(told).toHaveLength(1_100);
        cluster.put("n0000", { unschedulable: true });
        cluster.delete("n0001");
        await sleep(1);
        expect(told.slice(1_100)).toEqual([
          "n0000 uid-n0000-100",
          `n0001 gone at ${cluster.version}`,
        ]);
        expect(reflector.version).toBe(cluster.version);
        expect(cluster.requests).toEqual([LIST, LIST, LIST, WATCH]);
      },
      (cluster) => {
        for (let n = 0; n < 1_100; n++) cluster.put(`n${String(n).padStart(4, "0")}`);
      },
    ));

  it("goes on from where it was after a cut, without another list", () =>
    following(async ({ cluster, told, sleep }) => {
      cluster.cut();
      cluster.put("a");
      cluster.put("b");
      cluster.delete("a");
      await sleep(1_000);
      expect(told).toEqual(["socket hang up", "a uid-a-100", "b uid-b-101", "a gone at 103"]);
      expect(cluster.requests.filter((one) => one === LIST)).toHaveLength(1);
    }));

  it("finds deletions, and objects that were made anew, if the changes are gone", () =>
    following(async ({ cluster, told, reflector, sleep }) => {
      for (const name of ["a", "b", "c"]) cluster.put(name);
      await sleep(1);
      told.length = 0;
      cluster.cut("closed");
      cluster.delete("a");
      cluster.delete("b");
      cluster.put("b");
      cluster.compact();
      await sleep(5_000);
      const { version } = cluster;
      expect(told).toEqual([
        "too old",
        `a gone at ${version}`,
        `b gone at ${version}`,
        "b uid-b-105",
      ]);
      expect([...reflector.objects.keys()].sort()).toEqual(["b", "c"]);
    }));

  it("takes the version of a bookmark, so that it need not list again", () =>
    following(async ({ cluster, reflector, sleep }) => {
      cluster.bookmark();
      await sleep(1);
      expect(reflector.version).toBe(cluster.version);
      cluster.compact();
      cluster.cut("closed");
      await sleep(1_000);
      expect(cluster.requests.filter((one) => one === LIST)).toHaveLength(1);
    }));

  it("waits longer after each failure, up to 30 s, and as long as the server asks", () =>
    following(async ({ cluster, told, reflector, sleep }) => {
      const refused = new KubeError(500, "InternalError", "no");
      for (let n = 0; n < 12; n++) cluster.failures.push([WATCH, refused]);
      cluster.failures.push([WATCH, new KubeError(429, "TooManyRequests", "later", 120_000)]);
      cluster.cut();
      await sleep(10 * 60_000);
      expect(told).toEqual(["socket hang up", ...Array(12).fill("no"), "later"]);
      const before = cluster.requests.length;
      await sleep(10 * 60_000);
      expect(cluster.requests).toHaveLength(before);
      expect(reflector.isListed).toBe(true);
    }));

  it("asks a server that ends each watch at once more and more rarely", () =>
    following(async ({ cluster, sleep }) => {
      const isOver = new AbortController();
      const cutting = (async () => {
        for (; !isOver.signal.aborted; await sleep(1)) cluster.cut("closed");
      })();
      await sleep(60_000);
      isOver.abort();
      await cutting;
      const watches = cluster.requests.filter((one) => one === WATCH);
      expect(watches.length).toBeLessThan(15);
    }));

  it("hears a server whose watches end without a line, and asks it on without a longer pause", () =>
    following(async ({ cluster, told, reflector, sleep }) => {
      const startMs = reflector.heardAtMs;
      for (let n = 0; n < 40; n++) {
        await sleep(90_000);
        cluster.cut("closed");
      }
      await sleep(1_000);
      expect(reflector.heardAtMs - startMs).toBeGreaterThanOrEqual(40 * 90_000);
      expect(cluster.requests).toEqual([LIST, ...Array(41).fill(WATCH)]);
      expect(told).toEqual([]);
    }));
});
