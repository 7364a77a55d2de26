import { handleOfAttachment, POD_UID } from "../nouns/address/attachment.ts";
import type { Workload } from "../nouns/application/workload.ts";
import type { Container } from "./invocation.ts";
import type { Network } from "./network.ts";

/** The network, the host and the container that addresses are for. */
export interface Attachment {
  readonly network: Network;
  readonly host: string;
  readonly container: Container;
}

/** Returns the handle of an attachment. */
export const handleOf = ({ network, host, container }: Attachment): string =>
  handleOfAttachment(network.name, host, container);

/**
 * Returns the instance that keeps its addresses, if the configuration says `keep` and the pod has an ordinal: a pod of
 * a StatefulSet. Its uid is the container: a sandbox that replaces another one is a new incarnation, and a late DEL of
 * the earlier one frees nothing.
 */
export function workloadOf({ network, container }: Attachment): Workload | undefined {
  const { pod, ifName, containerId } = container;
  const [, name] = /^(.+)-(?:0|[1-9]\d*)$/.exec(pod?.name ?? "") ?? [];
  if (!network.ipam.keep || !pod || name === undefined) return undefined;
  return {
    namespace: pod.namespace,
    kind: "StatefulSet",
    name,
    // Each interface is one request, so each is an instance. That of the first interface has the name of the pod, by
    // which Plat knows its ordinal.
    instance: ifName === "eth0" ? pod.name : `${pod.name}.${ifName}`,
    uid: containerId,
  };
}

/** Returns the attributes of the addresses of an attachment, by which people and GC find what they are for. */
export function attributesOf({ network, container }: Attachment): Readonly<Record<string, string>> {
  const { containerId, ifName, pod } = container;
  return {
    network: network.name,
    containerId,
    ifName,
    ...(pod && { namespace: pod.namespace, pod: pod.name }),
    ...(pod?.uid !== undefined && { [POD_UID]: pod.uid }),
  };
}
