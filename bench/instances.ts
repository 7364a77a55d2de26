import { handleHash } from "../src/base/hash.ts";
import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { releaseInstance } from "../src/kernel/release/release-instance.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { type Workload, workloadHandle } from "../src/nouns/application/workload.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned, give } from "./asked.ts";

type Measured = <T>(operation: string, budget: Budget, act: () => Promise<T>) => Promise<T>;

/**
 * Measures an instance of a StatefulSet from its first assign to its last release. The function knows a block of the host.
 *
 * @param request a request of the host for one address
 */
export async function measureInstances(
  context: Context,
  request: AssignRequest,
  measured: Measured,
): Promise<void> {
  const { space } = request;
  const assign = (uid: string, host = request.host): Promise<Assignment> =>
    assigned(context, { ...request, ...namesOf(workloadOf(uid)), host });
  const release = (uid: string, keep: boolean) => {
    const workload = workloadOf(uid);
    const { handle, keyId } = namesOf(workload);
    const place = { space, handleHash: handleHash(handle), id: keyId, keyed: true };
    return releaseInstance(context, { place, workload, keep });
  };
  await measured("first assign of an instance, warm", [3, 3, 2], () => assign("a"));
  await measured("the same request again", [3, 0, 3], () => assign("a"));
  await measured("keep by uid", [3, 1, 3], () => release("a", true));
  await measured("return on the same host", [3, 1, 2], () => assign("b"));
  await release("b", true);
  await measured("return on a host not seen before", [4, 3, 3], () =>
    assign("c", hostId("host", "elsewhere")),
  );
  await release("c", true);
  const back = await measured("return on another host", [4, 3, 2], () => assign("d"));
  await measured("release of an instance by generation", [3, 4, 0], () =>
    give(context, space, back),
  );
  const last = await assign("e");
  await measured("keep by generation", [2, 1, 1], () => give(context, space, last, "kept"));
  await assign("e");
  await measured("release of an instance by uid", [4, 4, 1], () => release("e", false));
}

const workloadOf = (uid: string): Workload => ({
  namespace: "shop",
  kind: "StatefulSet",
  name: "db",
  instance: "db-0",
  uid,
});

/** Returns the handle of an instance and its key. */
export function namesOf(workload: Workload) {
  const handle = workloadHandle(workload);
  return { workload, handle, keyId: handleHash(`key of ${handle}`) };
}
