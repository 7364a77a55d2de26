import type { Random } from "../../src/kernel/values/fresh.ts";
import { ciliumPoolHandle, nodeHandle } from "../../src/kernel/values/handle.ts";
import type { CiliumObject } from "../../src/nouns/cilium/object.ts";
import type { CiliumGrant } from "../../src/nouns/cilium/operations/mode.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import type { CiliumCluster, CiliumNode } from "./agents.ts";
import { ServedObject } from "./cilium-server.ts";
import { MultiPoolAgent, PrefixAgent, type PrefixFields } from "./prefix-agent.ts";
import { cidrOf, type Scenario } from "./scenario.ts";

/** The share of runs with agents in mode `multi-pool` or `cluster-pool`. */
const SHARE = 0.15;
const POOL = "mars";

/** Draws the nodes of a run that have prefixes by their CiliumNodes, or none if they are not wanted in every run. */
export function drawPrefixCluster(
  random: Random,
  { cooldownMs }: Scenario,
  isWanted: boolean,
): CiliumCluster | undefined {
  if (random.fraction() >= SHARE && !isWanted) return undefined;
  const mode = random.fraction() < 0.7 ? "multi-pool" : "cluster-pool";
  const poolOf = (name: string, cidr: string): PoolSpec & { name: string } => ({
    name: `${POOL}.${name}`,
    cidr: cidrOf(cidr),
    assign: "prefixes",
    blockSize: 30,
    disabled: false,
    assignmentMode: mode === "multi-pool" ? "Manual" : "Automatic",
    allowedUses: [],
    borrowing: "forbidden",
    cooldownSeconds: cooldownMs / 1_000,
  });
  return {
    names: ["cilium-3", "cilium-4"],
    options: { mode, families: [4], withdrawAfterSeconds: 60 },
    pools: [poolOf("a", "10.7.0.0/29"), poolOf("b", "10.7.0.8/29")],
    begin: ({ name, uid }, own, nowMs) =>
      mode === "multi-pool"
        ? nodeWith(MultiPoolAgent, ciliumPoolHandle(name, uid, POOL), own, nowMs, MULTI_POOL)
        : nodeWith(PrefixAgent, nodeHandle(name, uid), own, nowMs, CLUSTER_POOL),
  };
}

/** The fields of an object that a mode reads and writes. */
interface Form {
  ipamOf(fields: PrefixFields): CiliumObject["ipam"];
  prefixesIn(ipam: CiliumGrant["ipam"]): readonly string[];
}

const MULTI_POOL: Form = {
  ipamOf: ({ needed, prefixes }) => ({
    pools: {
      requested: [{ pool: POOL, needed: { "ipv4-addrs": needed } }],
      // Cilium's agent leaves out an empty list.
      ...(prefixes.size > 0 && { allocated: [{ pool: POOL, cidrs: [...prefixes] }] }),
    },
  }),
  prefixesIn: ({ pools }) => pools?.allocated?.flatMap(({ cidrs = [] }) => cidrs) ?? [],
};

const CLUSTER_POOL: Form = {
  ipamOf: ({ prefixes }) => ({ podCIDRs: [...prefixes] }),
  prefixesIn: ({ podCIDRs = [] }) => podCIDRs,
};

function nodeWith(
  Agent: typeof PrefixAgent,
  handle: string,
  random: Random,
  nowMs: number,
  { ipamOf, prefixesIn }: Form,
): CiliumNode {
  const server = new ServedObject<PrefixFields>({ needed: 0, prefixes: new Set() });
  return {
    agent: new Agent(handle, server, random, nowMs),
    read: () => {
      const seen = server.current;
      return {
        resourceVersion: seen.resourceVersion,
        object: { ipam: ipamOf(seen), status: {} },
        patch: ({ ipam }) => {
          server.patch(seen, { prefixes: new Set(prefixesIn(ipam)) });
          return undefined;
        },
      };
    },
  };
}
