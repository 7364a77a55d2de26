import * as v from "valibot";
import { flag } from "../../../api/schema/field.ts";
import { poolProblems } from "../../../api/schema/pool-rules.ts";
import { checked, fields, rule } from "../../../api/schema/schema.ts";
import { labelSelector } from "../../../api/schema/selector.ts";
import { POOL, type PoolDocument, poolSpec } from "./request.ts";
import { spiderKind, spiderManifest } from "./spider-manifest.ts";
import { familyProblems, inTheirWords, SPIDER_SET_FIELDS } from "./spider-set.ts";

export const SPIDER_IPPOOL = spiderKind("SpiderIPPool");

const spec = v.pipe(
  fields({
    ...SPIDER_SET_FIELDS,
    podAffinity: v.optional(labelSelector),
    nodeAffinity: v.optional(labelSelector),
    nodeName: POOL.nodeNames.read,
    namespaceAffinity: v.optional(labelSelector),
    namespaceName: POOL.namespaceNames.read,
    multusName: POOL.networks.read,
    default: v.optional(flag, false),
    disable: v.optional(flag, false),
  }),
  rule((spec) => familyProblems(spec)),
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
      vlan: same.vlan,
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
 * A pool as Spiderpool writes it. One without `default` is Manual, as Spiderpool's own default says.
 *
 * @see https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spiderippool.md
 */
export const spiderIpPoolManifest = spiderManifest("SpiderIPPool", spec);

/** The prefix of the labels and the annotations of Spiderpool. */
export const SPIDER_PREFIX = "ipam.spidernet.io";

type Texts = Readonly<Record<string, string>> | null | undefined;

/**
 * Returns the application for which Spiderpool made a pool, such as `auto4-web-eth0-9a2b3`, with its interface and its subnet;
 * nothing if people made the pool.
 */
export function applicationOfPool({
  name: pool,
  labels,
  annotations,
}: {
  readonly name: string;
  readonly labels?: Texts;
  readonly annotations?: Texts;
}) {
  const label = (name: string) => labels?.[`${SPIDER_PREFIX}/${name}`];
  // Older versions have the three in an annotation, `apps/v1:Deployment:shop:web`, or in one label, `Deployment_shop_web`.
  const [kind, namespace, name] =
    annotations?.[`${SPIDER_PREFIX}/application`]?.split(":").slice(-3) ??
    label("owner-application")?.split("_") ??
    ["kind", "namespace", "name"].map((part) => label(`owner-application-${part}`));
  if (!namespace || !kind || !name) return undefined;
  const inName = /-v[46]-(.+)-[0-9a-f]+$/.exec(pool)?.[1];
  const interfaceName = label("interface") ?? inName ?? "eth0";
  const subnet = label("owner-spider-subnet");
  return { application: `${namespace}/${kind}/${name}`, interfaceName, subnet };
}

export function parseSpiderIpPool(value: unknown): PoolDocument {
  const input = checked(spiderIpPoolManifest, value);
  const { metadata, spec } = input;
  return {
    name: { field: "metadata.name", value: metadata.name },
    spec: poolSpec(spec),
  };
}
