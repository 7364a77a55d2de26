import { same } from "../../base/same.ts";
import {
  type HostId,
  type HostReserved,
  hostId,
  isHostReserved,
} from "../../kernel/values/host.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt, cidrOf, formatCidr, sizeOf } from "../../net/cidr.ts";
import { type BlockStatus, blockName } from "../space/blocks.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired, DesiredAddress, DesiredBlock } from "./desired.ts";
import { type KnownPool, poolAround, rangedAround, whyInNone } from "./plan-pools.ts";
import {
  type AssignStep,
  assignStepOf,
  type ClaimStep,
  type DisownStep,
  type StepCounts,
} from "./steps.ts";

/** The planned changes of blocks. */
export interface PlannedBlocks {
  readonly claims: readonly ClaimStep[];
  readonly disowns: readonly DisownStep[];
  readonly leftovers: readonly { readonly address: string; readonly handle: string }[];
  /** The owner of each block while its addresses are assigned. */
  readonly whose: ReadonlyMap<string, HostId | undefined>;
  /**
   * Addresses whose requests name host-reserved addresses. A repeat of a request that has claimed its block must have
   * the same body.
   */
  readonly reserving: ReadonlyMap<string, HostReserved>;
  readonly conflicts: readonly Conflict[];
  readonly count: (conflicts: number) => StepCounts;
}

export function planBlocks(
  desired: Desired,
  current: CurrentState,
  pools: readonly KnownPool[],
): PlannedBlocks {
  const within = addressesByBlock(desired);
  const claims: ClaimStep[] = [];
  const disowns: DisownStep[] = [];
  const leftovers: { address: string; handle: string }[] = [];
  const conflicts: Conflict[] = [];
  const reservedWith = new Map<string, HostReserved>();
  const whose = new Map<string, HostId | undefined>();
  const owned = desired.blocks.filter(
    (block) => !(block.isShared || (isNobodys(block) && rangedAround(pools, block.cidr))),
  );
  for (const block of owned) {
    const cidr = formatCidr(block.cidr);
    const ranged = rangedAround(pools, block.cidr);
    const pool = ranged ?? poolAround(pools, addressAt(block.cidr, 0));
    const there = current.blocks.get(cidr);
    const addresses = within.get(cidr) ?? [];
    const problem = !pool
      ? whyInNone(current, addressAt(block.cidr, 0))
      : pool.blockSize !== block.cidr.prefix
        ? `is no block of pool ${pool.name}, which has blocks of /${pool.blockSize}`
        : ranged
          ? `is in pool ${pool.name} with ranges, whose blocks have no host, and belongs to ${block.owner ?? "nobody"}`
          : there && whyNot(block, there);
    if (problem) {
      conflicts.push({ kind: "block", name: cidr, problem });
      continue;
    }
    const owner = block.owner ?? keeperOf(cidr);
    whose.set(cidr, there ? actualOwner(there) : owner);
    const reserving = reservingOf(block, owner, addresses);
    if (reserving && !reserving.isTemporary)
      reservedWith.set(reserving.first.address, reserving.hostReserved);
    if (needsClaim(block, there)) {
      const by = block.orAnyones && addresses.find(({ host }) => host === owner);
      claims.push({
        ...{ cidr, host: owner },
        ...(by && { by: assignStepOf(block.cidr, by) }),
        ...(reserving && { reserving }),
      });
      whose.set(cidr, owner);
      if (block.hostReserved && !reserving)
        conflicts.push({
          kind: "block",
          name: cidr,
          problem: "has no address left by which its host could claim it with what it keeps",
        });
    }
    if (block.owner === undefined && (!there || actualOwner(there) === owner))
      disowns.push({ cidr, host: owner });
    const left = current.addresses.get(temporaryOf(block, addresses) ?? "");
    if (left?.handle === temporaryHandle(cidr))
      leftovers.push({ address: left.address, handle: left.handle });
  }
  const created = claims.filter(({ cidr }) => !current.blocks.has(cidr)).length;
  const changed =
    claims.length - created + disowns.filter(({ cidr }) => current.blocks.has(cidr)).length;
  return {
    claims,
    disowns,
    leftovers,
    whose,
    reserving: reservedWith,
    conflicts,
    count: (found) => ({
      create: created,
      change: changed,
      unchanged: Math.max(0, owned.length - created - changed - found),
      conflicts: found,
    }),
  };
}

const isNobodys = ({ owner, hostReserved }: DesiredBlock) =>
  owner === undefined && hostReserved === undefined;

function addressesByBlock({ blocks, addresses }: Desired): ReadonlyMap<string, DesiredAddress[]> {
  const prefixes = new Set(blocks.map(({ cidr }) => `${cidr.family} ${cidr.prefix}`));
  const within = new Map(
    blocks.map(({ cidr }): [string, DesiredAddress[]] => [formatCidr(cidr), []]),
  );
  for (const one of addresses)
    for (const prefix of prefixes) {
      const [family, length] = prefix.split(" ").map(Number);
      if (family === one.address.family)
        within.get(formatCidr(cidrOf(one.address, length as number)))?.push(one);
    }
  return within;
}

/** Returns the reason why an existing block cannot get its desired state. */
function whyNot(block: DesiredBlock, there: BlockStatus): string | undefined {
  const owner = actualOwner(there);
  const keeper = keeperOf(there.cidr);
  if (block.orAnyones) return undefined;
  const isFree = owner === undefined || (block.owner === undefined && owner === keeper);
  if (!isFree && owner !== block.owner)
    return `belongs to ${owner} in Plat, and to ${block.owner ?? "nobody"} in what is imported`;
  // The host-reserved addresses of an existing block never change.
  if (same(block.hostReserved, there.hostReservation)) return undefined;
  return there.hostReservation
    ? "exists in Plat with other host-reserved addresses"
    : "exists in Plat without its host-reserved addresses";
}

function needsClaim({ owner, orAnyones }: DesiredBlock, there: BlockStatus | undefined): boolean {
  if (!there) return true;
  return owner !== undefined && !orAnyones && actualOwner(there) === undefined;
}

const actualOwner = ({ host, affinityType = "host" }: BlockStatus): HostId | undefined =>
  host === undefined ? undefined : hostId(affinityType, host);

/** Returns the temporary owner of a block without an owner, while its addresses are assigned. */
const keeperOf = (cidr: string): HostId => hostId("virtual", temporaryHandle(cidr));

const temporaryHandle = (cidr: string) => `plat-import-${blockName(cidr)}`;

/**
 * Returns the assign that creates a block with host-reserved addresses: a desired one, else one that is then released
 * immediately.
 */
function reservingOf(
  block: DesiredBlock,
  owner: HostId,
  addresses: readonly DesiredAddress[],
): ClaimStep["reserving"] {
  const { hostReserved } = block;
  if (!hostReserved) return undefined;
  const own = addresses.find(({ host }) => host === owner);
  if (own)
    return {
      hostReserved,
      first: { ...assignStepOf(block.cidr, own), hostReserved },
      isTemporary: false,
    };
  const address = temporaryOf(block, addresses);
  if (address === undefined) return undefined;
  const cidr = formatCidr(block.cidr);
  const first: AssignStep = {
    block: cidr,
    address,
    handle: temporaryHandle(cidr),
    host: owner,
    attributes: {},
    hostReserved,
  };
  return { hostReserved, first, isTemporary: true };
}

/** Returns the first unassigned address of a block with host-reserved addresses. */
function temporaryOf(
  { cidr, hostReserved }: DesiredBlock,
  addresses: readonly DesiredAddress[],
): string | undefined {
  if (!hostReserved) return undefined;
  const taken = new Set(addresses.map(({ address }) => formatAddress(address)));
  for (let ordinal = 0; ordinal < Number(sizeOf(cidr)); ordinal++) {
    const address = formatAddress(addressAt(cidr, ordinal));
    if (!taken.has(address) && !isHostReserved({ cidr, hostReserved }, ordinal)) return address;
  }
  return undefined;
}
