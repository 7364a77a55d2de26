import * as v from "valibot";
import { host, next, requestId, unreadableItems, whole } from "../../../api/answer-parts.ts";

/** The items that a list read for a page. */
export const listRead = v.strictObject({
  blocks: v.pipe(whole, v.description("The number of blocks that were read for this page")),
  allocations: v.pipe(
    whole,
    v.description("The number of allocations that were read for this page"),
  ),
});

export const handleListed = v.strictObject({ handle: v.string() });

export const handlesRead = v.strictObject({
  requestId,
  handles: v.array(handleListed),
  read: listRead,
  unreadable: unreadableItems,
  next,
});

export const hostListed = v.strictObject({
  ...host,
  blocks: v.pipe(whole, v.description("The number of blocks that the host owns")),
  otherBlocks: v.pipe(
    whole,
    v.description("The number of other blocks in which the host has addresses, or may have some"),
  ),
});

export const hostsRead = v.strictObject({
  requestId,
  hosts: v.array(hostListed),
  read: listRead,
  unreadable: unreadableItems,
  next,
});
