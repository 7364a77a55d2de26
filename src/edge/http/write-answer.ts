import type { Written } from "../../allocator/admin/written.ts";
import { formatTime } from "../../domain/time.ts";

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
