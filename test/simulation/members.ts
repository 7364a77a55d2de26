import { handleHash } from "../../src/base/hash.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { AllocationPlace } from "../../src/kernel/values/allocation-place.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { type Workload, workloadHandle } from "../../src/nouns/application/workload.ts";
import type { Applications } from "./applications.ts";
import { SPACE } from "./requests.ts";
import type { Scenario } from "./scenario.ts";

/** An instance of a workload, which comes under one uid after the other, and what its requests ask for. */
export interface Member {
  readonly handle: string;
  readonly place: AllocationPlace;
  readonly workload: Omit<Workload, "uid">;
  /** The first is what it asks for; the others do not fit what it has then. */
  readonly forms: readonly AssignRequest[];
}

/** The share of runs with instances. */
const SHARE = 0.3;

const KINDS = ["StatefulSet", "StatefulSet", "VirtualMachine", "Deployment"];

/**
 * Draws the instances of a run, at least one of which keeps its addresses; or none. They are drawn apart, so that other runs stay as they are.
 *
 * @param applications those of the instances, if there are any
 */
export function drawMembers(
  random: Random,
  scenario: Scenario,
  applications: Applications | undefined,
): readonly Member[] {
  const below = (n: number) => Math.floor(random.fraction() * n);
  if (random.fraction() >= SHARE && !applications) return [];
  const kinds = applications ? kindsOf(applications) : [KINDS[below(3)], KINDS[below(4)]];
  const choices = applications?.forms ?? FORMS;
  return kinds.map((kind = "", n) => {
    // A virtual machine of an application is the only instance of itself.
    const instance = applications && kind === "VirtualMachine" ? "db" : `db-${n}`;
    const workload = { namespace: "shop", kind, name: "db", instance };
    const handle = workloadHandle(workload);
    const id = handleHash(`${handle}/instance`);
    const place = { space: SPACE, handleHash: handleHash(handle), id, keyed: true };
    const ranged = scenario.pools.filter(({ ranges }) => ranges).map(({ name }) => name);
    const named = ranged.length > 0 ? ranged : ["pool-4", "pool-5"];
    const pools = random.fraction() < 0.25 ? named.slice(0, 1 + below(2)) : [];
    const forms = [below(choices.length), below(choices.length)].map((form) => ({
      space: SPACE,
      host: "host:node-1" as HostId,
      pools,
      ...(choices[form] as (typeof choices)[number]),
      handle,
      attributes: {},
      namespace: workload.namespace,
      labels: { app: "web" },
      network: "ovs",
      keyId: id,
      digest: `${handle} ${form}`,
    }));
    return { handle, place, workload, forms };
  });
}

/** Returns the kinds of the instances of applications: most are of the first one. */
const kindsOf = ({ names: [first, second = first] }: Applications): readonly string[] =>
  [first, first, second].map((name) => name?.kind ?? "");

/** What instances ask for: one address, several, both families, and two interfaces. */
const FORMS: readonly Pick<AssignRequest, "wanted" | "interfaces">[] = [
  { wanted: [{ family: 4, count: 1 }] },
  { wanted: [{ family: 4, count: 2 }] },
  { wanted: [{ family: 4, count: 3 }] },
  {
    wanted: [
      { family: 4, count: 1 },
      { family: 6, count: 1 },
    ],
  },
  {
    wanted: [
      { family: 4, count: 1, interface: "eth0" },
      { family: 4, count: 1, interface: "net1" },
    ],
    interfaces: [
      { name: "eth0", pools: [] },
      { name: "net1", pools: [] },
    ],
  },
];
