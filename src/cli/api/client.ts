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
  /** Made with `path`, so that nothing in a name can mean something else. Without a space: the client knows which. */
  readonly path: Path;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Does it come to the same where it is carried out twice, whatever others do in between? Reads do, and keyed requests. */
  readonly isRepeatable?: boolean;
  /** Gives the request up, whatever becomes of it; its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface Reply<Body> {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: Body;
}

/** The API, in one address space. A refusal is thrown as an `ApiError`. */
export interface Client {
  readonly space: string;
  call<Body>(request: Request): Promise<Reply<Body>>;
}

/** A path whose variable parts are encoded. */
export type Path = string & { readonly brand: "path" };

/** `path`\`/v1/pools/${name}\``: each part stands for one segment, whatever is in it. Errors: no URL can say it. */
export const path = (texts: TemplateStringsArray, ...parts: readonly string[]): Path =>
  String.raw({ raw: texts }, ...parts.map(segment)) as Path;

/** Can a path name it? */
export const isPathPart = (text: string): boolean => pathProblem(text) === undefined;

function segment(text: string): string {
  const problem = pathProblem(text);
  if (problem !== undefined) throw usageError(`${JSON.stringify(text)} ${problem}.`);
  return encodeURIComponent(text);
}

/** Returns the reason why API Gateway or a URL would change a path segment. */
function pathProblem(text: string): string | undefined {
  if (LOST_IN_PATH.test(text)) return LOST_IN_PATH_WORDS;
  // https://url.spec.whatwg.org/#double-dot-path-segment: these are followed even where they are encoded.
  return text === "." || text === ".."
    ? "is no name that can be asked for: in a URL it means a folder"
    : undefined;
}

export type ApiProblem = v.InferOutput<typeof problem>;

/** The API said no. */
export class ApiError extends CommandError {
  readonly problem: ApiProblem;

  constructor(said: ApiProblem) {
    super(said.status >= 500 ? EXIT.unreachable : EXIT.rejected, sentencesOf(said));
    this.problem = said;
  }
}

/** A request got no answer: all or a part of it may have been carried out. */
export class Unanswered extends CommandError {
  constructor(message: string) {
    super(EXIT.unreachable, message);
  }
}

/** A request found no connection: nothing was sent. */
export class NotSent extends CommandError {
  constructor(message: string) {
    super(EXIT.unreachable, message);
  }
}

/** Tells whether a request that failed may have been carried out. False where no connection was made: nothing was sent. */
export const mayBeDone = (error: CommandError): boolean =>
  error instanceof Unanswered || (error instanceof ApiError && error.problem.status >= 500);

/** The detail, the fields at fault with their values, whether the request may be repeated, and what finds it in the log. */
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
    // Of an assign that was cut short: what it has can be released by it.
    ...(typeof handle === "string" ? [`handle: ${handle}`] : []),
    ...(retryable ? [`retryable: yes${wait}`] : []),
    `code: ${code}`,
    `request: ${requestId}`,
  ].join("\n");
}

/** Was it this that the API said no for? */
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

/** The pages of a long answer, to the last. */
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
