import "../local/silent.ts";
import { afterAll, expect, it } from "vitest";
import { intakeOver } from "../../functions/intake.ts";
import { type Random, randomBelow } from "../../src/kernel/values/fresh.ts";
import { functionsOver } from "../../src/local/functions.ts";
import { checkTable } from "../../src/nouns/contents/operations/check-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";
import { callHandler } from "../functions/call.ts";
import { runAs, tellUsed, unlawful, watchedTable } from "../functions/rights.ts";
import { reclaimAll, sweepAll } from "../scheduled-runs.ts";
import { seededRandom } from "../simulation/random.ts";
import { oneIn } from "../simulation/sampled-calls.ts";
import { Cluster, type ClusterNode } from "./cluster.ts";
import { Queue } from "./queue.ts";

const NODES = 500;
const ACTS = 3_000 / oneIn(3);
const SEED = 1;
/** The test lets this much time pass between two acts, so that quarantines end while others begin. */
const ACT_MS_MAX = 2_000;
const REPAIR_EVERY_ACTS = 60;
/** Longer than every quarantine and every time after which repair acts. */
const MUCH_LATER_MS = 15 * 60_000;

const clock = { nowMs: Date.parse("2026-03-11T08:00:00Z") };
const table = new InMemoryTable();
const watched = watchedTable(table);
const wiring = wiringOver(watched, {
  now: () => clock.nowMs,
  sleep: async (ms) => {
    clock.nowMs += ms;
  },
});
const context = wiring.context();
const { handlers } = functionsOver(wiring);
const intake = intakeOver(wiring);

afterAll(tellUsed);

const call = async (method: string, path: string, body?: object, query = {}) =>
  callHandler(handlers, method, path, { ...(body && { body }), query });

const POOLS = {
  "pod-cidrs-v4": { cidr: "10.0.0.0/14", blockSize: 24, assign: "prefixes", cooldownSeconds: 60 },
  "pod-cidrs-v6": { cidr: "2001:db8::/54", blockSize: 64, assign: "prefixes", cooldownSeconds: 60 },
  pods: { cidr: "172.16.0.0/12", blockSize: 28 },
};

/** The cluster, its controller, which writes the podCIDRs, and the queue between the cluster and Plat. */
class Churn {
  readonly random: Random = seededRandom(SEED);
  readonly history: object[] = [];
  readonly queue = new Queue(this.random, "default", (event) =>
    runAs("intake", () => intake(event)),
  );
  readonly cluster = new Cluster(
    this.random,
    () => clock.nowMs,
    (event) => {
      this.history.push(event);
      this.queue.send(event);
    },
  );
  #pods = 0;

  /** Does one of the things that happen in a cluster. */
  async act(): Promise<void> {
    const { cluster, random } = this;
    const node = this.#anyNode();
    const drawn = random.fraction();
    if (!node || (cluster.nodes.size < NODES && drawn < 0.3)) await this.#provide(cluster.join());
    else if (drawn < 0.4) cluster.relabel(node);
    else if (drawn < 0.5) cluster.cordon(node);
    else if (drawn < 0.6) cluster.flap(node);
    else if (drawn < 0.65) await this.#provide(cluster.replace(node));
    else if (drawn < 0.7) cluster.delete(node, random.fraction() < 0.5);
    else if (drawn < 0.9) await this.#startPod(node);
    else this.#endPod();
  }

  /** Asks for the podCIDRs of every node that has none, as a controller does until they are there. */
  async provideAll(): Promise<void> {
    for (const node of this.cluster.nodes.values())
      if (node.podCIDRs.length === 0) await this.#reserve(node);
  }

  /** The controller may crash before it asks, and before it writes. Sometimes two of it ask at once. */
  async #provide(node: ClusterNode): Promise<void> {
    const drawn = this.random.fraction();
    if (drawn < 0.1) return;
    if (drawn < 0.2) await this.#ask(node);
    else if (drawn < 0.3) await Promise.all([this.#reserve(node), this.#reserve(node)]);
    else await this.#reserve(node);
  }

  async #reserve(node: ClusterNode): Promise<void> {
    const { status, body } = await this.#ask(node);
    if (status === 200) this.cluster.patch(node.name, node.uid, body.write?.node ?? []);
    else expect([body.code, status]).toEqual(["request_in_progress", 409]);
  }

  #ask({ name, uid }: ClusterNode) {
    return call("POST", `/v1/nodes/${name}/pod-cidrs`, { uid });
  }

  async #startPod({ name }: ClusterNode): Promise<void> {
    const uid = `pod-uid-${this.#pods++}`;
    const { status, body } = await call("POST", "/v1/assign", {
      host: name,
      handle: `pod/${uid}`,
      ipv4: 1,
    });
    expect(status).toBe(200);
    this.cluster.run({ uid, node: name, address: body.addresses[0].address });
  }

  #endPod(): void {
    const pods = [...this.cluster.pods.values()];
    const pod = pods[randomBelow(Math.max(1, pods.length), this.random)];
    if (pod) this.cluster.end(pod);
  }

  #anyNode(): ClusterNode | undefined {
    const nodes = [...this.cluster.nodes.values()];
    return nodes[randomBelow(Math.max(1, nodes.length), this.random)];
  }
}

/** Delivers what is left, and lets the scheduled runs finish it. */
async function comeToRest(queue: Queue): Promise<void> {
  while (queue.length > 0) await queue.deliver();
  for (let round = 0; round < 4; round++) {
    clock.nowMs += MUCH_LATER_MS;
    for (const { failures } of [await sweepAll(context), await reclaimAll(context)])
      expect(failures).toEqual([]);
  }
  expect(queue.dead).toEqual([]);
}

/** Checks that Plat holds what the nodes and pods of the cluster have, and nothing else. */
async function expectSurvivors({ nodes, pods }: Cluster): Promise<void> {
  for (const { name, uid, podCIDRs } of nodes.values()) {
    expect(podCIDRs).toHaveLength(2);
    const { body } = await call("GET", `/v1/nodes/${name}/pod-cidrs`, undefined, { uid });
    const told = body.podCIDRs.map(({ cidr, state }: { cidr: string; state: string }) => [
      cidr,
      state,
    ]);
    expect(told.toSorted()).toEqual(podCIDRs.map((cidr) => [cidr, "confirmed"]).toSorted());
  }
  for (const { uid, address } of pods.values()) {
    const { body } = await call("GET", `/v1/addresses/${address}`);
    expect([address, body.handle]).toEqual([address, `pod/${uid}`]);
  }
  const { violations, counts } = await checkTable(context, { quiet: true });
  expect(violations).toEqual([]);
  expect(counts.taken).toBe(2 * nodes.size + pods.size);
  expect([...unlawful]).toEqual([]);
}

it("of 500 nodes that come, change and go, with events twice, late and all again, exactly the survivors keep their prefixes and addresses", async () => {
  const { body } = await call("PUT", "/v1/config", { blockMinAgeSeconds: 60 });
  expect(body.blockMinAgeSeconds).toBe(60);
  for (const [name, pool] of Object.entries(POOLS))
    expect((await call("PUT", `/v1/pools/${name}`, pool)).status).toBe(201);
  const churn = new Churn();
  const { cluster, queue, random } = churn;
  for (let act = 1; act <= ACTS; act++) {
    await churn.act();
    clock.nowMs += randomBelow(ACT_MS_MAX, random);
    if (queue.length > 0 && random.fraction() < 0.3) await queue.deliver();
    if (act % REPAIR_EVERY_ACTS === 0) await sweepAll(context);
  }
  await churn.provideAll();
  await comeToRest(queue);
  expect(cluster.nodes.size).toBeGreaterThan(NODES / 2);
  await expectSurvivors(cluster);

  for (const event of churn.history) queue.send(event);
  await comeToRest(queue);
  await expectSurvivors(cluster);
});
