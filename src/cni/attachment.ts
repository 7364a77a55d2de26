import type { Workload } from "../nouns/application/workload.ts";
import type { Container } from "./invocation.ts";
import type { Network } from "./network.ts";

/** The network, the host and the container that addresses are for. */
export interface Attachment {
  readonly network: Network;
  readonly host: string;
  readonly container: Container;
}

/** Container and interface of an attachment, which a network has once on a host. */
type Key = Pick<Container, "containerId" | "ifName">;

/** Returns the handle of an attachment: the same in ADD, CHECK, DEL and GC, and another one on each host. */
export const handleOf = ({ network, host, container }: Attachment): string =>
  `${prefixOf(network.name, host)}${textOf(container)}`;

/** Returns an attachment of a network on a host as one text. */
export const textOf = ({ containerId, ifName }: Key): string => `${containerId}/${ifName}`;

/** Returns the attachment that a handle names; nothing if it is of another network or another host. */
export function attachmentOf(handle: string, network: string, host: string): Key | undefined {
  const prefix = prefixOf(network, host);
  if (!handle.startsWith(prefix)) return undefined;
  const [containerId = "", ifName = "", ...more] = handle.slice(prefix.length).split("/");
  return containerId && ifName && more.length === 0 ? { containerId, ifName } : undefined;
}

const prefixOf = (network: string, host: string) => `cni/${network}/${host}/`;

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
    ...(pod?.uid !== undefined && { podUid: pod.uid }),
  };
}
