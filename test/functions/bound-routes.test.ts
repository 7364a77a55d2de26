import { expect, it } from "vitest";
import { authorized } from "../../src/api/http/authorized.ts";
import type { AnswerOf } from "../../src/api/http/event.ts";
import { NO_TABLE } from "../../src/api/http/http.ts";

const [requestId, address, handle, owner] = ["r", "10.0.0.7", "h", {}] as const;

/** Each line below an expected error must be one, or `npm run typecheck` fails. */
it("the compiler rejects a function that leaves out one of its routes, or binds another", () => {
  const route = async () => ({ status: 200 as const, body: { requestId, address, handle, owner } });
  const amend = { "PATCH /v1/addresses/{ip}": route };
  authorized<"amend">(NO_TABLE, amend);
  // @ts-expect-error -- the function must bind its route
  authorized<"amend">(NO_TABLE, {});
  // @ts-expect-error -- the route belongs to another function
  authorized<"amend">(NO_TABLE, { "PATCH /v1/addresses/{ip}": route, "GET /v1/pools": route });
  // @ts-expect-error -- no route has this method
  authorized<"amend">(NO_TABLE, { "PUT /v1/addresses/{ip}": route });
  // @ts-expect-error -- one function alone answers what no route takes
  authorized<"amend">(NO_TABLE, { ...amend, $default: route });
  // @ts-expect-error -- a call that names no function must bind all routes
  authorized(NO_TABLE, amend);
});

it("the compiler rejects an answer that the route does not declare", () => {
  type Amended = AnswerOf<"PATCH /v1/addresses/{ip}">;
  const body = { requestId, address, handle, owner };
  const answers: readonly Amended[] = [
    { status: 200, body },
    // @ts-expect-error -- the status is not declared
    { status: 201, body },
    // @ts-expect-error -- a field is missing
    { status: 200, body: { requestId, address, handle } },
    // @ts-expect-error -- a field has another type
    { status: 200, body: { ...body, expiresAt: 1 } },
    // @ts-expect-error -- the schema has no such field
    { status: 200, body: { requestId, address, handle, owner, colour: "red" } },
  ];
  expect(answers).toHaveLength(5);
});
