import { type Event, http, route } from "../src/edge/http.ts";
import { openApi, openApiAnswer } from "../src/edge/openapi.ts";
import { leadsNowhere, routesAt } from "../src/edge/routing.ts";

const document = openApi();

/** The one function that has no business with the table. */
export const handler = http({
  "GET /openapi.json": route(
    () => undefined,
    async () => document,
    openApiAnswer,
  ),
  /** What no route takes; without this API Gateway would answer in words of its own. */
  $default: nowhere,
});

async function nowhere({ requestContext }: Event) {
  const { method, path } = requestContext.http;
  return leadsNowhere(method, path, routesAt(path.split("/")));
}
