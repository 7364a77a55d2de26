import { Rejection } from "../src/base/outcome.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { intervalOf } from "../src/net/cidr.ts";
import type { Application } from "../src/nouns/application/application.ts";
import { deleteApplication } from "../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../src/nouns/application/operations/put-application.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned, give } from "./asked.ts";
import { namesOf } from "./instances.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool, readCidr } from "./pool.ts";

const SPACE = "applications";
const WEB = { namespace: "shop", kind: "Deployment", name: "web" };
/** A cold function reads the configuration twice: before and after the blocks. */
const CONFIGURATION_UNITS = 2;

/** Returns a request of a pod of the application for one address. */
function requestOf(n: number): AssignRequest {
  const workload = { ...WEB, instance: `web-${n}`, uid: `web-${n}` };
  return {
    space: SPACE,
    host: hostId("host", "node"),
    namespace: WEB.namespace,
    wanted: [{ family: 4, count: 1 }],
    pools: [],
    attributes: {},
    digest: "digest",
    ...namesOf(workload),
  };
}

/** Measures an application that grows, gets smaller and goes, in one block. */
export async function measureApplications(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const measured = async <T>(operation: string, budget: Budget, act: () => Promise<T>) => {
    let result: T | undefined;
    const cost = await bench.meter.measure(async () => {
      result = await act();
    });
    lines.push({ operation, size: "/26", fill: "0 %", cost, budget });
    return result as T;
  };
  const cidr = "10.2.0.0/26";
  const ranges = [intervalOf(readCidr(cidr))];
  await makePool(
    bench.cold(),
    { space: SPACE, name: "web", cidr },
    { ranges, cooldownSeconds: 30 },
  );
  const put = async (count: number, seen?: Application): Promise<Application> => {
    const addresses = {
      number: `${count}`,
      interfaces: [{ name: "", pools: ["web"] }],
      keep: false,
    };
    const spec = { replicas: 0, start: 0, addresses };
    const answer = await putApplication(bench.cold(), SPACE, WEB, spec, seen?.revision);
    if (answer instanceof Rejection) throw new Error(answer.detail);
    return answer.value;
  };
  const first = await put(16);
  const warm = bench.cold();
  const take = (n: number) => assigned(warm, requestOf(n));
  await take(1);
  const told = await measured("an address for an instance, warm", [2, 2, 0], () => take(2));
  await measured("… and freed by its generation", [4, 3, 1], () => give(warm, SPACE, told));
  const more = await measured(
    "16 addresses more for an application",
    [9, 8, 8 + CONFIGURATION_UNITS],
    () => put(32, first),
  );
  await measured("the same request again", [2, 0, 2], () => put(32, more));
  const fewer = await measured("16 addresses fewer", [8, 3, 5], () => put(16, more));
  await measured("… deleted", [6, 4, 3], () =>
    deleteApplication(bench.cold(), SPACE, WEB, fewer.revision),
  );
  return lines;
}
