import type { Written } from "../../allocator/admin/written.ts";
import { formatTime } from "../../domain/time.ts";
import type { Answer } from "./event.ts";

/** Was a write asked for, or only its dry run? */
export interface DryRun {
  readonly dryRun: boolean;
}

/** The manifests in the body of a write that are not applied. */
export interface Ignoring {
  readonly ignored: readonly string[];
}

/** Nothing of a body is lost in silence. */
export const ignored = ({ ignored }: Ignoring) => (ignored.length > 0 ? { ignored } : {});

/** The ETag of a thing is its revision in quotes. */
export function etagOf({ revision }: { readonly revision?: string | undefined }) {
  return revision === undefined ? {} : { etag: `"${revision}"` };
}

/**
 * The answer to an operator's write: what stands there now, and from when on everybody acts on it. The answer to a dry run
 * is what would stand there: it has no ETag, and takes effect at no time.
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
