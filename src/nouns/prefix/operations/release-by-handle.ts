import { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Released } from "../../../kernel/release/bounded-release.ts";
import { releaseHandle } from "../../../kernel/release/release-handle.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { prefixHandle } from "../../../kernel/values/handle.ts";
import { formatAddress } from "../../../net/address.ts";
import { addressAt, type Cidr, sameCidr } from "../../../net/cidr.ts";
import { childLeftIn, prefixInUse } from "./child-pool.ts";
import { whyNotReleased } from "./why-not-released.ts";

/** The prefixes of a handle to release: all, or one. */
export interface HandleRelease {
  readonly space: string;
  readonly handle: string;
  readonly cidr?: Cidr | undefined;
}

/** The result of a release of the prefixes of a handle. */
export interface PrefixesReleased extends Pick<Released, "complete" | "unreadable"> {
  /** The prefixes that this call released. */
  readonly released: readonly Cidr[];
}

/**
 * Releases the prefixes that a caller has by a handle, or one of them, as far as the time of one request allows. A repeat continues, and
 * releases nothing twice. Each has an allocation of its own, because a request asks for one.
 *
 * @returns the prefixes that this call released; or `generation_conflict` for one of another owner, `invalid_request` for a CIDR that
 *   is no prefix of a pool, and `prefix_in_use` if a pool is made of one and no other is left
 */
export async function releaseByHandle(
  context: Context,
  { space, handle, cidr }: HandleRelease,
): Promise<PrefixesReleased | Rejection> {
  const prefixes = new Map<string, Cidr>();
  const held: Allocation[] = [];
  const { released, complete, unreadable } = await releaseHandle(
    context,
    space,
    prefixHandle(handle),
    (allocation) => {
      const blocks = allocation.parts.map(({ block }) => block);
      for (const block of blocks) prefixes.set(formatAddress(addressAt(block, 0)), block);
      const isMeant = !cidr || blocks.some((block) => sameCidr(block, cidr));
      if (isMeant && allocation.childId !== undefined) held.push(allocation);
      return isMeant && allocation.childId === undefined;
    },
  );
  for (const allocation of held) {
    const child = await childLeftIn(context, allocation);
    if (child && released.length === 0) return prefixInUse(child);
  }
  if (cidr && released.length === 0 && complete && held.length === 0) {
    const why = await whyNotReleased(context, space, cidr, "cidr");
    if (why instanceof Rejection) return why;
  }
  const cidrs = released.flatMap((address) => prefixes.get(address) ?? []);
  return { released: cidrs, complete: complete && held.length === 0, unreadable };
}
