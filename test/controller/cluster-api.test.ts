import { describe, expect, it } from "vitest";
import { ApiError, clientOver, type PlatClient, Unanswered } from "../../src/client/index.ts";
import { ClusterApi } from "../../src/controller/cluster-api.ts";
import { KubeError } from "../../src/controller/kube/api.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { type AnyObject, FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const CLAIMS = "/apis/ipam.cluster.x-k8s.io/v1beta2/ipaddressclaims";
const ADDRESSES = "/apis/ipam.cluster.x-k8s.io/v1beta2/ipaddresses";
const CLUSTERS = "/apis/cluster.x-k8s.io/v1beta2/clusters";
const POOLS = "/apis/ipam.plat/v1alpha1/platippools";
const GLOBAL_POOLS = "/apis/ipam.plat/v1alpha1/platglobalippools";
const MINUTE_MS = 60_000;
const PAUSED = { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } };
const GOES_ON = { metadata: { annotations: { "cluster.x-k8s.io/paused": null } } };

const problem = (code: string, retryable: boolean, status = 409) =>
  new ApiError({ type: "", title: "", status, detail: `no: ${code}`, code, retryable } as never);

/** Plat as the controller sees it: a pool, and one address for each handle. */
class FakePlat {
  /** The requests, as `POST capi/team-a/m1`. */
  readonly requests: string[] = [];
  /** Errors of the next requests, by their method; the request is carried out before. */
  readonly failures: [method: string, error: Error][] = [];
  readonly held = new Map<string, string>();
  pool: object = { cidr: "10.0.0.0/24", kind: "subnet" };
  room = 100;
  /** The releases of the next requests that Plat does not complete. */
  incomplete = 0;
  #next = 10;

  readonly client: PlatClient = clientOver(async <Body>({ method, path, body }: Asked) => {
    const { handle = decodeURIComponent(path.split("/handles/")[1] ?? ""), limitPerHandle } =
      (body ?? {}) as { handle?: string; limitPerHandle?: number };
    this.requests.push(`${method} ${handle}`.trim());
    const answered = this.#answer(method, handle, limitPerHandle === 1);
    const at = this.failures.findIndex(([failing]) => failing === method);
    const [failure] = at === -1 ? [] : this.failures.splice(at, 1);
    if (failure) throw failure[1];
    return { status: 200, etag: undefined, body: answered as Body };
  });

  #answer(method: string, handle: string, isLimited: boolean): object {
    if (method === "GET") return this.pool;
    if (method === "DELETE") {
      if (this.incomplete-- > 0) return { released: [], complete: false, progressed: false };
      this.held.delete(handle);
      return { released: [], complete: true, progressed: true };
    }
    const known = isLimited ? this.held.get(handle) : undefined;
    if (!known && this.held.size >= this.room) throw problem("pool_exhausted", false);
    const address = known ?? `10.0.0.${this.#next++}`;
    this.held.set(handle, address);
    return { handle, addresses: [{ address, cidr: `${address}/24`, gateway: "10.0.0.1" }] };
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Working {
  readonly cluster: FakeCluster;
  readonly plat: FakePlat;
  readonly clock: VirtualClock;
}

/** Lets a provider work on claims while a test acts. */
async function working(
  prepare: (of: Pick<Working, "cluster" | "plat">) => void,
  act: (of: Working) => Promise<void>,
): Promise<void> {
  const [cluster, plat] = [new FakeCluster(), new FakePlat()];
  cluster.versions.set("ipam.cluster.x-k8s.io", ["v1alpha1", "v1beta1", "v1beta2"]);
  cluster.versions.set("cluster.x-k8s.io", ["v1beta1", "v1beta2"]);
  putPool(cluster);
  prepare({ cluster, plat });
  await whileWorking(cluster, plat, act);
}

/** Lets a new process work on the claims of a cluster. */
async function whileWorking(
  cluster: FakeCluster,
  plat: FakePlat,
  act: (of: Working) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const provider = new ClusterApi({
    plat: plat.client,
    api: cluster,
    waits: waitsOf(clock),
    metrics: new Metrics(),
    log: () => undefined,
  });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = [provider.follow(ending.signal), provider.run(ending.signal)];
    await clock.sleep(2_000);
    await act({ cluster, plat, clock });
    ending.abort();
    await Promise.all(running);
  });
}

const putPool = (cluster: FakeCluster) =>
  cluster.putObject(POOLS, "machines", { spec: { pool: "machines" } }, "team-a");

const claim = (cluster: FakeCluster, name: string, more: object = {}) =>
  cluster.putObject(
    CLAIMS,
    name,
    { spec: { poolRef: { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "machines" }, ...more } },
    "team-a",
  );

const found = (cluster: FakeCluster, path: string, name: string): AnyObject | undefined =>
  cluster.collections.get(path)?.get(`team-a/${name}`);

/** Returns what a claim says of itself: its address, or why it has none. */
function saidOf(cluster: FakeCluster, name: string): string | undefined {
  const { addressRef, conditions = [] } = (found(cluster, CLAIMS, name)?.status ?? {}) as {
    addressRef?: { name: string };
    conditions?: readonly { reason: string }[];
  };
  const address = found(cluster, ADDRESSES, addressRef?.name ?? "")?.spec as
    | { address: string }
    | undefined;
  return address?.address ?? conditions[0]?.reason;
}

describe("a claim", () => {
  it("gets an IPAddress with its network, its owners and its Cluster", async () => {
    await working(
      ({ cluster }) => {
        cluster.putObject(CLUSTERS, "blue", { spec: { paused: false } }, "team-a");
        claim(cluster, "m1", { clusterName: "blue" });
      },
      async ({ cluster, plat }) => {
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
        expect(plat.held).toEqual(new Map([["capi/team-a/m1", "10.0.0.10"]]));
        const address = found(cluster, ADDRESSES, "m1");
        expect(address?.spec).toEqual({
          claimRef: { name: "m1" },
          poolRef: { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "machines" },
          address: "10.0.0.10",
          prefix: 24,
          gateway: "10.0.0.1",
        });
        expect(address?.metadata).toMatchObject({
          labels: { "cluster.x-k8s.io/cluster-name": "blue" },
          finalizers: ["ipam.cluster.x-k8s.io/ProtectAddress"],
          ownerReferences: [
            { kind: "IPAddressClaim", name: "m1", controller: true, blockOwnerDeletion: true },
            { kind: "PlatIPPool", name: "machines", controller: false, blockOwnerDeletion: true },
          ],
        });
      },
    );
  });

  it("with a name as long as names can be has a handle of its own that Plat takes", async () => {
    const long = (end: string) => `${"m".repeat(252)}${end}`;
    await working(
      ({ cluster }) => {
        claim(cluster, long("1"));
        claim(cluster, long("2"));
      },
      async ({ plat }) => {
        expect(plat.held.size).toBe(2);
        for (const handle of plat.held.keys()) expect(handle).toMatch(/^capi\/team-a\/.{241}$/);
      },
    );
  });

  it("of a pool without a namespace is served in every namespace", async () => {
    await working(
      ({ cluster }) => {
        cluster.putObject(GLOBAL_POOLS, "all", { spec: { pool: "machines" } });
        const poolRef = { apiGroup: "ipam.plat", kind: "PlatGlobalIPPool", name: "all" };
        claim(cluster, "m1", { poolRef });
      },
      async ({ cluster }) => expect(saidOf(cluster, "m1")).toBe("10.0.0.10"),
    );
  });

  it("that is served costs no request of Plat when another process begins, but for its pool", async () => {
    await working(
      ({ cluster }) => claim(cluster, "m1"),
      async ({ cluster, plat }) => {
        plat.requests.length = 0;
        await whileWorking(cluster, plat, async () => {
          expect(plat.requests).toEqual(["GET"]);
        });
      },
    );
  });

  it.each([
    ["POST", new Unanswered("no answer")],
    ["GET", new Unanswered("no answer")],
    ["POST", problem("unavailable", true, 503)],
  ])("has one address where an answer to %s is lost: %s", async (method, error) => {
    await working(
      ({ cluster, plat }) => {
        claim(cluster, "m1");
        plat.failures.push([method, error]);
      },
      async ({ cluster, plat, clock }) => {
        await clock.sleep(2 * MINUTE_MS);
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
        expect([...plat.held.values()]).toEqual(["10.0.0.10"]);
      },
    );
  });

  it.each([
    [`PATCH ${CLAIMS.replace("/ipaddress", "/namespaces/team-a/ipaddress")}/m1`],
    [`PATCH ${CLAIMS.replace("/ipaddress", "/namespaces/team-a/ipaddress")}/m1/status`],
    [`POST ${ADDRESSES.replace("/ipaddress", "/namespaces/team-a/ipaddress")}`],
  ])("is served after the API server failed: %s", async (request) => {
    await working(
      ({ cluster }) => {
        claim(cluster, "m1");
        cluster.failures.push([request, new KubeError(500, "", "no")]);
      },
      async ({ cluster, plat, clock }) => {
        expect(cluster.failures).toEqual([]);
        await clock.sleep(2 * MINUTE_MS);
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
        expect(plat.held.size).toBe(1);
      },
    );
  });

  it("of a pool that is not there says so, and is served when it comes", async () => {
    await working(
      ({ cluster }) => {
        cluster.deleteObject(POOLS, "team-a/machines");
        claim(cluster, "m1");
      },
      async ({ cluster, clock }) => {
        expect(saidOf(cluster, "m1")).toBe("PoolNotFound");
        putPool(cluster);
        await clock.sleep(2_000);
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
      },
    );
  });

  it("of a pool without a prefix length waits until Plat's pool has one", async () => {
    await working(
      ({ cluster, plat }) => {
        plat.pool = { cidr: "10.0.0.0/24" };
        claim(cluster, "m1");
      },
      async ({ cluster, plat, clock }) => {
        expect(saidOf(cluster, "m1")).toBe("PoolNotReady");
        const pool = found(cluster, POOLS, "machines");
        expect(pool?.status).toMatchObject({
          conditions: [{ type: "Ready", status: "False", reason: "NoPrefixLength" }],
        });
        plat.pool = { cidr: "10.0.0.0/24", prefixLength: 24 };
        await clock.sleep(MINUTE_MS + 1_000);
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
      },
    );
  });

  it.each(["machines#1", "..", "Machines"])(
    "of a pool %j, which no pool of Plat can be, says so",
    async (name) => {
      await working(
        ({ cluster }) => {
          cluster.putObject(POOLS, "machines", { spec: { pool: name } }, "team-a");
          claim(cluster, "m1");
        },
        async ({ cluster }) => {
          expect(saidOf(cluster, "m1")).toBe("PoolNotReady");
          const message = `spec.pool is "${name}"; it must be a DNS name in lower case, such as default-ipv4 (RFC 1123).`;
          expect(found(cluster, POOLS, "machines")?.status).toMatchObject({
            conditions: [{ type: "Ready", status: "False", reason: "PoolRejected", message }],
          });
        },
      );
    },
  );

  it("that gets no address says why, with an Event, and is served when somebody has released one", async () => {
    await working(
      ({ cluster, plat }) => {
        plat.room = 1;
        claim(cluster, "m1");
      },
      async ({ cluster, clock }) => {
        claim(cluster, "m2");
        await clock.sleep(2_000);
        expect(saidOf(cluster, "m2")).toBe("AddressNotAvailable");
        expect([...cluster.events.values()]).toMatchObject([
          { reason: "AddressNotAvailable", metadata: { namespace: "team-a" } },
        ]);
        cluster.deleteObject(CLAIMS, "team-a/m1");
        await clock.sleep(MINUTE_MS + 1_000);
        expect(saidOf(cluster, "m2")).toBe("10.0.0.11");
      },
    );
  });

  it("whose IPAddress has another address is not served", async () => {
    await working(
      ({ cluster }) => {
        const spec = {
          address: "10.0.0.99",
          poolRef: { apiGroup: "ipam.plat", kind: "PlatIPPool" },
        };
        cluster.putObject(ADDRESSES, "m1", { spec }, "team-a");
        claim(cluster, "m1");
      },
      async ({ cluster }) => expect(saidOf(cluster, "m1")).toBe("AddressMismatch"),
    );
  });

  it("of another provider is left alone", async () => {
    await working(
      ({ cluster }) => {
        const poolRef = {
          apiGroup: "ipam.cluster.x-k8s.io",
          kind: "InClusterIPPool",
          name: "machines",
        };
        claim(cluster, "m1", { poolRef });
      },
      async ({ cluster, plat }) => {
        expect(found(cluster, CLAIMS, "m1")?.metadata.finalizers).toBeUndefined();
        expect(plat.held.size).toBe(0);
      },
    );
  });
});

describe("the end of a claim", () => {
  it("releases the address, and deletes the IPAddress", async () => {
    await working(
      ({ cluster }) => claim(cluster, "m1"),
      async ({ cluster, plat, clock }) => {
        cluster.deleteObject(CLAIMS, "team-a/m1");
        await clock.sleep(2_000);
        expect(found(cluster, CLAIMS, "m1")).toBeUndefined();
        expect(found(cluster, ADDRESSES, "m1")).toBeUndefined();
        expect(plat.held.size).toBe(0);
      },
    );
  });

  it("waits for Plat: the claim stays until the address is released", async () => {
    await working(
      ({ cluster }) => claim(cluster, "m1"),
      async ({ cluster, plat, clock }) => {
        plat.failures.push(["DELETE", new Unanswered("no answer")]);
        cluster.deleteObject(CLAIMS, "team-a/m1");
        await clock.sleep(500);
        expect(found(cluster, CLAIMS, "m1")).toBeDefined();
        await clock.sleep(2_000);
        expect(found(cluster, CLAIMS, "m1")).toBeUndefined();
      },
    );
  });

  it("waits while Plat has not released all of it", async () => {
    await working(
      ({ cluster }) => claim(cluster, "m1"),
      async ({ cluster, plat, clock }) => {
        plat.incomplete = 2;
        cluster.deleteObject(CLAIMS, "team-a/m1");
        await clock.sleep(500);
        expect(found(cluster, CLAIMS, "m1")).toBeDefined();
        expect(found(cluster, ADDRESSES, "m1")).toBeDefined();
        await clock.sleep(10_000);
        expect(found(cluster, CLAIMS, "m1")).toBeUndefined();
        expect(plat.held.size).toBe(0);
      },
    );
  });

  it("also lets go of an IPAddress that only the garbage collector deletes", async () => {
    await working(
      ({ cluster }) => {
        const metadata = { finalizers: ["ipam.cluster.x-k8s.io/ProtectAddress"] };
        const poolRef = { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "machines" };
        cluster.putObject(ADDRESSES, "m1", { metadata, spec: { poolRef } }, "team-a");
      },
      async ({ cluster, clock }) => {
        expect(found(cluster, ADDRESSES, "m1")).toBeDefined();
        cluster.deleteObject(ADDRESSES, "team-a/m1");
        await clock.sleep(2_000);
        expect(found(cluster, ADDRESSES, "m1")).toBeUndefined();
      },
    );
  });
});

/** Leaves the IPAddress of a claim `m1` that is gone, which still has our finalizer. */
function leaveAddress(cluster: FakeCluster) {
  const metadata = {
    finalizers: ["ipam.cluster.x-k8s.io/ProtectAddress"],
    ownerReferences: [{ kind: "IPAddressClaim", name: "m1", uid: "uid-before" }],
  };
  const poolRef = { apiGroup: "ipam.plat", kind: "PlatIPPool", name: "machines" };
  const spec = { address: "10.0.0.99", poolRef };
  cluster.putObject(ADDRESSES, "m1", { metadata, spec }, "team-a");
}

it("a claim of the same name as one before is served once the IPAddress of that one is gone", async () => {
  await working(
    ({ cluster }) => {
      leaveAddress(cluster);
      claim(cluster, "m1");
    },
    async ({ cluster, plat, clock }) => {
      expect(saidOf(cluster, "m1")).toBe("AddressMismatch");
      // As the garbage collector does, because the owner is gone.
      cluster.deleteObject(ADDRESSES, "team-a/m1");
      await clock.sleep(2_000);
      expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
      expect(plat.held.size).toBe(1);
      const { uid } = found(cluster, CLAIMS, "m1")?.metadata ?? {};
      const address = found(cluster, ADDRESSES, "m1")?.metadata;
      expect(address).toMatchObject({ ownerReferences: [{ uid }, {}] });
      expect(address?.deletionTimestamp).toBeUndefined();
    },
  );
});

it("the IPAddress of a claim that was ours lets go of its name for another provider, but not during a pause", async () => {
  await working(
    ({ cluster }) => {
      leaveAddress(cluster);
      claim(cluster, "m1", {
        poolRef: { apiGroup: "ipam.other", kind: "OtherPool", name: "other" },
      });
      cluster.putObject(CLAIMS, "m1", PAUSED, "team-a");
    },
    async ({ cluster, plat, clock }) => {
      cluster.deleteObject(ADDRESSES, "team-a/m1");
      await clock.sleep(2_000);
      expect(found(cluster, ADDRESSES, "m1")).toBeDefined();
      cluster.putObject(CLAIMS, "m1", GOES_ON, "team-a");
      await clock.sleep(2_000);
      expect(found(cluster, ADDRESSES, "m1")).toBeUndefined();
      expect(plat.held.size).toBe(0);
    },
  );
});

it("an IPAddress that somebody deletes stays while its claim is there", async () => {
  await working(
    ({ cluster }) => claim(cluster, "m1"),
    async ({ cluster, clock }) => {
      cluster.deleteObject(ADDRESSES, "team-a/m1");
      await clock.sleep(MINUTE_MS);
      expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
    },
  );
});

describe("a pause", () => {
  it.each([
    ["of the Cluster", CLUSTERS, "blue", { spec: { paused: true } }, { spec: { paused: false } }],
    ["of the Cluster by its annotation", CLUSTERS, "blue", PAUSED, GOES_ON],
    ["of the claim", CLAIMS, "m1", PAUSED, GOES_ON],
    ["of the pool", POOLS, "machines", PAUSED, GOES_ON],
  ])("%s holds the claim and its end", async (_, path, name, paused, goesOn) => {
    await working(
      ({ cluster }) => {
        cluster.putObject(CLUSTERS, "blue", {}, "team-a");
        claim(cluster, "m1", { clusterName: "blue" });
        cluster.putObject(path, name, paused, "team-a");
      },
      async ({ cluster, plat, clock }) => {
        expect(plat.held.size).toBe(0);
        cluster.putObject(path, name, goesOn, "team-a");
        await clock.sleep(2_000);
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
        cluster.putObject(path, name, paused, "team-a");
        cluster.deleteObject(CLAIMS, "team-a/m1");
        await clock.sleep(2_000);
        expect(plat.held.size).toBe(1);
        cluster.putObject(path, name, goesOn, "team-a");
        await clock.sleep(2_000);
        expect(plat.held.size).toBe(0);
        expect(found(cluster, CLAIMS, "m1")).toBeUndefined();
      },
    );
  });

  it("is also that of a Cluster that is absent, but a deletion goes on", async () => {
    await working(
      ({ cluster }) => claim(cluster, "m1", { clusterName: "blue" }),
      async ({ cluster, plat, clock }) => {
        expect(saidOf(cluster, "m1")).toBeUndefined();
        cluster.putObject(CLUSTERS, "blue", {}, "team-a");
        await clock.sleep(2_000);
        expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
        cluster.deleteObject(CLUSTERS, "team-a/blue");
        cluster.deleteObject(CLAIMS, "team-a/m1");
        await clock.sleep(2_000);
        expect(plat.held.size).toBe(0);
      },
    );
  });
});

it("a claim that was moved keeps its address, and its IPAddress is protected again", async () => {
  await working(
    ({ cluster }) => claim(cluster, "m1"),
    async ({ cluster, plat, clock }) => {
      const target = new FakeCluster();
      for (const [group, versions] of cluster.versions) target.versions.set(group, versions);
      const address = found(cluster, ADDRESSES, "m1");
      await clock.sleep(1_000);
      putPool(target);
      claim(target, "m1");
      const spec = address?.spec as object;
      target.putObject(ADDRESSES, "m1", { spec }, "team-a");
      await whileWorking(target, plat, async () => {
        expect(saidOf(target, "m1")).toBe("10.0.0.10");
        expect(plat.held.size).toBe(1);
        expect(found(target, ADDRESSES, "m1")?.metadata).toMatchObject({
          finalizers: ["ipam.cluster.x-k8s.io/ProtectAddress"],
          ownerReferences: [
            { kind: "IPAddressClaim", uid: found(target, CLAIMS, "m1")?.metadata.uid },
            { kind: "PlatIPPool" },
          ],
        });
      });
    },
  );
});

it("the provider waits for the CRDs of Cluster API, and for a version that it speaks", async () => {
  await working(
    ({ cluster }) => {
      cluster.versions.clear();
      claim(cluster, "m1");
    },
    async ({ cluster, clock }) => {
      cluster.versions.set("cluster.x-k8s.io", ["v1beta2"]);
      cluster.versions.set("ipam.cluster.x-k8s.io", ["v1alpha1"]);
      await clock.sleep(11_000);
      expect(saidOf(cluster, "m1")).toBeUndefined();
      cluster.versions.set("ipam.cluster.x-k8s.io", ["v1beta2"]);
      await clock.sleep(12_000);
      expect(saidOf(cluster, "m1")).toBe("10.0.0.10");
    },
  );
});
