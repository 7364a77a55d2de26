import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import type { DefaultPools } from "../../src/nouns/namespace/namespace.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import { type Scenario, selectorOf } from "./scenario.ts";
import { DEPOT } from "./selection.ts";

/**
 * The conditions of pools that are no selectors of Calico, and default pools. They are drawn apart, so that runs without
 * them stay as they are.
 */

export interface Conditions {
  /** By the names of pools. */
  readonly pools: ReadonlyMap<string, Partial<PoolSpec>>;
  /** The default pools of `DEPOT`; absent if it is not registered. */
  readonly depotPools?: DefaultPools;
}

export function drawConditions(random: Random, { pools, hosts }: Scenario): Conditions {
  const chance = (share: number) => random.fraction() < share;
  if (!chance(0.35)) return { pools: new Map() };
  const [first = "host:"] = hosts;
  const drawn = pools.map(({ name }): readonly [string, Partial<PoolSpec>] => [
    name,
    {
      ...(chance(0.2) && { podSelector: selectorOf("app != 'db'") }),
      ...(chance(0.15) && { nodeNames: [first.slice(first.indexOf(":") + 1)] }),
      ...(chance(0.15) && { namespaceNames: ["shop", DEPOT] }),
      ...(chance(0.15) && { networks: ["ovs"] }),
    },
  ]);
  const byFamily = { 4: ["pool-[45]"], 6: ["pool-6"] };
  const depotPools = chance(0.5) ? byFamily : ["pool-5", "pool-6"];
  return { pools: new Map(drawn), ...(chance(0.7) && { depotPools }) };
}

/** Draws what a request says about its workload. */
export function drawWorkload(random: Random, { depotPools }: Conditions): Partial<AssignRequest> {
  const chance = (share: number) => random.fraction() < share;
  return {
    ...(chance(0.7) && { labels: { app: chance(0.7) ? "web" : "db" } }),
    ...(chance(0.7) && { network: chance(0.8) ? "ovs" : "macvlan" }),
    ...(depotPools && chance(0.4) && { namespace: DEPOT }),
    ...(chance(0.2) && { defaultPools: ["*"] }),
  };
}
