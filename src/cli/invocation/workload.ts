import { type Command, InvalidArgumentError } from "commander";
import { usageError } from "../shell/exit.ts";

/** The options that name an instance of a workload. */
export interface WorkloadOptions {
  readonly workload?: { readonly kind: string; readonly name: string; readonly instance?: string };
  readonly uid?: string;
  readonly namespace?: string;
}

/** Adds the options that name an instance of a workload to a command that has `--namespace`. */
export const withWorkload = (command: Command): Command =>
  command
    .option(
      "--workload <kind/name/instance>",
      "Instance of a workload in --namespace, such as StatefulSet/db/db-0; a part less if both names are the same",
      workloadPath,
    )
    .option("--uid <uid>", "The uid of the instance");

/** The fields of a request that names an instance. */
export interface NamedInstance {
  readonly namespace: string;
  readonly workload: NonNullable<WorkloadOptions["workload"]> & { readonly uid: string };
}

/** Returns the instance that the options name; nothing if they name none. */
export function workloadFields({
  workload,
  uid,
  namespace,
}: WorkloadOptions): NamedInstance | undefined {
  if (!workload) {
    if (uid !== undefined) throw usageError("--uid needs --workload.");
    return undefined;
  }
  if (uid === undefined) throw usageError("--workload needs --uid.");
  if (namespace === undefined) throw usageError("--workload needs --namespace.");
  return { namespace, workload: { ...workload, uid } };
}

function workloadPath(text: string): NonNullable<WorkloadOptions["workload"]> {
  const [kind, name, instance, ...more] = text.split("/");
  if (!kind || !name || instance === "" || more.length > 0)
    throw new InvalidArgumentError("It must be kind/name or kind/name/instance.");
  return { kind, name, ...(instance !== undefined && { instance }) };
}
