import { type Missing, Rejection } from "../../base/outcome.ts";
import { type Address, BITS, type Family, formatAddress } from "../../net/address.ts";
import { addressAt, type Cidr, formatCidr } from "../../net/cidr.ts";
import type { Labels } from "../../net/labels.ts";
import type { Workload } from "../../nouns/application/workload.ts";
import type { InterfaceAsked } from "../../nouns/pool/application-pools.ts";
import type { NetworkOfAddress } from "../../nouns/pool/network.ts";
import type { Use } from "../../nouns/pool/pool.ts";
import type { PoolsAsked } from "../../selection/acquire-pools.ts";
import type { Granted } from "../allocations/holding.ts";
import type { OccupiedQuotaSlot } from "../allocations/quota-slots.ts";
import { isBorrowed, poolOfPart } from "../values/allocation.ts";
import { formatGeneration, generationOf } from "../values/generation.ts";
import type { HostId, HostReservedAsked } from "../values/host.ts";
import type { StatedAddress } from "../values/stated-address.ts";

/** The number of addresses that a request wants of one family, for one interface if it names any. */
export interface WantedCount {
  readonly family: Family;
  readonly count: number;
  readonly interface?: string;
}

/** A network interface of the workload, and what it asks of the pools. */
interface NamedInterface extends PoolsAsked {
  /** Its name in the workload, such as `eth0`. */
  readonly name: string;
  readonly cleanGateway?: true;
}

/** The prefixes that a request asks for, one of each wanted family. Plat chooses those that it does not name. */
export interface PrefixesAsked {
  /** The prefixes that a node says it has, at most one of a family. */
  readonly stated: readonly Cidr[];
  /** A specific prefix that the caller wants. Then the request wants one of its family. */
  readonly specific?: Cidr;
  /** The length that a chosen prefix must have; absent: that of the pool. */
  readonly length?: number;
}

/** A request for addresses, of one family or both. */
export interface AssignRequest extends PoolsAsked {
  readonly space: string;
  readonly host: HostId;
  /** The counts that it asks for; it gets no addresses of other families. */
  readonly wanted: readonly WantedCount[];
  /** Each interface has its own pools, in place of those of the request. All get their addresses, or none does. */
  readonly interfaces?: readonly NamedInterface[];
  /** Specific addresses, at most one of a family. Then the request wants one of each of their families, and gets all or none. */
  readonly addresses?: readonly Address[];
  /** Specific addresses that the host says it has, as many of each family as the request wants. It gets no others. */
  readonly stated?: readonly StatedAddress[];
  /** Present if it asks for prefixes, one of each wanted family, instead of addresses. */
  readonly prefixes?: PrefixesAsked;
  readonly handle: string;
  /** The instance for which it asks, in its current incarnation. */
  readonly workload?: Workload;
  readonly attributes: Readonly<Record<string, string>>;
  /** The use that the caller declares. Without one, a specific address is not rejected for its use (Calico 1.4). */
  readonly use?: Use;
  /** The namespace of the workload, for the conditions of pools and for its default pools. */
  readonly namespace?: string;
  /** Labels that replace the registered ones when pools select by labels. */
  readonly hostLabels?: Labels;
  readonly namespaceLabels?: Labels;
  /** The labels of the workload. */
  readonly labels?: Labels;
  /** True if the answer has no gateway, because the interface needs no default route. */
  readonly cleanGateway?: true;
  readonly allowPartial?: boolean;
  /** The most addresses of a family that the handle can have through requests with a limit; absent means no limit. */
  readonly limitPerHandle?: number;
  /** The quota slots of the handle as they were read a moment ago, so that the request need not read them. */
  readonly quotaSlots?: readonly OccupiedQuotaSlot[];
  /** Plat takes the addresses back after this time without a renewal; absent: never. */
  readonly leaseSeconds?: number;
  /** The caller's limit of blocks for the host. The stricter of it and the space's limit applies. */
  readonly maxBlocksPerHost?: number;
  /** The host-reserved addresses in blocks that this request claims; pools with too small blocks do not serve it. */
  readonly hostReserved?: HostReservedAsked;
  /** The caller as API Gateway names it: stored in the allocation, and not part of the request's digest. */
  readonly assignedBy?: string;
  /** Digest of Idempotency-Key and handle; of an instance, of the handle alone. */
  readonly keyId?: string;
  /** Digest of the body; of an instance, without its host. */
  readonly digest: string;
}

export interface AssignedAddress {
  readonly address: string;
  readonly family: Family;
  readonly block: string;
  readonly pool: string;
  readonly generation: string;
  readonly borrowed: boolean;
  /** The network of its pool; absent if the pool cannot be read, and for a prefix. */
  readonly network?: NetworkOfAddress;
  readonly interface?: string;
  readonly expiresAtMs?: number;
}

export interface Assignment extends Shortage {
  readonly handle: string;
  readonly addresses: readonly AssignedAddress[];
  readonly requested: number;
  /** The host-reserved addresses in blocks that this request claimed, as requested. */
  readonly hostReserved?: HostReservedAsked;
}

/** The reasons why addresses are missing; nothing if none are. */
export interface Shortage {
  /** Sentences for a person. */
  readonly messages: readonly string[];
  /** The number of missing addresses of a family, and the code of the reason. */
  readonly missing: readonly Missing[];
}

export const NOTHING_MISSING: Shortage = { messages: [], missing: [] };

/** Returns the answer for the allocations of a handle. */
export function assignmentOf(
  granted: readonly Granted[],
  { handle, wanted, hostReserved }: AssignRequest,
  { messages, missing }: Shortage = NOTHING_MISSING,
): Assignment {
  const addresses = granted.flatMap(({ allocation, held }) =>
    held.flatMap(({ part, block, ordinals }) =>
      ordinals
        .map((ordinal) => addressAt(block.cidr, ordinal))
        .map((address) => ({ allocation, part, block, address })),
    ),
  );
  const sortKey = ({ address }: (typeof addresses)[number]) =>
    BigInt(address.family) * (1n << BigInt(BITS[6])) + address.value;
  return {
    handle,
    addresses: addresses
      .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
      .map(({ allocation, part, block, address }) => ({
        address: formatAddress(address),
        family: address.family,
        block: formatCidr(block.cidr),
        pool: poolOfPart(part, block),
        generation: formatGeneration(generationOf(allocation, part, address)),
        borrowed: isBorrowed(allocation, part, block),
        ...(part.interface !== undefined && { interface: part.interface }),
        ...(allocation.expiresAtMs !== undefined && { expiresAtMs: allocation.expiresAtMs }),
      })),
    requested: totalOf(wanted),
    ...(hostReserved && { hostReserved }),
    messages,
    missing,
  };
}

export const totalOf = (wanted: readonly { readonly count: number }[]): number =>
  wanted.reduce((sum, { count }) => sum + count, 0);

/** Returns the specific address of a family that a request names. */
export const specificFor = (
  { addresses = [] }: Pick<AssignRequest, "addresses">,
  of: Family,
): Address | undefined => addresses.find(({ family }) => family === of);

/** The parts of a request that its interfaces replace. */
type Asked = Pick<AssignRequest, "wanted" | "interfaces" | "pools">;

/** Returns what a request asks for each of its interfaces as a request of its own; the request itself if it names none. */
export function interfacesOf<Request extends Asked>(
  request: Request,
): readonly (Omit<Request, "interfaces"> & InterfaceAsked)[] {
  const { interfaces, ...shared } = request;
  if (!interfaces) return [request];
  return interfaces.map(({ name, ...asked }) => ({
    ...shared,
    ...asked,
    interface: name,
    isOnly: interfaces.length === 1,
    wanted: request.wanted.filter((each) => each.interface === name),
  }));
}

/** Returns each family of each interface that a request asks for, with what its interface asks. */
export const eachWanted = <Request extends Asked>(request: Request) =>
  interfacesOf(request).flatMap((one) =>
    one.wanted.map(({ family, count }) => ({ one, family, count })),
  );

/** Names the interface in the rejection of its part; a request without interfaces has none to name. */
export function ofInterface(name: string | undefined, rejection: Rejection): Rejection {
  if (name === undefined) return rejection;
  const { code, detail, members } = rejection;
  const { missing, pools } = members;
  const named = <One extends object>(each: One) => ({ ...each, interface: name });
  return new Rejection(code, `Interface ${name}: ${detail}`, {
    ...members,
    ...(missing && { missing: missing.map(named) }),
    ...(pools && { pools: pools.map((each) => named(each as object)) }),
  });
}

/** Returns the field of a request that has the number of addresses of a family. */
export function countFieldOf(
  { interfaces }: Asked,
  { family, interface: of }: WantedCount,
): string {
  const field = `ipv${family}`;
  const at = interfaces?.findIndex(({ name }) => name === of);
  return at === undefined ? field : `interfaces[${at}].${field}`;
}
