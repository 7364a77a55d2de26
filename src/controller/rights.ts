import type { CiliumMode } from "../nouns/cilium/object.ts";
import { APPLICATION_KINDS } from "./applications.ts";
import { CLAIM_GROUP, CLUSTER_GROUP, POOL_COLLECTIONS, POOL_GROUP } from "./cluster-api.ts";
import { ALWAYS, allOf, anyOf, type Condition, is, isTrue, not } from "./condition.ts";
import {
  CALICO_KINDS,
  type DeclaredKind,
  NAMESPACE_KIND,
  SPIDERPOOL_KINDS,
} from "./declared-kinds.ts";
import type { KubeApi } from "./kube/api.ts";
import { CLUSTER_NAMESPACE } from "./kube/cluster-namespace.ts";
import { apiGroupOf } from "./kube/served.ts";
import { LEASES_NAMESPACE } from "./leases.ts";
import type { CollectMode } from "./lost-pods.ts";
import type { NodeMode } from "./nodes.ts";

/** Something that the controller must be allowed to do in its cluster. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** The namespace, for a right in one. */
  readonly namespace?: string;
  /** The only object. */
  readonly name?: string;
}

/** The Lease of the replicas. */
export const LEASE = "plat-controller";

/** The parts of the controller that are on. */
export interface Switches {
  readonly nodes: NodeMode | "off";
  /** True if taints are written into Nodes. */
  readonly lifecycle: boolean;
  /** True if Plat is told which nodes renew their Leases. */
  readonly leases: boolean;
  readonly cilium: CiliumMode | "off";
  readonly clusterApi: boolean;
  readonly endPods: boolean;
  /** True if pools and reservations are kept as the manifests of Calico say. */
  readonly calico: boolean;
  /** True if pools and reservations are kept as the manifests of Spiderpool say. */
  readonly spiderpool: boolean;
  /** True if namespaces are registered. */
  readonly namespaces: boolean;
  /** True if controllers of pods are registered as applications. */
  readonly applications: boolean;
  /** The way with addresses whose pod is gone. */
  readonly collectPods: CollectMode | "off";
}

/** The rights of the agent of a node. */
export const AGENT_RIGHTS: readonly Right[] = [
  ...["get", "list", "watch"].map((verb) => ({ group: "", resource: "pods", verb })),
  ...["get", "list", "watch"].map((verb) => ({ group: "", resource: "namespaces", verb })),
  { group: "apps", resource: "replicasets", verb: "get" },
  { group: "batch", resource: "jobs", verb: "get" },
];

/** Returns exactly the rights that some parts need. The manifest grants them, and the readiness asks for them. */
export const rightsOf = (switches: Switches, namespace: string): readonly Right[] =>
  conditionalRights(namespace).flatMap(({ when, ...right }) =>
    isTrue(when, switches) ? [right] : [],
  );

/** A right, and the switches that need it. */
export interface ConditionalRight extends Right {
  readonly when: Condition<keyof Switches>;
}

/** True where Nodes are followed. */
const NODES = not(is<keyof Switches>("nodes", "off"));
/** True where podCIDRs are written into Nodes, and where anything is. */
export const WRITES_RANGES = is<keyof Switches>("nodes", "write");
export const LIFECYCLE = is<keyof Switches>("lifecycle", true);
export const WRITES_NODES = anyOf([WRITES_RANGES, LIFECYCLE]);
export const LEASES = is<keyof Switches>("leases", true);
/** True where CiliumNodes are answered. */
export const ANSWERS_CILIUM = not(is<keyof Switches>("cilium", "off"));
export const CLUSTER_API = is<keyof Switches>("clusterApi", true);
export const END_PODS = is<keyof Switches>("endPods", true);
export const CALICO = is<keyof Switches>("calico", true);
export const SPIDERPOOL = is<keyof Switches>("spiderpool", true);
/** True where pools of Plat follow manifests. */
export const DECLARES = anyOf([CALICO, SPIDERPOOL]);
export const FOLLOWS_NAMESPACES = is<keyof Switches>("namespaces", true);
export const FOLLOWS_APPLICATIONS = is<keyof Switches>("applications", true);
export const COLLECTS = not(is<keyof Switches>("collectPods", "off"));
/** True where Events are about objects of any namespace. */
const TELLS_EVERYWHERE = anyOf([CLUSTER_API, FOLLOWS_APPLICATIONS]);
/** True where Events are about objects without a namespace alone. The ends of Pods have none. */
const TELLS_IN_DEFAULT = allOf(
  not(TELLS_EVERYWHERE),
  anyOf([NODES, ANSWERS_CILIUM, DECLARES, FOLLOWS_NAMESPACES, COLLECTS]),
);

/**
 * Returns every right that the controller can need.
 *
 * @param namespace that of the controller
 */
export function conditionalRights(namespace: string): readonly ConditionalRight[] {
  const right = (
    when: Condition<keyof Switches>,
    group: string,
    resource: string,
    verbs: readonly string[],
    more: Pick<Right, "namespace" | "name"> = {},
  ) => verbs.map((verb): ConditionalRight => ({ when, group, resource, verb, ...more }));
  const lease = ["coordination.k8s.io", "leases"] as const;
  const declaring = (when: Condition<keyof Switches>, kinds: readonly DeclaredKind[]) =>
    kinds.flatMap(({ apiVersions, resource }) =>
      apiVersions.flatMap((version) =>
        right(when, apiGroupOf(version), resource, ["list", "watch"]),
      ),
    );
  return [
    ...right(anyOf([NODES, DECLARES, COLLECTS]), "", "namespaces", ["get"], {
      name: CLUSTER_NAMESPACE,
    }),
    ...right(NODES, "", "nodes", ["list", "watch"]),
    ...right(WRITES_NODES, "", "nodes", ["patch"]),
    ...right(LEASES, ...lease, ["list", "watch"], { namespace: LEASES_NAMESPACE }),
    ...right(ANSWERS_CILIUM, "cilium.io", "ciliumnodes", ["list", "watch", "patch"]),
    ...right(ANSWERS_CILIUM, "cilium.io", "ciliumnodes/status", ["patch"]),
    ...right(CLUSTER_API, CLUSTER_GROUP, "clusters", ["list", "watch"]),
    ...right(CLUSTER_API, CLAIM_GROUP, "ipaddressclaims", ["list", "watch", "patch"]),
    ...right(CLUSTER_API, CLAIM_GROUP, "ipaddressclaims/status", ["patch"]),
    ...right(CLUSTER_API, CLAIM_GROUP, "ipaddresses", [
      ...["list", "watch", "create", "patch", "delete"],
    ]),
    // An API server with OwnerReferencesPermissionEnforcement asks for these where an IPAddress names its owners.
    ...right(CLUSTER_API, CLAIM_GROUP, "ipaddressclaims/finalizers", ["update"]),
    ...Object.values(POOL_COLLECTIONS).flatMap((resource) => [
      ...right(CLUSTER_API, POOL_GROUP, resource, ["list", "watch"]),
      ...right(CLUSTER_API, POOL_GROUP, `${resource}/status`, ["patch"]),
      ...right(CLUSTER_API, POOL_GROUP, `${resource}/finalizers`, ["update"]),
    ]),
    ...right(anyOf([END_PODS, COLLECTS]), "", "pods", ["list"]),
    ...right(END_PODS, "", "pods", ["watch"]),
    ...right(COLLECTS, "", "pods", ["get"]),
    ...declaring(CALICO, CALICO_KINDS),
    ...declaring(SPIDERPOOL, SPIDERPOOL_KINDS),
    ...declaring(FOLLOWS_NAMESPACES, [NAMESPACE_KIND]),
    ...declaring(FOLLOWS_APPLICATIONS, APPLICATION_KINDS),
    // Events about objects without a namespace are in this one. Claims and applications have theirs.
    ...right(TELLS_IN_DEFAULT, "", "events", ["create", "patch"], { namespace: "default" }),
    ...right(TELLS_EVERYWHERE, "", "events", ["create", "patch"]),
    ...right(ALWAYS, ...lease, ["create"], { namespace }),
    ...right(ALWAYS, ...lease, ["get", "update"], { namespace, name: LEASE }),
  ];
}

/** Returns the rights that the API server denies. */
export async function missingRights(
  api: KubeApi,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<readonly Right[]> {
  const denied: Right[] = [];
  for (const right of rights) {
    const [resource = "", subresource] = right.resource.split("/");
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { ...right, resource, ...(subresource && { subresource }) } },
    };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const review = await api.send<{ status: { allowed: boolean } }>(
      { method: "POST", path, body },
      signal,
    );
    if (!review.status.allowed) denied.push(right);
  }
  return denied;
}

/** Returns a right in the words of `kubectl auth can-i`. */
export function rightText({ group, resource, verb, namespace, name }: Right): string {
  const what = `${verb} ${resource}${group && `.${group}`}${name === undefined ? "" : `/${name}`}`;
  return namespace === undefined ? what : `${what} -n ${namespace}`;
}
