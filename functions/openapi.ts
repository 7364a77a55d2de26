import { authorized } from "../src/api/http/authorized.ts";
import { actorOf, type BodyOf, type Event } from "../src/api/http/event.ts";
import { NO_TABLE } from "../src/api/http/http.ts";
import { leadsNowhere, routesAt } from "../src/api/http/routing.ts";
import { Problem } from "../src/api/schema/problem.ts";
import { cut } from "../src/api/schema/schema.ts";
import { BUILD } from "../src/base/build.ts";
import { eventSchemaOf, eventSchemas } from "../src/contract/event-schemas.ts";
import { openApi } from "../src/contract/openapi.ts";
import { EVERY_SPACE, type Grant } from "../src/contract/roles.ts";
import { isRoot, rootAnswer } from "../src/netbox/status.ts";

const document = openApi();
const schemas = eventSchemas();
/** The grant of a caller whom the gate of a local server has let in. */
const EVERYTHING: readonly Grant[] = [{ role: "operator", space: EVERY_SPACE }];

/** Serves the OpenAPI document and the schemas of events. It is the only function of the API without access to the table. */
export const handler = authorized<"openapi">(NO_TABLE, {
  "GET /principal": async (event) => ({ status: 200, body: principalAnswer(event) }),
  "GET /version": async () => ({ status: 200, body: BUILD }),
  "GET /openapi.json": async () => ({ status: 200, body: document }),
  "GET /schemas": async () => ({ status: 200, body: schemas }),
  "GET /schemas/{type}": async ({ pathParameters: { type = "" } = {} }) => {
    const schema = eventSchemaOf(type);
    if (schema) return { status: 200, body: schema };
    throw noSchema(type);
  },
  /** Serves unknown routes; otherwise API Gateway would answer with its own message. */
  $default: nowhere,
});

/** Returns who sends a request, and the grants by which it is decided. With IAM its policies decide, and Plat does not know them. */
function principalAnswer(event: Event): BodyOf<"GET /principal"> {
  const { iam, tenant, grants } = event.requestContext.authorizer ?? {};
  const known = grants ?? (iam ? undefined : EVERYTHING);
  return {
    principal: actorOf(event).principal,
    ...(tenant?.name !== undefined && { tenant: tenant.name }),
    ...(known && { grants: known }),
  };
}

function noSchema(type: string): Problem {
  return new Problem("not_found", `No event has the type ${cut(type)}. GET /schemas has them all.`);
}

async function nowhere(event: Event) {
  const { method, path } = event.requestContext.http;
  // API Gateway takes no route for the root of NetBox's dialect, which needs no table.
  if (isRoot(path) && (method === "GET" || method === "HEAD")) return rootAnswer(event);
  throw leadsNowhere(method, path, routesAt(path.split("/")));
}
