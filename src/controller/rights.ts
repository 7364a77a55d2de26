import { CLAIM_GROUP, CLUSTER_GROUP, POOL_GROUP, POOL_KINDS } from "./cluster-api.ts";
import type { KubeApi } from "./kube/api.ts";
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

/** The namespace whose uid names the cluster. */
export const CLUSTER_NAMESPACE = "kube-system";

/** The parts of the controller that are on. */
export interface Switches {
  readonly nodes: NodeMode | "off";
  readonly cilium: boolean;
  readonly clusterApi: boolean;
  readonly pods: boolean;
}

/** Returns exactly the rights that some parts need. The manifest grants them, and the readiness asks for them. */
export function rightsOf(
  { nodes, cilium, clusterApi, pods }: Switches,
  namespace: string,
): readonly Right[] {
  const right = (group: string, resource: string, verbs: readonly string[], more: object = {}) =>
    verbs.map((verb): Right => ({ group, resource, verb, ...more }));
  const lease = ["coordination.k8s.io", "leases"] as const;
  return [
    ...(nodes === "off"
      ? []
      : [
          ...right("", "namespaces", ["get"], { name: CLUSTER_NAMESPACE }),
          ...right("", "nodes", ["list", "watch", ...(nodes === "write" ? ["patch"] : [])]),
        ]),
    ...(cilium ? right("cilium.io", "ciliumnodes", ["list", "watch", "patch"]) : []),
    ...(cilium ? right("cilium.io", "ciliumnodes/status", ["patch"]) : []),
    ...(clusterApi ? clusterApiRights(right) : []),
    ...(pods ? right("", "pods", ["list", "watch"]) : []),
    // Events about objects without a namespace are in this one. Claims have theirs.
    ...right("", "events", ["create", "patch"], clusterApi ? {} : { namespace: "default" }),
    ...right(...lease, ["create"], { namespace }),
    ...right(...lease, ["get", "update"], { namespace, name: LEASE }),
  ];
}

/** Returns the rights of the provider of Cluster API. */
function clusterApiRights(
  right: (group: string, resource: string, verbs: readonly string[]) => readonly Right[],
): readonly Right[] {
  return [
    ...right(CLUSTER_GROUP, "clusters", ["list", "watch"]),
    ...right(CLAIM_GROUP, "ipaddressclaims", ["list", "watch", "patch"]),
    ...right(CLAIM_GROUP, "ipaddressclaims/status", ["patch"]),
    ...right(CLAIM_GROUP, "ipaddresses", ["list", "watch", "create", "patch", "delete"]),
    // An API server with OwnerReferencesPermissionEnforcement asks for these where an IPAddress names its owners.
    ...right(CLAIM_GROUP, "ipaddressclaims/finalizers", ["update"]),
    ...Object.values(POOL_KINDS).flatMap((resource) => [
      ...right(POOL_GROUP, resource, ["list", "watch"]),
      ...right(POOL_GROUP, `${resource}/status`, ["patch"]),
      ...right(POOL_GROUP, `${resource}/finalizers`, ["update"]),
    ]),
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
export function wordsOf({ group, resource, verb, namespace, name }: Right): string {
  const what = `${verb} ${resource}${group && `.${group}`}${name === undefined ? "" : `/${name}`}`;
  return namespace === undefined ? what : `${what} -n ${namespace}`;
}
