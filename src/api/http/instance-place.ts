import { handleHash } from "../../base/hash.ts";
import type { AllocationPlace } from "../../kernel/values/allocation-place.ts";
import { type Workload, workloadHandle } from "../../nouns/application/workload.ts";
import { shortDigest } from "./body.ts";

/** Returns the place of the allocation of an instance. Its handle is its key, so the instance has one allocation (I14). */
export function instancePlace(space: string, workload: Workload): AllocationPlace {
  const handle = workloadHandle(workload);
  return { space, handleHash: handleHash(handle), id: shortDigest(handle), keyed: true };
}
