import { CLOCK_SKEW_MS_MAX } from "../../base/limits.ts";
import { formatTime } from "../../base/time.ts";
import type { Contents } from "../../invariants/contents.ts";
import { findViolations } from "../../invariants/invariants.ts";
import type { Part } from "../../kernel/values/allocation.ts";
import { type Block, slotAt, takenUnder } from "../../kernel/values/block.ts";
import { blockOf, isBlockOf } from "../../kernel/values/block-group.ts";
import { ciliumNodeOfHandle, nodeOfHandle } from "../../kernel/values/handle.ts";
import { isReleased } from "../../kernel/values/slot.ts";
import { compareAddresses, formatAddress, parseAddress } from "../../net/address.ts";
import { addressAt, formatCidr, sameCidr } from "../../net/cidr.ts";
import { assignsPrefixes, type Pool, serves, subnetIdOf } from "../../nouns/pool/pool.ts";
import { hasAddress } from "../../nouns/pool/set.ts";
import { releaseWords } from "../space/handles.ts";
import type { Inventory } from "./inventory.ts";

/** A finding of a check. */
export interface Finding {
  /** `I1` … `I19` of DESIGN.md, `shape`, `limit` or `tidy`; `unassigned`, `no_active_pool` and `no_node` come from an inventory. */
  readonly kind: string;
  readonly message: string;
  /** The addresses of the finding, if it concerns any. */
  readonly addresses?: readonly string[];
}

/** The findings in the contents of a space, by their meaning for an operator. */
export interface Findings {
  /** Findings that must never occur. */
  readonly problems: readonly Finding[];
  /** Left-overs that the next scheduled runs repair; some may be work in progress. */
  readonly untidy: readonly Finding[];
  /** Findings that can be intended, and that an operator may want to know. */
  readonly notes: readonly Finding[];
}

/** Returns all findings in the contents of one space: those of Calico's check, and violations of the invariants. */
export function findIn(
  contents: Contents,
  { nowMs, inventory }: { readonly nowMs: number; readonly inventory?: Inventory | undefined },
): Findings {
  const violations = findViolations(contents).map(findingOf);
  const known = new Set(violations.map(keyOf));
  return {
    problems: [
      ...violations,
      ...coolingFromTheFuture(contents, nowMs),
      ...(inventory ? usedButNotAssigned(contents, inventory) : []),
      ...(inventory ? prefixesNotAssigned(contents, inventory) : []),
    ],
    untidy: findViolations(contents, { quiet: true })
      .map(findingOf)
      .filter((finding) => !known.has(keyOf(finding))),
    notes: [
      ...inNoActivePool(contents),
      ...(inventory ? usedOutsidePools(contents, inventory) : []),
      ...(inventory ? heldByNobody(contents, inventory) : []),
    ],
  };
}

/**
 * Returns the findings that both reads have. A walk over a table in use is no snapshot, and work in progress has ended
 * by the second read.
 */
export function confirmedIn(first: Findings, second: Findings): Findings {
  const both = (kind: keyof Findings) => {
    const seen = new Set(first[kind].map(keyOf));
    return second[kind].filter((finding) => seen.has(keyOf(finding)));
  };
  return { problems: both("problems"), untidy: both("untidy"), notes: second.notes };
}

export const isClean = ({ problems, untidy }: Findings): boolean =>
  problems.length === 0 && untidy.length === 0;

const keyOf = ({ kind, message }: Finding): string => `${kind} ${message}`;

const findingOf = ({ invariant, message }: { invariant: string; message: string }): Finding => ({
  kind: invariant,
  message,
});

/** Finds released slots with a release time in the future, which would keep the address from all callers. */
function coolingFromTheFuture({ blocks }: Contents, nowMs: number): Finding[] {
  return blocks.flatMap((block) =>
    [...block.slots].flatMap(([ordinal, slot]) => {
      if (!isReleased(slot) || slot.sinceMs <= nowMs + CLOCK_SKEW_MS_MAX) return [];
      const address = formatAddress(addressAt(block.cidr, ordinal));
      return [
        {
          kind: "shape",
          message: `${address} was released at ${formatTime(slot.sinceMs)}, which is in the future`,
          addresses: [address],
        },
      ];
    }),
  );
}

/** Finds addresses in use in pools that serve no requests: either the pool drains, or the addresses were forgotten. */
function inNoActivePool({ pools, blocks }: Contents): Finding[] {
  return pools
    .filter((pool) => !serves(pool))
    .flatMap((pool) => {
      const own = blocks.filter(({ poolId }) => poolId === subnetIdOf(pool));
      const addresses = own.flatMap((block) => takenOf(block, pool));
      if (addresses.length === 0) return [];
      return [
        {
          kind: "no_active_pool",
          message: `${count(addresses)} in use in pool ${pool.name}, which is ${pool.disabled ? "disabled" : pool.state}`,
          addresses,
        },
      ];
    });
}

/** Returns the addresses of a pool that are taken in one of its blocks, which other pools may share. */
const takenOf = ({ cidr, slots }: Block, pool: Pool): string[] =>
  [...slots]
    .filter(([, { kind }]) => kind === "taken")
    .map(([ordinal]) => addressAt(cidr, ordinal))
    .filter((address) => hasAddress(pool, address))
    .map(formatAddress);

const count = ({ length }: readonly unknown[]) =>
  `${length} ${length === 1 ? "address is" : "addresses are"}`;

/**
 * Finds addresses that a pod uses and that are not assigned, which Plat may assign to another caller at any time. It
 * leaves out an address that was released after the inventory was taken.
 */
function usedButNotAssigned({ pools, blocks }: Contents, inventory: Inventory): Finding[] {
  const active = pools.filter(serves);
  const byCidr = new Map(blocks.map((block) => [formatCidr(block.cidr), block]));
  return inUseOf(inventory).flatMap(([address, text, pod]) => {
    const pool = active.find((each) => hasAddress(each, address));
    if (!pool) return [];
    const cidr = blockOf(address, pool.blockSize);
    const slot = slotAt(byCidr.get(formatCidr(cidr)), address);
    if (slot && (!isReleased(slot) || slot.sinceMs >= inventory.takenAtMs)) return [];
    return [
      {
        kind: "unassigned",
        message: `${text} is in use by pod ${pod}, and not assigned`,
        addresses: [text],
      },
    ];
  });
}

/** Finds used addresses outside of all pools: of another network, or of a deleted pool. */
function usedOutsidePools({ pools }: Contents, inventory: Inventory): Finding[] {
  const outside = inUseOf(inventory)
    .filter(([address]) => !pools.some((pool) => hasAddress(pool, address)))
    .map(([, text]) => text);
  if (outside.length === 0) return [];
  return [
    {
      kind: "no_active_pool",
      message: `${count(outside)} in use by pods, and in no pool of the space`,
      addresses: outside,
    },
  ];
}

function inUseOf({ inUse }: Inventory) {
  return [...inUse]
    .flatMap(([text, pod]) => {
      const address = parseAddress(text);
      return address.ok ? [[address.value, text, pod] as const] : [];
    })
    .toSorted(([a], [b]) => compareAddresses(a, b));
}

/**
 * Finds prefixes, and addresses of CiliumNodes, whose Node object is not in the inventory, by its uid: nobody heard of the end of such
 * a node. It leaves out allocations that are younger than the inventory.
 */
function heldByNobody(
  { allocations, blocks }: Contents,
  { covers, takenAtMs, nodeObjects }: Inventory,
): readonly Finding[] {
  if (!covers.nodes) return [];
  const known = new Set(nodeObjects.map(({ uid }) => uid));
  const names = new Set(nodeObjects.map(({ name }) => name));
  return allocations.flatMap(({ handle, parts, atMs, state }) => {
    const ofCilium = ciliumNodeOfHandle(handle);
    const of = ofCilium ?? nodeOfHandle(handle);
    const isOlder = atMs + CLOCK_SKEW_MS_MAX < takenAtMs;
    if (!of || known.has(of.uid) || !isOlder || state !== "live") return [];
    // A CiliumNode without an owner has a uid of its own.
    if (ofCilium && names.has(of.node)) return [];
    const act = ["plat", ...(releaseWords(handle) ?? [])].join(" ");
    return parts
      .flatMap((part) => heldOf(part, blocks))
      .map((held) => ({
        kind: "no_node",
        message: `${held} of node ${of.node} under uid ${of.uid}, which the inventory does not have; ${act} releases it`,
      }));
  });
}

/** Returns the prefix or the addresses that a part holds, each in words. */
function heldOf({ token, block }: Part, blocks: Contents["blocks"]): readonly string[] {
  const own = blocks.filter(({ cidr }) => sameCidr(cidr, block));
  return own.flatMap((each) =>
    takenUnder(each, token).map((ordinal) =>
      each.whole
        ? `${formatCidr(block)} is a prefix`
        : `${formatAddress(addressAt(block, ordinal))} is an address`,
    ),
  );
}

/** Finds prefixes of Node objects that lie in a serving pool of prefixes, and that are not assigned to the uid of the node. */
function prefixesNotAssigned(
  { allocations, blocks, pools }: Contents,
  { nodeObjects }: Inventory,
): readonly Finding[] {
  const serving = pools.filter((pool) => assignsPrefixes(pool) && serves(pool));
  const taken = new Set(blocks.flatMap(({ whole, slots }) => (whole ? tokensIn(slots) : [])));
  const assigned = allocations.flatMap(({ handle, parts, state }) => {
    const of = nodeOfHandle(handle);
    if (!of || state !== "live") return [];
    // A release of one prefix of two leaves the allocation as it is.
    const held = parts.filter(({ token }) => taken.has(token));
    return held.map(({ block }) => ({ uid: of.uid, block }));
  });
  return nodeObjects.flatMap(({ name, uid, podCidrs }) =>
    podCidrs
      .filter((cidr) => serving.some((pool) => isBlockOf(pool, cidr)))
      .filter((cidr) => !assigned.some((one) => one.uid === uid && sameCidr(one.block, cidr)))
      .map((cidr) => ({
        kind: "unassigned",
        message: `${formatCidr(cidr)} is a prefix of node ${name} in the cluster, and not assigned to uid ${uid}`,
      })),
  );
}

const tokensIn = (slots: Block["slots"]): readonly string[] =>
  [...slots.values()].flatMap((slot) => (slot.kind === "taken" ? [slot.token] : []));
