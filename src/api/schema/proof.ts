import * as v from "valibot";
import { parseGeneration } from "../../kernel/values/generation.ts";
import { handleText, readable } from "./field.ts";

/** The fields that prove that an address is the caller's. */
export const proof = {
  handle: v.optional(handleText),
  generation: v.optional(
    readable(parseGeneration, {
      description: "The generation from the assignment of the address",
      examples: ["g1.KxkqIJQYzwcxNzE.4a005d3a.26.666fc12e095c206c.kxkqIJQPRpEs7foEHkjPOac.1"],
    }),
  ),
};

/** Returns the problem of a request without a proof. */
export const withoutProof = ({
  handle,
  generation,
}: {
  readonly handle?: unknown;
  readonly generation?: unknown;
}) =>
  handle === undefined && generation === undefined
    ? [{ field: "generation", problem: "is required, or handle in its place" }]
    : [];
