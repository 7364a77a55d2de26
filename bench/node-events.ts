import { Rejection } from "../src/base/outcome.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { POD_UID } from "../src/nouns/address/attachment.ts";
import type { ClusterEvent, NodeStatement } from "../src/nouns/node/node-health.ts";
import { applyEvents } from "../src/nouns/node/operations/apply-events.ts";
import { completeNodes } from "../src/nouns/node/operations/complete-nodes.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned } from "./asked.ts";
import { setIndexes } from "./indexes.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool } from "./pool.ts";

const SPACE = "node-events";
const NAME = "node-1";
/** The nodes of a complete list. */
const LISTED = 100;
/** A cold function reads the configuration: the quarantine of the space, and its pools of prefixes. */
const CONFIGURATION_UNITS = 2;

/** Returns the Node object at a version. The node runs on a machine. */
const statementAt = (version: number, said: Partial<NodeStatement> = {}): NodeStatement => ({
  uid: "uid-1",
  resourceVersion: String(version),
  createdAtMs: 1_700_000_000_000,
  labels: { zone: "a" },
  taints: [],
  annotations: [],
  podCidrs: [],
  conditions: [["Ready", "True"]],
  isUnschedulable: false,
  zone: "",
  isExcluded: false,
  machine: "i-0abc",
  heartbeat: `heartbeat-${version}`,
  ...said,
});

/** Measures the events of a node and of its pods, each on a function that has just started. */
export async function measureNodeEvents(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const send = async (context: ReturnType<Bench["cold"]>, event: ClusterEvent) => {
    const [result] = await applyEvents(context, { space: SPACE }, [event]);
    // The end of a pod that holds nothing has nothing to apply.
    const isFine = result?.status === "applied" || event.act === "release";
    if (!result || !isFine) throw new Error(`the event is ${result?.status}`);
    return result;
  };
  const measured = async (operation: string, budget: Budget, event: ClusterEvent) => {
    const cost = await bench.meter.measure(() => send(bench.cold(), event));
    lines.push({ operation, size: "/16", fill: "0 %", cost, budget });
  };
  const stated = (statement: NodeStatement): ClusterEvent => ({
    act: "state",
    name: NAME,
    statement,
  });
  const pools = { assign: "prefixes", allowedUses: [], cooldownSeconds: 300 } as const;
  await makePool(
    bench.cold(),
    { space: SPACE, name: "prefixes", cidr: "10.64.0.0/16" },
    { ...pools, blockSize: 24 },
  );
  await makePool(bench.cold(), { space: SPACE, name: "pods", cidr: "10.0.0.0/16" });
  const joined = await send(bench.cold(), stated(statementAt(1)));
  const podCidrs = joined.patch?.spec.podCIDRs ?? [];
  await send(bench.cold(), stated(statementAt(2, { podCidrs })));
  await measured(
    "event of a node, nothing new",
    [4, 2, CONFIGURATION_UNITS + 4],
    stated(statementAt(3, { podCidrs })),
  );
  // A cold function that finds nothing also looks whether the keys of the table are those that it knows.
  await measured("… of a pod that ends, nothing held", [2, 0, CONFIGURATION_UNITS + 2], {
    act: "release",
    name: "pod-1",
    uid: "pod-1",
  });
  const host = hostId("host", NAME);
  const request = {
    space: SPACE,
    host,
    wanted: [{ family: 4, count: 1 }],
    pools: [],
    digest: "digest",
  } as const;
  await assigned(bench.cold(), { ...request, handle: "pod/pod-2", attributes: {} });
  await measured("… of a pod that ends, one address", [4, 4, CONFIGURATION_UNITS + 2], {
    act: "release",
    name: "pod-2",
    uid: "pod-2",
  });
  await setIndexes(bench.cold(), SPACE, [POD_UID]);
  const attributes = { [POD_UID]: "pod-3" };
  await assigned(bench.cold(), { ...request, handle: "cni/net/n/c/eth0", attributes });
  await measured("… of a pod that ends, one attachment", [8, 5, CONFIGURATION_UNITS + 21], {
    act: "release",
    name: "pod-3",
    uid: "pod-3",
  });
  await measured("… of the end of a node", [7, 7, CONFIGURATION_UNITS + 2], {
    act: "end",
    name: NAME,
    ended: statementAt(4),
  });
  lines.push(await measureList(bench));
  return lines;
}

/** Measures a complete list of nodes that are all as Plat knows them. */
async function measureList(bench: Bench): Promise<Line> {
  const space = "node-lists";
  const [cluster, uid] = ["cluster-1", "uid-1"];
  const names = Array.from({ length: LISTED }, (_, at) => `node-${at}`);
  const events = names.map((name): ClusterEvent => {
    return { act: "state", name, statement: statementAt(1, { machine: `i-${name}` }) };
  });
  await applyEvents(bench.cold(), { space, cluster }, events);
  const nodes = names.map((name) => ({ name, uid, podCidrs: [] }));
  const cost = await bench.meter.measure(async () => {
    const list = { space, cluster, resourceVersion: "2", nodes };
    const completed = await completeNodes(bench.cold(), list);
    if (completed instanceof Rejection || completed.send.length > 0)
      throw new Error(`the list is not as Plat knows it: ${JSON.stringify(completed)}`);
  });
  const budget: Budget = [4, 0, CONFIGURATION_UNITS + LISTED + 4];
  return { operation: `complete list of ${LISTED} nodes`, size: "/16", fill: "0 %", cost, budget };
}
