import * as v from "valibot";
import {
  family,
  host,
  maxBlocksPerHost,
  next,
  requestId,
  time,
  unreadableItems,
  whole,
} from "../../../api/answer-parts.ts";
import { affinityType } from "../../../api/schema/field.ts";

const whyUnreadable = v.optional(
  v.pipe(v.string(), v.description("For `unreadable`: what cannot be read, and why")),
);

export const affinitiesRead = v.strictObject({
  requestId,
  ...host,
  affinities: v.array(
    v.strictObject({
      cidr: v.string(),
      pool: v.optional(v.string()),
      state: v.picklist(["pending", "confirmed", "pendingDeletion"]),
      borrowed: v.boolean(),
      claimedAt: v.optional(time),
      used: v.optional(whole),
    }),
  ),
  unreadable: unreadableItems,
  next,
});

export const spaceAffinitiesRead = v.strictObject({
  requestId,
  affinities: v.array(
    v.strictObject({
      cidr: v.string(),
      pool: v.string(),
      ...host,
      state: v.pipe(
        v.picklist(["pending", "confirmed", "pendingDeletion"]),
        v.description("A claim without a block appears only in the list of its host"),
      ),
      claimedAt: time,
      used: v.pipe(whole, v.description("The number of assigned addresses, of any owner")),
    }),
  ),
  unreadable: unreadableItems,
  next,
});

export const rangeClaimed = v.strictObject({
  requestId,
  ...host,
  pool: v.string(),
  blocks: v.array(
    v.strictObject({
      cidr: v.string(),
      status: v.picklist([
        "claimed",
        "not_owned",
        "block_limit",
        "quota_exceeded",
        "contended",
        "unreadable",
      ]),
      host: v.optional(v.string()),
      affinityType: v.optional(affinityType),
      reason: whyUnreadable,
    }),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether this answer reached the end of the range. If not, `next` continues. The result of each block is its `status`",
    ),
  ),
  maxBlocksPerHost,
  next,
});

export const blocksEnsured = v.strictObject({
  requestId,
  ...host,
  blocks: v.array(v.strictObject({ family, cidr: v.string(), pool: v.string() })),
});

export const affinitiesClaimed = v.union([rangeClaimed, blocksEnsured]);

export const affinitiesReleased = v.strictObject({
  requestId,
  ...host,
  affinities: v.array(
    v.strictObject({
      cidr: v.string(),
      status: v.picklist([
        "deleted",
        "disowned",
        "not_empty",
        "not_owned",
        "contended",
        "unreadable",
      ]),
      inUse: v.optional(whole),
      cooling: v.optional(whole),
      reason: whyUnreadable,
    }),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether this is the last page, without a `contended` or `unreadable` block. Each earlier page reports its own blocks",
    ),
  ),
  next,
});
