import * as v from "valibot";
import { type Inputs, type RequestFields, readsOf, specOf } from "../../../api/noun.ts";
import { proseText, resourceName, whole } from "../../../api/schema/field.ts";
import { principalName } from "../../../api/schema/principal-name.ts";
import { fields, rule } from "../../../api/schema/schema.ts";
import { ATTRIBUTE_VALUE_CHARACTERS_MAX } from "../../../base/limits.ts";
import type { QuotaSpec } from "../quota.ts";

/** The largest maximum of a quota. */
const QUOTA_MAX = 1_000_000_000;

const tenant = v.pipe(
  proseText,
  v.minLength(1, "must not be empty"),
  v.maxLength(
    ATTRIBUTE_VALUE_CHARACTERS_MAX,
    `must have at most ${ATTRIBUTE_VALUE_CHARACTERS_MAX} characters`,
  ),
);

/** The fields of a quota that its operator sets. */
export const QUOTA = {
  principal: {
    read: v.optional(principalName),
    words: "The caller whom the quota limits. A role has neither path nor session.",
    flag: {
      value: "<principal>",
      help: "Caller whom it limits: a role without path and session",
    },
  },
  tenant: {
    read: v.optional(tenant),
    words: "The tenant whom the quota limits: the attribute `tenant` of its addresses.",
    flag: {
      value: "<tenant>",
      help: "Tenant whom it limits: the attribute tenant of its addresses",
    },
  },
  addresses: {
    read: v.optional(whole(0, QUOTA_MAX)),
    words: { own: "The addresses that are assigned at a time." },
    flag: { value: "<n>", help: "Addresses that are assigned at a time", as: "count" },
  },
  prefixes: {
    read: v.optional(whole(0, QUOTA_MAX)),
    words: "The prefixes that nodes and handles have at a time.",
    flag: { value: "<n>", help: "Prefixes that nodes and handles have at a time", as: "count" },
  },
  blocks: {
    read: v.optional(whole(0, QUOTA_MAX)),
    words: { own: "The blocks that hosts have at a time." },
    flag: { value: "<n>", help: "Blocks that hosts have at a time", as: "count" },
  },
  requestsPerSecond: {
    read: v.optional(whole(1, QUOTA_MAX)),
    words: "The requests that Plat serves in a second.",
    flag: { value: "<n>", help: "Requests that Plat serves in a second", as: "count" },
  },
} satisfies RequestFields<QuotaSpec, object>;

const { principal: _, tenant: __, ...MAXIMA } = QUOTA;

export const quotaBody = v.pipe(
  fields({
    ...readsOf(QUOTA),
    // A caller can change the answer of a GET and PUT it back.
    name: v.optional(resourceName),
  }),
  rule((quota) => [
    ...(quota.principal !== undefined && quota.tenant !== undefined
      ? [
          {
            field: "tenant",
            value: quota.tenant,
            problem: "must be absent beside principal; make a quota for each of them",
          },
        ]
      : []),
    ...(Object.keys(MAXIMA).every((name) => quota[name as keyof typeof MAXIMA] === undefined)
      ? [
          {
            field: "addresses",
            problem:
              "is missing, and so are prefixes, blocks and requestsPerSecond; a quota has at least one maximum",
          },
        ]
      : []),
  ]),
);

/** Returns the quota that a body says. An absent maximum is none. */
export const quotaSpec = (input: Inputs<typeof QUOTA>): QuotaSpec =>
  specOf<QuotaSpec, object>(QUOTA, input);
