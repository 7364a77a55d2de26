import { formatAddress } from "../../domain/address.ts";
import type { Allocation, Part } from "../../domain/allocation.ts";
import { ownersAt } from "../../domain/allocation.ts";
import type { Block } from "../../domain/block.ts";
import { addressAt, formatCidr, sameCidr } from "../../domain/cidr.ts";
import type { Contents } from "../../domain/contents.ts";
import { formatGeneration, generationOf } from "../../domain/generation.ts";
import { type AffinityType, affinityTypeOf, hostName } from "../../domain/host.ts";
import type { Owners } from "../../domain/owner.ts";
import { parsePlainAddress } from "../../domain/plain-form.ts";

/** A handle whose addresses are released all or none says so in an attribute of what it is assigned. */
const COLLECT = { attribute: "collect", together: "together" } as const;

/** An address that somebody has. */
export interface Assigned {
  readonly address: string;
  /** Names exactly this assignment. */
  readonly generation: string;
  readonly handle: string;
  readonly host: string;
  readonly affinityType: AffinityType;
  readonly pool: string;
  readonly block: string;
  /** Is the block another host's, or nobody's? */
  readonly borrowed: boolean;
  readonly assignedAtMs: number;
  readonly owner: Owners;
  /** May the addresses of its handle only be released together? */
  readonly together: boolean;
  /** Is it under a limit of its handle? Then whoever assigns the handle again may be answered with it, as the same assignment. */
  readonly limited: boolean;
}

/**
 * The addresses that are assigned, with their owners: block by block, each in order. One whose allocation was not seen, or whose
 * request has not been answered, is not among them: nothing can be said of it.
 */
export function assignedIn(contents: Contents): readonly Assigned[] {
  const holders = new Map<string, { allocation: Allocation; part: Part }[]>();
  for (const allocation of contents.allocations.filter(({ state }) => state === "live"))
    for (const part of allocation.parts)
      holders.set(part.token, [...(holders.get(part.token) ?? []), { allocation, part }]);
  return contents.blocks.flatMap((block) =>
    [...block.slots]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([ordinal, slot]) => {
        if (slot.kind !== "taken") return [];
        const holder = holders
          .get(slot.token)
          ?.find(
            ({ allocation, part }) =>
              allocation.place.handleHash === slot.handleHash && sameCidr(part.block, block.cidr),
          );
        return holder ? [assignedOf(block, ordinal, holder)] : [];
      }),
  );
}

function assignedOf(
  { cidr, pool, host: affine }: Block,
  ordinal: number,
  { allocation, part }: { readonly allocation: Allocation; readonly part: Part },
): Assigned {
  const { handle, host, attributes, atMs } = allocation;
  const address = addressAt(cidr, ordinal);
  const text = formatAddress(address);
  return {
    address: text,
    generation: formatGeneration(generationOf(allocation, part, address)),
    handle,
    host: hostName(host),
    affinityType: affinityTypeOf(host),
    pool,
    block: formatCidr(cidr),
    borrowed: host !== affine,
    assignedAtMs: atMs,
    owner: ownersAt(allocation, text),
    together: attributes[COLLECT.attribute] === COLLECT.together,
    limited: allocation.quotaSlots.some((quotaSlot) => quotaSlot.address === text),
  };
}

/** The one text of an address, or nothing where it is none. */
export function canonical(text: string): string | undefined {
  const address = parsePlainAddress(text);
  return address.ok ? formatAddress(address.value) : undefined;
}
