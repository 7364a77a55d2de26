import type { Written } from "../../allocator/admin/written.ts";
import { formatTime } from "../../domain/time.ts";
import type { Answer } from "./event.ts";

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
export function written<T>(
  result: Written<T>,
  { dryRun }: DryRun,
  body: object,
  revision?: string,
): Answer {
  if (dryRun) return { status: 200, body: { ...body, dryRun } };
  return {
    status: result.created ? 201 : 200,
    headers: etagOf({ revision }),
    body: { ...body, effectiveAt: formatTime(result.effectiveAtMs) },
  };
}
