import * as v from "valibot";
import {
  actor,
  count,
  hostReserved,
  next,
  ownership,
  requestId,
  time,
  unreadableItems,
} from "../../../api/answer-parts.ts";
import { affinityType } from "../../../api/schema/field.ts";
import { eachCount, NO_USAGE } from "../../utilization/usage.ts";

export const unit = v.optional(
  v.pipe(
    v.literal("prefixes"),
    v.description("Present for prefixes: the counts are of prefixes, not of addresses"),
  ),
);

export const usage = {
  ...eachCount(NO_USAGE, () => count),
  hostReserved: v.pipe(count, v.description("Host-reserved addresses")),
};

const block = {
  cidr: v.string(),
  unit,
  pool: v.string(),
  host: v.optional(v.string()),
  affinityType: v.optional(affinityType),
  borrowed: v.optional(v.boolean()),
  hostReservation: v.optional(hostReserved),
  ...usage,
  claimedAt: time,
  idleSince: v.optional(time),
};

export const usageCounted = v.strictObject(usage);

export const blockUsage = v.strictObject({ cidr: v.string(), ...usage });

export const blockStatus = v.strictObject(block);

export const addressInBlock = v.strictObject({ address: v.string(), ...ownership });

export const blocksRead = v.strictObject({
  requestId,
  blocks: v.array(blockStatus),
  unreadable: unreadableItems,
  next,
});

export const blockRead = v.strictObject({
  requestId,
  ...block,
  changedBy: v.optional(actor),
  addresses: v.array(addressInBlock),
  next,
});
