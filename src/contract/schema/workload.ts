import * as v from "valibot";
import { NAME_CHARACTERS_MAX, UID_CHARACTERS_MAX } from "../../domain/limits.ts";
import { type Workload, workloadHandle } from "../../domain/workload.ts";
import { newNameProblem, text } from "./field.ts";
import type { FieldProblem } from "./problem.ts";
import { fields } from "./schema.ts";

/** A part of the handle of an instance, which a path can name. */
const part = v.pipe(
  text,
  v.regex(
    new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}?%#/]{1,${NAME_CHARACTERS_MAX}}$`, "u"),
    `must be 1 to ${NAME_CHARACTERS_MAX} printable characters without /, ?, % and #`,
  ),
);

/** An instance of a workload: the pod of a StatefulSet, a virtual machine. Its namespace is a field beside it. */
export const workload = fields({
  kind: part,
  name: part,
  instance: v.optional(part),
  uid: v.pipe(
    text,
    v.regex(
      new RegExp(`^[\\x21-\\x7e]{1,${UID_CHARACTERS_MAX}}$`),
      `must be 1 to ${UID_CHARACTERS_MAX} printable ASCII characters without spaces`,
    ),
  ),
});

/** A workload as a request has it. */
interface WorkloadAsked {
  readonly workload?: v.InferOutput<typeof workload> | undefined;
  readonly namespace?: string | undefined;
}

/** Returns the instance that a request names; nothing if it names none. The `instance` defaults to the `name`. */
export function workloadOf({ workload: named, namespace }: WorkloadAsked): Workload | undefined {
  if (!named || namespace === undefined) return undefined;
  const { kind, name, instance = name, uid } = named;
  return { namespace, kind, name, instance, uid };
}

/** Rejects the workload of an assign: one that a release would reject, or that has a part which no name may newly have. */
export function newWorkloadProblems(asked: WorkloadAsked): readonly FieldProblem[] {
  const { kind, name, instance = "" } = asked.workload ?? {};
  return [
    ...Object.entries({ kind, name, instance }).flatMap(([field, value = ""]) => {
      const problem = newNameProblem(value);
      return problem === undefined ? [] : [{ field: `workload.${field}`, value, problem }];
    }),
    ...workloadProblems(asked),
  ];
}

/** Rejects a workload without its namespace, and one whose handle no path could name. */
export function workloadProblems(asked: WorkloadAsked): readonly FieldProblem[] {
  if (!asked.workload) return [];
  const named = workloadOf(asked);
  if (!named) return [{ field: "namespace", problem: "is required beside workload" }];
  const { length } = workloadHandle(named);
  const problem = `makes a handle of ${length} characters; kind, name, instance and namespace must fit in ${NAME_CHARACTERS_MAX}`;
  return length > NAME_CHARACTERS_MAX ? [{ field: "workload", problem }] : [];
}
