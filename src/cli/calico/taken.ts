import { type HostId, type HostReserved, hostId, hostName } from "../../kernel/values/host.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt, formatCidr, sizeOf } from "../../net/cidr.ts";
import type { Conflict, DesiredAddress, DesiredBlock } from "../import/desired.ts";
import { counted } from "../output/count.ts";
import { handleOfNone, UNKNOWN_HOST, WINDOWS_HANDLE } from "./names.ts";
import { type DumpedAttribute, type DumpedBlock, ownerOfBlock } from "./resources.ts";

/** A block of a dump: its owner, and the owners of its addresses. */
export interface TakenBlock {
  readonly block: DesiredBlock;
  readonly addresses: readonly DesiredAddress[];
  /** Its addresses by handle, as Calico's handles count them. */
  readonly counts: ReadonlyMap<string, number>;
  readonly cooling: number;
  readonly conflicts: readonly Conflict[];
}

/** Reads a block. Contradictions inside it become conflicts. */
export function takenOf({ spec }: DumpedBlock): TakenBlock {
  const { cidr } = spec;
  const name = formatCidr(cidr);
  const owner = ownerOfBlock(spec);
  const allocated = allocatedOf(spec);
  const live = allocated.filter(({ attribute }) => !attribute.releasedAt);
  const isKept = ({ attribute }: Allocated) => attribute.handle_id === WINDOWS_HANDLE;
  const kept = live.filter(isKept);
  const hostReserved = keptOf(kept, Number(sizeOf(cidr)));
  const problems = [
    ...structureProblems(spec),
    ...(kept.length > 0 && !hostReserved
      ? [`has addresses under ${WINDOWS_HANDLE} that are at neither of its ends`]
      : []),
  ];
  const addresses = live
    .filter((one) => !isKept(one))
    .map(({ ordinal, attribute }) => addressOf(spec, owner, ordinal, attribute));
  const counts = new Map<string, number>();
  for (const { attribute } of live) {
    const handle = handleOf(attribute);
    if (handle !== "") counts.set(handle, (counts.get(handle) ?? 0) + 1);
  }
  return {
    block: {
      cidr,
      ...(owner !== undefined && { owner }),
      ...(hostReserved && { hostReserved }),
    },
    addresses,
    counts,
    cooling: allocated.length - live.length,
    conflicts: problems.map((problem) => ({ kind: "block", name, problem })),
  };
}

interface Allocated {
  readonly ordinal: number;
  readonly attribute: DumpedAttribute;
}

function allocatedOf({ allocations, attributes }: DumpedBlock["spec"]): Allocated[] {
  return allocations.flatMap((index, ordinal) => {
    const attribute = index === null ? undefined : attributes?.[index];
    return attribute ? [{ ordinal, attribute }] : [];
  });
}

function structureProblems({
  cidr,
  allocations,
  attributes,
  unallocated,
}: DumpedBlock["spec"]): string[] {
  const size = Number(sizeOf(cidr));
  if (allocations.length !== size)
    return [
      `has ${counted(size, "address", "addresses")}, and ${counted(allocations.length, "allocation")}`,
    ];
  const known = attributes?.length ?? 0;
  const lost = allocations.findIndex((index) => index !== null && index >= known);
  if (lost >= 0)
    return [
      `has attribute ${allocations[lost]} at ordinal ${lost}, and only ${counted(known, "attribute")}`,
    ];
  if (!unallocated) return [];
  const free = new Set(unallocated);
  if (free.size < unallocated.length) return ["has an ordinal twice among the unallocated"];
  for (const ordinal of free) {
    if (ordinal >= size) return [`has ordinal ${ordinal} among the unallocated, beyond its end`];
    if (allocations[ordinal] !== null)
      return [`has ordinal ${ordinal} both allocated and unallocated`];
  }
  const neither = allocations.findIndex((index, i) => index === null && !free.has(i));
  return neither < 0 ? [] : [`has ordinal ${neither} neither allocated nor unallocated`];
}

function addressOf(
  { cidr }: DumpedBlock["spec"],
  owner: HostId | undefined,
  ordinal: number,
  attribute: DumpedAttribute,
): DesiredAddress {
  const { secondary, alternateOwnerAttrs, alternate } = attribute;
  const address = addressAt(cidr, ordinal);
  const attributes = secondary ?? {};
  const alternateOwner = alternateOwnerAttrs ?? alternate;
  const handle = handleOf(attribute);
  return {
    address,
    handle: handle === "" ? handleOfNone(formatAddress(address)) : handle,
    host: hostWith(attributes.node, owner),
    attributes,
    ...(alternateOwner && Object.keys(alternateOwner).length > 0 && { alternate: alternateOwner }),
    where: `block ${formatCidr(cidr)}, ordinal ${ordinal}`,
  };
}

/**
 * Returns the handle of an address. Old data of host-local has a line end and more text after the handle, which is cut
 * off.
 */
function handleOf({ handle_id }: DumpedAttribute): string {
  const [handle = ""] = (handle_id ?? "").split("\r", 1);
  return handle;
}

/** Returns the host of an address: its node, else the owner of its block. */
function hostWith(node: string | undefined, owner: HostId | undefined): HostId {
  if (!node) return owner ?? hostId("host", UNKNOWN_HOST);
  return owner !== undefined && hostName(owner) === node ? owner : hostId("host", node);
}

/** Returns the host-reserved addresses at both ends of a block; nothing if any of them is elsewhere. */
function keptOf(kept: readonly Allocated[], size: number): HostReserved | undefined {
  const ordinals = new Set(kept.map(({ ordinal }) => ordinal));
  let start = 0;
  while (ordinals.has(start)) start++;
  let end = 0;
  while (end < size - start && ordinals.has(size - 1 - end)) end++;
  if (ordinals.size === 0 || start + end !== ordinals.size) return undefined;
  const note = kept[0]?.attribute.secondary?.note;
  return { start, end, handle: WINDOWS_HANDLE, ...(note !== undefined && { note }) };
}
