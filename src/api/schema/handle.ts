import * as v from "valibot";
import { NAME_CHARACTERS_MAX } from "../../base/limits.ts";
import { ciliumNodeOfHandle, handleOfPrefixes, isOfNode } from "../../kernel/values/handle.ts";
import {
  isWorkloadHandle,
  type Workload,
  workloadHandle,
} from "../../nouns/application/workload.ts";
import { handleText, newHandle, newNameProblem, text } from "./field.ts";
import type { FieldProblem } from "./problem.ts";
import { fields } from "./schema.ts";

/** A uid of Kubernetes has 36. */
const UID_CHARACTERS_MAX = 128;

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

/** Rejects the handle of an instance or of a node, which no caller may name. */
const unreserved = v.rawCheck<string>(({ dataset, addIssue }) => {
  const message = dataset.typed ? whyReserved(dataset.value) : undefined;
  if (message !== undefined) addIssue({ message });
});

/** A handle that a caller may name, also one from before names were checked for paths. */
export const callerHandle = v.pipe(handleText, unreserved);

/** A handle that a caller gives its name. */
export const newCallerHandle = v.pipe(newHandle, unreserved);

/** Rejects a handle that a caller must not name. */
export function handleProblems(handle: string | undefined): readonly FieldProblem[] {
  const problem = handle === undefined ? undefined : whyReserved(handle);
  return problem === undefined ? [] : [{ field: "handle", value: handle, problem }];
}

function whyReserved(handle: string): string | undefined {
  if (isWorkloadHandle(handle))
    return "names an instance of a workload: send namespace and workload, with its uid, in place of the handle";
  if (ciliumNodeOfHandle(handle))
    return "names a CiliumNode: send the object to /v1/nodes/{node}/cilium, which assigns and releases what it has";
  if (isOfNode(handle))
    return "names a node: send what it has to /v1/nodes/{node}/pod-cidrs, which assigns and releases it";
  if (handleOfPrefixes(handle) !== undefined)
    return "names prefixes: send the handle to /v1/prefixes without `prefix/`, which assigns and releases them";
  return undefined;
}
