import { expect, it } from "vitest";
import { clientOver, Unanswered } from "../../src/client/index.ts";
import { type CollectMode, LostPods } from "../../src/controller/lost-pods.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const EVERY_MS = 900_000;

interface Said {
  readonly type: string;
  readonly object: { readonly metadata: Readonly<Record<"namespace" | "name" | "uid", string>> };
}

/** Plat as the controller sees it: the addresses of pods, and the ends that it is told. */
class FakePlat {
  /** The attributes of the assigned addresses. */
  readonly held: Readonly<Record<string, string>>[] = [];
  readonly told: string[] = [];
  readonly failures: Error[] = [];
  indexedAttributes: readonly string[] = ["podUid"];

  readonly client = clientOver(async <Body>({ path, body }: { path: string; body?: unknown }) => ({
    status: 200,
    etag: undefined,
    body: this.#answer(path, body) as Body,
  }));

  #answer(path: string, body: unknown): object {
    if (path === "/v1/config") return { indexedAttributes: this.indexedAttributes };
    if (path === "/v1/addresses")
      return { addresses: this.held.map((attributes) => ({ state: "assigned", attributes })) };
    const failure = this.failures.shift();
    if (failure) throw failure;
    const { events } = body as { events: readonly Said[] };
    for (const { type, object } of events) this.told.push(`${type} ${object.metadata.uid}`);
    return { results: events.map(() => ({ status: "applied" })) };
  }
}

interface Working {
  readonly cluster: FakeCluster;
  readonly plat: FakePlat;
  readonly metrics: Metrics;
  readonly logged: readonly string[];
  /** Waits for the next look. */
  readonly next: () => Promise<void>;
}

/** Lets a controller collect while a test acts, from the first look on. */
async function collecting(
  mode: CollectMode,
  prepare: (of: Pick<Working, "cluster" | "plat">) => void,
  act: (of: Working) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, plat, metrics] = [new FakeCluster(), new FakePlat(), new Metrics()];
  const logged: string[] = [];
  const log = (message: string) => logged.push(message);
  prepare({ cluster, plat });
  const surroundings = { plat: plat.client, api: cluster, waits: waitsOf(clock), metrics, log };
  const lostPods = new LostPods({ ...surroundings, mode, everyMs: EVERY_MS });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = lostPods.run(ending.signal);
    await clock.sleep(1_000);
    const next = () => clock.sleep(EVERY_MS);
    await act({ cluster, plat, metrics, logged, next }).finally(() => ending.abort());
    await running;
  });
}

/** Creates a pod whose address Plat has. Returns its uid. */
function runPod({ cluster, plat }: Pick<Working, "cluster" | "plat">, name: string): string {
  cluster.putPod(name);
  const uid = cluster.collections.get("/api/v1/pods")?.get(`shop/${name}`)?.metadata.uid ?? "";
  plat.held.push({ podUid: uid, namespace: "shop", pod: name });
  return uid;
}

it("a pod that two looks lack is told as over, and no other one", async () => {
  let uid = "";
  await collecting(
    "release",
    (of) => {
      runPod(of, "alive");
      uid = runPod(of, "lost");
      of.plat.held.push({ tenant: "red" });
      of.cluster.deletePod("lost");
    },
    async ({ plat, metrics, logged, next }) => {
      expect(plat.told).toEqual([]);
      expect(metrics.text()).toContain("plat_controller_missing_pods 1");
      await next();
      expect(plat.told).toEqual([`DELETED ${uid}`]);
      expect(logged).toEqual(["Pods that are gone have addresses"]);
    },
  );
});

it("a static pod is not lost while its mirror is there, whose uid is another one", () =>
  collecting(
    "release",
    (of) => {
      runPod(of, "alive");
      const annotations = { "kubernetes.io/config.hash": "of-the-file" };
      of.cluster.putObject("/api/v1/pods", "etcd", { metadata: { annotations } }, "shop");
      of.plat.held.push({ podUid: "of-the-file", namespace: "shop", pod: "etcd" });
    },
    async ({ cluster, plat, next }) => {
      await next();
      await next();
      cluster.hidden.add("shop/etcd");
      await next();
      await next();
      expect(plat.told).toEqual([]);
      cluster.hidden.clear();
      await next();
      cluster.deletePod("etcd");
      await next();
      expect(plat.told).toEqual([]);
      await next();
      expect(plat.told).toEqual(["DELETED of-the-file"]);
    },
  ));

it("a collection that reports releases nothing", () =>
  collecting(
    "report",
    (of) => {
      runPod(of, "alive");
      runPod(of, "lost");
      of.cluster.deletePod("lost");
    },
    async ({ plat, logged, next }) => {
      await next();
      expect(logged).toEqual(["Pods that are gone have addresses"]);
      expect(plat.told).toEqual([]);
    },
  ));

it("a pod of the same name with another uid does not keep the addresses of the one before", async () => {
  let uid = "";
  await collecting(
    "release",
    (of) => {
      runPod(of, "alive");
      uid = runPod(of, "again");
      of.cluster.deletePod("again");
      of.cluster.putPod("again");
    },
    async ({ plat, next }) => {
      await next();
      expect(plat.told).toEqual([`DELETED ${uid}`]);
    },
  );
});

it("a pod that a list lacks by mistake keeps its addresses, because it is looked up by its name", () =>
  collecting(
    "release",
    (of) => {
      for (const name of ["alive", "hidden"]) runPod(of, name);
      of.cluster.hidden.add("shop/hidden");
    },
    async ({ plat, next }) => {
      await next();
      await next();
      expect(plat.told).toEqual([]);
    },
  ));

it("a pod that is back in a list must be missing twice again", () =>
  collecting(
    "release",
    (of) => {
      for (const name of ["alive", "lost"]) runPod(of, name);
      of.cluster.hidden.add("shop/lost");
    },
    async ({ cluster, plat, next }) => {
      cluster.hidden.clear();
      await next();
      cluster.deletePod("lost");
      await next();
      expect(plat.told).toEqual([]);
      await next();
      expect(plat.told).toHaveLength(1);
    },
  ));

it("an address whose attributes do not name its pod is reported by nobody, and stays", () =>
  collecting(
    "release",
    (of) => {
      runPod(of, "alive");
      of.plat.held.push({ podUid: "u1" }, { podUid: "u2", namespace: "../x", pod: "y" });
    },
    async ({ plat, next }) => {
      await next();
      expect(plat.told).toEqual([]);
    },
  ));

it.each([
  ["too many pods", 20, 10],
  ["all pods", 1, 1],
])("a list that lacks %s at once releases nothing, and an Event says so", (_, all, lost) =>
  collecting(
    "release",
    (of) => {
      for (let n = 0; n < all; n++) runPod(of, `p${n}`);
      for (let n = 0; n < lost; n++) of.cluster.deletePod(`p${n}`);
    },
    async ({ cluster, plat, metrics, next }) => {
      await next();
      await next();
      expect(plat.told).toEqual([]);
      expect(metrics.text()).toContain(`plat_controller_missing_pods ${lost}`);
      const [event] = cluster.events.values();
      expect(event).toMatchObject({
        reason: "TooManyMissing",
        involvedObject: { kind: "Namespace", name: "kube-system", uid: "cluster-uid" },
        message: `The list of pods lacks ${lost} of ${all} pods that have addresses. Nothing is released.`,
      });
    },
  ),
);

it("what Plat does not take is told again at the next look", () =>
  collecting(
    "release",
    (of) => {
      for (const name of ["alive", "lost"]) runPod(of, name);
      of.cluster.deletePod("lost");
      of.plat.failures.push(new Unanswered("no answer"));
    },
    async ({ plat, next }) => {
      await next();
      expect(plat.told).toEqual([]);
      await next();
      expect(plat.told).toHaveLength(1);
    },
  ));

it("a list that fails says nothing about any pod", () =>
  collecting(
    "release",
    (of) => {
      for (const name of ["alive", "lost"]) runPod(of, name);
      of.cluster.deletePod("lost");
      of.cluster.failures.push(["GET /api/v1/pods", new Error("no answer")]);
    },
    async ({ plat, logged, next }) => {
      expect(logged).toEqual(["The pods were not compared with their addresses"]);
      await next();
      expect(plat.told).toEqual([]);
      await next();
      expect(plat.told).toHaveLength(1);
    },
  ));

it("a space that does not index the uids of pods releases nothing", () =>
  collecting(
    "release",
    (of) => {
      for (const name of ["alive", "lost"]) runPod(of, name);
      of.cluster.deletePod("lost");
      of.plat.indexedAttributes = [];
    },
    async ({ plat, logged, next }) => {
      await next();
      expect(plat.told).toEqual([]);
      expect(logged).toContain("The space does not index podUid, so nothing is released");
    },
  ));
