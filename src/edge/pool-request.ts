import * as v from "valibot";
import type { Precondition } from "../allocator/precondition.ts";
import { COOLDOWN_SECONDS_MAX } from "../domain/limits.ts";
import { BORROWING, type PoolSpec } from "../domain/pool.ts";
import { chooseManifest, isManifest, type Wanted } from "./choose-manifest.ts";
import { flagText, resourceName, text, whole } from "./field.ts";
import type { Event } from "./http.ts";
import { API_VERSIONS, readManifest } from "./manifest.ts";
import { DRY_RUN, type NameInBody, RESOURCE, readNamedWith, readNamedWrite } from "./parameters.ts";
import {
  POOL_FIELDS,
  poolProblems,
  poolSpec,
  ROUTING_FIELDS,
  routingProblems,
} from "./pool-fields.ts";
import { readIfMatch } from "./preconditions.ts";
import { Problem } from "./problem.ts";
import { checked, fields, rule } from "./schema.ts";
import { readDocuments } from "./yaml-body.ts";

export interface PoolRequest {
  readonly space: string;
  readonly name: string;
  readonly spec: PoolSpec;
  readonly ifMatch: Precondition;
  readonly dryRun: boolean;
  /** The manifests of the body that are not applied. */
  readonly ignored: readonly string[];
}

/** What the body of a PUT says, whichever form it has. */
export interface PoolDocument {
  readonly name?: NameInBody | undefined;
  readonly spec: PoolSpec;
}

export const poolBody = v.pipe(
  fields({
    ...POOL_FIELDS,
    cooldownSeconds: v.optional(whole(0, COOLDOWN_SECONDS_MAX)),
    borrowing: v.optional(v.picklist(BORROWING, `must be ${BORROWING.join(" or ")}`)),
    // What a GET answers can be changed and PUT back.
    name: v.optional(resourceName),
    routing: v.optional(fields(ROUTING_FIELDS), {}),
    state: v.optional(text),
    job: v.optional(text),
  }),
  rule((pool) => [
    ...poolProblems(pool),
    ...routingProblems(pool, pool.routing).map((problem) => ({ ...problem, field: "routing" })),
  ]),
);

/** Which blocks of a pool are to be taken from their hosts. */
export const poolReleaseQuery = { ...DRY_RUN, mustBeEmpty: v.optional(flagText, "false") };

export const readPoolRelease = (event: Event) => readNamedWith(event, poolReleaseQuery);

const IP_POOL: Wanted = { kind: "IPPool", apiVersions: API_VERSIONS, of: RESOURCE };

/** Reads a pool as JSON, or as a manifest of Calico in JSON or YAML. */
export function readPoolPut(event: Event): PoolRequest | Problem {
  const documents = readDocuments(event);
  if (documents instanceof Problem) return documents;
  const chosen = chooseManifest(event, documents, IP_POOL);
  if (chosen instanceof Problem) return chosen;
  const document = isManifest(chosen.document)
    ? readManifest(chosen.document)
    : readDocument(chosen.document);
  if (document instanceof Problem) return document;
  const named = readNamedWrite(event, document.name);
  if (named instanceof Problem) return named;
  const match = readIfMatch(event);
  if (match instanceof Problem) return match;
  return { ...named, spec: document.spec, ...match, ignored: chosen.ignored };
}

function readDocument(value: unknown): PoolDocument | Problem {
  const input = checked(poolBody, value);
  if (input instanceof Problem) return input;
  const { name, routing, cooldownSeconds } = input;
  return {
    ...(name !== undefined && { name: { field: "name", value: name } }),
    spec: {
      ...poolSpec(input, routing),
      ...(cooldownSeconds !== undefined && { cooldownSeconds }),
    },
  };
}
