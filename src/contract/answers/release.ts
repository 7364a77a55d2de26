import * as v from "valibot";
import { host, problemCode, requestId, unreadableItem } from "./parts.ts";

const allReleased = {
  released: v.pipe(v.array(v.string()), v.description("The addresses that this request gave back")),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Is nothing left of what there was when this request began? If not, send the same request again. Stop as well after two answers in a row that have `progressed` false and name the same `unreadable` items, at least one",
    ),
  ),
  progressed: v.pipe(
    v.boolean(),
    v.description(
      "Did this request get further: give an address back, or finish an assignment that was given back before? One that only had time to look did not",
    ),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description(
        "Items that this version cannot read: blocks, assignment records, or what says which blocks a host has. What they hold stays assigned, all else is given back, and no repeat is `complete` before they are mended",
      ),
    ),
  ),
};

export const handleReleased = v.strictObject({ requestId, handle: v.string(), ...allReleased });

export const hostReleased = v.strictObject({ requestId, ...host, ...allReleased });

export const releaseResult = v.strictObject({
  address: v.string(),
  status: v.pipe(
    v.picklist(["released", "not_assigned", "conflict", "unfinished"]),
    v.description("`unfinished`: send it again"),
  ),
  code: v.optional(problemCode),
  detail: v.optional(v.string()),
});

export const addressesReleased = v.strictObject({
  requestId,
  results: v.array(releaseResult),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Has each address a final result? If not, send those that are `unfinished` again",
    ),
  ),
});

export const released = v.union([handleReleased, hostReleased, addressesReleased]);
