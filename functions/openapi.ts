import { eventSchemaOf, eventSchemas } from "../src/contract/openapi/event-schemas.ts";
import { openApi } from "../src/contract/openapi/openapi.ts";
import { Problem } from "../src/contract/schema/problem.ts";
import { cut } from "../src/contract/schema/schema.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import type { Event } from "../src/edge/http/event.ts";
import { route } from "../src/edge/http/http.ts";
import { leadsNowhere, routesAt } from "../src/edge/http/routing.ts";
import { isRoot, rootAnswer } from "../src/edge/netbox/status.ts";

const document = openApi();
const schemas = eventSchemas();

/** Serves the OpenAPI document and the schemas of events. It is the only function of the API without access to the table. */
export const handler = authorized({
  "GET /openapi.json": route(
    () => undefined,
    async () => document,
    (body) => ({ status: 200, body }),
  ),
  "GET /schemas": route(
    () => undefined,
    async () => schemas,
    (body) => ({ status: 200, body }),
  ),
  "GET /schemas/{type}": route(
    ({ pathParameters }) => pathParameters?.type ?? "",
    async (type) => eventSchemaOf(type) ?? noSchema(type),
    (body) => ({ status: 200, body }),
  ),
  /** Serves unknown routes; otherwise API Gateway would answer with its own message. */
  $default: nowhere,
});

function noSchema(type: string): Problem {
  return new Problem("not_found", `No event has the type ${cut(type)}. GET /schemas has them all.`);
}

async function nowhere(event: Event) {
  const { method, path } = event.requestContext.http;
  // API Gateway takes no route for the root of NetBox's dialect, which needs no table.
  if (isRoot(path) && method === "GET") return rootAnswer(event);
  return leadsNowhere(method, path, routesAt(path.split("/")));
}
