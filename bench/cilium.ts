import { Rejection } from "../src/base/outcome.ts";
import type { CiliumGrant, CiliumRequest } from "../src/nouns/cilium/operations/mode.ts";
import { putCiliumNode } from "../src/nouns/cilium/operations/put-cilium-node.ts";
import type { Budget } from "../test/operations/measured.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool } from "./pool.ts";

const SPACE = "cilium";
const NODE = "node-1";
/** A cold function reads the configuration: the settings of the space, and its pools. */
const CONFIGURATION_UNITS = 1;

/** Measures the PUTs of a CiliumNode, each on a function that has just started. */
export const measureCilium = async (bench: Bench): Promise<readonly Line[]> => [
  ...(await measureAddresses(bench)),
  ...(await measurePools(bench)),
];

async function granted(
  bench: Bench,
  space: string,
  version: number,
  said: Pick<CiliumRequest, "mode" | "object">,
): Promise<CiliumGrant> {
  const grant = await putCiliumNode(bench.cold(), {
    space,
    node: NODE,
    uid: "uid-1",
    resourceVersion: String(version),
    withdrawAfterSeconds: 60,
    ...said,
  });
  if (grant instanceof Rejection) throw new Error(grant.detail);
  return grant;
}

/** Measures mode `crd`: single addresses. */
async function measureAddresses(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  await makePool(bench.cold(), { space: SPACE, name: "pods", cidr: "10.0.0.0/16" });
  const put = (version: number, pool: object, used: readonly string[]) =>
    granted(bench, SPACE, version, {
      mode: "crd",
      object: {
        ipam: { pool: { ...pool } },
        status: { ipam: { used: Object.fromEntries(used.map((text) => [text, {}])) } },
      },
    });
  const measured = async (
    operation: string,
    budget: Budget,
    ...said: Parameters<typeof put>
  ): Promise<CiliumGrant> => {
    const grants: CiliumGrant[] = [];
    const cost = await bench.meter.measure(async () => {
      grants.push(await put(...said));
    });
    lines.push({ operation, size: "/16", fill: "0 %", cost, budget });
    return grants[0] as CiliumGrant;
  };
  const poolOf = ({ ipam }: CiliumGrant) => ipam.pool ?? {};

  const pool = poolOf(await measured("CiliumNode, 8 addresses", [16, 20, 8], 1, {}, []));
  const some = Object.keys(pool);
  const grown = poolOf(await put(2, pool, some));
  const more = poolOf(await put(3, grown, Object.keys(grown)));
  const all = poolOf(await put(4, more, Object.keys(more)));
  const used = Object.keys(all).slice(0, 24);
  await put(5, all, used);
  await put(6, all, used);
  await measured("… 32 addresses, nothing new", [5, 0, 8 + CONFIGURATION_UNITS], 6, all, used);
  const one = Object.keys(all).slice(0, 25);
  await measured("… one address more", [14, 12, 14 + CONFIGURATION_UNITS], 7, all, one);
  return lines;
}

/** Measures mode `multi-pool`: prefixes of two pools by name. */
async function measurePools(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const space = `${SPACE}-pools`;
  for (const [name, cidr] of [
    ["mars", "10.10.0.0/16"],
    ["venus", "10.20.0.0/16"],
  ] as const)
    await makePool(
      bench.cold(),
      { space, name, cidr },
      { assign: "prefixes", allowedUses: [], cooldownSeconds: 300, blockSize: 27 },
    );
  const measured = async (
    operation: string,
    budget: Budget,
    version: number,
    needed: number,
    allocated: NonNullable<CiliumRequest["object"]["ipam"]["pools"]>["allocated"] = [],
  ) => {
    const requested = ["mars", "venus"].map((pool) => ({
      pool,
      needed: { "ipv4-addrs": needed },
    }));
    const grants: CiliumGrant[] = [];
    const object = { ipam: { pools: { requested, allocated } }, status: {} };
    const cost = await bench.meter.measure(async () => {
      grants.push(await granted(bench, space, version, { mode: "multi-pool", object }));
    });
    lines.push({ operation, size: "/16", fill: "0 %", cost, budget });
    return grants[0]?.ipam.pools?.allocated;
  };
  const first = await measured("CiliumNode, a prefix of two pools each", [28, 22, 17], 1, 30);
  // It reads what the node states beside its prefixes.
  await measured("… listed", [7, 2, 12], 2, 30, first);
  await measured("… nothing new", [6, 0, 12], 2, 30, first);
  const more = await measured("… one more of each", [32, 24, 24], 3, 60, first);
  await measured("… both listed", [7, 2, 18], 4, 60, more);
  await measured("… one of each given back", [16, 14, 30], 5, 30, first);
  return lines;
}
