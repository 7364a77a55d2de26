import { Rejection } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import type { CiliumObject, CiliumOptions } from "../../src/nouns/cilium/object.ts";
import type { CiliumGrant } from "../../src/nouns/cilium/operations/mode.ts";
import { putCiliumNode } from "../../src/nouns/cilium/operations/put-cilium-node.ts";
import { releaseCiliumNode } from "../../src/nouns/cilium/operations/release-cilium-node.ts";
import { requestOf } from "./layers.ts";
import { chance, oneOf } from "./operators.ts";
import { seededRandom } from "./random.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { UsedAddresses, type User } from "./used-addresses.ts";

/** A node of Cilium: its agent, and its object in a cluster. */
export interface CiliumNode {
  readonly agent: User & { stop(): void };
  read(): SeenNode;
  /** Takes something out of the object by hand; absent if nobody does so. Returns false if there is nothing. */
  withdraw?(context: Context): boolean;
}

/** A CiliumNode as a controller read it. Each patch returns false if the object has changed since. */
interface SeenNode {
  readonly resourceVersion: number;
  readonly object: CiliumObject;
  /** Writes the answer into the object. Returns the patch of its status, if there is one. */
  patch(grant: CiliumGrant): (() => boolean) | undefined;
}

/** A cluster of nodes of Cilium in one mode. */
export interface CiliumCluster {
  readonly names: readonly string[];
  readonly options: CiliumOptions;
  /** The pools that serve these nodes alone. */
  readonly pools: Scenario["pools"];
  begin(
    of: { readonly name: string; readonly uid: string },
    random: Random,
    nowMs: number,
  ): CiliumNode;
}

/** The nodes of a run with a mode of Cilium, one after the other under each name, and their judge. */
export interface Agents extends CiliumCluster {
  readonly judge: UsedAddresses;
  /** The node that has each name now. */
  readonly current: Map<string, Incarnation>;
}

interface Incarnation {
  readonly number: number;
  readonly uid: string;
  readonly node: CiliumNode;
}

const INCARNATIONS = 2;

/** Returns a cluster at the start of a run. */
export const newAgents = (cluster: CiliumCluster): Agents => ({
  ...cluster,
  judge: new UsedAddresses(),
  current: new Map(),
});

/** Returns the processes of a cluster, by name: two controllers of each node, as if one was thought dead, and an operator. */
export const drivers = (
  life: Life,
  agents: Agents,
): (readonly [name: string, body: (context: Context) => Promise<void>])[] => [
  ...agents.names.flatMap((name) =>
    [0, 1].map(
      (n) =>
        [
          `controller ${n} of ${name}`,
          (context: Context) => controller(context, life, agents, name),
        ] as const,
    ),
  ),
  [
    agents.options.mode === "crd" ? "Cilium's operator" : "operator of Cilium's prefixes",
    (context) => operator(context, life, agents),
  ],
];

/** Acts as the controller of the nodes of one name: it reads the object, lets Plat fill it in, and patches it. */
async function controller(
  context: Context,
  life: Life,
  agents: Agents,
  name: string,
): Promise<void> {
  const { judge, options } = agents;
  const { scheduler } = life;
  for (let n = 0; n < 12; n++) {
    await context.sleep(12_000 * context.random.fraction());
    const { uid, node } = nodeOf(context, life, agents, name);
    await scheduler.trying(async () => {
      judge.advance(scheduler.nowMs);
      const { resourceVersion, object, patch } = node.read();
      const grant = await putCiliumNode(requestOf(context), {
        ...options,
        space: SPACE,
        node: name,
        uid,
        resourceVersion: String(resourceVersion),
        object,
      });
      scheduler.count(`CiliumNode: ${outcomeOf(grant)}`);
      if (grant instanceof Rejection) return;
      judge.advance(scheduler.nowMs);
      const patchStatus = patch(grant);
      if (!patchStatus) return;
      // The status is a resource of its own, so the agent may write between the two patches.
      await context.sleep(2_000 * context.random.fraction());
      judge.advance(scheduler.nowMs);
      patchStatus();
    });
  }
}

function outcomeOf(grant: CiliumGrant | Rejection): string {
  if (grant instanceof Rejection) return grant.code;
  return grant.errors.length > 0 ? "granted in part" : "granted";
}

/** Takes addresses out of the pools of nodes by hand, and ends nodes. */
async function operator(context: Context, life: Life, agents: Agents): Promise<void> {
  for (let n = 0; n < 8; n++) {
    await context.sleep(20_000 * context.random.fraction());
    const name = oneOf(context, agents.names);
    agents.judge.advance(life.scheduler.nowMs);
    const { number, uid, node } = nodeOf(context, life, agents, name);
    if (chance(context, 0.7)) {
      if (node.withdraw?.(context)) life.scheduler.count("an address is withdrawn");
      continue;
    }
    if (number === INCARNATIONS) continue;
    node.agent.stop();
    begin(context, life, agents, name, number + 1);
    await life.scheduler.trying(async () => {
      const released = await releaseCiliumNode(requestOf(context), {
        space: SPACE,
        node: name,
        uid,
      });
      life.scheduler.count(
        `CiliumNode: ${released instanceof Rejection ? released.code : "ended"}`,
      );
    });
  }
}

/** Ends all nodes, whatever their controllers did. */
export async function retireAgents(context: Context, agents: Agents): Promise<void> {
  for (const { node } of agents.current.values()) node.agent.stop();
  for (const node of agents.names)
    for (let n = 1; n <= INCARNATIONS; n++)
      await releaseCiliumNode(context, { space: SPACE, node, uid: uidOf(n) });
}

const uidOf = (number: number): string => `uid-${number}`;

const nodeOf = (context: Context, life: Life, agents: Agents, name: string): Incarnation =>
  agents.current.get(name) ?? begin(context, life, agents, name, 1);

function begin(
  context: Context,
  { scheduler }: Life,
  agents: Agents,
  name: string,
  number: number,
): Incarnation {
  const uid = uidOf(number);
  const random = seededRandom(Math.floor(context.random.fraction() * 2 ** 32));
  const node = agents.begin({ name, uid }, random, scheduler.nowMs);
  const incarnation = { number, uid, node };
  agents.current.set(name, incarnation);
  agents.judge.watch(node.agent);
  return incarnation;
}
