import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { Rejection, type WriteCounts } from "../../base/outcome.ts";
import type { Connect, Context, Work } from "../../kernel/core/context.ts";
import { pathIn, withoutSpace } from "../route.ts";
import { PROBLEMS, Problem, problemAnswer, problemOf } from "../schema/problem.ts";
import { cut } from "../schema/schema.ts";
import { actorOf, type Event, type HttpAnswer } from "./event.ts";
import { logger } from "./logger.ts";
import { NDJSON, ndjsonText } from "./ndjson.ts";
import { unlessKnown } from "./write.ts";

export type Handler = (event: Event) => Promise<APIGatewayProxyStructuredResultV2>;

/** The handler of one route. It throws the problem of a request that does not parse. */
export type RouteHandler<Answered extends HttpAnswer = HttpAnswer> = (
  event: Event,
  work: Work,
) => Promise<Answered | Rejection>;

/**
 * Makes the handler of a route: it parses the event, calls the core, and answers. A parser throws the problem of its request,
 * and the core returns a rejection. A call whose input asks for a dry run gets a context that keeps nothing.
 */
export function route<Input, Result, Answered extends HttpAnswer>(
  parse: (event: Event) => Input,
  call: (plat: Context, input: Input, work: Work) => Promise<Result | Rejection>,
  answer: (result: Result, requestId: string, input: Input) => Answered,
): RouteHandler<Answered> {
  return async (event, work) => {
    const input = parse(event);
    const result = await call(isDryRun(input) ? work.dryRun() : work.plat, input, work);
    if (result instanceof Rejection) return result;
    return answer(result, event.requestContext.requestId, input);
  };
}

/** Connects a function without access to the table, none of whose routes asks for it. */
export const NO_TABLE: Connect = () => ({
  get plat(): Context {
    throw new Error("this function has no table");
  },
  dryRun() {
    throw new Error("this function has no table");
  },
});

const isDryRun = (input: unknown): boolean =>
  typeof input === "object" && input !== null && "dryRun" in input && input.dryRun === true;

/**
 * Serves the requests of a function, and writes one log line for each. It serves a HEAD as the GET of its path
 * (RFC 9110, 9.3.2); `answerTo` leaves out the body.
 *
 * @param routes by their keys in API Gateway, without a space in the path; the path with a space leads to the same
 * route
 */
export function http(
  connect: Connect,
  routes: Readonly<Record<string, RouteHandler>>,
): (event: Event, counts: WriteCounts) => Promise<HttpAnswer | Problem> {
  return async (event, counts) => {
    const { routeKey, requestContext } = event;
    const startedAtMs = performance.now();
    let result: HttpAnswer | Problem;
    let error: unknown;
    try {
      const { method, path } = requestContext.http;
      const key = servedKey(routeKey);
      const serve = Object.hasOwn(routes, key) ? routes[key] : undefined;
      if (!serve) throw noRoute(method, path);
      const answered = await serve(
        event,
        connect({ actor: actorOf(event), isAwaited: true, counts }),
      );
      if (answered instanceof Rejection) result = problemOf(answered);
      else
        result = key.startsWith("GET ") ? unlessKnown(event, answered) : located(event, answered);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) error = thrown;
      result = problemOf(thrown);
    }
    log(result, {
      requestId: requestContext.requestId,
      route: routeKey,
      durationMs: Math.round(performance.now() - startedAtMs),
      ...(error !== undefined && { error }),
    });
    return result;
  };
}

/** Encodes what a request comes to for API Gateway. */
export function answerTo(
  { requestContext: { requestId, http } }: Event,
  result: HttpAnswer | Problem,
): APIGatewayProxyStructuredResultV2 {
  const answer = result instanceof Problem ? problemAnswer(result, requestId) : result;
  return encoded(http.method === "HEAD" ? { ...answer, body: undefined } : answer, requestId);
}

/** Returns the key by which a function knows the route: without a space, and GET for HEAD. */
export const servedKey = (routeKey: string): string =>
  withoutSpace(routeKey).replace(/^HEAD /, "GET ");

/**
 * Adds the location of the created resource, in the form of path that the caller may use. A PUT creates at its own
 * path; API Gateway may or may not decode that path.
 */
function located(
  { rawPath, pathParameters }: Event,
  { location: made, ...answer }: HttpAnswer,
): HttpAnswer {
  const put = answer.status === 201 ? rawPath.split("/").map(encodedOnce).join("/") : undefined;
  const location = made === undefined ? put : pathIn(pathParameters?.space, made);
  return location === undefined ? answer : { ...answer, headers: { ...answer.headers, location } };
}

const encodedOnce = (segment: string) => encodeURIComponent(decodeURIComponent(segment));

export const noRoute = (method: string, path: string): Problem =>
  new Problem("not_found", `There is no route ${method} ${cut(path)}.`);

/** Encodes an answer for API Gateway: JSON or NDJSON if it has a body, and the id of the request in the log. */
export function encoded(
  { status, headers, body, lines }: HttpAnswer,
  requestId: string,
): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: {
      ...(status !== 304 && { "content-type": lines ? NDJSON : "application/json" }),
      ...headers,
      "x-request-id": requestId,
    },
    ...(body && { body: lines ? ndjsonText(body as readonly unknown[]) : JSON.stringify(body) }),
  };
}

function log(result: HttpAnswer | Problem, line: Record<string, unknown>): void {
  const code = result instanceof Problem ? result.code : undefined;
  const status = code === undefined ? (result as HttpAnswer).status : PROBLEMS[code].status;
  const entry = { status, ...(code !== undefined && { code }), ...line };
  if (status === 500) logger.error("failed", entry);
  else if (status > 500) logger.warn("not served for now", entry);
  else logger.info(code === undefined ? "answered" : "rejected", entry);
}
