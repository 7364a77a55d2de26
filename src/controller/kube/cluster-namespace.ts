import type { KubeApi } from "./api.ts";
import type { KubeObject } from "./reflector.ts";

/** The namespace whose uid names the cluster. */
export const CLUSTER_NAMESPACE = "kube-system";

/** Reads the namespace whose uid names the cluster. */
export async function readClusterNamespace(api: KubeApi, signal: AbortSignal): Promise<KubeObject> {
  const request = { path: `/api/v1/namespaces/${CLUSTER_NAMESPACE}` };
  const { metadata } = await api.send<KubeObject>(request, signal);
  return { metadata: { ...metadata, name: CLUSTER_NAMESPACE } };
}
