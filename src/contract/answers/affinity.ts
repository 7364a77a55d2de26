import * as v from "valibot";
import { affinityType } from "../schema/field.ts";
import {
  family,
  host,
  maxBlocksPerHost,
  next,
  requestId,
  time,
  unreadable,
  whole,
} from "./parts.ts";

const whyUnreadable = v.optional(
  v.pipe(v.string(), v.description("Of `unreadable`: what cannot be read, and why")),
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
  unreadable,
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
        v.description("A claim whose block does not stand yet is in its host's own list alone"),
      ),
      claimedAt: time,
      used: v.pipe(whole, v.description("Its addresses that are assigned, to whomever")),
    }),
  ),
  unreadable,
  next,
});

export const rangeClaimed = v.strictObject({
  requestId,
  ...host,
  pool: v.string(),
  blocks: v.array(
    v.strictObject({
      cidr: v.string(),
      status: v.picklist(["claimed", "not_owned", "block_limit", "contended", "unreadable"]),
      host: v.optional(v.string()),
      affinityType: v.optional(affinityType),
      reason: whyUnreadable,
    }),
  ),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Has this answer come to the end of the range? If not, `next` goes on. What became of each block is its `status`",
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
      "Is this the last page, and has it no block that is `contended` or `unreadable`? Earlier pages are not counted: each tells of its own blocks",
    ),
  ),
  next,
});
