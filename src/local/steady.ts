import { inParallel } from "../kernel/core/parallel.ts";
import type { Client } from "./client.ts";
import { CALLS_AT_ONCE, NODES, ROLLOUT_POOL } from "./rollout.ts";

/** A cluster whose pods come and go. */
export interface Steady {
  readonly deployments: number;
  readonly client: Client;
  /** Ends the cluster. */
  readonly signal: AbortSignal;
  /** Draws a number from 0 to 1. */
  random(): number;
  /** Waits between two deployments. */
  pause(): Promise<void>;
}

const REPLICAS_MIN = 4;
const REPLICAS_MAX = 16;
/** Cooling addresses and idle blocks stay long enough to be seen in the maps. */
const SETTINGS = { cooldownSeconds: 20, blockMinAgeSeconds: 10 };
/** After as many deployments other nodes have room, so that blocks fill and empty. */
const TURNS_PER_NODE = 25;
const APPLICATIONS = ["cart", "checkout", "search", "mail", "billing", "images", "login", "stock"];

/**
 * Fills a pool with the pods of deployments. Then it replaces one deployment after another by other numbers of pods on
 * other nodes, until the signal. A rejected pod waits until its deployment comes again, because the operator who
 * watches may drain the pool.
 *
 * @throws Error if there is no server, or it rejects the settings or the pool
 */
export async function keepRolling(steady: Steady): Promise<void> {
  const { deployments, client, signal, random, pause } = steady;
  await accepted(client.call("PUT", "/v1/config", SETTINGS));
  await accepted(client.call("PUT", "/v1/pools/pods", ROLLOUT_POOL));
  const running = new Map<number, readonly string[]>();
  for (let turn = 0; !signal.aborted; turn++) {
    const isFilling = turn < deployments;
    const deployment = isFilling ? turn : Math.floor(random() * deployments);
    const pods = podsOf(deployment, turn, random);
    const started: string[] = [];
    await inParallel(pods, CALLS_AT_ONCE, async (pod) => {
      const { status } = await client.call("POST", "/v1/assign", pod);
      if (status < 400) started.push(pod.handle);
    });
    await inParallel(running.get(deployment) ?? [], CALLS_AT_ONCE, (handle) =>
      client.call("POST", "/v1/release", { handle }),
    );
    running.set(deployment, started);
    // The first deployments come at once, so that the map is not empty when it is opened.
    if (!isFilling) await pause();
  }
}

function podsOf(deployment: number, turn: number, random: () => number) {
  const name = `${APPLICATIONS[deployment % APPLICATIONS.length]}-${deployment}`;
  const replicas = REPLICAS_MIN + Math.floor(random() * (REPLICAS_MAX - REPLICAS_MIN + 1));
  return Array.from({ length: replicas }, (_, i) => {
    const pod = `${name}-${turn.toString(36)}-${i}`;
    // Some nodes have more room than others.
    const node = Math.floor(turn / TURNS_PER_NODE + NODES * random() ** 1.5) % NODES;
    return {
      host: `node-${node}`,
      ipv4: 1,
      handle: `shop/${pod}`,
      attributes: { namespace: "shop", deployment: name, pod },
    };
  });
}

async function accepted(reply: ReturnType<Client["call"]>): Promise<void> {
  const { status, body } = await reply;
  if (status >= 400) throw new Error(body.detail);
}
