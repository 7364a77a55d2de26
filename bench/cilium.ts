import type { CiliumGrant } from "../src/allocator/cilium/mode.ts";
import { putCiliumNode } from "../src/allocator/cilium/put-cilium-node.ts";
import { Rejection } from "../src/domain/outcome.ts";
import type { Bench, Budget, Line } from "./operations.ts";
import { makePool } from "./pool.ts";

const SPACE = "cilium";
const NODE = "node-1";
/** A cold function reads the configuration: the settings of the space, and its pools. */
const CONFIGURATION_UNITS = 1;

/** Measures the PUTs of a CiliumNode with single addresses, each on a function that has just started. */
export async function measureCilium(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  await makePool(bench.cold(), { space: SPACE, name: "pods", cidr: "10.0.0.0/16" });
  const put = async (version: number, pool: object, used: readonly string[]) => {
    const grant = await putCiliumNode(bench.cold(), {
      space: SPACE,
      node: NODE,
      uid: "uid-1",
      resourceVersion: String(version),
      mode: "crd",
      withdrawAfterSeconds: 60,
      object: {
        ipam: { pool: { ...pool } },
        status: { ipam: { used: Object.fromEntries(used.map((text) => [text, {}])) } },
      },
    });
    if (grant instanceof Rejection) throw new Error(grant.detail);
    return grant;
  };
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
