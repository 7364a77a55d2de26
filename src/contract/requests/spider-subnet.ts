import * as v from "valibot";
import { resourceName } from "../schema/field.ts";
import { poolProblems, poolSpec } from "../schema/pool-fields.ts";
import { Problem } from "../schema/problem.ts";
import { checked, fields, rule } from "../schema/schema.ts";
import type { ManifestKind } from "./manifest.ts";
import type { PoolDocument } from "./pool.ts";
import { SPIDERPOOL_VERSIONS } from "./spider-reserved-ip.ts";
import { familyProblems, inTheirWords, SPIDER_SET_FIELDS } from "./spider-set.ts";

export const SPIDER_SUBNET: ManifestKind = {
  kind: "SpiderSubnet",
  apiVersions: SPIDERPOOL_VERSIONS,
};

const spec = v.pipe(
  fields(SPIDER_SET_FIELDS),
  rule((spec) => familyProblems(spec)),
  v.transform(({ subnet, ips, excludeIPs, gateway, routes }) => ({
    cidr: subnet,
    ranges: ips,
    excludes: excludeIPs,
    gateway,
    routes,
    disabled: false,
    assignmentMode: "Applications" as const,
  })),
  rule((pool) => poolProblems(pool).map(inTheirWords)),
);

/**
 * A pool for applications as Spiderpool writes it. Its spec is taken strictly; the rest of its metadata and its status
 * are the cluster's.
 *
 * @see https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spidersubnet.md
 */
export const spiderSubnetManifest = fields({
  apiVersion: v.picklist(SPIDERPOOL_VERSIONS, `must be ${SPIDERPOOL_VERSIONS.join(" or ")}`),
  kind: v.literal("SpiderSubnet", "must be SpiderSubnet, or a list with one"),
  metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
  spec,
  status: v.optional(v.unknown()),
});

export function readSpiderSubnet(value: unknown): PoolDocument | Problem {
  const input = checked(spiderSubnetManifest, value);
  if (input instanceof Problem) return input;
  const { metadata, spec } = input;
  return { name: { field: "metadata.name", value: metadata.name }, spec: poolSpec(spec, {}) };
}
