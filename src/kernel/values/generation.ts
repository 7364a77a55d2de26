import { type Address, BITS, type Parsed, parsed, unreadable } from "../../net/address.ts";
import { isKeptKind } from "../../nouns/application/workload.ts";
import type { Allocation, Part } from "./allocation.ts";
import { ID_CHARACTERS, leadsTo } from "./fresh.ts";

/** The contents of a generation, so that a release reads nothing first: address, token, place of the allocation, block size. */
export interface Generation {
  readonly token: string;
  /**
   * The one address that it is valid for. With another address it is a caller's mistake, and frees
   * nothing.
   */
  readonly address: Address;
  readonly blockSize: number;
  readonly handleHash: string;
  readonly allocationId: string;
  readonly keyed: boolean;
  /** True if its request takes several writes, has a limit, or has several addresses under a quota. Then Plat reads its allocation before it frees anything. */
  readonly readsFirst: boolean;
  /** The number of addresses that its request asked for: a single one is its whole allocation. */
  readonly want: number;
  /** The incarnation of the instance that the address was assigned to; absent without a workload. */
  readonly instance?: {
    readonly incarnation: string;
    /** True if the kind of the workload keeps its addresses. */
    readonly keeps: boolean;
  };
}

const FORM = new RegExp(
  `^g1\\.([\\w-]{${ID_CHARACTERS}})\\.([46])([0-9a-f]{1,32})\\.(\\d{1,3})\\.([0-9a-f]{16})\\.([kihsw])([\\w-]{10,64})\\.(\\d{1,4})(?:\\.([\\w-]{${ID_CHARACTERS}}))?$`,
);

/** Returns the generation of one address that a part of an allocation holds. */
export function generationOf(allocation: Allocation, part: Part, address: Address): Generation {
  const { place, want, workload } = allocation;
  return {
    token: part.token,
    address,
    blockSize: part.block.prefix,
    handleHash: place.handleHash,
    allocationId: place.id,
    keyed: place.keyed,
    readsFirst:
      !place.keyed &&
      (allocation.state !== "live" ||
        allocation.parts.length > 1 ||
        (allocation.charges.length > 0 && want > 1) ||
        allocation.quotaSlots.length > 0),
    want,
    ...(workload && {
      instance: { incarnation: workload.incarnation, keeps: isKeptKind(workload) },
    }),
  };
}

/**
 * Returns the letter of a generation's kind. A keyed one needs no `readsFirst`: Plat always marks
 * its allocation first, and the mark reads the pending allocation. That of an instance is keyed by its handle.
 */
const kindOf = ({ keyed, readsFirst, instance }: Generation) =>
  instance ? (instance.keeps ? "s" : "w") : keyed ? "k" : readsFirst ? "h" : "i";

/** Formats the text that a caller gets and sends back; it is opaque to callers. Inverse of `parseGeneration`. */
export function formatGeneration(g: Generation): string {
  const { family, value } = g.address;
  const allocation = `${g.handleHash}.${kindOf(g)}${g.allocationId}.${g.want}`;
  const incarnation = g.instance ? `.${g.instance.incarnation}` : "";
  return `g1.${g.token}.${family}${value.toString(16)}.${g.blockSize}.${allocation}${incarnation}`;
}

const NOT_ONE = unreadable("is not a generation; release the one that assign answered with");

export function parseGeneration(text: string): Parsed<Generation> {
  const [, token, digit, value, blockSize, handleHash, kind, allocationId, want, incarnation] =
    FORM.exec(text) ?? [];
  const family = digit === "4" ? 4 : 6;
  if (!token || !handleHash || !allocationId || Number(blockSize) > BITS[6] || Number(want) < 1)
    return NOT_ONE;
  const isOfInstance = kind === "s" || kind === "w";
  if (isOfInstance !== (incarnation !== undefined)) return NOT_ONE;
  const keyed = kind === "k" || isOfInstance;
  if (!leadsTo(token, { id: allocationId, keyed })) return NOT_ONE;
  return parsed({
    token,
    address: { family, value: BigInt(`0x${value}`) },
    blockSize: Number(blockSize),
    handleHash,
    allocationId,
    keyed,
    readsFirst: kind === "h",
    want: Number(want),
    ...(incarnation !== undefined && { instance: { incarnation, keeps: kind === "s" } }),
  });
}
