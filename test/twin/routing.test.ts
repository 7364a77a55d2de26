import { expect, it } from "vitest";
import { routeFor } from "../../twin/routing.ts";

const routes = (...keys: string[]) =>
  keys.map((key) => ({ key, authorizer: { type: "iam" } as const, functionArn: key }));

const AWS_EXAMPLE = routes(
  "$default",
  "ANY /{proxy+}",
  "GET /pets/{proxy+}",
  "GET /pets/dog/{id}",
  "GET /pets/dog/1",
);

it.each([
  ["GET", "/pets/dog/1", "GET /pets/dog/1"],
  ["GET", "/pets/dog/2", "GET /pets/dog/{id}"],
  ["GET", "/pets/cat/1", "GET /pets/{proxy+}"],
  ["POST", "/test/5", "ANY /{proxy+}"],
  ["POST", "/pets/dog/1", "ANY /{proxy+}"],
])("of the routes of AWS' example %s %s takes %s", (method, path, key) => {
  expect(routeFor(AWS_EXAMPLE, method, path.split("/"))?.key).toBe(key);
  expect(routeFor(AWS_EXAMPLE.toReversed(), method, path.split("/"))?.key).toBe(key);
});

it.each([
  ["PUT", "/v1/pools/a", "PUT /v1/pools/{name}"],
  ["POST", "/v1/pools/a", "ANY /v1/pools/{name}"],
  ["GET", "/v1/pools", "$default"],
  ["GET", "/v1/pools/", "$default"],
  ["GET", "/v1/pools/a/b", "$default"],
  ["GET", "/v1/handles/a/b/c", "GET /v1/handles/{handle+}"],
  ["GET", "/v1/handles/", "$default"],
])("%s %s takes %s", (method, path, key) => {
  const own = routes(
    "ANY /v1/pools/{name}",
    "PUT /v1/pools/{name}",
    "GET /v1/handles/{handle+}",
    "$default",
  );
  expect(routeFor(own, method, path.split("/"))?.key).toBe(key);
});

it("leads nowhere without a default route", () => {
  expect(routeFor(routes("GET /a"), "GET", ["", "b"])).toBeUndefined();
});
