import { isHostReserved } from "../../kernel/values/host.ts";
import { type Parsed, parseAddress } from "../../net/address.ts";
import { type Cidr, ordinalOf, parseCidr, sizeOf } from "../../net/cidr.ts";
import { type AddressInBlock, type BlockRead, blockName } from "../space/blocks.ts";
import type { HeldBy, OwnedBlocks } from "../space/space.ts";

/** The owner of an ordinal, with the field names of Calico's resource. */
interface AllocationAttribute {
  readonly alternateOwnerAttrs?: Readonly<Record<string, string>>;
  readonly handle_id?: string;
  readonly secondary?: Readonly<Record<string, string>>;
}

/** Calico's custom resource of a block, its keys in the order in which kubectl prints them. */
export interface IpamBlock {
  readonly apiVersion: "crd.projectcalico.org/v1";
  readonly kind: "IPAMBlock";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly affinity?: string;
    readonly affinityClaimTime?: string;
    /** By ordinal: the index of the owner's attribute; null if the address is free. */
    readonly allocations: readonly (number | null)[];
    readonly attributes: readonly AllocationAttribute[];
    readonly cidr: string;
    readonly deleted: boolean;
    readonly sequenceNumber: number;
    readonly sequenceNumberForAllocation: Readonly<Record<string, number>>;
    readonly strictAffinity: boolean;
    /** The free ordinals, in the order in which Calico would assign them. */
    readonly unallocated: readonly number[];
  };
}

/**
 * Converts a block to the form of Calico's IPAMBlock.
 *
 * Cooling and quarantined addresses are free, at the end of `unallocated`, as a Calico without cooldown lists released ones.
 * Host-reserved addresses are allocated to their handle with its note, and those held for an application to nobody.
 *
 * A sequence number is the time of the assignment in milliseconds, so that no later assignment of the address has the
 * same. The sequence number of the block is larger than all of them. (Calico counts from the time of the block's
 * creation in nanoseconds, which JSON readers with doubles would round.)
 *
 * @param owners the owners of assigned and kept addresses, by address; without one, an address has only its handle
 * @param namesMachines true for an export: an address outside of its host's blocks has the attribute `node`, which alone says its host
 */
export function ipamBlock(
  block: BlockRead,
  owners: OwnedBlocks["owners"],
  { namesMachines = false }: { readonly namesMachines?: boolean } = {},
): IpamBlock {
  const cidr = read(parseCidr(block.cidr));
  const ordinalIn = (address: string) => ordinalOf(cidr, read(parseAddress(address)));
  const owned = block.addresses.filter(({ state }) => state === "assigned" || state === "kept");
  const held = block.addresses.filter(({ state }) => state === "held");
  const cooling = block.addresses
    .filter(({ state }) => state === "cooling" || state === "quarantined")
    .toSorted((a, b) => compareTimes(freeFrom(a), freeFrom(b)));
  const sequenceNumbers = owned.map(({ address, assignedAt = block.claimedAt }) => [
    ordinalIn(address),
    Date.parse(assignedAt),
  ]);
  const allocated = new Map([
    ...keptByHost(cidr, block),
    ...held.map(({ address }) => [ordinalIn(address), NOBODY] as const),
    ...owned.map((one) => {
      const owner = owners.get(one.address);
      const machine = namesMachines ? machineOf(one, owner, block) : undefined;
      return [ordinalIn(one.address), attributeOf(one, owner, machine)] as const;
    }),
  ]);
  return {
    apiVersion: "crd.projectcalico.org/v1",
    kind: "IPAMBlock",
    metadata: { name: blockName(block.cidr) },
    spec: {
      ...affinityOf(block),
      ...allocationsOf(cidr, allocated),
      cidr: block.cidr,
      deleted: false,
      sequenceNumber:
        lastOf(
          block,
          sequenceNumbers.map(([, at = 0]) => at),
        ) + 1,
      sequenceNumberForAllocation: Object.fromEntries(sequenceNumbers),
      strictAffinity: false,
      unallocated: unallocatedOf(
        cidr,
        allocated,
        cooling.map(({ address }) => ordinalIn(address)),
      ),
    },
  };
}

/** Stands for the owner of an address that nobody has and nobody else can get. */
const NOBODY: AllocationAttribute = {};

type HeldOrdinals = ReadonlyMap<number, AllocationAttribute>;

/** Returns the affinity fields of a block; nothing without an owner. Kubernetes prints times in whole seconds. */
const affinityOf = ({ host, affinityType = "host", claimedAt }: BlockRead) =>
  host === undefined
    ? {}
    : {
        affinity: `${affinityType}:${host}`,
        affinityClaimTime: claimedAt.replace(/\.\d+Z$/, "Z"),
      };

function keptByHost(
  cidr: Cidr,
  { hostReservation }: BlockRead,
): (readonly [number, AllocationAttribute])[] {
  if (!hostReservation) return [];
  const { start, end, handle, note } = hostReservation;
  const attribute = {
    ...(handle !== undefined && { handle_id: handle }),
    ...(note !== undefined && { secondary: { note } }),
  };
  return ordinalsOf(cidr)
    .filter((ordinal) => isHostReserved({ cidr, hostReserved: { start, end } }, ordinal))
    .map((ordinal) => [ordinal, attribute]);
}

/** Returns the machine that an address is at, if it is not that of its block. */
const machineOf = (
  { handle, host }: AddressInBlock,
  owned: HeldBy | undefined,
  block: BlockRead,
): string | undefined => {
  const affinityType = (owned?.handle === handle && owned?.affinityType) || "host";
  return affinityType === "host" && host !== block.host ? host : undefined;
};

/**
 * Returns the attribute of an address. Its owner is unknown if the handle no longer had this assignment when it was
 * read.
 *
 * @param machine its attribute `node`, if the owner has none
 */
function attributeOf(
  { handle }: AddressInBlock,
  owned: HeldBy | undefined,
  machine: string | undefined,
): AllocationAttribute {
  const { active: own, alternate } = (owned?.handle === handle && owned?.owner) || {};
  const active = machine !== undefined && !own?.node ? { ...own, node: machine } : own;
  return {
    ...(alternate && { alternateOwnerAttrs: inOrder(alternate) }),
    ...(handle !== undefined && { handle_id: handle }),
    ...(active && { secondary: inOrder(active) }),
  };
}

/** Returns the allocations in the order of ordinals, and their attributes. Equal attributes are listed once. */
function allocationsOf(cidr: Cidr, held: HeldOrdinals) {
  const indexes = new Map<string, number>();
  const attributes: AllocationAttribute[] = [];
  const allocations = ordinalsOf(cidr).map((ordinal) => {
    const attribute = held.get(ordinal);
    if (!attribute) return null;
    const text = JSON.stringify(attribute);
    const index = indexes.get(text) ?? attributes.push(attribute) - 1;
    indexes.set(text, index);
    return index;
  });
  return { allocations, attributes };
}

/** Returns the free ordinals in order, and then the released ones in the order in which they can be assigned. */
function unallocatedOf(
  cidr: Cidr,
  held: HeldOrdinals,
  cooling: readonly number[],
): readonly number[] {
  const last = cooling.filter((ordinal) => !held.has(ordinal));
  const taken = new Set([...held.keys(), ...last]);
  return [...ordinalsOf(cidr).filter((ordinal) => !taken.has(ordinal)), ...last];
}

const lastOf = (
  { claimedAt, idleSince = claimedAt }: BlockRead,
  moments: readonly number[],
): number => Math.max(Date.parse(claimedAt), Date.parse(idleSince), ...moments);

const ordinalsOf = (cidr: Cidr): readonly number[] => [...new Array(Number(sizeOf(cidr))).keys()];

const inOrder = (attributes: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the time before which nobody gets a released address. */
const freeFrom = ({ availableAt, quarantinedUntil }: AddressInBlock) =>
  availableAt ?? quarantinedUntil;

/** Compares times. Their texts are of one length and in UTC, so they sort by time. */
const compareTimes = (a = "", b = "") => (a < b ? -1 : a > b ? 1 : 0);

/** Parses a value that the API always writes in a valid form. */
function read<Value>(text: Parsed<Value>): Value {
  if (text.ok) return text.value;
  throw new Error(text.problem);
}

/** Makes a list of resources as kubectl prints it. */
export const listOfResources = <Item>(items: readonly Item[]) => ({
  apiVersion: "v1",
  items,
  kind: "List",
  metadata: { resourceVersion: "" },
});
