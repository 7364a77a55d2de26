import { type Address, formatAddress } from "../domain/address.ts";
import { heldBy } from "../domain/block.ts";
import { blockOf } from "../domain/cell.ts";
import { ordinalOf } from "../domain/cidr.ts";
import type { Generation } from "../domain/generation.ts";
import { SWAP_TRIES_MAX } from "../domain/limits.ts";
import { Contended, Refusal } from "../domain/outcome.ts";
import type { AssignmentRecord } from "../domain/record.ts";
import { type Context, fresh } from "./context.ts";
import { identify, type NamedAddress } from "./identify.ts";

/** A lease to be renewed, with what proves that it is the caller's. */
export interface Renewal extends NamedAddress {
  readonly leaseSeconds: number;
}

export interface Renewed {
  readonly address: string;
  readonly handle: string;
  readonly expiresAtMs: number;
}

/**
 * Renews the lease that an address stands under, from now on for so long; it is that of the whole request it was assigned
 * with. A lease that ran out can be renewed until the collector has ended it: the collector acts on the record as it saw
 * it, so of the two exactly one happens.
 *
 * @returns until when it holds now; or `not_found`, `generation_conflict`, `invalid_request` for an address without a
 *   lease, `request_in_progress`
 */
export async function renewLease(
  context: Context,
  space: string,
  renewal: Renewal,
): Promise<Renewed | Refusal> {
  const { store } = context;
  const address = formatAddress(renewal.address);
  const named = await identify(context, space, renewal);
  if (named instanceof Refusal) return named;
  if (named === undefined)
    return new Refusal("not_found", `Address ${address} is not assigned.`, { address });
  const { handleHash, recordId: id, keyed, token } = named;
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    const seen = await store.readRecord({ space, handleHash, id, keyed });
    const refusal = whyNot(seen, renewal.address, token);
    if (refusal || !seen) return refusal ?? over(address);
    const next: AssignmentRecord = {
      ...seen,
      expiresAtMs: context.now() + 1000 * renewal.leaseSeconds,
      revision: fresh(context),
    };
    const written = await store.changeRecord("renew", seen, next);
    if (written.outcome === "unknown") continue; // what stands there is looked at, and renewed once more
    if (written.outcome === "lost") continue;
    // Only now: a release by address frees the slot before its record goes. Whoever ends the lease marks the record first.
    const held = await isHeld(context, space, renewal.address, named);
    if (!held) return over(address);
    return { address, handle: next.handle, expiresAtMs: next.expiresAtMs as number };
  }
  throw new Contended("the record of this address kept changing while its lease was renewed");
}

function whyNot(
  record: AssignmentRecord | undefined,
  address: Address,
  token: string,
): Refusal | undefined {
  const text = formatAddress(address);
  const stands = record?.parts.some((part) => part.token === token) && !record.given.has(text);
  if (!record || !stands || record.state === "released" || record.state === "aborted")
    return over(text);
  if (record.state === "open")
    return new Refusal(
      "request_in_progress",
      "The request that holds the address has not been answered.",
      { address: text },
    );
  if (record.expiresAtMs !== undefined) return undefined;
  const problem = "cannot be renewed: the address was assigned without a lease";
  return new Refusal("invalid_request", `leaseSeconds ${problem}.`, {
    fields: [{ field: "leaseSeconds", problem }],
  });
}

const over = (address: string): Refusal =>
  new Refusal(
    "generation_conflict",
    `The assignment of ${address} is over: it was released, or its lease ran out.`,
    { address },
  );

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
