import * as v from "valibot";
import { flag, resourceName } from "../schema/field.ts";
import {
  CONDITION_FIELDS,
  conditionsOf,
  POOL_FIELDS,
  poolProblems,
  poolSpec,
} from "../schema/pool-fields.ts";
import { SET_FIELDS } from "../schema/pool-ranges.ts";
import { type FieldProblem, Problem } from "../schema/problem.ts";
import { checked, fields, rule } from "../schema/schema.ts";
import { labelSelector } from "../schema/selector.ts";
import type { ManifestKind } from "./manifest.ts";
import type { PoolDocument } from "./pool.ts";
import { ipVersion, SPIDERPOOL_VERSIONS } from "./spider-reserved-ip.ts";

export const SPIDER_IPPOOL: ManifestKind = {
  kind: "SpiderIPPool",
  apiVersions: SPIDERPOOL_VERSIONS,
};

const spec = v.pipe(
  fields({
    ipVersion,
    subnet: POOL_FIELDS.cidr,
    ips: v.optional(SET_FIELDS.ranges, []),
    excludeIPs: SET_FIELDS.excludes,
    gateway: SET_FIELDS.gateway,
    routes: SET_FIELDS.routes,
    podAffinity: v.optional(labelSelector),
    nodeAffinity: v.optional(labelSelector),
    nodeName: CONDITION_FIELDS.nodeNames,
    namespaceAffinity: v.optional(labelSelector),
    namespaceName: CONDITION_FIELDS.namespaceNames,
    multusName: CONDITION_FIELDS.networks,
    default: v.optional(flag, false),
    disable: v.optional(flag, false),
    // Spiderpool has deprecated it: the VLAN belongs to the network.
    vlan: v.optional(v.unknown()),
  }),
  rule(({ ipVersion, subnet: { family } }) =>
    ipVersion === undefined || ipVersion === family
      ? []
      : [{ field: "ipVersion", value: ipVersion, problem: `must be ${family}, as subnet says` }],
  ),
  v.transform(
    ({
      subnet,
      ips,
      excludeIPs,
      podAffinity,
      nodeAffinity,
      nodeName,
      namespaceAffinity,
      namespaceName,
      multusName,
      ...same
    }) => ({
      gateway: same.gateway,
      routes: same.routes,
      disabled: same.disable,
      assignmentMode: same.default ? ("Automatic" as const) : ("Manual" as const),
      cidr: subnet,
      ranges: ips,
      excludes: excludeIPs,
      podSelector: podAffinity,
      nodeSelector: nodeAffinity,
      nodeNames: nodeName,
      namespaceSelector: namespaceAffinity,
      namespaceNames: namespaceName,
      networks: multusName,
    }),
  ),
  rule((pool) => poolProblems(pool).map(inTheirWords)),
);

/**
 * A pool as Spiderpool writes it. Its spec is taken strictly; the rest of its metadata and its status are the cluster's.
 * One without `default` is Manual, as Spiderpool's own default says.
 *
 * @see https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spiderippool.md
 */
export const spiderIpPoolManifest = fields({
  apiVersion: v.picklist(SPIDERPOOL_VERSIONS, `must be ${SPIDERPOOL_VERSIONS.join(" or ")}`),
  kind: v.literal("SpiderIPPool", "must be SpiderIPPool, or a list with one"),
  metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
  spec,
  status: v.optional(v.unknown()),
});

export function readSpiderIpPool(value: unknown): PoolDocument | Problem {
  const input = checked(spiderIpPoolManifest, value);
  if (input instanceof Problem) return input;
  const { metadata, spec } = input;
  return {
    name: { field: "metadata.name", value: metadata.name },
    spec: { ...poolSpec(spec, {}), ...conditionsOf(spec) },
  };
}

/** The names that Spiderpool has for fields of a pool. */
const THEIR_NAMES: ReadonlyMap<string, string> = new Map([
  ["cidr", "subnet"],
  ["ranges", "ips"],
  ["excludes", "excludeIPs"],
]);

const inTheirWords = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  field: problem.field.replace(/^\w+/, (name) => THEIR_NAMES.get(name) ?? name),
});
