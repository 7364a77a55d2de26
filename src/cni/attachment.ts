import * as v from "valibot";
import { namespaceName } from "../api/schema/field.ts";
import { NAME_CHARACTERS_MAX } from "../base/limits.ts";
import { handleOfAttachment, POD_UID } from "../nouns/address/attachment.ts";
import { isKeptKind, type Workload, workloadHandle } from "../nouns/application/workload.ts";
import type { Container } from "./invocation.ts";
import type { NetworkConfiguration } from "./network.ts";

type Texts = Readonly<Record<string, string>>;

/** A pod as its cluster has it. A runtime tells its names and its uid alone. */
export interface PodSeen {
  readonly uid: string;
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly namespaceLabels: Texts;
  /** Its top controller, such as the Deployment of its ReplicaSet; none for a pod of its own. */
  readonly controller: { readonly kind: string; readonly name: string } | undefined;
}

/** The network, the host and the container that addresses are for. */
export interface Attachment {
  readonly network: NetworkConfiguration;
  readonly host: string;
  readonly container: Container;
  /** The pod in its cluster, `gone` if the cluster has it no more; absent where nobody asks a cluster. */
  readonly seen?: PodSeen | "gone" | undefined;
}

/** The kind whose pods have the names of earlier ones, and can so keep their addresses. */
const STATEFUL_SET = "StatefulSet";

/** Returns the handle of an attachment. */
export const handleOf = ({ network, host, container }: Attachment): string =>
  handleOfAttachment(network.name, host, container);

/** Returns true if a handle can have something. With a longer one no ADD succeeds, and every DEL has to. */
export const canHold = (handle: string): boolean => handle.length <= NAME_CHARACTERS_MAX;

/**
 * Returns the namespace of the pod, which pools are matched with; nothing for a name that Plat does not accept, because it
 * matches none. Podman 1 to 3 passes the name of the container as the namespace.
 */
export function namespaceOf({ container: { pod } }: Attachment): string | undefined {
  return v.is(namespaceName, pod?.namespace) ? pod?.namespace : undefined;
}

/**
 * Returns the instance that an attachment is: of the pod's top controller where the cluster is asked. Elsewhere only a pod
 * with an ordinal is one, a pod of a StatefulSet, if the configuration says `keep`. Its uid is the container: a sandbox that
 * replaces another one is a new incarnation, and a late DEL of the earlier one frees nothing.
 *
 * @param keeps true also where the configuration may have said `keep` at the ADD
 */
export function instanceOfAttachment(
  attachment: Attachment,
  keeps = attachment.network.ipam.keep,
): Workload | undefined {
  const { container, seen } = attachment;
  const { pod, ifName, containerId } = container;
  const namespace = namespaceOf(attachment);
  if (!pod || namespace === undefined || seen === "gone") return undefined;
  const controller = seen ? seen.controller : keeps ? byOrdinal(pod.name) : undefined;
  // The pod of a virtual machine has a new name each time, so nobody would ever take up what it keeps.
  if (!controller || (isKeptKind(controller) && controller.kind !== STATEFUL_SET)) return undefined;
  const workload = {
    namespace,
    ...controller,
    // Each interface is one request, so each is an instance. That of the first interface has the name of the pod, by
    // which Plat knows its ordinal.
    instance: ifName === "eth0" ? pod.name : `${pod.name}.${ifName}`,
    uid: containerId,
  };
  // Two long names do not fit in a handle. One that keeps its addresses has no other, so Plat says so.
  return canHold(workloadHandle(workload)) || controller.kind === STATEFUL_SET
    ? workload
    : undefined;
}

/** Returns the StatefulSet whose pod has this name. */
function byOrdinal(pod: string): PodSeen["controller"] {
  const [, name] = /^(.+)-(?:0|[1-9]\d*)$/.exec(pod) ?? [];
  return name === undefined ? undefined : { kind: STATEFUL_SET, name };
}

/** Returns the attributes of the addresses of an attachment, by which people and GC find what they are for. */
export function attachmentAttributesOf({ network, container, seen }: Attachment): Texts {
  const { containerId, ifName, pod } = container;
  // That of a static pod is its kubelet's: its mirror in the cluster may go while the pod runs.
  const uid = pod?.uid ?? (typeof seen === "object" ? seen.uid : undefined);
  return {
    network: network.name,
    containerId,
    ifName,
    ...(pod && { namespace: pod.namespace, pod: pod.name }),
    ...(uid !== undefined && { [POD_UID]: uid }),
  };
}
