import * as v from "valibot";
import { host, problemCode, requestId, unreadableItem } from "../../../api/answer-parts.ts";

const allReleased = {
  released: v.pipe(v.array(v.string()), v.description("The addresses that this request released")),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether everything that existed at the start of this request is released. If not, send the same request again. Also stop after two answers in a row with `progressed` false and the same `unreadable` items, at least one",
    ),
  ),
  progressed: v.pipe(
    v.boolean(),
    v.description(
      "Whether this request released an address, or finished an earlier release. A request that only had time to read did not",
    ),
  ),
  unreadable: v.optional(
    v.pipe(
      v.array(unreadableItem),
      v.description(
        "Items that this version cannot read: blocks, allocations, or affinities. Their addresses stay assigned, and all others are released. No repeat is `complete` before the items are repaired",
      ),
    ),
  ),
};

export const handleReleased = v.strictObject({ requestId, handle: v.string(), ...allReleased });

const kept = v.pipe(
  v.array(v.string()),
  v.description("The addresses that instances of workloads keep for their next incarnation"),
);

export const hostReleased = v.strictObject({ requestId, ...host, ...allReleased, kept });

export const instanceReleased = v.strictObject({
  requestId,
  handle: v.string(),
  released: allReleased.released,
  kept,
});

export const releaseResult = v.strictObject({
  address: v.string(),
  status: v.pipe(
    v.picklist(["released", "kept", "not_assigned", "conflict", "unfinished"]),
    v.description(
      "`kept` means: it waits for the next incarnation of its instance. `unfinished` means: send it again",
    ),
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
      "Whether each address has a final result. If not, send the `unfinished` ones again",
    ),
  ),
});

export const released = v.union([
  handleReleased,
  hostReleased,
  instanceReleased,
  addressesReleased,
]);
