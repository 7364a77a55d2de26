import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { inTime } from "../deadline.ts";
import { Refusal } from "../domain/outcome.ts";
import { logger } from "./logger.ts";
import { PROBLEMS, Problem, problemAnswer, problemOf } from "./problem.ts";
import { cut } from "./schema.ts";
import { pathIn, withoutSpace } from "./space-path.ts";

/** A request as API Gateway's HTTP API hands it over (payload format 2.0): header names in lower case, the path decoded. */
export type Event = APIGatewayProxyEventV2;

export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The path of what was made, without its space, such as `/v1/jobs/1`. */
  readonly location?: string;
}

export type Handler = (event: Event) => Promise<APIGatewayProxyStructuredResultV2>;

type Route = (event: Event) => Promise<Answer | Problem | Refusal>;

/** One route as a sentence: parse the event, call the core, answer. Either of the first two may say no. */
export function route<Input, Result>(
  parse: (event: Event) => Input | Problem,
  call: (input: Input) => Promise<Result | Problem | Refusal>,
  answer: (result: Result, requestId: string, input: Input) => Answer,
): Route {
  return async (event) => {
    const input = parse(event);
    if (input instanceof Problem) return input;
    const result = await call(input);
    if (result instanceof Problem || result instanceof Refusal) return result;
    return located(answer(result, event.requestContext.requestId, input), event);
  };
}

/** The answer with a header that says where to find what was made: by the form of path that its caller may use. */
function located({ location, ...answer }: Answer, { pathParameters }: Event): Answer {
  if (location === undefined) return answer;
  const headers = { ...answer.headers, location: pathIn(pathParameters?.space, location) };
  return { ...answer, headers };
}

/**
 * The handler of a function, and one log line for each request.
 *
 * @param routes by their keys in API Gateway, each by the one that names no space; the other leads to the same
 */
export function http(routes: Readonly<Record<string, Route>>): Handler {
  return async (event) => {
    const { routeKey, requestContext } = event;
    const startedAtMs = performance.now();
    let result: Answer | Problem;
    let error: unknown;
    try {
      const { method, path } = requestContext.http;
      const key = withoutSpace(routeKey);
      const serve = Object.hasOwn(routes, key) ? routes[key] : undefined;
      const answered = serve ? await inTime(() => serve(event)) : noRoute(method, path);
      result = answered instanceof Refusal ? problemOf(answered) : answered;
    } catch (thrown) {
      error = thrown;
      result = problemOf(thrown);
    }
    log(result, {
      requestId: requestContext.requestId,
      route: routeKey,
      durationMs: Math.round(performance.now() - startedAtMs),
      ...(error !== undefined && { error }),
    });
    return encoded(
      result instanceof Problem ? problemAnswer(result, requestContext.requestId) : result,
    );
  };
}

export const noRoute = (method: string, path: string): Problem =>
  new Problem("not_found", `There is no route ${method} ${cut(path)}.`);

/** JSON of a body; an answer without headers of its own is plain JSON. */
export function encoded({ status, headers, body }: Answer): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

function log(result: Answer | Problem, line: Record<string, unknown>): void {
  const code = result instanceof Problem ? result.code : undefined;
  const status = code === undefined ? (result as Answer).status : PROBLEMS[code].status;
  const entry = { status, ...(code !== undefined && { code }), ...line };
  if (status === 500) logger.error("failed", entry);
  else if (status > 500) logger.warn("not served for now", entry);
  else logger.info(code === undefined ? "answered" : "refused", entry);
}
