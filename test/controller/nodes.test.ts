import { describe, expect, it } from "vitest";
import { BODY_BYTES_MAX } from "../../src/base/limits.ts";
import { same } from "../../src/base/same.ts";
import { ApiError, clientOver, type PlatClient } from "../../src/client/index.ts";
import { KubeError } from "../../src/controller/kube/api.ts";
import { Metrics } from "../../src/controller/metrics.ts";
import {
  type NodeMode,
  type NodeObject,
  Nodes,
  type NodesOptions,
} from "../../src/controller/nodes.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { waitsOf } from "./waits.ts";

interface Said {
  readonly type: string;
  readonly object: NodeObject;
}

/** What Plat answers to one event, without the fields that each answer has. */
interface Answered {
  readonly status?: string;
  readonly code?: string;
  readonly detail?: string;
  /** The prefix for a node that has none. */
  readonly prefix?: string;
  /** The taints that the node should have. */
  readonly taints?: readonly object[];
}

/** Plat as the controller sees it: it notes what it is told, and answers as a test says. */
class FakePlat {
  readonly batches: (readonly string[])[] = [];
  readonly lists: { readonly resourceVersion: string; readonly nodes: readonly object[] }[] = [];
  /** What the requests said of nodes that ask. */
  readonly assigns = new Set<boolean>();
  /** Errors of the next requests. */
  readonly failures: Error[] = [];
  /** The bodies of the next answers, of a server that is not Plat. */
  readonly strange: object[] = [];
  answer: (said: Said) => Answered = () => ({});
  list: object = {};

  readonly client: PlatClient = clientOver(
    async <Body>({ path, body }: { path: string; body?: unknown }) => {
      const failure = this.failures.shift();
      if (failure) throw failure;
      const answered =
        this.strange.shift() ?? (path === "/v1/events" ? this.#events(body) : this.#list(body));
      return { status: 200, etag: undefined, body: answered as Body };
    },
  );

  #events(body: unknown): object {
    const { cluster, assign, events } = body as {
      cluster: string;
      assign: boolean;
      events: readonly Said[];
    };
    expect(cluster).toBe("c");
    this.assigns.add(assign);
    const line = ({ type, object: { metadata, spec } }: Said) =>
      [type, metadata.name, spec?.podCIDR].filter(Boolean).join(" ");
    this.batches.push(events.map(line));
    return {
      results: events.map((said, index) => {
        const { prefix, taints, ...answered } = this.answer(said);
        const { uid, resourceVersion, name } = said.object.metadata;
        const isAsking = said.type !== "DELETED" && !said.object.spec?.podCIDR;
        const getsRange = prefix !== undefined && isAsking;
        const patch = {
          metadata: { uid, resourceVersion },
          spec: {
            ...(taints && { taints }),
            ...(getsRange && { podCIDR: prefix, podCIDRs: [prefix] }),
          },
        };
        return {
          index,
          kind: "Node",
          name,
          status: "applied",
          ...answered,
          ...((taints || getsRange) && { patch }),
        };
      }),
    };
  }

  #list(body: unknown): object {
    this.lists.push(body as (typeof this.lists)[number]);
    return { ended: [], missing: [], send: [], complete: true, ...this.list };
  }
}

const problem = (code: string, more: object = {}) =>
  new ApiError({
    type: "",
    title: "",
    status: 409,
    detail: "no",
    code,
    retryable: false,
    ...more,
  } as never);

/** Lets a controller work for nodes while a test acts. */
async function working(
  {
    mode = "write",
    mayAsk = true,
    follows = false,
    lifecycle,
    prepare = () => undefined,
  }: {
    mode?: NodeMode;
    mayAsk?: boolean;
    /** True if the replica leads only when the test says so. */
    follows?: boolean;
    lifecycle?: NodesOptions["lifecycle"];
    prepare?: (cluster: FakeCluster, plat: FakePlat) => void;
  },
  act: (of: {
    readonly cluster: FakeCluster;
    readonly plat: FakePlat;
    readonly metrics: Metrics;
    /** The texts that the controller logged. */
    readonly logged: readonly string[];
    readonly sleep: (ms: number) => Promise<void>;
    readonly lead: () => void;
  }) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const [cluster, plat, metrics] = [new FakeCluster(), new FakePlat(), new Metrics()];
  const logged: string[] = [];
  prepare(cluster, plat);
  const nodes = new Nodes({
    plat: plat.client,
    api: cluster,
    cluster: "c",
    mode,
    lifecycle,
    mayAsk: () => mayAsk,
    completeMs: 300_000,
    waits: waitsOf(clock),
    metrics,
    log: (text) => void logged.push(text),
  });
  await clock.run(async () => {
    const ending = new AbortController();
    const running = [nodes.reflector.run(ending.signal)];
    const lead = () => void running.push(nodes.run(ending.signal));
    if (!follows) lead();
    await clock.sleep(2_000);
    const { sleep } = clock;
    await act({ cluster, plat, metrics, logged, sleep, lead }).finally(() => ending.abort());
    await Promise.all(running);
  });
}

const TAINT = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const rangeOf = (cluster: FakeCluster, name: string) => cluster.nodes.get(name)?.spec?.podCIDRs;
const giving = (_: FakeCluster, plat: FakePlat) => {
  let next = 0;
  plat.answer = () => ({ prefix: `10.0.${next++}.0/24` });
};

describe("a node without a range", () => {
  it("gets the one that Plat answers, and Plat hears that it has it", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1");
      await sleep(1_000);
      expect(rangeOf(cluster, "n1")).toEqual(["10.0.0.0/24"]);
      expect(plat.batches).toEqual([["MODIFIED n1"], ["MODIFIED n1 10.0.0.0/24"]]);
    }));

  it("is sent after those that state one, which have their answer first", () =>
    working(
      {
        prepare: (cluster, plat) => {
          giving(cluster, plat);
          cluster.put("a-new");
          cluster.put("b", { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24"] });
          plat.failures.push(problem("throttled", { retryAfterSeconds: 30 }));
        },
      },
      async ({ plat, sleep }) => {
        expect(plat.batches).toEqual([]);
        await sleep(60_000);
        expect(plat.batches.slice(0, 2)).toEqual([["MODIFIED b 10.9.1.0/24"], ["MODIFIED a-new"]]);
      },
    ));

  it("gets it although a node that states one refuses its taints for good", () =>
    working(
      {
        lifecycle: { isSilent: () => false },
        prepare: (cluster, plat) => {
          plat.answer = ({ object }) =>
            object.metadata.name === "b" ? { taints: [TAINT] } : { prefix: "10.0.0.0/24" };
          const denied = new KubeError(403, "Forbidden", "denied");
          for (let n = 0; n < 1_000; n++) cluster.failures.push(["PATCH /api/v1/nodes/b", denied]);
          cluster.put("b", { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24"] });
        },
      },
      async ({ cluster, plat, sleep }) => {
        cluster.put("a-new");
        await sleep(300_000);
        expect(rangeOf(cluster, "a-new")).toEqual(["10.0.0.0/24"]);
        expect(plat.lists.length).toBeGreaterThan(0);
      },
    ));

  it("that cannot be patched is tried more and more rarely, up to once a minute", () =>
    working({ prepare: giving }, async ({ cluster, sleep }) => {
      const denied = new KubeError(403, "Forbidden", "denied");
      for (let n = 0; n < 1_000; n++) cluster.failures.push(["PATCH /api/v1/nodes/n1", denied]);
      cluster.put("n1");
      await sleep(600_000);
      const patches = cluster.requests.filter((one) => one.startsWith("PATCH /api/v1/nodes"));
      expect(patches.length).toBeGreaterThan(10);
      expect(patches.length).toBeLessThan(30);
    }));

  it("is asked for again after a conflict, as it is then", () =>
    working({ prepare: giving }, async ({ cluster, sleep }) => {
      const conflict = new KubeError(409, "Conflict", "modified");
      cluster.failures.push(["PATCH /api/v1/nodes/n1", conflict]);
      cluster.put("n1");
      await sleep(5_000);
      expect(rangeOf(cluster, "n1")).toEqual(["10.0.1.0/24"]);
      expect(cluster.events.size).toBe(0);
    }));

  it("is told why it gets none, once in five minutes, and asked for again each minute", () =>
    working({}, async ({ cluster, plat, sleep }) => {
      plat.answer = () => ({ code: "pool_exhausted", detail: "The pool is full." });
      cluster.put("n1");
      await sleep(250_000);
      expect(plat.batches).toHaveLength(5);
      const [event] = [...cluster.events.values()];
      expect(cluster.events.size).toBe(1);
      expect(event).toMatchObject({
        reason: "CIDRNotAvailable",
        message: "The pool is full.",
        count: 1,
        involvedObject: { kind: "Node", name: "n1" },
      });
      await sleep(120_000);
      expect([...cluster.events.values()]).toMatchObject([{ count: 2 }]);
    }));

  it("of which Plat knows a later one is told so, and asked for again each minute", () =>
    working({}, async ({ cluster, plat, sleep }) => {
      plat.answer = () => ({ status: "stale" });
      cluster.put("n1");
      cluster.put("n2", { podCIDR: "10.9.1.0/24" });
      await sleep(70_000);
      expect(plat.batches.slice(1)).toEqual([["MODIFIED n1"], ["MODIFIED n1"]]);
      expect([...cluster.events.values()]).toMatchObject([
        {
          reason: "CIDRNotAvailable",
          message: "Plat knows a later object of this name, or a later version of it.",
          involvedObject: { name: "n1" },
        },
      ]);
      plat.answer = () => ({ prefix: "10.0.0.0/24" });
      await sleep(60_000);
      expect(rangeOf(cluster, "n1")).toEqual(["10.0.0.0/24"]);
    }));

  it("that refuses its range for good is not written again", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.failures.push([
        "PATCH /api/v1/nodes/n1",
        new KubeError(422, "Invalid", "written once"),
      ]);
      cluster.put("n1");
      await sleep(200_000);
      expect(plat.batches).toEqual([["MODIFIED n1"]]);
      expect([...cluster.events.values()]).toMatchObject([{ reason: "CIDRAssignmentFailed" }]);
    }));
});

describe("a change of a node", () => {
  it("is sent if Plat reads it, and a heartbeat is not", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1");
      await sleep(1_000);
      cluster.put("n1");
      await sleep(1_000);
      expect(plat.batches).toHaveLength(2);
      cluster.put("n1", {}, { zone: "a" });
      await sleep(1_000);
      expect(plat.batches[2]).toEqual(["MODIFIED n1 10.0.0.0/24"]);
    }));

  it("shares a request with others of the same moment, up to 256", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      for (let n = 0; n < 300; n++) cluster.put(`n${n}`);
      await sleep(20_000);
      expect(plat.batches.map((batch) => batch.length)).toEqual([256, 44, 256, 44]);
      expect([...cluster.nodes.values()].filter(({ spec }) => !spec?.podCIDR).length).toBe(0);
    }));

  it("is sent again if Plat fails, and Plat says when", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      plat.failures.push(problem("unavailable", { retryAfterSeconds: 20 }));
      cluster.put("n1");
      await sleep(19_000);
      expect(plat.batches).toEqual([]);
      await sleep(10_000);
      expect(plat.batches).toHaveLength(2);
    }));

  it("is sent again if the answer has no result for it", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      plat.strange.push({ ok: true }, { results: [] });
      cluster.put("n1");
      await sleep(10_000);
      expect(rangeOf(cluster, "n1")).toEqual(["10.0.0.0/24"]);
    }));

  it("is not sent again if Plat rejects it, and the Node says why", () =>
    working({}, async ({ cluster, plat, sleep }) => {
      plat.answer = () => ({
        status: "rejected",
        code: "other_cluster",
        detail: "Another cluster.",
      });
      cluster.put("n1");
      await sleep(200_000);
      expect(plat.batches).toEqual([["MODIFIED n1"]]);
      expect([...cluster.events.values()]).toMatchObject([{ reason: "OtherCluster" }]);
    }));
});

describe("the end of a node", () => {
  it("is sent until Plat has taken it, before the next node of its name", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1");
      await sleep(1_000);
      plat.failures.push(problem("unavailable"));
      cluster.delete("n1");
      cluster.put("n1");
      await sleep(10_000);
      expect(plat.batches[2]).toEqual(["DELETED n1 10.0.0.0/24", "MODIFIED n1"]);
      expect(plat.batches).toHaveLength(4);
    }));

  it("is sent if it was found by a new list", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1");
      await sleep(1_000);
      cluster.cut("closed");
      cluster.delete("n1");
      cluster.compact();
      await sleep(10_000);
      expect(plat.batches.at(-1)).toEqual(["DELETED n1 10.0.0.0/24"]);
    }));

  it("while another replica leads is told by the one that leads next, an hour later too", () =>
    working({ follows: true, prepare: giving }, async ({ cluster, plat, sleep, lead }) => {
      for (const name of ["early", "late"]) cluster.put(name, { podCIDR: "10.9.1.0/24" });
      await sleep(1_000);
      cluster.delete("early");
      await sleep(60 * 60_000);
      cluster.delete("late");
      await sleep(1_000);
      lead();
      await sleep(2_000);
      expect(plat.batches).toEqual([["DELETED early 10.9.1.0/24", "DELETED late 10.9.1.0/24"]]);
    }));
});

describe("a complete list", () => {
  it("is sent when all nodes are sent, and every five minutes without another call", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1");
      await sleep(1_000);
      const [batches, lists] = [plat.batches.length, plat.lists.length];
      await sleep(3_000_000);
      expect(plat.batches).toHaveLength(batches);
      expect(plat.lists.length - lists).toBe(10);
      expect(plat.lists.at(-1)).toEqual({
        cluster: "c",
        resourceVersion: cluster.version,
        nodes: [
          { name: "n1", uid: cluster.nodes.get("n1")?.metadata.uid, podCIDRs: ["10.0.0.0/24"] },
        ],
      });
    }));

  it("is followed by the events that Plat lacks, and a second look at what is missing", () =>
    working({ prepare: giving }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1");
      await sleep(400_000);
      plat.list = { missing: ["gone"], send: ["n1"] };
      const [batches, lists] = [plat.batches.length, plat.lists.length];
      await sleep(300_000);
      expect(plat.batches.slice(batches, batches + 1)).toEqual([["MODIFIED n1 10.0.0.0/24"]]);
      expect(plat.lists.length - lists).toBeGreaterThanOrEqual(2);
    }));

  it("that Plat does not take is sent again, and counted", () =>
    working({ prepare: giving }, async ({ plat, metrics, sleep }) => {
      plat.failures.push(problem("too_many_missing", { count: 7 }));
      await sleep(299_000);
      expect(metrics.text()).toContain("plat_controller_missing_nodes 7\n");
      await sleep(60_000);
      expect(metrics.text()).toContain("plat_controller_missing_nodes 0\n");
    }));

  it("that is too large is not sent, which the log says once and a metric until it fits", () =>
    working({ prepare: giving }, async ({ cluster, plat, metrics, logged, sleep }) => {
      const tooLarge = () => logged.filter((text) => text.startsWith("The list of Nodes is too"));
      for (const count of [1, 2]) {
        cluster.put("n1", { podCIDR: "1".repeat(BODY_BYTES_MAX) });
        await sleep(300_000);
        const { length } = plat.lists;
        await sleep(600_000);
        expect(plat.lists).toHaveLength(length);
        expect(tooLarge()).toHaveLength(count);
        expect(metrics.text()).toContain("plat_controller_oversized_list 1\n");
        cluster.put("n1", { podCIDR: "10.9.0.0/24" });
        await sleep(61_000);
        expect(plat.lists).toHaveLength(length + 1);
        expect(metrics.text()).toContain("plat_controller_oversized_list 0\n");
      }
    }));
});

describe("the taints of a node", () => {
  const own = (spec: NodeObject["spec"] = {}) => ({ podCIDR: "10.9.1.0/24", ...spec });
  const taintsOf = (cluster: FakeCluster) => cluster.nodes.get("n1")?.spec?.taints;
  /** Plat wants the taint while the node is not ready. */
  const tainting = (_: FakeCluster, plat: FakePlat) => {
    plat.answer = ({ object: { spec, status } }) => {
      const isReady = status?.conditions?.some((one) => one.status === "True");
      const wanted = isReady ? [] : [TAINT];
      return same(spec?.taints ?? [], wanted) ? {} : { taints: wanted };
    };
  };
  const speaking = { isSilent: () => false };

  it("are written as its conditions change, and those of a silent one are not", async () => {
    const silent = new Set<string>();
    const lifecycle = { isSilent: ({ metadata }: NodeObject) => silent.has(metadata.name) };
    await working({ lifecycle, prepare: tainting }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1", own());
      await sleep(1_000);
      expect(taintsOf(cluster)).toBeUndefined();
      cluster.beat("n1", "2026-03-11T08:20:00Z", "False");
      await sleep(1_000);
      expect(taintsOf(cluster)).toEqual([TAINT]);
      silent.add("n1");
      cluster.beat("n1", "2026-03-11T08:20:00Z");
      await sleep(1_000);
      expect(taintsOf(cluster)).toEqual([TAINT]);
      expect(plat.batches).toHaveLength(4);
    });
  });

  it("are left alone without the switch, and then conditions are no events", () =>
    working({ prepare: tainting }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1", own());
      await sleep(1_000);
      cluster.beat("n1", "2026-03-11T08:20:00Z", "False");
      await sleep(1_000);
      expect(plat.batches).toHaveLength(1);
      cluster.put("n1", {}, { zone: "a" });
      cluster.beat("n1", "2026-03-11T08:20:00Z", "False");
      await sleep(1_000);
      expect(plat.batches).toHaveLength(2);
      expect(taintsOf(cluster)).toBeUndefined();
    }));

  it("are written where the ranges are not", () =>
    working(
      { mode: "observe", lifecycle: speaking, prepare: tainting },
      async ({ cluster, plat, sleep }) => {
        const answer = plat.answer;
        plat.answer = (said) => ({ ...answer(said), prefix: "10.0.0.0/24" });
        cluster.put("n1");
        cluster.beat("n1", "2026-03-11T08:20:00Z", "False");
        await sleep(1_000);
        expect(cluster.nodes.get("n1")?.spec).toEqual({ taints: [TAINT] });
      },
    ));

  it("follow from heartbeats, which share a request every ten seconds", () =>
    working({ lifecycle: speaking, prepare: tainting }, async ({ cluster, plat, sleep }) => {
      for (const name of ["n1", "n2"]) cluster.put(name, own());
      await sleep(1_000);
      expect(plat.batches).toHaveLength(1);
      for (let at = 10; at < 30; at++) {
        cluster.beat("n1", `2026-03-11T08:20:${at}Z`);
        await sleep(500);
        cluster.beat("n2", `2026-03-11T08:20:${at}Z`);
        await sleep(500);
      }
      expect(plat.batches.length).toBeGreaterThanOrEqual(3);
      expect(plat.batches.length).toBeLessThanOrEqual(4);
      expect(plat.batches.at(-1)).toHaveLength(2);
    }));

  it("follow from no heartbeat of another condition than Ready, which the kubelet may not write", () =>
    working({ lifecycle: speaking, prepare: tainting }, async ({ cluster, plat, sleep }) => {
      cluster.put("n1", own());
      cluster.beat("n1", "2026-03-11T08:20:00Z", "False", "KernelDeadlock");
      await sleep(1_000);
      for (let at = 10; at < 30; at++) {
        cluster.beat("n1", `2026-03-11T08:20:${at}Z`, "False", "KernelDeadlock");
        await sleep(1_000);
      }
      expect(plat.batches).toHaveLength(1);
    }));

  it("that cannot be written show in an Event", () =>
    working({ lifecycle: speaking, prepare: tainting }, async ({ cluster, sleep }) => {
      const denied = new KubeError(403, "Forbidden", "denied");
      cluster.failures.push(["PATCH /api/v1/nodes/n1", denied]);
      cluster.put("n1", own());
      cluster.beat("n1", "2026-03-11T08:20:00Z", "False");
      await sleep(1_000);
      expect([...cluster.events.values()]).toMatchObject([{ reason: "TaintsNotWritten" }]);
      await sleep(5_000);
      expect(taintsOf(cluster)).toEqual([TAINT]);
    }));
});

it("a node asks for nothing before Plat knows what others state", () =>
  working({ mayAsk: false, prepare: giving }, async ({ cluster, plat, sleep }) => {
    cluster.put("asking");
    cluster.put("stated", { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24"] });
    await sleep(100_000);
    expect(plat.batches).toEqual([["MODIFIED stated 10.9.1.0/24"]]);
  }));

it("a node with the name of one that is gone asks for nothing before either", () =>
  working({ mayAsk: false, follows: true }, async ({ cluster, plat, sleep, lead }) => {
    for (const name of ["asking", "stating"]) cluster.put(name, { podCIDR: "10.9.1.0/24" });
    await sleep(1_000);
    for (const name of ["asking", "stating"]) cluster.delete(name);
    cluster.put("asking");
    cluster.put("stating", { podCIDR: "10.9.2.0/24" });
    await sleep(1_000);
    plat.failures.push(problem("unavailable"));
    lead();
    await sleep(100_000);
    expect(plat.batches).toEqual([
      ["DELETED asking 10.9.1.0/24", "DELETED stating 10.9.1.0/24", "MODIFIED stating 10.9.2.0/24"],
    ]);
  }));

it("a node with the name of one that is gone asks once the others have their answer", () =>
  working({ follows: true, prepare: giving }, async ({ cluster, plat, sleep, lead }) => {
    cluster.put("old", { podCIDR: "10.9.1.0/24" });
    cluster.put("stated", { podCIDR: "10.9.2.0/24" });
    await sleep(1_000);
    cluster.delete("old");
    cluster.put("old");
    await sleep(1_000);
    lead();
    await sleep(2_000);
    expect(plat.batches.slice(0, 2)).toEqual([
      ["MODIFIED stated 10.9.2.0/24", "DELETED old 10.9.1.0/24"],
      ["MODIFIED old"],
    ]);
    expect(rangeOf(cluster, "old")).toEqual(["10.0.2.0/24"]);
  }));

it("a controller that observes writes nothing, and asks for nothing", () =>
  working({ mode: "observe", prepare: giving }, async ({ cluster, plat, sleep }) => {
    cluster.put("stated", { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24"] });
    cluster.put("asking");
    await sleep(700_000);
    expect(plat.batches).toEqual([["MODIFIED stated 10.9.1.0/24"], ["MODIFIED asking"]]);
    expect([...plat.assigns]).toEqual([false]);
    expect(rangeOf(cluster, "asking")).toBeUndefined();
    expect(cluster.requests.filter((one) => one.startsWith("PATCH"))).toEqual([]);
  }));
