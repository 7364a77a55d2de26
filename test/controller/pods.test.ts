import { expect, it } from "vitest";
import { ApiError, clientOver } from "../../src/client/index.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import { Pods } from "../../src/controller/pods.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

interface Said {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
    readonly status?: { readonly phase: string };
  };
}

/** Plat as the controller sees it: it notes the ends of pods, and answers as a test says. */
class FakePlat {
  /** The events of each request, as `DELETED shop/a`. */
  readonly batches: (readonly string[])[] = [];
  readonly failures: Error[] = [];
  /** The statuses of the next results. */
  readonly statuses: string[] = [];
  indexedAttributes: readonly string[] = ["podUid"];

  readonly client = clientOver(async <Body>({ path, body }: { path: string; body?: unknown }) => {
    const failure = this.failures.shift();
    if (failure) throw failure;
    const { indexedAttributes } = this;
    const answered = path === "/v1/config" ? { indexedAttributes } : this.#events(body);
    return { status: 200, etag: undefined, body: answered as Body };
  });

  #events(body: unknown): object {
    const { events } = body as { events: readonly Said[] };
    this.batches.push(
      events.map(({ type, object: { metadata, status } }) =>
        [type, `${metadata.namespace}/${metadata.name}`, status?.phase].filter(Boolean).join(" "),
      ),
    );
    return { results: events.map(() => ({ status: this.statuses.shift() ?? "applied" })) };
  }
}

interface Working {
  readonly cluster: FakeCluster;
  readonly plat: FakePlat;
  readonly logged: readonly string[];
  readonly sleep: (ms: number) => Promise<void>;
  /** Lets the replica lead. */
  readonly lead: () => void;
}

/** Lets a replica follow the pods of a cluster while a test acts. */
async function following(
  prepare: (cluster: FakeCluster, plat: FakePlat) => void,
  act: (of: Working) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, plat] = [new FakeCluster(), new FakePlat()];
  const logged: string[] = [];
  prepare(cluster, plat);
  const log = (message: string) => logged.push(message);
  const surroundings = { api: cluster, waits: waitsOf(clock), metrics: new Metrics(), log };
  const pods = new Pods({ ...surroundings, plat: plat.client });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = [pods.follow(ending.signal)];
    const lead = () => running.push(pods.run(ending.signal));
    await clock.sleep(1_000);
    await act({ cluster, plat, logged, lead, sleep: clock.sleep }).finally(() => ending.abort());
    await Promise.all(running);
  });
}

/** Lets a replica that leads follow the pods. */
const leading = (
  prepare: (cluster: FakeCluster, plat: FakePlat) => void,
  act: (of: Working) => Promise<void>,
) =>
  following(prepare, async (of) => {
    of.lead();
    await of.sleep(1_000);
    await act(of);
  });

it("a pod is told when it is deleted, succeeds or fails, and not while it runs", () =>
  leading(
    (cluster) => {
      cluster.putPod("job-1", "Succeeded");
      for (const name of ["a", "b"]) cluster.putPod(name);
    },
    async ({ cluster, plat, sleep }) => {
      expect(plat.batches).toEqual([["MODIFIED shop/job-1 Succeeded"]]);
      cluster.putPod("c", "Pending");
      cluster.putPod("a", "Failed");
      cluster.deletePod("b");
      await sleep(1_000);
      expect(plat.batches.slice(1)).toEqual([["MODIFIED shop/a Failed", "DELETED shop/b"]]);
      cluster.deletePod("job-1");
      await sleep(1_000);
      expect(plat.batches.slice(2)).toEqual([["DELETED shop/job-1"]]);
    },
  ));

it("a pod whose deletion the watch missed is told after the next list", () =>
  leading(
    (cluster) => {
      for (const name of ["a", "b"]) cluster.putPod(name);
    },
    async ({ cluster, plat, sleep }) => {
      cluster.cut();
      cluster.deletePod("a");
      cluster.compact();
      await sleep(60_000);
      expect(plat.batches).toEqual([["DELETED shop/a"]]);
    },
  ));

it("what Plat does not take is told again until it does", () =>
  leading(
    (cluster) => {
      for (const name of ["a", "b"]) cluster.putPod(name);
    },
    async ({ cluster, plat, sleep }) => {
      plat.failures.push(new Error("no answer"));
      plat.statuses.push("failed", "ignored");
      cluster.deletePod("a");
      cluster.deletePod("b");
      await sleep(10_000);
      expect(plat.batches).toEqual([["DELETED shop/a", "DELETED shop/b"], ["DELETED shop/a"]]);
    },
  ));

it("Plat is asked again after the time that it names", () =>
  leading(
    (cluster) => cluster.putPod("a"),
    async ({ cluster, plat, sleep }) => {
      const problem = { code: "rate_limited", retryable: true, retryAfterSeconds: 30 };
      plat.failures.push(new ApiError({ title: "", status: 429, detail: "", ...problem } as never));
      cluster.deletePod("a");
      await sleep(25_000);
      expect(plat.batches).toEqual([]);
      await sleep(10_000);
      expect(plat.batches).toEqual([["DELETED shop/a"]]);
    },
  ));

it("a replica that begins to lead tells all ends that it saw, an hour later too", () =>
  following(
    (cluster) => {
      for (const name of ["early", "late"]) cluster.putPod(name);
    },
    async ({ cluster, plat, sleep, lead }) => {
      cluster.deletePod("early");
      await sleep(60 * 60_000);
      cluster.deletePod("late");
      await sleep(1_000);
      expect(plat.batches).toEqual([]);
      lead();
      await sleep(1_000);
      expect(plat.batches).toEqual([["DELETED shop/early", "DELETED shop/late"]]);
    },
  ));

it("a space that does not index the uids of pods is told in the log", async () => {
  const seen = async (indexedAttributes: readonly string[]) => {
    let logged: readonly string[] = [];
    await leading(
      (_, plat) => {
        plat.indexedAttributes = indexedAttributes;
      },
      async (of) => {
        logged = of.logged;
      },
    );
    return logged;
  };
  expect(await seen(["podUid"])).toEqual([]);
  expect(await seen(["tenant"])).toEqual([
    "The space does not index podUid, so the end of a pod releases its handle alone",
  ]);
});
