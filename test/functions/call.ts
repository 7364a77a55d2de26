import type { Event } from "../../src/api/http/event.ts";
import { NDJSON } from "../../src/api/http/ndjson.ts";
import { keysOf, ROUTES, type Route } from "../../src/contract/routes.ts";
import type { HttpReply } from "../../src/local/client.ts";
import type { Handlers } from "../../src/local/server.ts";
import { eventOf, type Request } from "../api/event.ts";

/** Sends a request to the handler of its route, without HTTP. */
export async function callHandler(
  handlers: Handlers,
  method: string,
  path: string,
  request: Request = {},
): Promise<HttpReply> {
  return (await sendEvent(handlers, eventOf(method, path, request))).reply;
}

/** Sends the event that API Gateway would send, and returns the answer and the route. */
export async function sendEvent(
  handlers: Handlers,
  event: Event,
): Promise<{ readonly route: Route; readonly reply: HttpReply }> {
  const route = ROUTES.find((route) => keysOf(route).includes(event.routeKey));
  if (!route) throw new Error(`there is no route ${event.routeKey} ${event.rawPath}`);
  const { statusCode, headers, body } = await handlers[route.function](event);
  const reply = {
    status: statusCode ?? 0,
    headers: (headers ?? {}) as HttpReply["headers"],
    body: headers?.["content-type"] === NDJSON ? valuesIn(body) : JSON.parse(body ?? "null"),
  };
  return { route, reply };
}

/** Returns the values of the lines, each of which has an end. */
const valuesIn = (text = ""): readonly unknown[] =>
  text.match(/.*\n/g)?.map((line) => JSON.parse(line)) ?? [];
