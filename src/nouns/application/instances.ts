import { type Application, ordinalsOf } from "./application.ts";
import { type Workload, workloadHandle } from "./workload.ts";

/** An instance, whichever incarnation of it. */
type Instance = Omit<Workload, "uid">;

/**
 * Returns true if an instance may keep its addresses. That of a registered StatefulSet may not if its ordinal has no replica
 * (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#ordinal-index), and none may after a deletion.
 *
 * @param application that of the instance, if it is registered
 */
export function mayKeep(application: Application | undefined, instance: Instance): boolean {
  const ordinal = ordinalOfInstance(instance);
  if (!application || ordinal === undefined) return true;
  return ordinalsOf(application).some(({ first, end }) => first <= ordinal && ordinal < end);
}

/** Returns the handle of the instance with an ordinal. */
export const handleAt = ({ namespace, kind, name }: Application, ordinal: number): string =>
  workloadHandle({
    namespace,
    kind,
    name,
    instance: kind === "StatefulSet" ? `${name}-${ordinal}` : name,
  });

/** Returns the ordinal of an instance: 3 for `db-3` of the StatefulSet `db`, 0 for a virtual machine; nothing if it has none. */
function ordinalOfInstance({ kind, name, instance }: Instance): number | undefined {
  if (kind !== "StatefulSet") return instance === name ? 0 : undefined;
  const [, digits] = /-(0|[1-9]\d*)$/.exec(instance) ?? [];
  return digits !== undefined && instance === `${name}-${digits}` ? Number(digits) : undefined;
}
