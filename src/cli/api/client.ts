import type * as v from "valibot";
import type { problem } from "../../contract/answers/answers.ts";
import { LOST_IN_PATH, LOST_IN_PATH_WORDS } from "../../contract/schema/field.ts";
import { CommandError, EXIT, usageError } from "../shell/exit.ts";
import { ADVICE } from "./advice.ts";

export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Made with `path`, so that no character in a name has a special meaning. It has no space, because the client adds
   * its own.
   */
  readonly path: Path;
  readonly query?: Query;
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

export interface Reply<Body> {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: Body;
}

/** The API, in one address space. A rejection is thrown as an `ApiError`. */
export interface Client {
  readonly space: string;
  call<Body>(request: Request): Promise<Reply<Body>>;
}

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

function segment(text: string): string {
  const problem = pathProblem(text);
  if (problem !== undefined) throw usageError(`${JSON.stringify(text)} ${problem}.`);
  return encodeURIComponent(text);
}

/** Returns the reason why API Gateway or a URL would change the path segment; nothing if neither would. */
function pathProblem(text: string): string | undefined {
  if (LOST_IN_PATH.test(text)) return LOST_IN_PATH_WORDS;
  // https://url.spec.whatwg.org/#double-dot-path-segment: clients resolve these even if they are encoded.
  return text === "." || text === ".."
    ? "is no name that can be asked for: in a URL it means a folder"
    : undefined;
}

export type ApiProblem = v.InferOutput<typeof problem>;

/** A rejection by the API. */
export class ApiError extends CommandError {
  readonly problem: ApiProblem;

  constructor(said: ApiProblem) {
    super(said.status >= 500 ? EXIT.unreachable : EXIT.rejected, sentencesOf(said));
    this.problem = said;
  }
}

/** A request without an answer: all or a part of it may have been carried out. */
export class Unanswered extends CommandError {
  constructor(message: string) {
    super(EXIT.unreachable, message);
  }
}

/** The request found no connection, so nothing was sent. */
export class NotSent extends CommandError {
  constructor(message: string) {
    super(EXIT.unreachable, message);
  }
}

/**
 * Returns true if a failed request may have been carried out. False if there was no connection, because nothing was
 * sent.
 */
export const mayBeDone = (error: CommandError): boolean =>
  error instanceof Unanswered || (error instanceof ApiError && error.problem.status >= 500);

/**
 * Returns the detail, the invalid fields with their values, whether a repeat may help, and the id of the request in the
 * log.
 */
function sentencesOf(said: ApiProblem): string {
  const { code, detail, fields = [], retryable, retryAfterSeconds: after, requestId } = said;
  const { handle } = said;
  const advice = ADVICE[code];
  const wait = after === undefined ? "" : `, after ${after} s`;
  return [
    detail,
    ...(advice !== undefined ? [advice] : []),
    ...fields
      .filter(({ value }) => value !== undefined)
      .map(({ field, value }) => `field: ${field} = ${JSON.stringify(value)}`),
    // The handle under which a caller can release the addresses of an interrupted assign.
    ...(typeof handle === "string" ? [`handle: ${handle}`] : []),
    ...(retryable ? [`retryable: yes${wait}`] : []),
    `code: ${code}`,
    `request: ${requestId}`,
  ].join("\n");
}

/** Returns true if the API rejected the request with this code. */
export const isRejection = (error: unknown, code: ApiProblem["code"]): error is ApiError =>
  error instanceof ApiError && error.problem.code === code;

/** Returns the found resource, or nothing. */
export async function found<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isRejection(error, "not_found")) return undefined;
    throw error;
  }
}

/** Yields the pages of a long answer, up to the last. */
export async function* pages<Page extends { readonly next?: string | undefined }>(
  client: Client,
  route: Path,
  query: Query = {},
  method: "GET" | "DELETE" = "GET",
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  do {
    const { body } = await client.call<Page>({
      method,
      path: route,
      query: { ...query, cursor },
    });
    yield body;
    cursor = body.next;
  } while (cursor !== undefined);
}
