import type { Random } from "../../src/kernel/values/fresh.ts";
import { ciliumHandle } from "../../src/kernel/values/handle.ts";
import type { CiliumObject } from "../../src/nouns/cilium/object.ts";
import { STATUS_MS, WATCH_MS } from "./agent.ts";
import type { CiliumCluster, CiliumNode } from "./agents.ts";
import { CiliumAgent } from "./cilium-agent.ts";
import { ciliumObjectOf, newAddressObject } from "./cilium-server.ts";
import { oneOf } from "./operators.ts";

/** The share of runs with agents in mode `crd`. */
const SHARE = 0.25;
/** What an agent gave to a pod is in the status after this time. */
const LAG_SECONDS = (STATUS_MS + WATCH_MS) / 1_000;

/**
 * Draws the nodes in mode `crd` of a run, or none if they are not wanted in every run. They are drawn apart, so that the
 * other runs stay as they are.
 */
export function drawAddressCluster(random: Random, isWanted: boolean): CiliumCluster | undefined {
  const below = (n: number) => Math.floor(random.fraction() * n);
  if (random.fraction() >= SHARE && !isWanted) return undefined;
  const watermarks = {
    "pre-allocate": below(3),
    "min-allocate": below(3),
    ...(below(2) === 0 && { "max-allocate": 3 + below(2) }),
    "max-above-watermark": below(2),
  };
  return {
    names: ["cilium-1", "cilium-2"],
    options: {
      mode: "crd",
      families: [4],
      ...(below(4) > 0 && { releaseAfterSeconds: 20 * below(2) }),
      withdrawAfterSeconds: LAG_SECONDS + 10 * (1 + below(2)),
    },
    pools: [],
    begin: ({ name, uid }, own, nowMs) => nodeWith(watermarks, ciliumHandle(name, uid), own, nowMs),
  };
}

function nodeWith(
  watermarks: CiliumObject["ipam"],
  handle: string,
  random: Random,
  nowMs: number,
): CiliumNode {
  const server = newAddressObject();
  return {
    agent: new CiliumAgent(handle, server, random, nowMs),
    read: () => {
      const seen = server.current;
      return {
        resourceVersion: seen.resourceVersion,
        object: ciliumObjectOf(seen, watermarks),
        patch: ({ ipam: { pool = {} }, releaseIps = {} }) => {
          if (!server.patch(seen, { pool: new Set(Object.keys(pool)) })) return undefined;
          const patched = server.current;
          return () => server.patch(patched, { releaseIps: new Map(Object.entries(releaseIps)) });
        },
      };
    },
    withdraw: (context) => {
      const { current } = server;
      const pool = new Set(current.pool);
      const withdrawn = oneOf(context, [...pool]);
      if (withdrawn === undefined) return false;
      pool.delete(withdrawn);
      server.patch(current, { pool });
      return true;
    },
  };
}
