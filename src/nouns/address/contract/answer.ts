import * as v from "valibot";
import {
  attributes,
  CALLER,
  family,
  network,
  next,
  ownership,
  requestId,
  time,
  unreadableItems,
  whole,
} from "../../../api/answer-parts.ts";
import { NETWORK_PARTS } from "../../pool/network.ts";

/** A side without an owner is absent. */
export const owner = v.strictObject({
  active: v.optional(attributes),
  alternate: v.optional(attributes),
});

export const amended = v.strictObject({
  requestId,
  address: v.string(),
  handle: v.string(),
  expiresAt: v.optional(time),
  owner,
});

export const quarantined = v.strictObject({
  requestId,
  address: v.string(),
  quarantinedUntil: time,
});

export const lifted = v.strictObject({
  requestId,
  address: v.string(),
  availableAt: v.optional(time),
});

const address = {
  address: v.string(),
  family,
  block: v.string(),
  pool: v.string(),
  ...network,
  ...ownership,
  attributes: v.optional(attributes),
  assignedBy: v.optional(
    v.pipe(
      v.string(),
      v.description(
        `The caller that requested the address: ${CALLER}; absent if callers are not authenticated`,
      ),
    ),
  ),
  owner: v.optional(owner),
};

export const heldAddress = v.strictObject(address);

export const addressRead = v.strictObject({
  requestId,
  ...address,
  keptOut: v.optional(
    v.pipe(
      v.picklist(NETWORK_PARTS),
      v.description(
        "The part of the address in the network of a pool of kind `subnet`. Automatic assignment leaves it out",
      ),
    ),
  ),
});

export const searchRead = v.strictObject({
  by: v.pipe(
    v.picklist(["handle", "host", "attribute", "cidr", "pool", "space"]),
    v.description("The key by which Plat read. The other parameters filtered what it read"),
  ),
  attribute: v.optional(
    v.pipe(v.string(), v.description("The indexed attribute by which Plat read")),
  ),
  building: v.optional(
    v.pipe(
      v.string(),
      v.description(
        "An indexed attribute of the search whose index is not complete yet, so that it filtered what Plat read",
      ),
    ),
  ),
  entries: v.optional(
    v.pipe(whole, v.description("The number of entries of the index that were read for this page")),
  ),
  blocks: v.pipe(whole, v.description("The number of blocks that were read for this page")),
  allocations: v.pipe(
    whole,
    v.description("The number of allocations that were read for this page"),
  ),
});

export const addressesRead = v.strictObject({
  requestId,
  addresses: v.array(heldAddress),
  read: searchRead,
  unreadable: unreadableItems,
  next,
});

export const handleRead = v.strictObject({
  requestId,
  handle: v.string(),
  addresses: v.array(heldAddress),
  next,
});
