import * as v from "valibot";
import type { Amended, Amendment } from "../allocator/amend.ts";
import { parseGeneration } from "../domain/generation.ts";
import { ATTRIBUTE_VALUE_CHARACTERS_MAX, LEASE_SECONDS_MAX } from "../domain/limits.ts";
import { formatTime } from "../domain/time.ts";
import { attributes } from "./attributes.ts";
import { readJson } from "./body.ts";
import { handleText, proseText, readable, whole } from "./field.ts";
import type { Answer, Event } from "./http.ts";
import { readAddressPath } from "./parameters.ts";
import { Problem } from "./problem.ts";
import { checked, fields, rule } from "./schema.ts";

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

/** Who must stand on a side; null: nobody may. */
const ownerName = v.optional(
  v.nullable(fields({ namespace: v.optional(nameText, ""), name: nameText })),
);

export const amendmentBody = v.pipe(
  fields({
    handle: v.optional(handleText),
    generation: v.optional(
      readable(parseGeneration, {
        description: "The generation that came with the address",
        examples: ["g1.KxkqIJQYzwcxNzE.4a005d3a.26.666fc12e095c206c.kxkqIJQPRpEs7foEHkjPOac.1"],
      }),
    ),
    leaseSeconds: v.optional(whole(1, LEASE_SECONDS_MAX)),
    owner: v.optional(fields({ active: owner, alternate: owner })),
    expectedOwner: v.optional(fields({ active: ownerName, alternate: ownerName })),
  }),
  rule(({ handle, generation }) =>
    handle === undefined && generation === undefined
      ? [{ field: "generation", problem: "is required, or handle in its place" }]
      : [],
  ),
  rule(({ leaseSeconds, owner }) =>
    leaseSeconds === undefined && owner === undefined
      ? [{ field: "leaseSeconds", problem: "is required, or owner, or both" }]
      : [],
  ),
);

/** Reads what is to change about the address of the path, and what proves that it is the caller's. */
export function readAmendment(
  event: Event,
): { readonly space: string; readonly amendment: Amendment } | Problem {
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const input = checked(amendmentBody, json.value);
  if (input instanceof Problem) return input;
  const path = readAddressPath(event);
  if (path instanceof Problem) return path;
  const { handle, generation, leaseSeconds, owner, expectedOwner } = input;
  return {
    space: path.space,
    amendment: {
      address: path.address,
      ...(handle !== undefined && { handle }),
      ...(generation && { generation }),
      ...(leaseSeconds !== undefined && { leaseSeconds }),
      ...(owner && { owner: sidesOf(owner) }),
      ...(expectedOwner && { expectedOwner: sidesOf(expectedOwner) }),
    },
  };
}

/** The sides that were named. */
function sidesOf<T>({
  active,
  alternate,
}: {
  readonly active?: T | undefined;
  readonly alternate?: T | undefined;
}) {
  return {
    ...(active !== undefined && { active }),
    ...(alternate !== undefined && { alternate }),
  };
}

export function amendmentAnswer({ expiresAtMs, ...amended }: Amended, requestId: string): Answer {
  return {
    status: 200,
    body: {
      requestId,
      ...amended,
      ...(expiresAtMs !== undefined && { expiresAt: formatTime(expiresAtMs) }),
    },
  };
}
