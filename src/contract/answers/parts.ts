import * as v from "valibot";
import { UNFIT } from "../../domain/selection.ts";
import { affinityType } from "../schema/field.ts";
import { PROBLEMS, type ProblemCode } from "../schema/problem.ts";

/** What stands in the answers of several resources. */

export const requestId = v.pipe(v.string(), v.description("Finds the request in the log"));

export const family = v.picklist([4, 6]);

export const time = v.pipe(v.string(), v.isoTimestamp());

export const effectiveAt = v.pipe(time, v.description("From then on everybody acts on it"));

export const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

export const count = v.union([
  whole,
  v.pipe(v.string(), v.regex(/^\d{16,39}$/), v.description("A count beyond 2^53 - 1")),
]);

export const next = v.optional(
  v.pipe(v.string(), v.description("Hand it back as ?cursor= for the next page")),
);

const dryRun = v.optional(v.literal(true));

export const problemCode = v.picklist(Object.keys(PROBLEMS) as ProblemCode[]);

export const maxBlocksPerHost = v.pipe(v.nullable(whole), v.description("null: there is no cap"));

export const missingOfFamily = v.strictObject({ family, count: whole, code: problemCode });

export const missing = v.array(missingOfFamily);

export const candidate = {
  family: v.pipe(family, v.description("For which it was considered")),
  pool: v.pipe(
    v.string(),
    v.description("Its name; what the request calls it where there is none"),
  ),
  cidr: v.optional(v.string()),
  kept: v.pipe(v.boolean(), v.description("May it serve the request?")),
  order: v.optional(
    v.pipe(
      whole,
      v.description(
        "Its place among the pools that may serve, from 1: the order in which the request names them, else by name",
      ),
    ),
  ),
  reason: v.optional(
    v.pipe(v.picklist(UNFIT), v.description("The rule by which it may not, for programs")),
  ),
  detail: v.optional(v.pipe(v.string(), v.description("Why it may not, for people"))),
};

export const unreadableItem = v.strictObject({
  item: v.pipe(v.string(), v.description("What it is called, such as `pool main`")),
  format: v.optional(v.pipe(v.number(), v.description("The format that it has"))),
  reads: v.optional(v.pipe(v.number(), v.description("The format that this version reads"))),
  reason: v.string(),
});

export const unreadable = v.optional(
  v.pipe(
    v.array(unreadableItem),
    v.description("What belongs to the list and cannot be read by this version"),
  ),
);

export const hostReserved = v.strictObject({
  start: whole,
  end: whole,
  handle: v.optional(v.string()),
  note: v.optional(v.string()),
});

export const host = { host: v.string(), affinityType };

export const attributes = v.record(v.string(), v.string());

/** Of an address, what concerns its owner. */
export const ownership = {
  state: v.picklist(["assigned", "cooling", "free", "hostReserved"]),
  handle: v.optional(v.string()),
  host: v.optional(v.string()),
  generation: v.optional(v.string()),
  borrowed: v.optional(v.boolean()),
  assignedAt: v.optional(time),
  expiresAt: v.optional(time),
  availableAt: v.optional(time),
};

/** What an operator's write adds to what stands there now, or to what would. */
export const written = { effectiveAt: v.optional(effectiveAt), dryRun };

export const ignored = v.optional(
  v.pipe(
    v.array(v.string()),
    v.description("The other manifests of the body, by kind and name: they are not applied"),
  ),
);
