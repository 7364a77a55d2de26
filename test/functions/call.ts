import { ROUTES } from "../../src/edge/api.ts";
import type { Reply } from "../../src/local/client.ts";
import type { Handlers } from "../../src/local/server.ts";
import { eventOf, type Request } from "../edge/event.ts";

/** A request through the handler that the API's route leads to, without HTTP. */
export async function callHandler(
  handlers: Handlers,
  method: string,
  path: string,
  request: Request = {},
): Promise<Reply> {
  const event = eventOf(method, path, request);
  const route = ROUTES.find((route) => event.routeKey === `${route.method} ${route.path}`);
  if (!route) throw new Error(`there is no route ${method} ${path}`);
  const { statusCode, headers, body } = await handlers[route.function](event);
  return {
    status: statusCode ?? 0,
    headers: (headers ?? {}) as Reply["headers"],
    body: JSON.parse(body ?? "null"),
  };
}
