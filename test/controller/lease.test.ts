import { afterEach, expect, it, vi } from "vitest";
import { KubeError } from "../../src/controller/kube/api.ts";
import { LeaseLostError, whileLeading } from "../../src/controller/kube/lease.ts";
import { knownTo } from "../signals.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

const PATH = "/apis/coordination.k8s.io/v1/namespaces/plat-system/leases/plat-controller";

/** A replica: whether it acts, and how it ends. */
function replica(cluster: FakeCluster, clock: VirtualClock, identity: string) {
  const ending = new AbortController();
  const state = { isActing: false, error: undefined as unknown };
  const of = { namespace: "plat-system", name: "plat-controller", identity };
  const waits = waitsOf(clock);
  const running = whileLeading(cluster, of, waits, ending.signal, async (signal) => {
    state.isActing = true;
    while (!signal.aborted) await waits.sleep(60_000, signal);
    state.isActing = false;
  }).catch((error: unknown) => {
    state.error = error;
  });
  return { state, running, known: () => knownTo(ending.signal), end: () => ending.abort() };
}

afterEach(() => vi.useRealTimers());

it("one replica acts, and when it ends the other one does", async () => {
  // All renewals name the same time.
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  const [cluster, clock] = [new FakeCluster(), new VirtualClock()];
  await clock.run(async () => {
    const first = replica(cluster, clock, "a");
    await clock.sleep(1);
    const second = replica(cluster, clock, "b");
    await clock.sleep(60_000);
    expect([first.state.isActing, second.state.isActing]).toEqual([true, false]);
    first.end();
    await first.running;
    await clock.sleep(3_000);
    expect([first.state.isActing, second.state.isActing]).toEqual([false, true]);
    expect(first.state.error).toBeUndefined();
    second.end();
    await second.running;
  });
  expect(cluster.leases.get("plat-controller")).toMatchObject({
    spec: { holderIdentity: "", leaseTransitions: 1 },
  });
});

it("a replica takes a Lease that nobody renewed for 15 s by its own clock", async () => {
  const [cluster, clock] = [new FakeCluster(), new VirtualClock()];
  cluster.leases.set("plat-controller", {
    metadata: { name: "plat-controller", resourceVersion: "1" },
    spec: { holderIdentity: "dead", renewTime: "2999-01-01T00:00:00.000000Z" },
  });
  await clock.run(async () => {
    const heir = replica(cluster, clock, "b");
    await clock.sleep(15_000);
    expect(heir.state.isActing).toBe(false);
    await clock.sleep(5_000);
    expect(heir.state.isActing).toBe(true);
    heir.end();
    await heir.running;
  });
});

it.each([
  [
    "cannot renew",
    (cluster: FakeCluster) => {
      for (let n = 0; n < 20; n++) cluster.failures.push([`GET ${PATH}`, new Error("no route")]);
    },
  ],
  [
    "gets no answer, as over a connection that was cut without a word,",
    (cluster: FakeCluster) => {
      cluster.send = (_, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        });
    },
  ],
])("a replica that %s for 10 s acts no longer, and fails", async (_, cutOff) => {
  const [cluster, clock] = [new FakeCluster(), new VirtualClock()];
  await clock.run(async () => {
    const leader = replica(cluster, clock, "a");
    await clock.sleep(1);
    cutOff(cluster);
    await clock.sleep(8_000);
    expect(leader.state.isActing).toBe(true);
    await clock.sleep(6_000);
    expect(leader.state.isActing).toBe(false);
    expect(leader.state.error).toBeInstanceOf(LeaseLostError);
    await leader.running;
  });
});

it("a replica leads on when somebody else writes its Lease between its read and its renewal", async () => {
  const [cluster, clock] = [new FakeCluster(), new VirtualClock()];
  await clock.run(async () => {
    const leader = replica(cluster, clock, "a");
    await clock.sleep(1);
    const conflict = new KubeError(409, "Conflict", "the object has been modified");
    cluster.failures.push([`PUT ${PATH}`, conflict]);
    await clock.sleep(60_000);
    expect(cluster.failures).toEqual([]);
    expect(leader.state).toEqual({ isActing: true, error: undefined });
    leader.end();
    await leader.running;
  });
});

it("renewals leave nothing in the signal of a replica", async () => {
  const [cluster, clock] = [new FakeCluster(), new VirtualClock()];
  await clock.run(async () => {
    const leader = replica(cluster, clock, "a");
    await clock.sleep(10_001);
    const known = leader.known();
    await clock.sleep(600_000);
    expect(leader.known()).toBe(known);
    leader.end();
    await leader.running;
  });
});

it("a replica whose Lease another one has acts no longer, and fails", async () => {
  const [cluster, clock] = [new FakeCluster(), new VirtualClock()];
  await clock.run(async () => {
    const leader = replica(cluster, clock, "a");
    await clock.sleep(1);
    cluster.leases.set("plat-controller", {
      metadata: { name: "plat-controller", resourceVersion: "999" },
      spec: { holderIdentity: "thief", renewTime: "now" },
    });
    await clock.sleep(3_000);
    expect(leader.state.isActing).toBe(false);
    expect(leader.state.error).toBeInstanceOf(LeaseLostError);
    await leader.running;
  });
});
