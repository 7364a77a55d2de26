import { expect, it } from "vitest";
import { clientOver } from "../../src/client/index.ts";
import { Leases } from "../../src/controller/leases.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster, NODE_LEASES } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

interface Said {
  readonly object: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly spec: { readonly renewTime: string };
  };
}

/** Plat as the work on Leases sees it. */
class FakePlat {
  graceSeconds = 60;
  /** The renewals of each request, as `n1 TIME`. */
  readonly batches: (readonly string[])[] = [];
  readonly failures: Error[] = [];
  /** True while nobody can read the settings of the space. */
  hidesSettings = false;
  /** The statuses of the next results. */
  readonly statuses: string[] = [];

  readonly client = clientOver(async <Body>({ path, body }: { path: string; body?: unknown }) => {
    if (path === "/v1/config" && this.hidesSettings) throw new Error("no answer");
    const answered =
      path === "/v1/config" ? { nodeMonitorGraceSeconds: this.graceSeconds } : this.#events(body);
    return { status: 200, etag: undefined, body: answered as Body };
  });

  #events(body: unknown): object {
    const failure = this.failures.shift();
    if (failure) throw failure;
    const { cluster, events } = body as { cluster: string; events: readonly Said[] };
    expect(cluster).toBe("c");
    for (const { object } of events)
      expect([object.kind, object.metadata.namespace]).toEqual(["Lease", "kube-node-lease"]);
    this.batches.push(
      events.map(({ object }) => `${object.metadata.name} ${object.spec.renewTime}`),
    );
    return { results: events.map(() => ({ status: this.statuses.shift() ?? "applied" })) };
  }
}

/** Lets a replica follow Leases while a test acts. */
async function following(
  prepare: (plat: FakePlat) => void,
  act: (of: {
    readonly plat: FakePlat;
    readonly leases: Leases;
    readonly renew: (node: string, time: string) => void;
    readonly remove: (node: string) => void;
    readonly logged: readonly string[];
    readonly sleep: (ms: number) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, plat, logged] = [new FakeCluster(), new FakePlat(), [] as string[]];
  prepare(plat);
  const log = (message: string) => logged.push(message);
  const surroundings = { api: cluster, waits: waitsOf(clock), metrics: new Metrics(), log };
  const leases = new Leases({ ...surroundings, plat: plat.client, cluster: "c" });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = [leases.reflector.run(ending.signal), leases.run(ending.signal)];
    const renew = (node: string, renewTime: string) =>
      cluster.putObject(NODE_LEASES, node, { spec: { renewTime } }, "kube-node-lease");
    const remove = (node: string) => cluster.deleteObject(NODE_LEASES, `kube-node-lease/${node}`);
    await clock.sleep(1_000);
    const of = { plat, leases, renew, remove, logged, sleep: clock.sleep };
    await act(of).finally(() => ending.abort());
    await Promise.all(running);
  });
}

it("renewals are told three times in the grace period, those of all nodes together", () =>
  following(
    () => undefined,
    async ({ plat, leases, renew, sleep }) => {
      for (let at = 0; at < 12; at++) {
        renew("n1", `2026-03-11T08:00:${at + 10}Z`);
        renew("n2", `2026-03-11T08:00:${at + 10}Z`);
        await sleep(5_000);
      }
      expect(plat.batches.length).toBeGreaterThanOrEqual(2);
      expect(plat.batches.length).toBeLessThanOrEqual(4);
      expect(plat.batches.every((batch) => batch.length === 2)).toBe(true);
      expect(leases.renewedAt("n1")).toBe("2026-03-11T08:00:21Z");
      expect(leases.renewedAt("n3")).toBeUndefined();
    },
  ));

it("a node that renews nothing costs no request, and one that is gone neither", () =>
  following(
    () => undefined,
    async ({ plat, renew, remove, sleep }) => {
      renew("n1", "2026-03-11T08:00:00Z");
      await sleep(200_000);
      expect(plat.batches).toEqual([["n1 2026-03-11T08:00:00Z"]]);
      remove("n1");
      await sleep(200_000);
      expect(plat.batches).toHaveLength(1);
    },
  ));

it("what Plat does not take is told again", () =>
  following(
    (plat) => plat.failures.push(new Error("no answer")),
    async ({ plat, renew, sleep }) => {
      plat.statuses.push("failed", "stale");
      for (const name of ["n1", "n2"]) renew(name, "2026-03-11T08:00:00Z");
      await sleep(200_000);
      expect(plat.batches.map((batch) => batch.length)).toEqual([2, 1]);
    },
  ));

it("renewals are told on while the settings of the space cannot be read again", () =>
  following(
    () => undefined,
    async ({ plat, renew, sleep }) => {
      plat.hidesSettings = true;
      for (let at = 0; at < 36; at++) {
        renew("n1", `2026-03-11T08:00:00.${at + 100}Z`);
        await sleep(5_000);
      }
      // One in each 20 s.
      expect(plat.batches.length).toBeGreaterThanOrEqual(8);
    },
  ));

it("renewals are told soon after settings that could not be read at first", () =>
  following(
    (plat) => {
      plat.hidesSettings = true;
    },
    async ({ plat, renew, sleep }) => {
      renew("n1", "2026-03-11T08:00:00Z");
      await sleep(3_000);
      plat.hidesSettings = false;
      await sleep(5_000);
      expect(plat.batches).toEqual([["n1 2026-03-11T08:00:00Z"]]);
    },
  ));

it("more Leases than one request takes are told in several", () =>
  following(
    () => undefined,
    async ({ plat, renew, sleep }) => {
      for (let n = 0; n < 300; n++) renew(`n${n}`, "2026-03-11T08:00:00Z");
      await sleep(25_000);
      expect(plat.batches.map((batch) => batch.length)).toEqual([256, 44]);
    },
  ));

it("nothing is told where the space judges no silence, and the log says so", () =>
  following(
    (plat) => {
      plat.graceSeconds = 0;
    },
    async ({ plat, renew, logged, sleep }) => {
      renew("n1", "2026-03-11T08:00:00Z");
      await sleep(200_000);
      expect(plat.batches).toEqual([]);
      expect(logged[0]).toContain("nodeMonitorGraceSeconds");
    },
  ));
