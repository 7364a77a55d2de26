import * as v from "valibot";
import type { Renewal, Renewed } from "../allocator/renew.ts";
import { parseGeneration } from "../domain/generation.ts";
import { LEASE_SECONDS_MAX } from "../domain/limits.ts";
import { formatTime } from "../domain/time.ts";
import { readJson } from "./body.ts";
import { handleText, readable, spaceName, whole } from "./field.ts";
import type { Answer, Event } from "./http.ts";
import { readAddressPath } from "./parameters.ts";
import { Problem } from "./problem.ts";
import { checked, fields, rule } from "./schema.ts";

export const renewalBody = v.pipe(
  fields({
    space: v.optional(spaceName),
    leaseSeconds: whole(1, LEASE_SECONDS_MAX),
    handle: v.optional(handleText),
    generation: v.optional(
      readable(parseGeneration, {
        description: "The generation that came with the address",
        examples: ["g1.AaH9ucMyzwcxNzE.4a005d3a.26.666fc12e095c206c.kxkqIJQPRpEs7foEHkjPOac.1"],
      }),
    ),
  }),
  rule(({ handle, generation }) =>
    handle === undefined && generation === undefined
      ? [{ field: "generation", problem: "is required, or handle in its place" }]
      : [],
  ),
);

/** Reads a renewal of a lease: the address of the path, how long from now on, and what proves that it is the caller's. */
export function readRenewal(
  event: Event,
): { readonly space: string; readonly renewal: Renewal } | Problem {
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const input = checked(renewalBody, json.value);
  if (input instanceof Problem) return input;
  const path = readAddressPath(event, input.space);
  if (path instanceof Problem) return path;
  const { leaseSeconds, handle, generation } = input;
  return {
    space: path.space,
    renewal: {
      address: path.address,
      leaseSeconds,
      ...(handle !== undefined && { handle }),
      ...(generation && { generation }),
    },
  };
}

export function renewalAnswer({ expiresAtMs, ...renewed }: Renewed, requestId: string): Answer {
  return { status: 200, body: { requestId, ...renewed, expiresAt: formatTime(expiresAtMs) } };
}
