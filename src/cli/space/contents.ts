import { fromJson } from "../../api/schema/json-values.ts";
import type { PlatClient } from "../../client/index.ts";
import { type Contents, joinedContents } from "../../invariants/contents.ts";
import {
  type Allocation,
  isBorrowed,
  ownersAt,
  type Part,
  poolOfPart,
} from "../../kernel/values/allocation.ts";
import type { Block } from "../../kernel/values/block.ts";
import { formatGeneration, generationOf } from "../../kernel/values/generation.ts";
import { type AffinityType, affinityTypeOf, hostName } from "../../kernel/values/host.ts";
import type { Owners } from "../../kernel/values/owner.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt, formatCidr, sameCidr } from "../../net/cidr.ts";
import { counted } from "../output/count.ts";
import type { ShownProgress } from "../shell/io.ts";

/**
 * Reads the items of the space page by page: about a thousand addresses in one request. The result is no snapshot while the
 * table is in use. It needs the right to an operator's route.
 */
export async function readContents(client: PlatClient, shown: ShownProgress): Promise<Contents> {
  const found: Contents[] = [];
  let count = 0;
  for await (const { contents } of client.pages.listContents()) {
    // A server of another version may have more kinds of items, or fewer.
    found.push({ ...joinedContents([]), ...(fromJson(contents) as Partial<Contents>) });
    count += Object.values(contents).reduce((sum, items) => sum + items.length, 0);
    shown.update(`${counted(count, "item")} read of space ${client.space}`);
  }
  return joinedContents(found);
}

/** The attribute with which a request says that the addresses of its handle are released together or not at all. */
const COLLECT = { attribute: "collect", together: "together" } as const;

/** An assigned address with its owner. */
export interface OwnedAddress {
  readonly address: string;
  /** Identifies exactly this assignment. */
  readonly generation: string;
  readonly handle: string;
  readonly host: string;
  readonly affinityType: AffinityType;
  readonly pool: string;
  readonly block: string;
  /** True if the block belongs to another host, or to none, and is not of a ranged pool, whose blocks hosts share. */
  readonly borrowed: boolean;
  /** The interface that its request asked for it for, if it named one. */
  readonly interface?: string;
  readonly assignedAtMs: number;
  readonly owner: Owners;
  /** True if the addresses of its handle may only be released together. */
  readonly together: boolean;
  /** True if its handle has a limit. Then a further assign of the handle can return it, as the same assignment. */
  readonly limited: boolean;
}

/**
 * Returns the assigned addresses with their owners: block by block, each in order. It leaves out prefixes, and an address whose
 * owner is unknown: its allocation was not seen, or its request was not answered yet.
 */
export function assignedIn(contents: Contents): readonly OwnedAddress[] {
  const holders = new Map<string, { allocation: Allocation; part: Part }[]>();
  for (const allocation of contents.allocations.filter(({ state }) => state === "live"))
    for (const part of allocation.parts)
      holders.set(part.token, [...(holders.get(part.token) ?? []), { allocation, part }]);
  return contents.blocks.flatMap((block) =>
    [...block.slots]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([ordinal, slot]) => {
        if (slot.kind !== "taken" || block.whole) return [];
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
  block: Block,
  ordinal: number,
  { allocation, part }: { readonly allocation: Allocation; readonly part: Part },
): OwnedAddress {
  const { handle, host, attributes, atMs } = allocation;
  const { cidr } = block;
  const address = addressAt(cidr, ordinal);
  const text = formatAddress(address);
  return {
    address: text,
    generation: formatGeneration(generationOf(allocation, part, address)),
    handle,
    host: hostName(host),
    affinityType: affinityTypeOf(host),
    pool: poolOfPart(part, block),
    block: formatCidr(cidr),
    borrowed: isBorrowed(allocation, part, block),
    ...(part.interface !== undefined && { interface: part.interface }),
    assignedAtMs: atMs,
    owner: ownersAt(allocation, text),
    together: attributes[COLLECT.attribute] === COLLECT.together,
    limited: allocation.quotaSlots.some((quotaSlot) => quotaSlot.address === text),
  };
}
