import { expect, it } from "vitest";
import { EVERY_SPACE, isAllowed, ROLES, roleFor } from "../../src/contract/roles.ts";
import { keysOf as keysOfRoute, ROUTES } from "../../src/contract/routes.ts";

const keysOf = (role: string | undefined) =>
  ROUTES.flatMap(keysOfRoute).filter((key) => roleFor(key) === role);

it("a reader may call every GET and HEAD, and nothing that writes", () => {
  for (const key of keysOf("reader")) expect(key).toMatch(/^(GET|HEAD) \/v1\//);
});

it("a caller may also assign, release, amend and report conflicts, by both forms of path", () => {
  expect(keysOf("caller").sort()).toEqual([
    "DELETE /v1/handles/{handle+}",
    "DELETE /v1/spaces/{space}/handles/{handle+}",
    "PATCH /v1/addresses/{ip}",
    "PATCH /v1/spaces/{space}/addresses/{ip}",
    "POST /v1/addresses/{ip}/conflict",
    "POST /v1/assign",
    "POST /v1/batch",
    "POST /v1/prefixes",
    "POST /v1/prefixes/release",
    "POST /v1/release",
    "POST /v1/spaces/{space}/addresses/{ip}/conflict",
    "POST /v1/spaces/{space}/assign",
    "POST /v1/spaces/{space}/batch",
    "POST /v1/spaces/{space}/prefixes",
    "POST /v1/spaces/{space}/prefixes/release",
    "POST /v1/spaces/{space}/release",
  ]);
});

it("a cluster may also send events, lists of its nodes and CiliumNodes, and register namespaces and applications", () => {
  const unprefixed = keysOf("cluster").filter((key) => !key.includes("/spaces/"));
  expect(unprefixed.sort()).toEqual([
    "DELETE /v1/applications/{namespace}/{kind}/{name}",
    "DELETE /v1/namespaces/{namespace}",
    "DELETE /v1/nodes/{node}/cilium",
    "POST /v1/events",
    "POST /v1/nodes/complete",
    "PUT /v1/applications/{namespace}/{kind}/{name}",
    "PUT /v1/namespaces/{namespace}",
    "PUT /v1/nodes/{node}/cilium",
  ]);
  expect(keysOf("cluster")).toHaveLength(2 * unprefixed.length);
});

it("every other write is an operator's", () => {
  for (const key of keysOf("operator")) expect(key).toMatch(/^(POST|PUT|PATCH|DELETE) \/v1\//);
  expect(roleFor("PUT /v1/pools/{name}")).toBe("operator");
  expect(roleFor("DELETE /v1/spaces/{space}/addresses/{ip}/conflict")).toBe("operator");
});

it("health, readiness, version, principal, the OpenAPI document and unknown paths require no role", () => {
  expect(
    keysOf(undefined)
      .map((key) => key.replace(/.* /, ""))
      .sort(),
  ).toEqual(
    [
      "/healthz",
      "/openapi.json",
      "/principal",
      "/readyz",
      "/schemas",
      "/schemas/{type}",
      "/version",
    ].flatMap((path) => [path, path]),
  );
  expect(isAllowed([], "GET /healthz", "default")).toBe(true);
  expect(isAllowed([], "$default", "default")).toBe(true);
});

it("a grant holds in its space only, and with an asterisk in every space", () => {
  const pools = "GET /v1/spaces/{space}/pools";
  expect(isAllowed([{ role: "reader", space: "blue" }], pools, "blue")).toBe(true);
  expect(isAllowed([{ role: "reader", space: "blue" }], pools, "red")).toBe(false);
  expect(isAllowed([{ role: "reader", space: "blue" }], pools, "*")).toBe(false);
  expect(isAllowed([{ role: "reader", space: EVERY_SPACE }], pools, "red")).toBe(true);
});

it("the list of spaces is for those who may read every space", () => {
  for (const method of ["GET", "HEAD"]) {
    const key = `${method} /v1/spaces`;
    expect(isAllowed([{ role: "reader", space: EVERY_SPACE }], key, "default")).toBe(true);
    for (const space of ["default", "blue", "spaces"])
      expect(isAllowed([{ role: "operator", space }], key, "default")).toBe(false);
  }
});

it("each role may do what the one before may", () => {
  const allowed = ROLES.map((role) =>
    ROLES.map((required) =>
      keysOf(required).every((key) => isAllowed([{ role, space: EVERY_SPACE }], key, "blue")),
    ),
  );
  expect(allowed).toEqual([
    [true, false, false, false],
    [true, true, false, false],
    [true, true, true, false],
    [true, true, true, true],
  ]);
});
