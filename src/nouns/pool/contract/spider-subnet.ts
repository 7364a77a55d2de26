import * as v from "valibot";
import { poolProblems } from "../../../api/schema/pool-rules.ts";
import { checked, fields, rule } from "../../../api/schema/schema.ts";
import { type PoolDocument, poolSpec } from "./request.ts";
import { spiderKind, spiderManifest } from "./spider-manifest.ts";
import { familyProblems, inTheirWords, SPIDER_SET_FIELDS } from "./spider-set.ts";

export const SPIDER_SUBNET = spiderKind("SpiderSubnet");

const spec = v.pipe(
  fields(SPIDER_SET_FIELDS),
  rule((spec) => familyProblems(spec)),
  v.transform(({ subnet, ips, excludeIPs, gateway, routes, vlan }) => ({
    cidr: subnet,
    ranges: ips,
    excludes: excludeIPs,
    gateway,
    routes,
    vlan,
    disabled: false,
    assignmentMode: "Applications" as const,
  })),
  rule((pool) => poolProblems(pool).map(inTheirWords)),
);

/**
 * A pool for applications as Spiderpool writes it.
 *
 * @see https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spidersubnet.md
 */
export const spiderSubnetManifest = spiderManifest("SpiderSubnet", spec);

export function parseSpiderSubnet(value: unknown): PoolDocument {
  const input = checked(spiderSubnetManifest, value);
  const { metadata, spec } = input;
  return { name: { field: "metadata.name", value: metadata.name }, spec: poolSpec(spec) };
}
