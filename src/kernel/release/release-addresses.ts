import { ADDRESSES_RELEASED_AT_ONCE } from "../../base/limits.ts";
import { formatAddress } from "../../net/address.ts";
import type { NamedAddress } from "../allocations/identify-address.ts";
import { BoundedWork } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { shuffled } from "../values/fresh.ts";
import { type ReleaseResult, releaseAddress } from "./release-address.ts";

/** The result of a release of single addresses. */
export interface AddressesReleased {
  /** In the order of the addresses. */
  readonly results: readonly ReleaseResult[];
  /** True if no result is unfinished. Otherwise a repeat of the request continues. */
  readonly complete: boolean;
}

/**
 * Releases addresses one by one, as many as one request has time for. An entry that already has a result keeps it.
 *
 * @param keep true if instances whose kind keeps its addresses keep them for their next incarnation
 * @throws the first failure, if nothing could be done
 */
export async function releaseAddresses(
  context: Context,
  space: string,
  entries: readonly (NamedAddress | ReleaseResult)[],
  keep = false,
): Promise<AddressesReleased> {
  const work = new BoundedWork(context);
  const results = new Map<number, ReleaseResult>();
  // The order is random. An address that an earlier request released does not delay a repeat.
  const order = shuffled([...entries.entries()], context.random);
  await inParallel(order, ADDRESSES_RELEASED_AT_ONCE, async ([n, entry]) => {
    if ("status" in entry) results.set(n, entry);
    else if (work.mayBegin()) {
      const result = await work.trying(() => releaseAddress(context, space, entry, keep));
      if (result) results.set(n, result);
    }
  });
  if (work.failure !== undefined && results.size === 0) throw work.failure;
  return {
    results: entries.map((entry, n) => results.get(n) ?? unfinished(entry as NamedAddress)),
    complete: work.isWhole,
  };
}

const unfinished = ({ address }: NamedAddress): ReleaseResult => ({
  address: formatAddress(address),
  status: "unfinished",
  detail: "The request ran out of time, or the database did not answer: send it again.",
});
