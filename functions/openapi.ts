import { http, route } from "../src/edge/http.ts";
import { openApi, openApiAnswer } from "../src/edge/openapi.ts";

const document = openApi();

/** The one function that has no business with the table. */
export const handler = http({
  "GET /openapi.json": route(
    () => undefined,
    async () => document,
    openApiAnswer,
  ),
});
