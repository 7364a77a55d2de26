import { CorruptItemError, Rejection, type RejectionCode } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { ordinalOf } from "../../net/cidr.ts";
import { identify, type NamedAddress } from "../allocations/identify-address.ts";
import type { Context } from "../core/context.ts";
import { freeNamed, laterIncarnation } from "../end/free-named.ts";
import { endWithoutNext, keepInstance } from "../end/keep-instance.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import { blockOf } from "../values/block-group.ts";
import type { Generation } from "../values/generation.ts";

export interface ReleaseResult {
  readonly address: string;
  /**
   * `kept`: it waits for the next incarnation of its instance. `unfinished`: there was no time for it, or the database did not
   * answer. The same release may be sent again.
   */
  readonly status: "released" | "kept" | "not_assigned" | "conflict" | "unfinished";
  readonly code?: RejectionCode | "unreadable";
  readonly detail?: string;
}

/**
 * Releases one address: exactly the assignment that the generation, or the handle, names (I5). A late or repeated
 * release changes nothing and is no error. With a generation it reads nothing first, but for the cases of `freeNamed`.
 *
 * @param keep true if an instance whose kind keeps its addresses keeps them for its next incarnation
 */
export async function releaseAddress(
  context: Context,
  space: string,
  release: NamedAddress,
  keep = false,
): Promise<ReleaseResult> {
  const address = formatAddress(release.address);
  const conflict = (code: ReleaseResult["code"], detail: string) =>
    ({ address, status: "conflict", code, detail }) as ReleaseResult;
  try {
    const named = await identify(context, space, release);
    if (named instanceof Rejection) return conflict(named.code, named.detail);
    if (named === undefined) return { address, status: "not_assigned" };
    return keep && named.instance?.keeps
      ? await keepNamed(context, space, named, named.instance.incarnation)
      : await releaseNamed(context, space, release.address, named);
  } catch (error) {
    // An unreadable item must not keep the others.
    if (error instanceof CorruptItemError) return conflict("unreadable", error.sentence);
    throw error;
  }
}

async function releaseNamed(
  context: Context,
  space: string,
  address: Address,
  generation: Generation,
): Promise<ReleaseResult> {
  const text = formatAddress(address);
  const freed = await freeNamed(context, space, { address, generation, isConflict: false });
  if (freed instanceof Rejection)
    return { address: text, status: "conflict", code: freed.code, detail: freed.detail };
  if (freed.isFreed) return { address: text, status: "released" };
  const ordinal = ordinalOf(blockOf(address, generation.blockSize), address);
  const slot = freed.block?.slots.get(ordinal);
  // Under the token there is a prefix, or its allocation is gone, which I3 rules out. No address is assigned either way.
  if (slot?.kind !== "taken" || slot.token === generation.token)
    return { address: text, status: "not_assigned" };
  return { address: text, status: "conflict", code: "generation_conflict", detail: REASSIGNED };
}

/** Keeps all addresses of the instance that has this one. The slots stay as they are. */
async function keepNamed(
  context: Context,
  space: string,
  { address, token, handleHash, allocationId: id, keyed }: Generation,
  incarnation: string,
): Promise<ReleaseResult> {
  const text = formatAddress(address);
  const place: AllocationPlace = { space, handleHash, id, keyed };
  const freed: string[] = [];
  const { isKept, allocation } = await keepInstance(context, place, incarnation);
  const isEnded = isKept && allocation && (await endWithoutNext(context, allocation, freed));
  if (freed.includes(text)) return { address: text, status: "released" };
  const isThere = allocation?.parts.some((part) => part.token === token) ?? false;
  if (!isThere || allocation?.released.has(text)) return { address: text, status: "not_assigned" };
  if (isKept && !isEnded) return { address: text, status: "kept" };
  const isOver = isEnded || allocation?.state === "released" || allocation?.state === "aborted";
  if (isOver) return { address: text, status: "not_assigned" };
  const { code, detail } = laterIncarnation(address);
  return { address: text, status: "conflict", code, detail };
}

/** The detail of a rejection that names an earlier assignment. */
export const REASSIGNED =
  "The address was released before, and is assigned to another request now.";
