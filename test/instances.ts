import { handleHash } from "../src/base/hash.ts";
import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { type InstanceReleased, releaseInstance } from "../src/kernel/release/release-instance.ts";
import { type Workload, workloadHandle } from "../src/nouns/application/workload.ts";
import { requestOf, SPACE } from "./world.ts";

/** Returns the pod `db-0` of a StatefulSet under a uid. */
export const podOf = (uid: string, changes: Partial<Workload> = {}): Workload => ({
  namespace: "shop",
  kind: "StatefulSet",
  name: "db",
  instance: "db-0",
  uid,
  ...changes,
});

/** Returns a request of an instance for one address on node 1. */
export function instanceRequest(
  workload: Workload,
  changes: Partial<AssignRequest> = {},
): AssignRequest {
  const handle = workloadHandle(workload);
  const request = { ...requestOf(handle, 1, "instance"), namespace: workload.namespace, workload };
  const { wanted, pools, attributes } = { ...request, ...changes };
  // As the edge makes it: without the host.
  return { ...request, digest: JSON.stringify([wanted, pools, attributes]), ...changes };
}

/** Releases what an instance has, or keeps it, as its caller would. */
export function releaseOf(
  context: Context,
  workload: Workload,
  keep = false,
): Promise<InstanceReleased> {
  const { handle, keyId = "" } = instanceRequest(workload);
  const place = { space: SPACE, handleHash: handleHash(handle), id: keyId, keyed: true };
  return releaseInstance(context, { place, workload, keep });
}

/** Returns the addresses of an answer, as text. */
export const addressesIn = (told: Assignment): string[] =>
  told.addresses.map(({ address }) => address);
