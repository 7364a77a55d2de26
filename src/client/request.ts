import { LOST_IN_PATH, LOST_IN_PATH_WORDS } from "../api/schema/field.ts";
import { InvalidCall } from "./errors.ts";

/** The query of a request by parameter. An absent value is left out, and a list repeats its parameter. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** One request to the API. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Made with `path`, so that no character in a name has a special meaning. It has no space, because the client adds
   * its own.
   */
  readonly path: Path;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * True if the request is idempotent, whatever other callers do between two tries. Reads and keyed requests are
   * idempotent.
   */
  readonly isRepeatable?: boolean;
  /** Aborts the request, whatever its outcome; the reason of the signal is thrown. */
  readonly signal?: AbortSignal;
}

/** The answer to a request. */
export interface Reply<Body> {
  readonly status: number;
  /** The version of the resource, for a later write with `If-Match`. */
  readonly etag: string | undefined;
  readonly body: Body;
}

/** An object as it was read; nothing if it was not there. */
export type Seen = Pick<Reply<unknown>, "etag"> | undefined;

/** Returns the precondition of a write: the ETag that was read, or that the object does not exist. */
export const asSeen = (seen: Seen) =>
  seen?.etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: seen.etag };

/** Sends one request, and returns the answer. A failure is thrown as a `PlatError`. */
export type Call = <Body>(request: Request) => Promise<Reply<Body>>;

/** A path whose variable parts are encoded. */
export type Path = string & { readonly brand: "path" };

/**
 * Makes a path such as `path`\`/v1/pools/${name}\``: each part is one segment, whatever its text. Errors: no URL can
 * contain it.
 */
export const path = (texts: TemplateStringsArray, ...parts: readonly string[]): Path =>
  String.raw({ raw: texts }, ...parts.map(segment)) as Path;

/** Returns true if a path can contain the text. */
export const isPathPart = (text: string): boolean => pathProblem(text) === undefined;

/** Encodes a text as one segment of a path. Errors: no URL can contain it. */
export function segment(text: string): string {
  const problem = pathProblem(text);
  if (problem !== undefined) throw new InvalidCall(`${JSON.stringify(text)} ${problem}.`);
  return encodeURIComponent(text);
}

/** Returns the reason why API Gateway or a URL would change the path segment; nothing if neither would. */
function pathProblem(text: string): string | undefined {
  if (text === "") return "is no name: it is empty";
  if (LOST_IN_PATH.test(text)) return LOST_IN_PATH_WORDS;
  // https://url.spec.whatwg.org/#double-dot-path-segment: clients resolve these even if they are encoded.
  return text === "." || text === ".."
    ? "is no name that can be asked for: in a URL it means a folder"
    : undefined;
}
