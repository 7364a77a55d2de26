import { type Address, formatAddress } from "../../domain/address.ts";
import type { Allocation } from "../../domain/allocation.ts";
import { ownersAt } from "../../domain/allocation.ts";
import { allocationBytes } from "../../domain/allocation-size.ts";
import { heldBy } from "../../domain/block.ts";
import { blockOf } from "../../domain/block-group.ts";
import { ordinalOf } from "../../domain/cidr.ts";
import type { Generation } from "../../domain/generation.ts";
import { ALLOCATION_BYTES_MAX } from "../../domain/limits.ts";
import { Rejection, UnavailableError } from "../../domain/outcome.ts";
import {
  changedOwners,
  type ExpectedOwner,
  mismatchesOf,
  type OwnerChange,
  type OwnerMismatch,
  type OwnerName,
  type Owners,
} from "../../domain/owner.ts";
import { identify, type NamedAddress } from "../allocations/identify-address.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { answer, RETRY } from "../core/step.ts";

/** A change of an assigned address, with the proof that it is the caller's. */
export interface Amendment extends NamedAddress {
  /** Renews the lease of the request that it was assigned with, from now on for so long. */
  readonly leaseSeconds?: number;
  readonly owner?: OwnerChange;
  /** The owners that the address must have for the change. */
  readonly expectedOwner?: ExpectedOwner;
}

/** The address as it stands then. */
export interface Amended {
  readonly address: string;
  readonly handle: string;
  readonly expiresAtMs?: number;
  readonly owner: Owners;
}

/**
 * Changes what the allocation of an address says of it: renews its lease, which is that of the whole request it was assigned
 * with, and changes its owners (Calico's SetOwnerAttributes), all in one write that is conditional on the allocation as it was
 * seen, and judged by it. A lease that ran out can be renewed until the repair run has ended it: the repair run acts on the
 * allocation as it saw it, so of the two exactly one happens. What changes nothing writes nothing.
 *
 * @returns how the address stands then; or `not_found`, `generation_conflict`, `request_in_progress`, `precondition_failed`
 *   with the sides that are not as expected, `invalid_request` for a lease where there is none, or too much to keep
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
  const { handleHash, allocationId: id, keyed, token } = named;
  // Revisions that we tried to write: one that is refused may stand nevertheless, where a layer below sent it twice.
  const ours = new Set<string>();
  let unsure = false;
  return compareAndSwap<Amended | Rejection>("the allocation of this address", async () => {
    const seen = await store.readAllocation({ space, handleHash, id, keyed });
    if (!seen) {
      // It may stand under keys that this version does not know.
      await store.checkKeys();
      return answer(over(address));
    }
    const rejection = whyNot(seen, amendment, token);
    if (rejection) return answer(rejection);
    let current = seen;
    // Rule 6, own tag first: what we wrote is judged by what stood before it, not by itself.
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
        // The next try looks at what stands there, and changes it.
        if (written.outcome !== "done") return RETRY;
      }
    }
    // Only now: a release by address frees the slot before its allocation goes. Whoever ends the lease marks the allocation first.
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
  token: string,
): Rejection | undefined {
  const text = formatAddress(address);
  const stands =
    allocation.parts.some((part) => part.token === token) && !allocation.given.has(text);
  if (!stands || allocation.state === "released" || allocation.state === "aborted")
    return over(text);
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
  const problem = `is too large to be kept with what ${address} and the other addresses of its request have already`;
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
  return heldBy(block, token).includes(ordinalOf(cidr, address));
}
