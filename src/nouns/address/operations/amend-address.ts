import { ALLOCATION_BYTES_MAX } from "../../../base/limits.ts";
import { Rejection, UnavailableError } from "../../../base/outcome.ts";
import { identify, type NamedAddress } from "../../../kernel/allocations/identify-address.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { laterIncarnation } from "../../../kernel/end/free-named.ts";
import { type Allocation, allocationBytes, ownersAt } from "../../../kernel/values/allocation.ts";
import { takenUnder } from "../../../kernel/values/block.ts";
import { blockOf } from "../../../kernel/values/block-group.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import type { Generation } from "../../../kernel/values/generation.ts";
import {
  changedOwners,
  type ExpectedOwner,
  mismatchesOf,
  type OwnerChange,
  type OwnerMismatch,
  type OwnerName,
  type Owners,
} from "../../../kernel/values/owner.ts";
import { type Address, formatAddress } from "../../../net/address.ts";
import { ordinalOf } from "../../../net/cidr.ts";

/** A change of an assigned address, with the generation or handle that identifies the assignment. */
export interface Amendment extends NamedAddress {
  /**
   * The new duration of the lease, counted from now. The lease is that of the whole request that assigned the address.
   */
  readonly leaseSeconds?: number;
  readonly owner?: OwnerChange;
  /** The owners that the address must have for the change. */
  readonly expectedOwner?: ExpectedOwner;
}

/** The state of the address after the change. */
export interface Amended {
  readonly address: string;
  readonly handle: string;
  readonly expiresAtMs?: number;
  readonly owner: Owners;
}

/**
 * Changes the allocation of an address: renews its lease, which is that of the whole request that assigned it, and
 * changes its owners (Calico's SetOwnerAttributes). One write does both. It is conditional on the revision of the
 * allocation that the checks were made against. A lease that has expired can be renewed until the repair run ends it.
 * The repair run's write is conditional on the revision that it read, so exactly one of the two succeeds. A request
 * that changes nothing writes nothing.
 *
 * @returns the state of the address after the change; or `not_found`, `generation_conflict`, `request_in_progress`,
 *   `precondition_failed` with the owners that did not match, `invalid_request` for a lease on an address without one,
 *   or for owners that do not fit
 */
export async function amendAddress(
  context: Context,
  space: string,
  amendment: Amendment,
): Promise<Amended | Rejection> {
  const { store } = context;
  const { leaseSeconds, owner = {}, expectedOwner = {} } = amendment;
  const address = formatAddress(amendment.address);
  const named = await identify(context, space, amendment);
  if (named instanceof Rejection) return named;
  if (named === undefined)
    return new Rejection("not_found", `Address ${address} is not assigned.`, { address });
  const { handleHash, allocationId: id, keyed } = named;
  // The revisions that this call tried to write. A rejected write may be in the table all the same, if a layer below
  // sent it twice.
  const ours = new Set<string>();
  let unsure = false;
  return compareAndSwap<Amended | Rejection>("the allocation of this address", async () => {
    const seen = await store.readAllocation({ space, handleHash, id, keyed });
    if (!seen) {
      // The allocation may exist under keys that this version does not know.
      await store.checkKeys();
      return answer(over(address));
    }
    const rejection = whyNot(seen, amendment, named);
    if (rejection) return answer(rejection);
    let current = seen;
    // Rule 6, own tag first: the expected owners apply to the state before this call's own write, not to the result of
    // it.
    if (!ours.has(seen.revision)) {
      const owners = ownersAt(seen, address);
      const mismatches = mismatchesOf(owners, expectedOwner);
      if (mismatches.length > 0) {
        if (unsure)
          throw new UnavailableError("the database did not say whether the owners were changed");
        const held = await isHeld(context, space, amendment.address, named);
        return answer(held ? notAsExpected(address, mismatches) : over(address));
      }
      if (leaseSeconds !== undefined || Object.keys(owner).length > 0) {
        current = amended(context, seen, address, amendment);
        if (allocationBytes(current) > ALLOCATION_BYTES_MAX) return answer(tooLarge(address));
        const written = await store.changeAllocation("amend", seen, current);
        ours.add(current.revision);
        unsure ||= written.outcome === "unknown";
        // The next try reads the current allocation, and changes that one.
        if (written.outcome !== "done") return RETRY;
      }
    }
    // The slot is read last, because a release by address frees the slot before it deletes the allocation. The repair
    // run that ends a lease marks the allocation first.
    const held = await isHeld(context, space, amendment.address, named);
    if (!held) return answer(over(address));
    const { handle, expiresAtMs } = current;
    return answer({
      address,
      handle,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      owner: ownersAt(current, address),
    });
  });
}

function amended(
  context: Context,
  seen: Allocation,
  address: string,
  { leaseSeconds, owner }: Amendment,
): Allocation {
  const owners =
    owner && new Map(seen.owners).set(address, changedOwners(ownersAt(seen, address), owner));
  return {
    ...seen,
    ...(leaseSeconds !== undefined && { expiresAtMs: context.now() + 1000 * leaseSeconds }),
    ...(owners && { owners }),
    revision: fresh(context),
  };
}

function whyNot(
  allocation: Allocation,
  { address, leaseSeconds }: Amendment,
  { token, instance }: Generation,
): Rejection | undefined {
  const text = formatAddress(address);
  const stands =
    allocation.parts.some((part) => part.token === token) && !allocation.released.has(text);
  if (!stands || allocation.state === "released" || allocation.state === "aborted")
    return over(text);
  if (allocation.workload?.incarnation !== instance?.incarnation) return laterIncarnation(address);
  if (allocation.state === "pending")
    return new Rejection(
      "request_in_progress",
      "The request that holds the address is still in progress.",
      { address: text },
    );
  if (leaseSeconds === undefined || allocation.expiresAtMs !== undefined) return undefined;
  const problem = "cannot be renewed: the address was assigned without a lease";
  return new Rejection("invalid_request", `leaseSeconds ${problem}.`, {
    fields: [{ field: "leaseSeconds", problem }],
  });
}

const over = (address: string): Rejection =>
  new Rejection(
    "generation_conflict",
    `The assignment of ${address} has ended: it was released, or its lease expired.`,
    { address },
  );

function notAsExpected(address: string, mismatches: readonly OwnerMismatch[]): Rejection {
  const sentences = mismatches.map(
    ({ side, expected, actual }) =>
      `its ${side} owner is ${nameText(actual)}, not ${nameText(expected)}`,
  );
  return new Rejection(
    "precondition_failed",
    `Address ${address} is not as expected: ${sentences.join("; ")}.`,
    { address, mismatches },
  );
}

const nameText = (owner: OwnerName | null): string =>
  owner ? `${owner.namespace}/${owner.name}` : "nobody";

function tooLarge(address: string): Rejection {
  const problem = `does not fit: the owners of ${address} and of the other addresses of its request would be too large for one item`;
  return new Rejection("invalid_request", `owner ${problem}.`, {
    fields: [{ field: "owner", problem }],
  });
}

async function isHeld(
  context: Context,
  space: string,
  address: Address,
  { token, blockSize }: Generation,
): Promise<boolean> {
  const cidr = blockOf(address, blockSize);
  const block = await context.store.readBlock(space, cidr);
  return takenUnder(block, token).includes(ordinalOf(cidr, address));
}
