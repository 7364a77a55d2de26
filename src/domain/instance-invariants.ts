import type { Allocation } from "./allocation.ts";
import { nameOf } from "./allocation-invariants.ts";
import { EARLIER_UIDS_MAX } from "./limits.ts";
import { type Violation, violation } from "./violation.ts";
import { type Instance, isKeptKind, isWorkloadHandle, workloadHandle } from "./workload.ts";

/** Finds instances with more than one allocation, and allocations that no instance can have (I14). */
export function instanceViolations(allocations: readonly Allocation[]): Violation[] {
  const named = new Set<string>();
  return allocations.flatMap((allocation) => {
    const wrong = [...wrongWith(allocation)];
    const name = `${allocation.place.space} ${allocation.handle}`;
    if (allocation.workload && named.has(name)) wrong.push("is a second one of its instance");
    if (allocation.workload) named.add(name);
    return wrong.map((what) => violation("I14", `${nameOf(allocation)} ${what}`));
  });
}

function wrongWith({ handle, workload, state }: Allocation): string[] {
  if (workload) return [...wrongFor(handle, workload), ...wronglyKept(state, workload)];
  return [
    ...(isWorkloadHandle(handle) ? ["has the handle of an instance, and names none"] : []),
    ...(state === "kept" ? ["is kept, and names no instance"] : []),
  ];
}

function wrongFor(handle: string, { earlierUids, ...workload }: Instance): string[] {
  return [
    ...(handle === workloadHandle(workload) ? [] : ["has the handle of another instance"]),
    ...(earlierUids.includes(workload.uid) ? ["has a uid that another one has replaced"] : []),
    ...(earlierUids.length > EARLIER_UIDS_MAX
      ? [`remembers ${earlierUids.length} earlier uids`]
      : []),
  ];
}

const wronglyKept = (state: Allocation["state"], workload: Instance): string[] =>
  state === "kept" && !isKeptKind(workload)
    ? [`is kept, and a ${workload.kind} keeps no addresses`]
    : [];
