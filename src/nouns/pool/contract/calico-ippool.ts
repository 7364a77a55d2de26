import * as v from "valibot";
import { API_VERSIONS } from "../../../api/manifest.ts";
import { resourceName } from "../../../api/schema/field.ts";
import { poolProblems, routingProblems } from "../../../api/schema/pool-rules.ts";
import { checked, fields, rule } from "../../../api/schema/schema.ts";
import { POOL, type PoolDocument, poolSpec, ROUTING_FIELDS } from "./request.ts";

/** A pool as Calico writes it. Its spec is taken strictly; the rest of its metadata and its status are the cluster's. */
export const ipPoolManifest = fields({
  apiVersion: v.picklist(API_VERSIONS, `must be ${API_VERSIONS.join(" or ")}`),
  kind: v.literal("IPPool", "must be IPPool, SpiderIPPool or SpiderSubnet, or a list with one"),
  metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
  spec: v.pipe(
    fields({
      cidr: POOL.cidr.read,
      blockSize: POOL.blockSize.read,
      disabled: POOL.disabled.read,
      assignmentMode: POOL.assignmentMode.read,
      allowedUses: POOL.allowedUses.read,
      nodeSelector: POOL.nodeSelector.read,
      namespaceSelector: POOL.namespaceSelector.read,
      ...ROUTING_FIELDS,
    }),
    rule((pool) => [...poolProblems(pool), ...routingProblems(pool, pool)]),
  ),
  status: v.optional(v.unknown()),
});

export function parseIpPool(value: unknown): PoolDocument {
  const input = checked(ipPoolManifest, value);
  const { ipipMode, vxlanMode, natOutgoing, disableBGPExport, ...pool } = input.spec;
  return {
    name: { field: "metadata.name", value: input.metadata.name },
    spec: poolSpec({
      ...pool,
      routing: { ipipMode, vxlanMode, natOutgoing, disableBGPExport },
    }),
  };
}
