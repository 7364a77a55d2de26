import * as v from "valibot";
import { next, unreadableItems, whole, written } from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import type { Quota } from "../quota.ts";

const tell = telling<Quota>();

/** The fields of a quota. */
const WHOLE = {
  name: tell(v.string(), ({ name }) => name),
  principal: tell(v.optional(v.string()), ({ principal }) => principal),
  tenant: tell(v.optional(v.string()), ({ tenant }) => tenant),
  addresses: tell(v.optional(whole), ({ addresses }) => addresses),
  prefixes: tell(v.optional(whole), ({ prefixes }) => prefixes),
  blocks: tell(v.optional(whole), ({ blocks }) => blocks),
  requestsPerSecond: tell(v.optional(whole), ({ requestsPerSecond }) => requestsPerSecond),
} satisfies Readonly<Record<Exclude<keyof Quota, "space" | "revision">, AnswerField<Quota>>>;

const quota = schemasOf(WHOLE);

/** Returns a quota as answers write it. */
export const quotaOf = (one: Quota) => told(WHOLE, one);

export const quotaRead = v.strictObject(quota);

const use = v.strictObject({
  used: v.pipe(
    whole,
    v.description("At least what is assigned: it includes what functions took to assign."),
  ),
  max: v.pipe(whole, v.description("The maximum of the quota.")),
});

export const quotaUsageRead = v.strictObject({
  name: v.string(),
  addresses: v.optional(use),
  prefixes: v.optional(use),
  blocks: v.optional(use),
});

export const quotasRead = v.strictObject({
  quotas: v.array(quotaRead),
  unreadable: unreadableItems,
  next,
});

export const quotaWritten = v.strictObject({ ...quota, ...written });

export const quotaDeleted = v.strictObject(written);
