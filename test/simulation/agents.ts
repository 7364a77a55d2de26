import type { CiliumGrant } from "../../src/allocator/cilium/mode.ts";
import { putCiliumNode } from "../../src/allocator/cilium/put-cilium-node.ts";
import { releaseCiliumNode } from "../../src/allocator/cilium/release-cilium-node.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import type { CiliumObject, CiliumOptions } from "../../src/domain/cilium-object.ts";
import type { Random } from "../../src/domain/fresh.ts";
import { Rejection } from "../../src/domain/outcome.ts";
import { CiliumAgent, STATUS_MS, WATCH_MS } from "./cilium-agent.ts";
import { CiliumServer, ciliumObjectOf } from "./cilium-server.ts";
import { chance, oneOf } from "./operators.ts";
import { seededRandom } from "./random.ts";
import { SPACE } from "./requests.ts";
import type { Life } from "./run.ts";
import { UsedAddresses } from "./used-addresses.ts";

/** The nodes of a run with Cilium's mode `crd`, one after the other under each name, and their judge. */
export interface Agents {
  readonly names: readonly string[];
  readonly watermarks: CiliumObject["ipam"];
  readonly options: CiliumOptions;
  readonly judge: UsedAddresses;
  /** The node that has each name now. */
  readonly current: Map<string, Incarnation>;
}

interface Incarnation {
  readonly number: number;
  readonly uid: string;
  readonly server: CiliumServer;
  readonly agent: CiliumAgent;
}

/** The share of runs with agents. */
const SHARE = 0.25;
const INCARNATIONS = 2;
/** What an agent gave to a pod is in the status after this time. */
const LAG_SECONDS = (STATUS_MS + WATCH_MS) / 1_000;

/**
 * Draws the agents of a run, or none if they are not wanted in every run. They are drawn apart, so that the other runs
 * stay as they are.
 */
export function drawAgents(random: Random, isWanted: boolean): Agents | undefined {
  const below = (n: number) => Math.floor(random.fraction() * n);
  if (random.fraction() >= SHARE && !isWanted) return undefined;
  return {
    names: ["cilium-1", "cilium-2"],
    watermarks: {
      "pre-allocate": below(3),
      "min-allocate": below(3),
      ...(below(2) === 0 && { "max-allocate": 3 + below(2) }),
      "max-above-watermark": below(2),
    },
    options: {
      mode: "crd",
      families: [4],
      ...(below(4) > 0 && { releaseAfterSeconds: 20 * below(2) }),
      withdrawAfterSeconds: LAG_SECONDS + 10 * (1 + below(2)),
    },
    judge: new UsedAddresses(),
    current: new Map(),
  };
}

/** Returns the processes of the agents' clusters, by name: two controllers of each node, as if one was thought dead, and an operator. */
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
  ["Cilium's operator", (context) => operator(context, life, agents)],
];

/** Acts as the controller of the nodes of one name: it reads the object, lets Plat fill it in, and patches it. */
async function controller(
  context: Context,
  life: Life,
  agents: Agents,
  name: string,
): Promise<void> {
  const { judge, options, watermarks } = agents;
  const { scheduler } = life;
  for (let n = 0; n < 12; n++) {
    await context.sleep(12_000 * context.random.fraction());
    const { uid, server } = nodeOf(context, life, agents, name);
    await scheduler.trying(async () => {
      judge.advance(scheduler.nowMs);
      const seen = server.current;
      const grant = await putCiliumNode(context, {
        ...options,
        space: SPACE,
        node: name,
        uid,
        resourceVersion: String(seen.resourceVersion),
        object: ciliumObjectOf(seen, watermarks),
      });
      scheduler.count(`CiliumNode: ${outcomeOf(grant)}`);
      if (grant instanceof Rejection) return;
      judge.advance(scheduler.nowMs);
      if (!server.patch(seen, { pool: new Set(Object.keys(grant.ipam.pool ?? {})) })) return;
      // The status is a resource of its own, so the agent may write between the two patches.
      const patched = server.current;
      await context.sleep(2_000 * context.random.fraction());
      judge.advance(scheduler.nowMs);
      server.patch(patched, { releaseIps: new Map(Object.entries(grant.releaseIps ?? {})) });
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
    const { number, uid, server, agent } = nodeOf(context, life, agents, name);
    if (chance(context, 0.7)) {
      const { current } = server;
      const pool = new Set(current.pool);
      const withdrawn = oneOf(context, [...pool]);
      if (withdrawn === undefined) continue;
      pool.delete(withdrawn);
      server.patch(current, { pool });
      life.scheduler.count("an address is withdrawn");
      continue;
    }
    if (number === INCARNATIONS) continue;
    agent.stop();
    begin(context, life, agents, name, number + 1);
    await life.scheduler.trying(async () => {
      const released = await releaseCiliumNode(context, { space: SPACE, node: name, uid });
      life.scheduler.count(
        `CiliumNode: ${released instanceof Rejection ? released.code : "ended"}`,
      );
    });
  }
}

/** Ends all nodes, whatever their controllers did. */
export async function retireAgents(context: Context, agents: Agents): Promise<void> {
  for (const { agent } of agents.current.values()) agent.stop();
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
  const server = new CiliumServer();
  const random = seededRandom(Math.floor(context.random.fraction() * 2 ** 32));
  const agent = new CiliumAgent({ name, uid }, server, random, scheduler.nowMs);
  const node = { number, uid, server, agent };
  agents.current.set(name, node);
  agents.judge.watch(agent);
  return node;
}
