import { formatTime } from "../../base/time.ts";
import type { Conditions, Precondition, Revisions, Written } from "../../kernel/core/written.ts";
import { RESOURCE } from "../names.ts";
import { etags } from "../schema/field.ts";
import type { Event, HttpAnswer } from "./event.ts";
import { inPath, parseNamedWrite } from "./parameters.ts";

/** The part of a request that asks for a dry run of a write. */
export interface DryRun {
  readonly dryRun: boolean;
}

/** The manifests in the body of a write that are not applied. */
export interface Ignoring {
  readonly ignored: readonly string[];
}

/** Returns the fields of a body that Plat ignored, to report them to the caller. */
export const ignored = ({ ignored }: Ignoring) => (ignored.length > 0 ? { ignored } : {});

/** Returns the ETag of a resource: its revision in quotes. */
export function etagOf({ revision }: { readonly revision?: string | undefined }) {
  return revision === undefined ? {} : { etag: `"${revision}"` };
}

/**
 * Returns the answer to an operator's write: the new state, and the time from which every function acts on it. The
 * answer to a dry run has the state that the write would have made. It has no ETag, and never takes effect.
 */
export function written<Body extends object>(
  result: Written<unknown>,
  { dryRun }: DryRun,
  body: Body,
  revision?: string,
) {
  if (dryRun) return { status: 200 as const, body: { ...body, dryRun } };
  return {
    status: result.created ? (201 as const) : (200 as const),
    headers: etagOf({ revision }),
    body: { ...body, effectiveAt: formatTime(result.effectiveAtMs) },
  };
}

/** Returns the answer to an operator's deletion, as `written` does to a write. */
export const deleted = <Body extends object>(
  { effectiveAtMs }: Written<unknown>,
  { dryRun }: DryRun,
  body: Body,
) => ({
  status: 200 as const,
  body: { ...body, ...(dryRun ? { dryRun } : { effectiveAt: formatTime(effectiveAtMs) }) },
});

/** Preconditions of requests (RFC 9110, 13.1). An ETag is a revision in quotes, and always a strong one. */

interface ETag {
  readonly revision: string;
  readonly weak: boolean;
}

/** Parses the precondition of a write. A weak ETag never matches in If-Match (RFC 9110, 13.1.1). */
export function parseIfMatch({ headers }: Event): { readonly ifMatch: Precondition } {
  const match = parseETags("If-Match", headers["if-match"]);
  const noneMatch = parseETags("If-None-Match", headers["if-none-match"]);
  const precondition: Conditions = {
    ...(match && { match: revisionsIn(match, ({ weak }) => !weak) }),
    ...(noneMatch && { noneMatch: revisionsIn(noneMatch) }),
  };
  return { ifMatch: precondition };
}

/** Parses the name and the preconditions of a request that changes or deletes an item without a body. */
export function parseNamedMatch(event: Event, of = RESOURCE) {
  const named = parseNamedWrite(event, undefined, of);
  return { ...named, ...parseIfMatch(event) };
}

/** Answers 304 without a body if the caller has the same answer already (RFC 9110, 13.1.2). */
export function unlessKnown({ headers }: Event, answer: HttpAnswer): HttpAnswer {
  const { etag, ...others } = answer.headers ?? {};
  if (etag === undefined || answer.status !== 200) return answer;
  const noneMatch = parseETags("If-None-Match", headers["if-none-match"]);
  if (noneMatch === undefined) return answer;
  const known = revisionsIn(noneMatch);
  const isKnown = known === "any" || known.some((revision) => `"${revision}"` === etag);
  return isKnown ? { status: 304, headers: { ...others, etag }, body: undefined } : answer;
}

function parseETags(field: string, header: string | undefined) {
  if (header === undefined) return undefined;
  const text = inPath(field, etags, header);
  if (text === "*") return "any";
  return [...text.matchAll(/(W\/)?"([^"]*)"/g)].map(
    ([, weak, revision = ""]): ETag => ({ revision, weak: weak !== undefined }),
  );
}

const revisionsIn = (
  etags: "any" | readonly ETag[],
  counts: (etag: ETag) => boolean = () => true,
): Revisions => (etags === "any" ? etags : etags.filter(counts).map(({ revision }) => revision));
