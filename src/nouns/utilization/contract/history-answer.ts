import * as v from "valibot";
import { count, family, requestId, time } from "../../../api/answer-parts.ts";
import { unit, usageCounted } from "../../block/contract/answer.ts";

export const percentUsed = v.pipe(
  v.number(),
  v.description(
    "The share that cannot be assigned now, of all that is not reserved: in use, held or cooling. In percent",
  ),
);

export const exhaustedAt = v.pipe(
  time,
  v.description("When nothing is left, if the use grows on as in the last day"),
);

export const usageSample = v.strictObject({
  at: v.pipe(time, v.description("When the pass over the pool ended")),
  assignable: v.pipe(
    count,
    v.description(
      "Addresses that can be assigned automatically at all: those that are not reserved",
    ),
  ),
  available: v.pipe(count, v.description("Those that could be assigned then")),
  inUse: count,
});

export const poolHistoryRead = v.strictObject({
  requestId,
  pool: v.string(),
  cidr: v.string(),
  family,
  unit,
  current: v.optional(
    v.pipe(usageCounted, v.description("The counts of the last pass. Absent before the first one")),
  ),
  countedFrom: v.optional(
    v.pipe(
      time,
      v.description(
        "When the last pass over the pool began. Each block counts as it was since then",
      ),
    ),
  ),
  countedAt: v.optional(v.pipe(time, v.description("When the last pass over the pool ended"))),
  percentUsed: v.optional(percentUsed),
  threshold: v.optional(
    v.pipe(
      v.picklist([80, 95]),
      v.description("The highest threshold that the use has reached and not left, in percent"),
    ),
  ),
  exhaustedAt: v.optional(exhaustedAt),
  samples: v.pipe(
    v.array(usageSample),
    v.description(
      "The oldest first: daily for a month, hourly for two days, each five minutes for two hours",
    ),
  ),
});
