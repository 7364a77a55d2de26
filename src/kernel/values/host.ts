import { assertWhole } from "../../base/assertions.ts";
import { BITS, type Family } from "../../net/address.ts";
import { type Cidr, type Interval, intervalOf, sizeOf } from "../../net/cidr.ts";

/** The kind of a block's owner, as in Calico: `virtual` owners are no machines, such as a load balancer, and never collide with hosts. */
export type AffinityType = "host" | "virtual";

/** `host:node-1`: the affinity type and the name, as keys and blocks carry them. */
export type HostId = `${AffinityType}:${string}`;

export const hostId = (type: AffinityType, name: string): HostId => `${type}:${name}`;

export const affinityTypeOf = (id: HostId): AffinityType =>
  id.slice(0, id.indexOf(":")) as AffinityType;

export const hostName = (id: HostId): string => id.slice(id.indexOf(":") + 1);

/** Returns the name of a host; nothing for a virtual owner, which is no machine. */
export const machineName = (id: HostId): string | undefined =>
  affinityTypeOf(id) === "host" ? hostName(id) : undefined;

/**
 * The addresses that a host reserves at both ends of every block that it claims, as Windows does (3
 * and 1). The block has them from its claim on, outside of its slots: they have no allocation, and
 * no request can release them. An existing block never gains them.
 */
export interface HostReserved {
  /** The number of addresses at the start of each block that the host reserves. */
  readonly start: number;
  /** The number of addresses at the end of each block that the host reserves. */
  readonly end: number;
  /** The host's name for them, such as `windows-reserved-ipam-handle`: shown with them, and found under no handle. */
  readonly handle?: string;
  readonly note?: string;
}

/** Checks that the numbers of host-reserved addresses are whole. @throws {Error} */
export function assertHostReserved({
  hostReserved,
}: {
  readonly hostReserved?: HostReserved | null;
}): void {
  if (!hostReserved) return;
  const { start, end } = hostReserved;
  assertWhole({ start, end });
}

/** Host-reserved addresses in a request: for both families, or for each, as in Calico's client. */
export type HostReservedAsked =
  | HostReserved
  | { readonly ipv4?: HostReserved; readonly ipv6?: HostReserved };

/** Returns the host-reserved addresses that a request asks for in blocks of a family. */
export function reservedOf(
  asked: HostReservedAsked | undefined,
  family: Family,
): HostReserved | undefined {
  if (!asked || "start" in asked) return asked;
  return family === 4 ? asked.ipv4 : asked.ipv6;
}

/** Returns true if the host of a block reserves the address at this ordinal. */
export function isHostReserved(
  { cidr, hostReserved }: { readonly cidr: Cidr; readonly hostReserved?: HostReserved },
  ordinal: number,
): boolean {
  if (!hostReserved) return false;
  const { start, end } = hostReserved;
  return ordinal < start || ordinal >= Number(sizeOf(cidr)) - end;
}

/** Returns the ordinals of a block that its host reserves. */
export function hostReservedIn(block: {
  readonly cidr: Cidr;
  readonly hostReserved?: HostReserved;
}): readonly number[] {
  if (!block.hostReserved) return [];
  const ordinals = Array.from({ length: Number(sizeOf(block.cidr)) }, (_, ordinal) => ordinal);
  return ordinals.filter((ordinal) => isHostReserved(block, ordinal));
}

/**
 * Returns the longest prefix of a block that has an address left beside these (Calico: bits − bitLength(start + end)).
 */
export function prefixMaxBeside(family: Family, { start, end }: HostReserved): number {
  const bitLength = 32 - Math.clz32(start + end);
  return BITS[family] - bitLength;
}

/** Returns the addresses of a network that are left beside the host-reserved ones. */
export function leftBeside(cidr: Cidr, hostReserved: HostReserved | undefined): Interval {
  const { family, first, last } = intervalOf(cidr);
  if (!hostReserved) return { family, first, last };
  const { start, end } = hostReserved;
  return { family, first: first + BigInt(start), last: last - BigInt(end) };
}
