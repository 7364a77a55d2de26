import { Rejection, together } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { ordinalOf } from "../../net/cidr.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import { listedAt } from "../../nouns/application/changes.ts";
import { isRanged, type Pool } from "../../nouns/pool/pool.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { blockOf } from "../values/block-group.ts";
import { blockOfAddress } from "./block-of-address.ts";
import { selectHeld } from "./select-held.ts";
import type { ApplicationAsked, FamilyRequest, SlotSelection } from "./selection.ts";
import { assignedTo, whyNotFree } from "./why-not-free.ts";

/**
 * Selects the slots of the specific addresses that are still missing, of both families side by side.
 *
 * @returns the slots; or the rejections, if one of the addresses cannot be assigned
 */
export async function selectAddresses(
  context: Context,
  missing: readonly FamilyRequest[],
  addresses: readonly Address[],
): Promise<readonly SlotSelection[] | Rejection> {
  const found = await awaitAll(
    ...missing.flatMap((familyRequest) =>
      addresses
        .filter(({ family }) => family === familyRequest.family)
        .map((address) => selectAddress(context, familyRequest, address)),
    ),
  );
  const [first, ...others] = found.filter((each) => each instanceof Rejection);
  return first
    ? together(first, ...others)
    : found.flatMap((each) => (each instanceof Rejection ? [] : each));
}

/**
 * Selects the slot of a specific address. Reservations and the cap on blocks bind automatic assignment only. A cooldown and a
 * quarantine bind this as well (Calico 1.4, and docs/decisions), and so do host-reserved addresses.
 */
async function selectAddress(
  context: Context,
  familyRequest: FamilyRequest,
  address: Address,
): Promise<readonly SlotSelection[] | Rejection> {
  if (familyRequest.ofApplication)
    return selectHeldAddress(context, familyRequest, familyRequest.ofApplication, address);
  // A specific address lies in exactly one pool: `familyRequestsOf` rejects any other.
  const pool = familyRequest.pools[0] as Pool;
  const block = await blockOfAddress(context, familyRequest, pool, address);
  if (block instanceof Rejection) return block;
  const stated = { address, isUsed: false };
  const rejected = await whyNotFree(context, familyRequest, { block, pool }, stated);
  if (rejected) return rejected;
  const ofPool = isRanged(pool) && { pool: pool.name };
  return [{ block, ordinals: [ordinalOf(block.cidr, address)], ...ofPool, again: () => undefined }];
}

/** Selects a specific address among those of the application. */
async function selectHeldAddress(
  context: Context,
  familyRequest: FamilyRequest,
  of: ApplicationAsked,
  address: Address,
): Promise<readonly SlotSelection[] | Rejection> {
  const selected = await selectHeld(context, familyRequest, { ...of, address });
  if (!(selected instanceof Rejection)) return selected;
  const { space } = familyRequest;
  const text = formatAddress(address);
  const listed = listedAt(of.application, address);
  const block =
    listed && (await context.store.readBlock(space, blockOf(address, listed.blockSize)));
  const slot = block?.slots.get(ordinalOf(block.cidr, address));
  if (slot?.kind === "taken") return assignedTo(context, space, text, slot);
  return new Rejection(
    "no_pool_available",
    `Address ${text} is not one of those that application ${nameOfApplication(of.application)} holds, and its instances get no others.`,
    { address: text, rule: "application", pools: [] },
  );
}
