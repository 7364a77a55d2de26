import * as v from "valibot";
import { ATTRIBUTE_VALUE_CHARACTERS_MAX, QUOTA_MAX } from "../../domain/limits.ts";
import { principalName, proseText, resourceName, whole } from "../schema/field.ts";
import { fields, rule } from "../schema/schema.ts";

const tenant = v.pipe(
  proseText,
  v.minLength(1, "must not be empty"),
  v.maxLength(
    ATTRIBUTE_VALUE_CHARACTERS_MAX,
    `must have at most ${ATTRIBUTE_VALUE_CHARACTERS_MAX} characters`,
  ),
);

const MAXIMA = {
  addresses: v.optional(whole(0, QUOTA_MAX)),
  prefixes: v.optional(whole(0, QUOTA_MAX)),
  blocks: v.optional(whole(0, QUOTA_MAX)),
  requestsPerSecond: v.optional(whole(1, QUOTA_MAX)),
};

export const quotaBody = v.pipe(
  fields({
    principal: v.optional(principalName),
    tenant: v.optional(tenant),
    ...MAXIMA,
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
