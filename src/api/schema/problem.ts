import {
  ContentionError,
  CorruptItemError,
  type CutShort,
  isCutShort,
  Rejection,
  type RejectionCode,
  TableFrozenError,
  ThrottledError,
} from "../../base/outcome.ts";

/** Codes that only the edge returns. */
type EdgeCode =
  | "payload_too_large"
  | "unsupported_media_type"
  | "method_not_allowed"
  | "name_mismatch"
  | "unauthenticated"
  | "forbidden"
  | "tenant_mismatch"
  | "foreign_host"
  | "foreign_origin"
  | "unreadable"
  | "request_timeout"
  | "headers_too_large"
  | "contended"
  | "throttled"
  | "unavailable"
  | "table_frozen"
  | "not_published"
  | "cursor_expired"
  | "internal_error";

export type ProblemCode = RejectionCode | EdgeCode;

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** True if the same request can succeed later without a change by its caller or an operator. */
  readonly retryable?: true;
  /** Seconds to wait if no better value is known. */
  readonly retryAfterSeconds?: number;
}

/** The one table of all rejections. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  invalid_request: { status: 400, title: "The request is not valid" },
  unauthenticated: { status: 401, title: "The request has no valid token" },
  forbidden: { status: 403, title: "The caller lacks a role" },
  pool_forbidden: { status: 403, title: "The pool does not serve this caller" },
  tenant_mismatch: { status: 403, title: "The caller belongs to another tenant" },
  foreign_host: { status: 403, title: "The Host header names another server" },
  foreign_origin: { status: 403, title: "Web pages must not call this server" },
  not_found: { status: 404, title: "Not found" },
  not_published: { status: 404, title: "Events are not published here" },
  cursor_expired: { status: 410, title: "The events after the cursor are no longer kept" },
  method_not_allowed: { status: 405, title: "The path does not support this method" },
  already_assigned: { status: 409, title: "The address is already assigned" },
  pool_exhausted: { status: 409, title: "No address is available" },
  no_pool_available: { status: 409, title: "No pool can serve this request" },
  block_too_small: { status: 400, title: "The range is smaller than a block" },
  host_not_registered: { status: 409, title: "The host is not registered" },
  block_limit: { status: 409, title: "The host has reached its block limit" },
  handle_limit: { status: 409, title: "The handle has reached its address limit" },
  strict_affinity: { status: 409, title: "The block belongs to another host" },
  generation_conflict: { status: 409, title: "The address belongs to another assignment" },
  request_in_progress: {
    status: 409,
    title: "The same request is in progress",
    retryable: true,
    retryAfterSeconds: 1,
  },
  already_released: { status: 409, title: "The addresses of this request were already released" },
  address_cooling: { status: 409, title: "The address is cooling", retryable: true },
  address_quarantined: { status: 409, title: "The address is in quarantine after a conflict" },
  prefix_mismatch: { status: 409, title: "The node confirmed another prefix" },
  prefix_in_use: { status: 409, title: "A pool is made of the prefix" },
  node_gone: { status: 409, title: "The node has ended" },
  other_cluster: { status: 409, title: "The node belongs to another cluster" },
  too_many_missing: { status: 409, title: "The list lacks too many nodes" },
  pool_overlap: { status: 409, title: "The range belongs to another pool" },
  pool_in_use: { status: 409, title: "The pool is in use" },
  pool_deleting: {
    status: 409,
    title: "The pool is being deleted",
    retryable: true,
    retryAfterSeconds: 60,
  },
  space_in_use: { status: 409, title: "The space is not empty" },
  unreadable: { status: 409, title: "A stored item cannot be read" },
  request_timeout: { status: 408, title: "The request did not arrive in time", retryable: true },
  headers_too_large: { status: 431, title: "The headers are too large" },
  precondition_failed: { status: 412, title: "The resource has changed" },
  payload_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The media type of the body is not supported" },
  idempotency_mismatch: { status: 422, title: "The key was used for another request" },
  name_mismatch: { status: 422, title: "The body and the URL name different resources" },
  precondition_required: { status: 428, title: "If-Match is required" },
  quota_exceeded: { status: 409, title: "A quota allows no more" },
  rate_limited: {
    status: 429,
    title: "A quota allows no more requests now",
    retryable: true,
    retryAfterSeconds: 1,
  },
  throttled: {
    status: 429,
    title: "The database is throttling requests",
    retryable: true,
    retryAfterSeconds: 1,
  },
  internal_error: { status: 500, title: "Internal error" },
  contended: {
    status: 503,
    title: "Concurrent requests won each time",
    retryable: true,
    retryAfterSeconds: 1,
  },
  unavailable: {
    status: 503,
    title: "The database does not answer",
    retryable: true,
    retryAfterSeconds: 2,
  },
  // No retry helps before an operator has acted.
  table_frozen: { status: 503, title: "The table is frozen" },
};

/** A no in the words of HTTP. A parser throws it; `orProblem` makes it a value again. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** A sentence for a person. */
  readonly detail: string;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, detail: string, members: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.code = code;
    this.detail = detail;
    this.members = members;
  }
}

/** Returns what a parser returns, or the problem that it throws. Any other error passes through. */
export function orProblem<T>(parse: () => T): T | Problem {
  try {
    return parse();
  } catch (error) {
    return thrownProblem(error);
  }
}

/** Returns the problem that was thrown, for the `catch` of a promise. Any other error passes through. */
export function thrownProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** One mistake in a request. */
export interface FieldProblem {
  /**
   * The path to it, as in `cidrs[2]` or `attributes.pod`; `?space` and `Idempotency-Key` for parts outside of the body.
   */
  readonly field: string;
  /** The received value, shortened. */
  readonly value?: unknown;
  /** Reads on from the field's name: "must be …". */
  readonly problem: string;
}

const FIELDS_MAX = 50;
const FIELDS_IN_DETAIL_MAX = 3;

/** Makes the problem of an invalid request, with its reasons. */
export const invalid = (...problems: readonly FieldProblem[]): Problem => invalidAll(problems);

/**
 * Makes the problem with all mistakes of a request, up to a maximum, so that a nonsense body gets no answer of a
 * megabyte. It takes the mistakes as one argument, because a call cannot have a hundred thousand arguments.
 */
export function invalidAll(problems: readonly FieldProblem[]): Problem {
  const sentences = problems
    .slice(0, FIELDS_IN_DETAIL_MAX)
    .map(({ field, problem }) => `${field} ${problem}`);
  const more = problems.length - sentences.length;
  return new Problem(
    "invalid_request",
    `${sentences.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`,
    { fields: problems.slice(0, FIELDS_MAX) },
  );
}

/** Converts a rejection or an error to a problem. An unexpected error reveals nothing. */
export function problemOf(no: unknown): Problem {
  if (no instanceof Problem) return no;
  if (no instanceof Rejection) return new Problem(no.code, no.detail, no.members);
  if (no instanceof ContentionError) return new Problem("contended", sentence(no.message));
  if (no instanceof ThrottledError)
    return new Problem("throttled", sentence(no.message), heldBy(no));
  if (no instanceof CorruptItemError)
    return new Problem(
      "unreadable",
      `${no.sentence} It is kept as it is, and nothing is handed out from it; an operator must look at it.`,
      { ...no.members },
    );
  if (no instanceof TableFrozenError)
    return new Problem(
      "table_frozen",
      `${sentence(no.message)} Reads are served, and nothing is written. ${no.wayOut}`,
    );
  if (isCutShort(no)) return new Problem("unavailable", sentence(no.message), heldBy(no));
  return new Problem("internal_error", "The request failed; its id finds the reason in the log.");
}

/** Returns the handle under which a caller can release what an assign that was cut short took. */
const heldBy = ({ handle }: CutShort) => (handle === undefined ? {} : { handle });

/** Returns the problem document of RFC 9457. */
export function problemAnswer({ code, detail, members }: Problem, requestId: string) {
  const { status, title, retryable = false, retryAfterSeconds: usual } = PROBLEMS[code];
  const { allow } = members;
  const mayWait = members.retryable !== false;
  const retryAfterSeconds = (members.retryAfterSeconds ?? (mayWait ? usual : undefined)) as
    | number
    | undefined;
  const type = `urn:plat:problem:${code}`;
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      // https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
      ...(status === 401 && { "www-authenticate": 'Bearer realm="plat"' }),
      ...(Array.isArray(allow) && { allow: allow.join(", ") }),
    },
    body: {
      type,
      title,
      status,
      detail,
      code,
      retryable,
      requestId,
      ...members,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
