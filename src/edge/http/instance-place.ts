import type { AllocationPlace } from "../../domain/allocation-place.ts";
import { handleHash } from "../../domain/hash.ts";
import { type Workload, workloadHandle } from "../../domain/workload.ts";
import { shortDigest } from "./body.ts";

/** Returns the place of the allocation of an instance. Its handle is its key, so the instance has one allocation (I14). */
export function instancePlace(space: string, workload: Workload): AllocationPlace {
  const handle = workloadHandle(workload);
  return { space, handleHash: handleHash(handle), id: shortDigest(handle), keyed: true };
}
