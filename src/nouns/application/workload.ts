import { assertTexts } from "../../base/assertions.ts";
import { EARLIER_UIDS_MAX } from "../../base/limits.ts";

/**
 * An instance of a workload in one of its incarnations, as a caller names it: the pod `db-0` of the StatefulSet `db`. A later incarnation of the
 * instance has another uid, as in Kubernetes.
 */
export interface Workload {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly instance: string;
  readonly uid: string;
}

/** An instance as its allocation remembers it, with the uids before the current one. */
export interface Instance extends Workload {
  /** The uids that later ones replaced, the oldest first. A request of one of them is late. */
  readonly earlierUids: readonly string[];
  /** A unique value, new with each uid and with each return. Generations contain it, so that earlier ones have no effect. */
  readonly incarnation: string;
}

const VIRTUAL_MACHINES: readonly string[] = ["VirtualMachine", "VirtualMachineInstance"];

/**
 * The kinds whose instances keep their addresses over a restart, as in Spiderpool (docs/usage/statefulset.md, kubevirt.md). An
 * instance of any other kind has a new name, or needs no address of its own.
 */
const KEPT_KINDS: ReadonlySet<string> = new Set(["StatefulSet", ...VIRTUAL_MACHINES]);

/** Returns true if the instances of this kind keep their addresses. */
export const isKeptKind = ({ kind }: Pick<Workload, "kind">): boolean => KEPT_KINDS.has(kind);

/** Returns true for a virtual machine of KubeVirt. Its instance has its name, and its pods have others. */
export const isVirtualMachine = ({ kind }: Pick<Workload, "kind">): boolean =>
  VIRTUAL_MACHINES.includes(kind);

const HANDLE_START = "workload/";

/** Returns the handle of an instance. All its incarnations have the same. */
export const workloadHandle = ({
  namespace,
  kind,
  name,
  instance,
}: Omit<Workload, "uid">): string => `${HANDLE_START}${namespace}/${kind}/${name}/${instance}`;

/** Returns true if only a request with a `workload` may have this handle. */
export const isWorkloadHandle = (handle: string): boolean => handle.startsWith(HANDLE_START);

/** Returns true if a later incarnation has replaced the one with this uid. */
export const isReplaced = (seen: Instance | undefined, { uid }: Pick<Workload, "uid">): boolean =>
  seen?.earlierUids.includes(uid) ?? false;

/**
 * Returns what the allocation remembers after this incarnation began, or came to another host.
 *
 * @param seen what it remembered before, if there is an allocation
 */
export function instanceAfter(
  seen: Instance | undefined,
  workload: Workload,
  incarnation: string,
): Instance {
  const { namespace, kind, name, instance, uid } = workload;
  const earlierUids =
    !seen || seen.uid === uid
      ? (seen?.earlierUids ?? [])
      : [...seen.earlierUids, seen.uid].slice(-EARLIER_UIDS_MAX);
  return { namespace, kind, name, instance, uid, earlierUids, incarnation };
}

/** Checks that an instance has its names, its uid and its incarnation. @throws {Error} */
export function assertInstance(instance: Instance): void {
  const { namespace, kind, name, instance: own, uid, incarnation, earlierUids } = instance;
  assertTexts({ namespace, kind, name, instance: own, uid, incarnation });
  for (const earlierUid of earlierUids) assertTexts({ earlierUid });
}
