import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { invalid, problemAnswer } from "../../contract/schema/problem.ts";
import { cut } from "../../contract/schema/schema.ts";
import type { Event } from "./event.ts";
import { encoded, type Handler } from "./http.ts";
import { eventOfRest, prefixOf, type RestEvent } from "./rest-event.ts";

/**
 * Returns a handler that serves requests of an HTTP API and of a REST API alike. A `Location` in an answer begins with
 * the stage of the REST API, because callers send that too.
 *
 * @param isServed true for the key of a route that the handler serves
 */
export function ofEitherApi(
  serve: Handler,
  isServed: (routeKey: string) => boolean,
): (event: Event | RestEvent) => Promise<APIGatewayProxyStructuredResultV2> {
  return async (received) => {
    if (!("httpMethod" in received)) return serve(received);
    const event = eventOfRest(received, isServed);
    if (!event) return unreadablePath(received);
    const answer = await serve(event);
    const { location } = answer.headers ?? {};
    return location === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, location: `${prefixOf(received)}${location}` } };
  };
}

function unreadablePath({ path, requestContext: { requestId } }: RestEvent) {
  const problem = invalid({ field: "path", value: cut(path), problem: "is not a valid path" });
  return encoded(problemAnswer(problem, requestId), requestId);
}
