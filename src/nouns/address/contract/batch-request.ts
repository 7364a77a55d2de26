import * as v from "valibot";
import { flag, idempotencyKey } from "../../../api/schema/field.ts";
import { fields, list } from "../../../api/schema/schema.ts";
import { BATCH_ITEMS_MAX } from "../../../base/limits.ts";
import { assignBody } from "./assign-request.ts";
import { releasedAddresses } from "./release-request.ts";

const requestsOf = <Item extends v.GenericSchema>(item: Item) =>
  fields({
    requests: list(
      item,
      { min: 1, max: BATCH_ITEMS_MAX },
      {
        type: "must be an array of objects with assign or release",
        min: "must have a request",
        max: `must have at most ${BATCH_ITEMS_MAX} requests; send several batches`,
      },
    ),
  });

export const batchedRelease = fields({
  addresses: releasedAddresses,
  keep: v.optional(flag, false),
});

/** One request of a batch, for OpenAPI. */
export const batchedRequest = fields({
  assign: v.optional(assignBody),
  idempotencyKey: v.optional(idempotencyKey),
  release: v.optional(batchedRelease),
});

/** The body of a batch, for OpenAPI. */
export const batchBody = requestsOf(batchedRequest);

/** The body of a batch, whose requests are read one by one: a malformed one does not hinder the others. */
export const batchList = requestsOf(v.unknown());

const part = v.optional(v.looseObject({}, "must be an object"));

/** One request, before its own body is read. */
export const batchItem = fields({
  assign: part,
  idempotencyKey: v.optional(idempotencyKey),
  release: part,
});
