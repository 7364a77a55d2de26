import type { Written } from "../allocator/administration.ts";
import { formatTime } from "../domain/time.ts";
import type { Answer } from "./http.ts";

/** The ETag of a thing is its revision in quotes. */
export function etagOf({ revision }: { readonly revision?: string | undefined }) {
  return revision === undefined ? {} : { etag: `"${revision}"` };
}

/** The answer to an operator's write: what stands there now, and from when on everybody acts on it. */
export function written<T>(result: Written<T>, body: object, revision?: string): Answer {
  return {
    status: result.created ? 201 : 200,
    headers: etagOf({ revision }),
    body: { ...body, effectiveAt: formatTime(result.effectiveAtMs) },
  };
}
