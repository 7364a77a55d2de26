import * as v from "valibot";
import { attributes } from "../../../api/schema/attributes.ts";
import { proseText, whole } from "../../../api/schema/field.ts";
import { proof, withoutProof } from "../../../api/schema/proof.ts";
import { fields, rule } from "../../../api/schema/schema.ts";
import { ATTRIBUTE_VALUE_CHARACTERS_MAX, LEASE_SECONDS_MAX } from "../../../base/limits.ts";

/** The attributes that an owner is to have; null clears its side. */
const owner = v.optional(
  v.nullable(
    v.pipe(
      attributes,
      v.check(
        (set) => Object.keys(set).length > 0,
        "must have an entry; null says that there is no owner",
      ),
    ),
  ),
);

const nameText = v.pipe(
  proseText,
  v.maxLength(
    ATTRIBUTE_VALUE_CHARACTERS_MAX,
    `must have at most ${ATTRIBUTE_VALUE_CHARACTERS_MAX} characters`,
  ),
);

/** The owner that a side must have; null means none. */
const ownerName = v.optional(
  v.nullable(fields({ namespace: v.optional(nameText, ""), name: nameText })),
);

export const amendmentBody = v.pipe(
  fields({
    ...proof,
    leaseSeconds: v.optional(whole(1, LEASE_SECONDS_MAX)),
    owner: v.optional(fields({ active: owner, alternate: owner })),
    expectedOwner: v.optional(fields({ active: ownerName, alternate: ownerName })),
  }),
  rule((input) => withoutProof(input)),
  rule(({ leaseSeconds, owner }) =>
    leaseSeconds === undefined && owner === undefined
      ? [{ field: "leaseSeconds", problem: "is required, or owner, or both" }]
      : [],
  ),
);
