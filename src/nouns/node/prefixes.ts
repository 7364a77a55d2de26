import { type Cidr, formatCidr, sameCidr } from "../../net/cidr.ts";

/** The ways in which Kubernetes gives nodes their prefixes. The names are Kubernetes'. */
export const ALLOCATORS = [
  "RangeAllocator",
  "CloudAllocator",
  "IPAMFromCluster",
  "IPAMFromCloud",
] as const;

/** The prefixes of a node as its caller sees them. */
export interface PrefixStatement {
  readonly allocator: (typeof ALLOCATORS)[number];
  /** The prefixes in the Node object, at most one of a family. */
  readonly podCidrs: readonly Cidr[];
  /** The prefixes that the cloud provider has for the node, at most one of a family. */
  readonly aliases: readonly Cidr[];
}

/** A prefix that one incarnation of a node has. */
export interface NodePrefix {
  readonly cidr: Cidr;
  readonly pool: string;
  /** The end of its lease, in milliseconds since the epoch; absent for a confirmed one. */
  readonly expiresAtMs?: number;
}

/** An event for the Node object. The reasons are Kubernetes'. */
export interface NodeEvent {
  readonly reason:
    | "CIDRNotAvailable"
    | "CloudCIDRAllocatorInvalidMode"
    | "CloudCIDRAllocatorMismatch";
  readonly message: string;
}

/** The prefixes that a node must have, and the places where its caller writes them. */
export type NodeDecision = {
  /** True if the caller writes the prefixes into the Node object. */
  readonly writesNode?: true;
  /** True if the caller gives the prefixes to the cloud provider. */
  readonly writesCloud?: true;
} & (
  | /** One prefix of each family, of those that Plat chooses. */ { readonly kind: "choose" }
  /** Exactly these prefixes. `replaces`: they take the place of confirmed ones. */
  | { readonly kind: "hold"; readonly cidrs: readonly Cidr[]; readonly replaces: boolean }
  /** Nothing changes, and a person must look. */
  | { readonly kind: "leave"; readonly event: NodeEvent }
);

/** Returns the prefixes that count as the node's own. `RangeAllocator` ignores those of the cloud provider. */
export const statedBy = ({ allocator, podCidrs, aliases }: PrefixStatement): readonly Cidr[] =>
  allocator === "RangeAllocator" ? podCidrs : [...podCidrs, ...aliases];

/**
 * Decides what a node must have, by the allocator that its cluster uses.
 *
 * The rows are those of Kubernetes' allocators: pkg/controller/nodeipam/ipam/range_allocator.go, cloud_cidr_allocator.go, and
 * sync/sync.go for the last two.
 */
export function decideFor(statement: PrefixStatement): NodeDecision {
  const { allocator, podCidrs, aliases } = statement;
  const [hasPodCidrs, hasAliases] = [podCidrs.length > 0, aliases.length > 0];
  switch (allocator) {
    case "RangeAllocator":
      return hasPodCidrs ? hold(podCidrs) : { kind: "choose", writesNode: true };
    case "CloudAllocator":
      return hasAliases
        ? {
            ...hold(aliases, true),
            ...(!sameCidrs(podCidrs, aliases) && { writesNode: true }),
          }
        : leave("CIDRNotAvailable", "The cloud provider has no prefix for the node.");
    case "IPAMFromCluster":
      if (hasPodCidrs && hasAliases) return holdIfSame(statement);
      if (hasAliases) return invalidMode(statement);
      return hasPodCidrs
        ? { ...hold(podCidrs), writesCloud: true }
        : { kind: "choose", writesNode: true, writesCloud: true };
    case "IPAMFromCloud":
      if (hasPodCidrs && hasAliases) return holdIfSame(statement);
      return hasAliases ? { ...hold(aliases), writesNode: true } : invalidMode(statement);
  }
}

/** A prefix that a node has. An unconfirmed one goes back at the end of its lease. */
export interface HeldPrefix {
  readonly cidr: Cidr;
  readonly isConfirmed: boolean;
}

/** The acts after which a node has exactly some prefixes, all of them confirmed. */
export interface PrefixChanges<Held extends HeldPrefix> {
  readonly giveBack: readonly Held[];
  readonly take: readonly Cidr[];
  readonly confirm: readonly Held[];
}

/** The prefixes that a node must have. */
export interface PrefixesToHold {
  readonly cidrs: readonly Cidr[];
  /** True if they take the place of confirmed ones. */
  readonly replaces: boolean;
  /** True if all that the node has beside them stays as it is. */
  readonly keepsOthers?: boolean;
}

/**
 * Compares the prefixes that a node has with those that it must have.
 *
 * @returns the changes; or the confirmed prefixes that stand in the way, which only a decision that replaces gives back
 */
export function changesTo<Held extends HeldPrefix>(
  held: readonly Held[],
  { cidrs, replaces, keepsOthers = false }: PrefixesToHold,
): PrefixChanges<Held> | { readonly mismatches: readonly Held[] } {
  const others = keepsOthers ? [] : held.filter(({ cidr }) => !isAmong(cidrs, cidr));
  const mismatches = replaces ? [] : others.filter(({ isConfirmed }) => isConfirmed);
  if (mismatches.length > 0) return { mismatches };
  const there = held.map(({ cidr }) => cidr);
  return {
    giveBack: others,
    take: cidrs.filter((cidr) => !isAmong(there, cidr)),
    confirm: held.filter(({ cidr, isConfirmed }) => !isConfirmed && isAmong(cidrs, cidr)),
  };
}

/** The last report of a node about itself. */
export interface PrefixReport {
  readonly uid: string;
  readonly podCidrs: readonly Cidr[];
}

/**
 * Decides about the unconfirmed prefixes of a node when their lease has ended. A known node loses nothing because of a clock alone.
 *
 * @param reports the last reports about nodes of its name: of its Node object, and of its CiliumNode
 * @returns `confirm` if one of this uid showed one of them; `renew` if one has none of a family yet; else `end`
 */
export function atLeaseEnd(
  uid: string,
  cidrs: readonly Cidr[],
  reports: readonly PrefixReport[],
): "confirm" | "renew" | "end" {
  const own = reports.filter((report) => report.uid === uid);
  const shows = ({ podCidrs }: PrefixReport) => cidrs.some((cidr) => isAmong(podCidrs, cidr));
  if (own.some(shows)) return "confirm";
  // A family that came later is an allocation of its own, and the object may show only the other family yet.
  const lacks = ({ podCidrs }: PrefixReport) =>
    cidrs.some(({ family }) => podCidrs.every((other) => other.family !== family));
  return own.some(lacks) ? "renew" : "end";
}

const hold = (cidrs: readonly Cidr[], replaces = false) =>
  ({ kind: "hold", cidrs, replaces }) as const;

const leave = (reason: NodeEvent["reason"], message: string): NodeDecision => ({
  kind: "leave",
  event: { reason, message },
});

function holdIfSame({ podCidrs, aliases }: PrefixStatement): NodeDecision {
  if (sameCidrs(podCidrs, aliases)) return hold(podCidrs);
  return leave(
    "CloudCIDRAllocatorMismatch",
    `The node has ${textOf(podCidrs)}, and the cloud provider has ${textOf(aliases)}. Make them equal; Plat changed nothing.`,
  );
}

function invalidMode({ allocator, podCidrs, aliases }: PrefixStatement): NodeDecision {
  const isFromCloud = allocator === "IPAMFromCloud";
  const chooser = isFromCloud ? "the cloud provider chooses" : "Plat chooses";
  return leave(
    "CloudCIDRAllocatorInvalidMode",
    `With ${allocator} ${chooser} the prefix, but the node has ${textOf(podCidrs)} and the cloud provider has ${textOf(aliases)}.`,
  );
}

const textOf = (cidrs: readonly Cidr[]): string =>
  cidrs.length === 0 ? "none" : cidrs.map(formatCidr).join(" and ");

const isAmong = (cidrs: readonly Cidr[], cidr: Cidr): boolean =>
  cidrs.some((each) => sameCidr(each, cidr));

/** Returns true if two lists have the same prefixes, in any order. */
const sameCidrs = (a: readonly Cidr[], b: readonly Cidr[]): boolean =>
  a.length === b.length && a.every((cidr) => isAmong(b, cidr));
