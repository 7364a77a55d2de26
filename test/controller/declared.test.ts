import { describe, expect, it } from "vitest";
import { ApiError, clientOver, Unanswered } from "../../src/client/index.ts";
import { APPLICATION_KINDS } from "../../src/controller/applications.ts";
import { Declared } from "../../src/controller/declared.ts";
import {
  CALICO_KINDS,
  type DeclaredKind,
  NAMESPACE_KIND,
  SPIDERPOOL_KINDS,
} from "../../src/controller/declared-kinds.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster, NAMESPACES } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const V3 = "/apis/projectcalico.org/v3";
const V1 = "/apis/crd.projectcalico.org/v1";
const SPIDER = "/apis/spiderpool.spidernet.io/v2beta1";
const MINUTE_MS = 60_000;

type Fields = Readonly<Record<string, unknown>>;

const problem = (code: string, retryable = false, status = 409) =>
  new ApiError({ type: "", title: "", status, detail: `no: ${code}`, code, retryable } as never);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Plat as the controller sees it: pools and reservations with their versions. */
class FakePlat {
  readonly pools = new Map<string, Fields>();
  readonly reservations = new Map<string, Fields>();
  readonly namespaces = new Map<string, Fields>();
  /** By their names, such as `shop/Deployment/web`. */
  readonly applications = new Map<string, Fields>();
  /** The parts of the next answers that say what applications lack. */
  readonly lacking: Fields[] = [];
  /** The reads, as `GET pools/web`. */
  readonly reads: string[] = [];
  /** The writes, as `PUT pools/web`. */
  readonly writes: string[] = [];
  /** Errors of the next requests, by their text in `writes`. */
  readonly failures: [request: string, error: Error][] = [];

  readonly client = clientOver(async <Body>(asked: Asked) => {
    const { status, etag, body } = this.#answer(asked);
    return { status, etag, body: body as Body };
  });

  #answer({ method, path, body, headers = {} }: Asked) {
    const [, plural = "", name] = /^\/v1\/(\w+)(?:\/(.+))?$/.exec(path) ?? [];
    const objects = this[plural as "pools" | "reservations" | "namespaces" | "applications"];
    if (name === undefined)
      return { status: 200, etag: undefined, body: { [plural]: [...objects.values()] } };
    const request = `${method} ${plural}/${name}`;
    (method === "GET" ? this.reads : this.writes).push(request);
    const at = this.failures.findIndex(([failing]) => failing === request);
    const [failure] = at === -1 ? [] : this.failures.splice(at, 1);
    if (failure) throw failure[1];
    const known = objects.get(name);
    if (method === "GET" && !known) throw problem("not_found", false, 404);
    if (method !== "GET") {
      const isSeen = known
        ? headers["If-Match"] === JSON.stringify(known)
        : headers["If-None-Match"] === "*";
      if (!isSeen) throw problem("precondition_failed", false, 412);
      if (method === "DELETE" && plural === "pools")
        objects.set(name, { ...known, state: "deleting" });
      else if (method === "DELETE") objects.delete(name);
      else objects.set(name, { ...this.#named(plural, name), ...(body as object) });
    }
    const found = objects.get(name);
    return { status: 200, etag: found && JSON.stringify(found), body: found ?? {} };
  }

  #named(plural: string, path: string): Fields {
    if (plural !== "applications") return { name: path };
    const [namespace, kind, name] = path.split("/");
    return { namespace, kind, name, ...(this.lacking.shift() ?? { complete: true }) };
  }
}

interface Working {
  readonly cluster: FakeCluster;
  readonly plat: FakePlat;
  readonly sleep: (ms: number) => Promise<void>;
  readonly metrics: Metrics;
  /** Lets the replica lead. */
  readonly lead: () => void;
}

interface Prepared {
  readonly kind: string;
  /** True if another replica leads until a test says otherwise. */
  readonly follows?: boolean;
  readonly deletesPools?: boolean;
  readonly versions?: Readonly<Record<string, readonly string[]>>;
}

const VERSIONS = {
  "projectcalico.org": ["v3"],
  "crd.projectcalico.org": ["v1"],
  "spiderpool.spidernet.io": ["v2beta1"],
  apps: ["v1"],
  batch: ["v1"],
};
const KINDS = [...CALICO_KINDS, ...SPIDERPOOL_KINDS, NAMESPACE_KIND, ...APPLICATION_KINDS];

/** Lets a controller keep what the manifests of a kind declare while a test acts. */
async function keeping(
  { kind: named, follows = false, deletesPools = false, versions = VERSIONS }: Prepared,
  prepare: (of: Pick<Working, "cluster" | "plat">) => void,
  act: (of: Working) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, plat, metrics] = [new FakeCluster(), new FakePlat(), new Metrics()];
  for (const [group, own] of Object.entries(versions)) cluster.versions.set(group, own);
  prepare({ cluster, plat });
  const kind = KINDS.find((each) => each.kind === named);
  const declared = new Declared({
    plat: plat.client,
    api: cluster,
    waits: waitsOf(clock),
    metrics,
    log: () => undefined,
    kind: kind as DeclaredKind,
    cluster: "c1",
    deletesPools,
  });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = [declared.follow(ending.signal)];
    const lead = () => running.push(declared.run(ending.signal));
    if (!follows) lead();
    await clock.sleep(5_000);
    await act({ cluster, plat, metrics, sleep: clock.sleep, lead }).finally(() => ending.abort());
    await Promise.all(running);
  });
}

const eventsOf = ({ events }: FakeCluster) =>
  [...events.values()].map(({ involvedObject, reason, message }) => {
    const { kind, name } = involvedObject as { kind: string; name: string };
    return `${kind}/${name} ${reason}: ${message}`;
  });

const IP_POOL = { cidr: "10.1.0.0/16", blockSize: 26, natOutgoing: true, nodeSelector: "all()" };

describe("an IPPool", () => {
  const kind = "IPPool";

  it("makes a pool with its fields and a mark, and follows its changes", () =>
    keeping(
      { kind },
      ({ cluster }) => cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL }),
      async ({ cluster, plat, sleep }) => {
        expect(plat.pools.get("web")).toMatchObject({
          cidr: "10.1.0.0/16",
          blockSize: 26,
          disabled: false,
          assignmentMode: "Automatic",
          nodeSelector: "all()",
          routing: { natOutgoing: true },
          labels: { "plat-controller/ippool": "c1" },
        });
        cluster.putObject(`${V3}/ippools`, "web", { spec: { disabled: true } });
        await sleep(1_000);
        expect(plat.pools.get("web")?.disabled).toBe(true);
        await sleep(10 * MINUTE_MS);
        expect(plat.writes).toEqual(["PUT pools/web", "PUT pools/web"]);
      },
    ));

  it("is read in the version that the API server has", () =>
    keeping(
      { kind, versions: { "crd.projectcalico.org": ["v1"] } },
      ({ cluster }) => cluster.putObject(`${V1}/ippools`, "web", { spec: IP_POOL }),
      async ({ plat }) => expect([...plat.pools.keys()]).toEqual(["web"]),
    ));

  it("is awaited until Calico has its CRDs", () =>
    keeping(
      { kind, versions: {} },
      ({ cluster }) => cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL }),
      async ({ cluster, plat, sleep }) => {
        expect(plat.writes).toEqual([]);
        cluster.versions.set("projectcalico.org", ["v3"]);
        await sleep(15_000);
        expect(plat.writes).toEqual(["PUT pools/web"]);
      },
    ));

  it("leaves the fields of the pool that it has no word for, and its labels", () =>
    keeping(
      { kind },
      ({ cluster }) => cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL }),
      async ({ cluster, plat, sleep }) => {
        const own = {
          principals: ["token:ci"],
          labels: { "plat-controller/ippool": "c1", a: "b" },
        };
        plat.pools.set("web", { ...plat.pools.get("web"), ...own });
        cluster.putObject(`${V3}/ippools`, "web", { spec: { disabled: true } });
        await sleep(1_000);
        expect(plat.pools.get("web")).toMatchObject({ ...own, disabled: true });
      },
    ));

  it("puts back what somebody changes in Plat", () =>
    keeping(
      { kind },
      ({ cluster }) => cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL }),
      async ({ plat, sleep }) => {
        const made = plat.pools.get("web") as Fields;
        plat.pools.set("web", { ...made, disabled: true });
        await sleep(MINUTE_MS + 1_000);
        expect(plat.pools.get("web")).toEqual(made);
      },
    ));

  it.each([
    ["nobody marked", undefined],
    ["another cluster made", { "plat-controller/ippool": "c2" }],
    ["another kind made", { "plat-controller/spiderippool": "c1" }],
  ])("leaves a pool of its name that %s, and an Event says so", (_, labels) =>
    keeping(
      { kind },
      ({ cluster, plat }) => {
        cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL });
        plat.pools.set("web", { name: "web", cidr: "10.9.0.0/16", ...(labels && { labels }) });
      },
      async ({ cluster, plat, metrics, sleep }) => {
        await sleep(10 * MINUTE_MS);
        cluster.deleteObject(`${V3}/ippools`, "web");
        await sleep(10 * MINUTE_MS);
        expect(plat.writes).toEqual([]);
        expect(eventsOf(cluster)).toEqual([
          "IPPool/web PoolNotOwned: Plat has a pool web that this IPPool of this cluster did not make; it stays as it is.",
        ]);
        expect(metrics.text()).toMatch(/rejected",code="not_owned"} [1-9]/);
        expect(metrics.text()).toContain('plat_controller_refused_manifests{kind="IPPool"} 0');
      },
    ),
  );

  it("that is gone disables its pool, and deletes nothing", () =>
    keeping(
      { kind },
      ({ cluster }) => cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL }),
      async ({ cluster, plat, sleep }) => {
        cluster.deleteObject(`${V3}/ippools`, "web");
        await sleep(10 * MINUTE_MS);
        expect(plat.pools.get("web")).toMatchObject({ cidr: "10.1.0.0/16", disabled: true });
        expect(plat.writes).toEqual(["PUT pools/web", "PUT pools/web"]);
        cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL });
        await sleep(1_000);
        expect(plat.pools.get("web")?.disabled).toBe(false);
      },
    ));

  it("that went while no controller ran disables its pool, and no pool of another cluster", () => {
    const left = (cluster: string) => ({
      disabled: false,
      labels: { "plat-controller/ippool": cluster },
    });
    return keeping(
      { kind },
      ({ plat }) => {
        plat.pools.set("old", { name: "old", ...left("c1") });
        plat.pools.set("other", { name: "other", ...left("c2") });
      },
      async ({ plat }) => expect(plat.writes).toEqual(["PUT pools/old"]),
    );
  });

  it("that waits for its finalizers disables its pool", () =>
    keeping(
      { kind },
      ({ cluster }) => {
        const metadata = { finalizers: ["projectcalico.org/ippool-finalizer"] };
        cluster.putObject(`${V3}/ippools`, "web", { metadata, spec: IP_POOL });
      },
      async ({ cluster, plat, sleep }) => {
        cluster.deleteObject(`${V3}/ippools`, "web");
        await sleep(1_000);
        expect(plat.pools.get("web")?.disabled).toBe(true);
      },
    ));

  it("that is gone deletes its pool once it is empty, where that is switched on", () =>
    keeping(
      { kind, deletesPools: true },
      ({ cluster }) => cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL }),
      async ({ cluster, plat, metrics, sleep }) => {
        plat.failures.push(["DELETE pools/web", problem("pool_in_use")]);
        cluster.deleteObject(`${V3}/ippools`, "web");
        await sleep(MINUTE_MS);
        expect(plat.pools.get("web")).toMatchObject({ disabled: true });
        expect(plat.pools.get("web")?.state).toBeUndefined();
        expect(metrics.text()).toContain('plat_controller_refused_manifests{kind="IPPool"} 0');
        await sleep(6 * MINUTE_MS);
        expect(plat.pools.get("web")?.state).toBe("deleting");
        expect(plat.writes.slice(1)).toEqual([
          "PUT pools/web",
          "DELETE pools/web",
          "DELETE pools/web",
        ]);
      },
    ));

  it("that Plat does not accept has an Event, and is tried again when it changes", () =>
    keeping(
      { kind },
      ({ cluster, plat }) => {
        plat.failures.push(["PUT pools/web", problem("pool_overlap")]);
        cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL });
        cluster.putObject(`${V3}/ippools`, "bad", { spec: { ...IP_POOL, nodeSelector: "all(" } });
      },
      async ({ cluster, plat, metrics, sleep }) => {
        await sleep(4 * MINUTE_MS);
        expect(plat.writes).toEqual(["PUT pools/web"]);
        const [first = "", second = ""] = eventsOf(cluster).sort();
        expect(first).toMatch(/^IPPool\/bad PoolRejected: spec.nodeSelector /);
        expect(second).toBe("IPPool/web PoolRejected: no: pool_overlap");
        expect(metrics.text()).toContain('plat_controller_refused_manifests{kind="IPPool"} 2');
        expect(metrics.text()).toContain('status="rejected",code="pool_overlap"} 1');
        cluster.putObject(`${V3}/ippools`, "web", { spec: { cidr: "10.2.0.0/16" } });
        await sleep(1_000);
        expect(plat.pools.get("web")?.cidr).toBe("10.2.0.0/16");
        expect(metrics.text()).toContain('plat_controller_refused_manifests{kind="IPPool"} 1');
      },
    ));

  it("that Plat does not accept is tried again once another one makes room for it", () =>
    keeping(
      { kind },
      ({ cluster, plat }) => {
        plat.failures.push(["PUT pools/b", problem("pool_overlap")]);
        for (const name of ["a", "b"]) cluster.putObject(`${V3}/ippools`, name, { spec: IP_POOL });
      },
      async ({ cluster, plat, sleep }) => {
        cluster.putObject(`${V3}/ippools`, "a", { spec: { disabled: true } });
        await sleep(2_000);
        expect([...plat.pools.keys()]).toEqual(["a", "b"]);
      },
    ));

  it.each([
    ["without an answer", new Unanswered("no answer")],
    ["that another change overtook", problem("precondition_failed", false, 412)],
    ["that time can help", problem("pool_deleting", true)],
  ])("is written again after a write %s", (_, failure) =>
    keeping(
      { kind },
      () => undefined,
      async ({ cluster, plat, sleep }) => {
        plat.failures.push(["PUT pools/web", failure]);
        cluster.putObject(`${V3}/ippools`, "web", { spec: IP_POOL });
        await sleep(5_000);
        expect([...plat.pools.keys()]).toEqual(["web"]);
      },
    ),
  );
});

describe("an IPReservation", () => {
  const kind = "IPReservation";
  const spec = { reservedCIDRs: ["10.0.0.9/30", "10.0.0.77"] };
  const reason = "IPReservation of the cluster c1, kept by plat-controller";

  it("makes a reservation that says whose it is, and ends it", () =>
    keeping(
      { kind },
      ({ cluster }) => cluster.putObject(`${V3}/ipreservations`, "gw", { spec }),
      async ({ cluster, plat, sleep }) => {
        const cidrs = ["10.0.0.8/30", "10.0.0.77"];
        expect(plat.reservations.get("gw")).toEqual({ name: "gw", cidrs, reason });
        cluster.deleteObject(`${V3}/ipreservations`, "gw");
        await sleep(1_000);
        expect(plat.reservations.size).toBe(0);
      },
    ));

  it("reserves nothing when it is empty, and leaves the reservations of others", () =>
    keeping(
      { kind },
      ({ cluster, plat }) => {
        cluster.putObject(`${V3}/ipreservations`, "gw", { spec: {} });
        plat.reservations.set("gw", { name: "gw", cidrs: ["10.0.0.0/30"], reason });
        plat.reservations.set("own", { name: "own", cidrs: ["10.0.0.4"], reason: "gateways" });
        cluster.putObject(`${V3}/ipreservations`, "own", { spec });
      },
      async ({ cluster, plat }) => {
        expect([...plat.reservations.keys()]).toEqual(["own"]);
        expect(plat.writes).toEqual(["DELETE reservations/gw"]);
        expect(eventsOf(cluster)[0]).toMatch(/^IPReservation\/own ReservationNotOwned: /);
      },
    ));

  it("reserves what it can, as Calico does, and an Event names the rest", () =>
    keeping(
      { kind },
      ({ cluster }) => {
        const reservedCIDRs = ["10.0.0.8/30", "nonsense", "10.0.0.1-10.0.0.9"];
        cluster.putObject(`${V3}/ipreservations`, "gw", { spec: { reservedCIDRs } });
      },
      async ({ cluster, plat }) => {
        expect(plat.reservations.get("gw")?.cidrs).toEqual(["10.0.0.8/30"]);
        expect(eventsOf(cluster)).toEqual([
          "IPReservation/gw ReservationRejected: Skipped, because they are neither CIDRs nor addresses: nonsense, 10.0.0.1-10.0.0.9",
        ]);
      },
    ));
});

describe("Spiderpool's manifests", () => {
  const spec = { subnet: "10.3.0.0/24", ips: ["10.3.0.10-10.3.0.20"], gateway: "10.3.0.1" };

  it("make pools, but for those that Spiderpool made for an application", () =>
    keeping(
      { kind: "SpiderIPPool" },
      ({ cluster }) => {
        cluster.putObject(`${SPIDER}/spiderippools`, "red", { spec });
        const labels = {
          "ipam.spidernet.io/owner-application-kind": "Deployment",
          "ipam.spidernet.io/owner-application-namespace": "shop",
          "ipam.spidernet.io/owner-application-name": "web",
        };
        const made = { metadata: { labels }, spec: { ...spec, ips: ["10.3.0.30"] } };
        cluster.putObject(`${SPIDER}/spiderippools`, "auto4-web-eth0-9a2b3", made);
      },
      async ({ plat }) => {
        expect([...plat.pools.keys()]).toEqual(["red"]);
        expect(plat.pools.get("red")).toMatchObject({
          ranges: ["10.3.0.10-10.3.0.20"],
          assignmentMode: "Manual",
          labels: { "plat-controller/spiderippool": "c1" },
        });
      },
    ));

  it("of subnets make pools for applications, which are enabled again when they return", () =>
    keeping(
      { kind: "SpiderSubnet" },
      ({ cluster }) => cluster.putObject(`${SPIDER}/spidersubnets`, "net", { spec }),
      async ({ cluster, plat, sleep }) => {
        expect(plat.pools.get("net")?.assignmentMode).toBe("Applications");
        cluster.deleteObject(`${SPIDER}/spidersubnets`, "net");
        await sleep(1_000);
        expect(plat.pools.get("net")?.disabled).toBe(true);
        cluster.putObject(`${SPIDER}/spidersubnets`, "net", { spec });
        await sleep(1_000);
        expect(plat.pools.get("net")?.disabled).toBe(false);
      },
    ));

  it("of reserved addresses make reservations", () =>
    keeping(
      { kind: "SpiderReservedIP" },
      ({ cluster }) =>
        cluster.putObject(`${SPIDER}/spiderreservedips`, "gw", { spec: { ips: ["10.3.0.1"] } }),
      async ({ plat }) => {
        expect(plat.reservations.get("gw")?.cidrs).toEqual(["10.3.0.1"]);
      },
    ));

  it("of no reserved addresses declare nothing", () =>
    keeping(
      { kind: "SpiderReservedIP" },
      ({ cluster }) => {
        cluster.putObject(`${SPIDER}/spiderreservedips`, "none", { spec: {} });
        cluster.putObject(`${SPIDER}/spiderreservedips`, "empty", { spec: { ips: [] } });
      },
      async ({ cluster, plat }) => {
        expect(plat.writes).toEqual([]);
        expect(eventsOf(cluster)).toEqual([]);
      },
    ));
});

describe("a Namespace", () => {
  const kind = "Namespace";
  const labels = { team: "a" };
  const IPV4 = "ipam.spidernet.io/default-ipv4-ippool";

  it("is registered with its labels and its default pools, and deleted with its end", () =>
    keeping(
      { kind },
      ({ cluster }) => {
        const annotations = { [IPV4]: '["red"]', "example.org/other": "x" };
        cluster.putObject(NAMESPACES, "shop", { metadata: { labels, annotations } });
      },
      async ({ cluster, plat, sleep }) => {
        const shop = { name: "shop", labels, ipv4DefaultPools: ["red"] };
        expect(plat.namespaces.get("shop")).toEqual(shop);
        cluster.putObject(NAMESPACES, "shop", { status: { phase: "Terminating" } });
        cluster.putObject(NAMESPACES, "shop", { metadata: { annotations: { [IPV4]: "[]" } } });
        await sleep(1_000);
        expect(plat.namespaces.get("shop")).toEqual({ name: "shop", labels });
        cluster.deleteObject(NAMESPACES, "shop");
        await sleep(1_000);
        expect(plat.writes.slice(2)).toEqual(["DELETE namespaces/shop"]);
      },
    ));

  it("with default pools that are not valid has an Event, and Plat keeps what it has", () =>
    keeping(
      { kind },
      ({ cluster }) => cluster.putObject(NAMESPACES, "shop", { metadata: { labels } }),
      async ({ cluster, plat, sleep }) => {
        cluster.putObject(NAMESPACES, "shop", { metadata: { annotations: { [IPV4]: "red" } } });
        await sleep(1_000);
        expect(plat.namespaces.get("shop")).toEqual({ name: "shop", labels });
        expect(eventsOf(cluster)[0]).toMatch(/^Namespace\/shop NamespaceRejected: metadata\./);
      },
    ));

  it("that this cluster never had stays as somebody registered it", () =>
    keeping(
      { kind },
      ({ plat }) => plat.namespaces.set("elsewhere", { name: "elsewhere", labels }),
      async ({ plat, sleep }) => {
        await sleep(20 * MINUTE_MS);
        expect(plat.writes).toEqual([]);
      },
    ));

  it("whose end another replica saw is deleted by the one that leads next, an hour later too", () =>
    keeping(
      { kind, follows: true },
      ({ cluster, plat }) => {
        for (const name of ["early", "late", "told"]) {
          cluster.putObject(NAMESPACES, name, { metadata: { labels } });
          if (name !== "told") plat.namespaces.set(name, { name, labels });
        }
      },
      async ({ cluster, plat, sleep, lead }) => {
        for (const name of ["early", "told"]) cluster.deleteObject(NAMESPACES, name);
        await sleep(60 * MINUTE_MS);
        cluster.deleteObject(NAMESPACES, "late");
        await sleep(1_000);
        lead();
        await sleep(2_000);
        expect(plat.writes).toEqual(["DELETE namespaces/early", "DELETE namespaces/late"]);
      },
    ));
});

describe("an application", () => {
  const APPS = "/apis/apps/v1";
  const SUBNET = "ipam.spidernet.io/subnet";
  const NUMBER = "ipam.spidernet.io/ippool-ip-number";
  const RECLAIM = "ipam.spidernet.io/ippool-reclaim";
  const template = (annotations: object) => ({ metadata: { annotations } });
  const subnet = template({ [SUBNET]: '{"ipv4":["net-4"],"ipv6":["net-6"]}' });
  const owned = { ownerReferences: [{ kind: "Deployment", controller: true }] };
  const addresses = { number: "+1", pools: ["net-4", "net-6"], keep: false };

  it.each([
    ["Deployment", `${APPS}/deployments`, { spec: { replicas: 3, template: subnet } }, 3],
    ["Deployment", `${APPS}/deployments`, { spec: { template: subnet } }, 1],
    ["ReplicaSet", `${APPS}/replicasets`, { spec: { replicas: 2, template: subnet } }, 2],
    [
      "DaemonSet",
      `${APPS}/daemonsets`,
      { spec: { template: subnet }, status: { desiredNumberScheduled: 4 } },
      4,
    ],
    ["Job", "/apis/batch/v1/jobs", { spec: { parallelism: 2, template: subnet } }, 2],
    ["Job", "/apis/batch/v1/jobs", { spec: { completions: 5, template: subnet } }, 5],
    [
      "CronJob",
      "/apis/batch/v1/cronjobs",
      { spec: { jobTemplate: { spec: { template: subnet } } } },
      1,
    ],
  ] as const)("is registered of a %s with its addresses: %s %j", (kind, path, object, replicas) =>
    keeping(
      { kind },
      ({ cluster }) => {
        cluster.putObject(path, "web", object, "shop");
        cluster.putObject(path, "part", { ...object, metadata: owned }, "shop");
        cluster.putObject(path, "plain", { spec: {} }, "shop");
      },
      async ({ plat }) => {
        expect([...plat.applications.values()]).toEqual([
          { namespace: "shop", kind, name: "web", replicas, start: 0, addresses, complete: true },
        ]);
      },
    ),
  );

  it("of a StatefulSet has its replicas and its first ordinal, also without addresses", () =>
    keeping(
      { kind: "StatefulSet" },
      ({ cluster }) => {
        const spec = { replicas: 3, ordinals: { start: 2 } };
        cluster.putObject(`${APPS}/statefulsets`, "db", { spec }, "shop");
      },
      async ({ cluster, plat, sleep }) => {
        const db = plat.applications.get("shop/StatefulSet/db");
        expect(db).toMatchObject({ replicas: 3, start: 2 });
        expect(db).not.toHaveProperty("addresses");
        cluster.putObject(`${APPS}/statefulsets`, "db", { spec: { replicas: 1 } }, "shop");
        await sleep(1_000);
        expect(plat.applications.get("shop/StatefulSet/db")?.replicas).toBe(1);
      },
    ));

  it("of a StatefulSet that a custom resource owns has its replicas, and no addresses", () =>
    keeping(
      { kind: "StatefulSet" },
      ({ cluster }) => {
        const spec = { replicas: 3, template: subnet };
        cluster.putObject(`${APPS}/statefulsets`, "db", { metadata: owned, spec }, "shop");
      },
      async ({ cluster, plat, sleep }) => {
        const db = { namespace: "shop", kind: "StatefulSet", name: "db" };
        const registered = () => plat.applications.get("shop/StatefulSet/db");
        expect(registered()).toEqual({ ...db, replicas: 3, start: 0, complete: true });
        cluster.putObject(`${APPS}/statefulsets`, "db", { spec: { replicas: 1 } }, "shop");
        await sleep(1_000);
        expect(registered()?.replicas).toBe(1);
      },
    ));

  it("of a StatefulSet that is deleted and created again at once is deleted first", () =>
    keeping(
      { kind: "StatefulSet" },
      ({ cluster }) =>
        cluster.putObject(`${APPS}/statefulsets`, "db", { spec: { replicas: 3 } }, "shop"),
      async ({ cluster, plat, sleep }) => {
        const path = "applications/shop/StatefulSet/db";
        plat.failures.push([`DELETE ${path}`, new Unanswered("no answer")]);
        cluster.deleteObject(`${APPS}/statefulsets`, "shop/db");
        cluster.putObject(`${APPS}/statefulsets`, "db", { spec: { template: subnet } }, "shop");
        await sleep(5_000);
        expect(plat.writes.slice(1)).toEqual([`DELETE ${path}`, `DELETE ${path}`, `PUT ${path}`]);
        expect(plat.applications.get("shop/StatefulSet/db")).toMatchObject({ addresses });
        cluster.putObject(`${APPS}/statefulsets`, "db", { spec: { replicas: 2 } }, "shop");
        await sleep(1_000);
        expect(plat.writes.slice(4)).toEqual([`PUT ${path}`]);
      },
    ));

  it.each([
    ["whose pods name no subnet for a moment", "Deployment", false],
    ["that was created again while another replica led", "StatefulSet", true],
  ])("is not deleted of a controller %s", (_, kind, follows) =>
    keeping(
      { kind, follows },
      ({ cluster }) => {
        const path = `${APPS}/${kind.toLowerCase()}s`;
        cluster.putObject(path, "db", { spec: { template: subnet } }, "shop");
      },
      async ({ cluster, plat, sleep, lead }) => {
        const path = `${APPS}/${kind.toLowerCase()}s`;
        if (follows) cluster.deleteObject(path, "shop/db");
        else {
          const without = { template: { metadata: { annotations: { [SUBNET]: null } } } };
          cluster.putObject(path, "db", { spec: without }, "shop");
        }
        cluster.putObject(path, "db", { spec: { replicas: 2, template: subnet } }, "shop");
        await sleep(1_000);
        const at = `shop/${kind}/db`;
        const had = { namespace: "shop", kind, name: "db", replicas: 1, complete: true };
        if (follows) plat.applications.set(at, had);
        if (follows) lead();
        await sleep(1_000);
        expect(plat.writes.at(-1)).toBe(`PUT applications/${at}`);
        expect(plat.writes).not.toContain(`DELETE applications/${at}`);
      },
    ),
  );

  it("has the number and the interfaces that the annotations of its pods say", () =>
    keeping(
      { kind: "Deployment" },
      ({ cluster }) => {
        const subnets = '[{"interface":"eth0","ipv4":["a"]},{"interface":"net1","ipv4":["b"]}]';
        const annotations = {
          "ipam.spidernet.io/subnets": subnets,
          [NUMBER]: "5",
          [RECLAIM]: "false",
        };
        const spec = { template: template(annotations) };
        cluster.putObject(`${APPS}/deployments`, "web", { spec }, "shop");
      },
      async ({ plat }) => {
        expect(plat.applications.get("shop/Deployment/web")?.addresses).toEqual({
          number: "5",
          interfaces: [
            { name: "eth0", pools: ["a"] },
            { name: "net1", pools: ["b"] },
          ],
          keep: true,
        });
      },
    ));

  it.each([
    ["False", true],
    ["0", true],
    ["T", false],
    ["true", false],
  ])("keeps its addresses for ippool-reclaim %j as Go reads it: %s", (reclaim, keep) =>
    keeping(
      { kind: "Deployment" },
      ({ cluster }) => {
        const annotations = { [RECLAIM]: reclaim, "ipam.spidernet.io/subnet": '{"ipv4":["a"]}' };
        const spec = { template: template(annotations) };
        cluster.putObject(`${APPS}/deployments`, "web", { spec }, "shop");
      },
      async ({ plat }) => {
        expect(plat.applications.get("shop/Deployment/web")?.addresses).toMatchObject({ keep });
      },
    ),
  );

  it("is rejected for an ippool-reclaim that Go does not read, and an Event names it", () =>
    keeping(
      { kind: "Deployment" },
      ({ cluster }) => {
        const annotations = { [RECLAIM]: "no", "ipam.spidernet.io/subnet": '{"ipv4":["a"]}' };
        const spec = { template: template(annotations) };
        cluster.putObject(`${APPS}/deployments`, "web", { spec }, "shop");
      },
      async ({ cluster, plat }) => {
        expect(plat.writes).toEqual([]);
        expect(eventsOf(cluster)[0]).toContain(`${RECLAIM} must be "true" or "false"`);
      },
    ));

  it("is put again until it is complete, and an Event says what it lacks", () =>
    keeping(
      { kind: "Deployment" },
      ({ cluster, plat }) => {
        const refusal = { code: "pool_exhausted", detail: "no: pool_exhausted" };
        plat.lacking.push({ complete: false, refusal: { detail: "goes on" } });
        plat.lacking.push({ complete: false, refusal });
        cluster.putObject(`${APPS}/deployments`, "web", { spec: { template: subnet } }, "shop");
      },
      async ({ cluster, plat, sleep }) => {
        await sleep(10_000);
        expect(plat.applications.get("shop/Deployment/web")?.complete).toBe(true);
        await sleep(20 * MINUTE_MS);
        expect(plat.writes).toHaveLength(3);
        expect(eventsOf(cluster)).toEqual([
          "Deployment/web ApplicationIncomplete: no: pool_exhausted",
        ]);
        const [{ metadata } = { metadata: {} }] = cluster.events.values();
        expect(metadata).toMatchObject({ namespace: "shop" });
      },
    ));

  it("ends with its controller, or when the controller names no addresses any more", () =>
    keeping(
      { kind: "Deployment" },
      ({ cluster }) => {
        for (const name of ["web", "api"])
          cluster.putObject(`${APPS}/deployments`, name, { spec: { template: subnet } }, "shop");
      },
      async ({ cluster, plat, sleep }) => {
        cluster.deleteObject(`${APPS}/deployments`, "shop/web");
        const without = { template: { metadata: { annotations: { [SUBNET]: null } } } };
        cluster.putObject(`${APPS}/deployments`, "api", { spec: without }, "shop");
        await sleep(1_000);
        expect(plat.applications.size).toBe(0);
      },
    ));

  it("costs no request when only the status of its controller changes", () =>
    keeping(
      { kind: "Deployment" },
      ({ cluster }) =>
        cluster.putObject(`${APPS}/deployments`, "web", { spec: { template: subnet } }, "shop"),
      async ({ cluster, plat, sleep }) => {
        const before = plat.reads.length;
        cluster.putObject(`${APPS}/deployments`, "web", { status: { replicas: 1 } }, "shop");
        await sleep(1_000);
        expect(plat.reads.length).toBe(before);
      },
    ));

  it("with an annotation that is not valid has an Event", () =>
    keeping(
      { kind: "Deployment" },
      ({ cluster }) => {
        const spec = { template: template({ [SUBNET]: "net-4" }) };
        cluster.putObject(`${APPS}/deployments`, "web", { spec }, "shop");
      },
      async ({ cluster, plat }) => {
        expect(plat.writes).toEqual([]);
        expect(eventsOf(cluster)[0]).toMatch(/^Deployment\/web ApplicationRejected: annotations/);
      },
    ));
});
