import * as v from "valibot";
import { ciliumNodeOfHandle, handleOfPrefixes, isOfNode } from "../../domain/handle.ts";
import { isWorkloadHandle } from "../../domain/workload.ts";
import { handleText, newHandle } from "./field.ts";
import type { FieldProblem } from "./problem.ts";

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
