import { openApi } from "../src/contract/openapi/openapi.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import type { Event } from "../src/edge/http/event.ts";
import { route } from "../src/edge/http/http.ts";
import { leadsNowhere, routesAt } from "../src/edge/http/routing.ts";

const document = openApi();

/** Serves the OpenAPI document. It is the only function without access to the table. */
export const handler = authorized({
  "GET /openapi.json": route(
    () => undefined,
    async () => document,
    (body) => ({ status: 200, body }),
  ),
  /** Serves unknown routes; otherwise API Gateway would answer with its own message. */
  $default: nowhere,
});

async function nowhere({ requestContext }: Event) {
  const { method, path } = requestContext.http;
  return leadsNowhere(method, path, routesAt(path.split("/")));
}
