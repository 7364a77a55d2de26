import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import type { Address } from "../../src/net/address.ts";
import { addressAt, type Cidr, intervalOf } from "../../src/net/cidr.ts";
import type { AddressesWanted, ApplicationName } from "../../src/nouns/application/application.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import type { RangedPools } from "./ranged-pools.ts";
import { cidrOf, type Scenario } from "./scenario.ts";

/** The applications of a run. Their instances are its members. */
export interface Applications {
  readonly names: readonly ApplicationName[];
  /** What they want, as their operators write it. */
  readonly interfaces: AddressesWanted["interfaces"];
  /** The pool that exists for them, if there is one; else they get addresses of the ranged pools of others. */
  readonly pools: Scenario["pools"];
  readonly family: Address["family"];
  /** What their instances ask for: one or two addresses, or the first one of their pools. */
  readonly forms: readonly Pick<AssignRequest, "wanted" | "interfaces" | "addresses">[];
}

/** The share of runs with applications. */
const SHARE = 0.3;

/** The name of the pool that exists for applications. */
const TEAM = "apps";

/**
 * Draws the applications of a run, or none. A pool of their own lies beside the others, or around the ranged pools, which are cut
 * out of it. They are drawn apart, so that the other runs stay as they are.
 */
export function drawApplications(
  random: Random,
  { cooldownMs }: Scenario,
  ranged: RangedPools | undefined,
): Applications | undefined {
  const chance = (share: number) => random.fraction() < share;
  const pick = <T>(...choices: readonly T[]) =>
    choices[Math.floor(random.fraction() * choices.length)] as T;
  if (!chance(SHARE)) return undefined;
  const [first] = ranged?.pools ?? [];
  const specIn = (cidr: Cidr, blockSize: number, mode: PoolSpec["assignmentMode"]): PoolSpec => ({
    cidr,
    blockSize,
    ranges: [intervalOf(cidr)],
    disabled: false,
    assignmentMode: mode,
    allowedUses: ["Workload"],
    borrowing: "allowed",
    ...(chance(0.8) && { cooldownSeconds: cooldownMs / 1000 }),
  });
  const spec = first
    ? specIn(first.cidr, first.blockSize, "Applications")
    : specIn(
        cidrOf("10.6.0.0/29"),
        pick(32, 31, 30, 29),
        pick("Applications", "Applications", "Automatic", "Manual"),
      );
  const isOfOthers = ranged !== undefined && chance(0.5);
  const poolNames = isOfOthers ? ranged.pools.slice(0, 2).map(({ name }) => name) : [TEAM];
  const second = pick("Deployment", "VirtualMachine", undefined);
  const names = ["StatefulSet", ...(second ? [second] : [])].map((kind) => ({
    namespace: "shop",
    kind,
    name: "db",
  }));
  const { family } = spec.cidr;
  const isDouble = chance(0.2);
  const interfaces = (isDouble ? ["eth0", "net1"] : [""]).map((name) => ({
    name,
    pools: poolNames,
  }));
  return {
    names,
    interfaces,
    pools: isOfOthers ? [] : [{ ...spec, name: TEAM }],
    family,
    forms: isDouble
      ? [byInterface(family, "eth0", "net1"), byInterface(family, "eth0")]
      : [
          { wanted: [{ family, count: 1 }] },
          { wanted: [{ family, count: 1 }] },
          { wanted: [{ family, count: 2 }] },
          { wanted: [{ family, count: 1 }], addresses: [addressAt(spec.cidr, 0)] },
          byInterface(family, "eth0"),
        ],
  };
}

/** Asks for one address of each interface. */
const byInterface = (family: Address["family"], ...names: readonly string[]) => ({
  wanted: names.map((name) => ({ family, count: 1, interface: name })),
  interfaces: names.map((name) => ({ name, pools: [] })),
});
