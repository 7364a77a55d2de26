import { it } from "vitest";
import { authorized } from "../../src/edge/http/authorized.ts";
import { NO_TABLE, type Route } from "../../src/edge/http/http.ts";

const route: Route = async () => ({ status: 200, body: {} });

/** Each line below an expected error must be one, or `npm run typecheck` fails. */
it("the compiler rejects a function that leaves out one of its routes, or binds another", () => {
  const amend = { "PATCH /v1/addresses/{ip}": route };
  authorized<"amend">(NO_TABLE, amend);
  // @ts-expect-error -- the function must bind its route
  authorized<"amend">(NO_TABLE, {});
  // @ts-expect-error -- the route belongs to another function
  authorized<"amend">(NO_TABLE, { "PATCH /v1/addresses/{ip}": route, "GET /v1/pools": route });
  // @ts-expect-error -- no route has this method
  authorized<"amend">(NO_TABLE, { "PUT /v1/addresses/{ip}": route });
  // @ts-expect-error -- one function alone answers what no route takes
  authorized<"batch">(NO_TABLE, { "POST /v1/batch": route, $default: route });
  // @ts-expect-error -- a call that names no function must bind all routes
  authorized(NO_TABLE, amend);
});
