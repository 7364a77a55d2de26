import * as v from "valibot";
import { resourceName } from "./field.ts";
import {
  POOL_FIELDS,
  poolProblems,
  poolSpec,
  ROUTING_FIELDS,
  routingProblems,
} from "./pool-fields.ts";
import type { PoolDocument } from "./pool-request.ts";
import { invalid, Problem } from "./problem.ts";
import { checked, fields, isRecord, rule } from "./schema.ts";

const API_VERSIONS = ["projectcalico.org/v3", "crd.projectcalico.org/v1"];
const LISTS = ["List", "IPPoolList"];

/** A pool as Calico writes it. Its spec is taken strictly; the rest of its metadata and its status are the cluster's. */
export const manifest = fields({
  apiVersion: v.picklist(API_VERSIONS, `must be ${API_VERSIONS.join(" or ")}`),
  kind: v.literal("IPPool", "must be IPPool, or a list of one"),
  metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
  spec: v.pipe(
    fields({ ...POOL_FIELDS, ...ROUTING_FIELDS }),
    rule((pool) => [...poolProblems(pool), ...routingProblems(pool, pool)]),
  ),
  status: v.optional(v.unknown()),
});

/** Nothing of our own JSON has these fields. */
export function isManifest(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && (Object.hasOwn(value, "apiVersion") || Object.hasOwn(value, "kind"));
}

export function readManifest(value: Record<string, unknown>): PoolDocument | Problem {
  const lone = loneItem(value);
  if (lone instanceof Problem) return lone;
  const input = checked(manifest, lone.item);
  if (input instanceof Problem) return input;
  const { ipipMode, vxlanMode, natOutgoing, disableBGPExport } = input.spec;
  return {
    name: { field: "metadata.name", value: input.metadata.name },
    spec: poolSpec(input.spec, { ipipMode, vxlanMode, natOutgoing, disableBGPExport }),
  };
}

/** `kubectl get` puts even a single pool into a list when it is not asked for by name. */
function loneItem(value: Record<string, unknown>): { readonly item: unknown } | Problem {
  const { kind, items } = value;
  if (typeof kind !== "string" || !LISTS.includes(kind)) return { item: value };
  if (Array.isArray(items) && items.length === 1) return { item: items[0] };
  const problem = Array.isArray(items)
    ? `has ${items.length}; PUT one pool at a time`
    : "must be an array of one IPPool";
  return invalid({ field: "items", problem });
}
