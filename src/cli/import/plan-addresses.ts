import { same } from "../../base/same.ts";
import { affinityTypeOf, hostName, isHostReserved } from "../../kernel/values/host.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { type Cidr, cidrOf, formatCidr, ordinalOf } from "../../net/cidr.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import type { BlockStatus } from "../space/blocks.ts";
import type { CurrentAddress, CurrentState } from "./current.ts";
import type { Conflict, Desired, DesiredAddress } from "./desired.ts";
import type { PlannedBlocks } from "./plan-blocks.ts";
import { type KnownPool, poolAround, whyInNone } from "./plan-pools.ts";
import { type AssignStep, assignStepOf, type OwnerStep, type StepCounts } from "./steps.ts";

export interface PlannedAddresses {
  readonly assigns: readonly AssignStep[];
  readonly owners: readonly OwnerStep[];
  readonly conflicts: readonly Conflict[];
  readonly count: (conflicts: number) => StepCounts;
}

/** Plans the changes of the desired addresses. */
export function planAddresses(
  desired: Desired,
  current: CurrentState,
  pools: readonly KnownPool[],
  { reserving, whose }: PlannedBlocks,
): PlannedAddresses {
  const assigns: AssignStep[] = [];
  const owners: OwnerStep[] = [];
  const conflicts: Conflict[] = [];
  const conflict = (name: string, problem: string) =>
    conflicts.push({ kind: "address", name, problem });
  for (const one of desired.addresses) {
    const address = formatAddress(one.address);
    const pool = poolAround(pools, one.address);
    const cidr = pool && cidrOf(one.address, pool.blockSize);
    if (!pool || !cidr) {
      conflict(address, `(${one.where}) ${whyInNone(current, one.address)}`);
      continue;
    }
    const block = formatCidr(cidr);
    const kept = whyKept(one.address, cidr, current.blocks.get(block));
    const there = current.addresses.get(address);
    if (there && !isHeldFor(one, there, current)) {
      const problem = (isReleased(there) ? kept : undefined) ?? whyNot(one, there);
      if (problem !== undefined) conflict(address, `(${one.where}) ${problem}`);
      else if (one.alternate && !there.owner?.alternate)
        owners.push({ address, handle: one.handle, alternate: one.alternate });
      continue;
    }
    if (pool.ranges) {
      assigns.push(assignStepOf(cidr, one));
      continue;
    }
    // The block has its own conflict.
    if (!whose.has(block)) continue;
    if (kept !== undefined) {
      conflict(address, `(${one.where}) ${kept}`);
      continue;
    }
    const isBorrowed = whose.get(block) !== one.host;
    if (isBorrowed && pool.current?.borrowing === "forbidden") {
      conflict(
        address,
        `(${one.where}) is another host's to give, and pool ${pool.name} forbids borrowing`,
      );
      continue;
    }
    const hostReserved = reserving.get(address);
    assigns.push({
      ...assignStepOf(cidr, one),
      ...(hostReserved && { hostReserved }),
    });
  }
  return {
    assigns,
    owners,
    conflicts,
    count: (found) => ({
      create: assigns.length,
      change: owners.length,
      unchanged: Math.max(0, desired.addresses.length - assigns.length - owners.length - found),
      conflicts: found,
    }),
  };
}

/** Returns true if the application of the instance holds the address, so that the instance can get it. */
function isHeldFor(
  { workload }: DesiredAddress,
  { address, state }: CurrentAddress,
  { applications }: CurrentState,
): boolean {
  if (state !== "held" || !workload) return false;
  const members = applications.get(nameOfApplication(workload))?.members ?? [];
  return members.some((member) => member.address === address);
}

/** Returns true if the address has no owner, and time alone would free it if its host did not keep it. */
const isReleased = ({ state }: CurrentAddress) => state === "cooling" || state === "quarantined";

/** Returns the reason that the host of an existing block keeps an address for itself; nothing if it does not. */
function whyKept(address: Address, cidr: Cidr, there: BlockStatus | undefined): string | undefined {
  if (!there?.hostReservation) return undefined;
  const { host, hostReservation: hostReserved } = there;
  if (!isHostReserved({ cidr, hostReserved }, ordinalOf(cidr, address))) return undefined;
  const keeper = host === undefined ? "the host before" : `host ${host}`;
  return `is kept by ${keeper} for itself in block ${formatCidr(cidr)}`;
}

/** Returns the reason why an existing address cannot get its desired state. */
function whyNot(
  { handle, host, attributes, alternate }: DesiredAddress,
  there: CurrentAddress,
): string | undefined {
  if (there.state === "cooling")
    return `was released in Plat, and cools until ${there.availableAt}`;
  if (there.state === "quarantined")
    return `was reported as a conflict in Plat, and is in quarantine until ${there.quarantinedUntil}`;
  if (there.state === "held") return "is held for an application in Plat";
  if (there.handle === undefined) return "is assigned in Plat to an unknown owner";
  if (there.handle !== handle)
    return `is assigned to handle ${there.handle} in Plat, not to ${handle}`;
  if (there.host !== hostName(host))
    return `is at host ${there.host} in Plat, not at ${hostName(host)}`;
  if (there.affinityType !== undefined && there.affinityType !== affinityTypeOf(host))
    return `is at ${there.host} of the affinity type ${there.affinityType} in Plat, not ${affinityTypeOf(host)}`;
  const { active = {}, alternate: current } = there.owner ?? {};
  if (!same(active, attributes))
    return `has other attributes in Plat: ${JSON.stringify(active)}, not ${JSON.stringify(attributes)}`;
  return current && !same(current, alternate)
    ? `has an alternate owner in Plat: ${JSON.stringify(current)}`
    : undefined;
}
