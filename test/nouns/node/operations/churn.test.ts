import { expect, it } from "vitest";
import { findViolations } from "../../../../src/invariants/invariants.ts";
import { hostId } from "../../../../src/kernel/values/host.ts";
import { formatCidr } from "../../../../src/net/cidr.ts";
import type { ClusterEvent, NodeStatement } from "../../../../src/nouns/node/node-health.ts";
import { applyEvents } from "../../../../src/nouns/node/operations/apply-events.ts";
import { putPool } from "../../../../src/nouns/pool/operations/administration.ts";
import { prefixPool } from "../../../prefixes.ts";
import { repairAll } from "../../../scheduled-runs.ts";
import { seededRandom } from "../../../simulation/random.ts";
import {
  assigned,
  contentsIn,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  type World,
} from "../../../world.ts";

const NODES = 500;
const SHARE_TWICE = 0.1;
const SHARE_LATE = 0.1;

/** The Node objects of a cluster, and what it says of them. */
class Cluster {
  readonly nodes = new Map<string, NodeStatement>();
  readonly #queue: ClusterEvent[] = [];
  readonly #random = seededRandom(7);
  #version = 0;

  /** Changes a Node object, or makes it, and queues the event. */
  put(name: string, changes: Partial<NodeStatement> = {}): void {
    const before = this.nodes.get(name) ?? this.#newNode(name);
    const statement = { ...before, ...changes, resourceVersion: String(++this.#version) };
    this.nodes.set(name, statement);
    this.#send({ act: "state", name, statement });
  }

  delete(name: string): void {
    const ended = this.nodes.get(name);
    if (!ended) return;
    this.nodes.delete(name);
    const resourceVersion = String(++this.#version);
    this.#send({ act: "end", name, ended: { ...ended, resourceVersion } });
  }

  replace(name: string): void {
    this.delete(name);
    this.put(name);
  }

  /** Applies everything that is queued. A controller writes the patches, as far as they are not stale. */
  async deliver({ calm, clock }: World): Promise<void> {
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      clock.nowMs++;
      const [result] = await applyEvents(calm, { space: SPACE }, [event]);
      if (result?.status === "failed") this.#queue.push(event);
      const podCidrs = result?.patch?.spec.podCIDRs;
      const { uid, resourceVersion } = result?.patch?.metadata ?? {};
      const current = this.nodes.get(event.name);
      if (podCidrs && current?.uid === uid && current?.resourceVersion === resourceVersion)
        this.put(event.name, { podCidrs });
    }
  }

  #newNode(name: string): NodeStatement {
    const created = ++this.#version;
    return {
      uid: `${name}-${created}`,
      resourceVersion: "",
      createdAtMs: created,
      labels: {},
      podCidrs: [],
      conditions: [["Ready", "True"]],
      isUnschedulable: false,
      zone: "",
      isExcluded: false,
      heartbeat: "",
      taints: [],
      annotations: [],
    };
  }

  /** Queues an event, some twice, and some before others that were there first. */
  #send(event: ClusterEvent): void {
    const random = () => this.#random.fraction();
    const at = random() < SHARE_LATE ? Math.floor(random() * this.#queue.length) : Infinity;
    this.#queue.splice(at, 0, event);
    if (random() < SHARE_TWICE) this.#queue.push(event);
  }
}

/** Returns what handles hold, prefixes by their CIDR. */
const heldIn = (world: World): readonly string[] =>
  contentsIn(world)
    .allocations.filter(({ state }) => state === "live")
    .flatMap(({ handle, parts }) =>
      handle.startsWith("pod-")
        ? [handle]
        : parts.map(({ block }) => `${handle} ${formatCidr(block)}`),
    )
    .toSorted();

it("a churn of 500 nodes, with events twice and out of order, ends with exactly what the survivors have", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/16", 28));
  const { calm, clock } = world;
  await putPool(calm, SPACE, "v4", prefixPool("10.64.0.0/14", 24), undefined);
  await putPool(calm, SPACE, "v6", prefixPool("fd00:64::/54", 64), undefined);
  const cluster = new Cluster();
  const names = Array.from({ length: NODES }, (_, n) => `node-${n}`);
  for (const name of names) cluster.put(name);
  await cluster.deliver(world);
  for (const name of names) {
    const request = { ...requestOf(`pod-${name}`, 1), host: hostId("host", name) };
    await assigned(calm, request);
  }
  const acts = [
    (name: string) => cluster.put(name, { labels: { zone: "b" } }),
    (name: string) => cluster.put(name, { isUnschedulable: true }),
    (name: string) => cluster.put(name, { conditions: [["Ready", "Unknown"]] }),
    (name: string) => cluster.replace(name),
    (name: string) => cluster.delete(name),
  ];
  for (const [n, name] of names.entries()) {
    acts[n % acts.length]?.(name);
    if (n % 50 === 0) await cluster.deliver(world);
  }
  await cluster.deliver(world);
  // A controller lists the nodes again, as it does every few minutes.
  for (const name of cluster.nodes.keys()) cluster.put(name);
  await cluster.deliver(world);
  for (let run = 0; run < 20; run++) {
    clock.nowMs += 100_000;
    await repairAll(calm);
  }
  const expected = [...cluster.nodes].flatMap(([name, { uid, podCidrs }]) => [
    `pod-${name}`,
    ...podCidrs.map((cidr) => `node/${name}/${uid} ${cidr}`),
  ]);
  expect(expected).toHaveLength(3 * cluster.nodes.size);
  expect(heldIn(world)).toEqual(expected.toSorted());
  expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
});
