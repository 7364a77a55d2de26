import { describe, expect, it } from "vitest";
import { leadsNowhere, routesAt } from "../../../src/api/http/routing.ts";
import { problemAnswer } from "../../../src/api/schema/problem.ts";
import { ROUTES } from "../../../src/contract/routes.ts";

const keysAt = (...segments: string[]) =>
  routesAt(["", ...segments]).map(({ method, path }) => `${method} ${path}`);

const answerTo = (method: string, path: string) =>
  problemAnswer(leadsNowhere(method, path, routesAt(path.split("/"))), "request-1");

describe("a path", () => {
  it("leads to the routes that have its segments, by name or by place", () => {
    expect(keysAt("v1", "config")).toEqual(["GET /v1/config", "PUT /v1/config"]);
    expect(keysAt("v1", "addresses", "10.0.0.7")).toEqual([
      "GET /v1/addresses/{ip}",
      "PATCH /v1/addresses/{ip}",
    ]);
  });

  it("may have more segments only where the last of its route stands for all that are left", () => {
    expect(keysAt("v1", "blocks", "10.0.0.0", "26")).toEqual(["GET /v1/blocks/{cidr+}"]);
    expect(keysAt("v1", "pools", "a", "b")).toEqual([]);
  });

  it("leads by either form to the same routes, in the space that it names or in the default one", () => {
    expect(keysAt("v1", "spaces", "blue", "config")).toEqual([
      "GET /v1/spaces/{space}/config",
      "PUT /v1/spaces/{space}/config",
    ]);
    expect(keysAt("v1", "spaces")).toEqual(["GET /v1/spaces"]);
    expect(keysAt("v1", "spaces", "blue")).toEqual(["DELETE /v1/spaces/{space}"]);
    expect(keysAt("v1", "spaces", "pools", "pools")).toEqual(["GET /v1/spaces/{space}/pools"]);
    expect(keysAt("v1", "spaces", "blocks", "blocks", "10.0.0.0", "26")).toEqual([
      "GET /v1/spaces/{space}/blocks/{cidr+}",
    ]);
  });

  it.each([
    [["v1", "spaces", ""]],
    [["v1", "spaces", "", "pools"]],
    [["v1", "spaces", "blue", "spaces", "red", "pools"]],
    [["v1", "spaces", "blue", "healthz"]],
    [["v1", "pools", ""]],
    [["V1", "pools"]],
    [["v1"]],
    [[""]],
    [["", "v1", "pools"]],
  ])("of %j leads nowhere", (segments) => {
    expect(keysAt(...segments)).toEqual([]);
  });

  it.each(ROUTES)("of $method $path leads to its own route", ({ method, path }) => {
    const segments = path.split("/").slice(1);
    expect(keysAt(...segments)).toContain(`${method} ${path}`);
  });
});

describe("a request that no route takes", () => {
  it("is told that there is nothing at its path", () => {
    expect(answerTo("GET", "/v2/pools")).toMatchObject({
      status: 404,
      headers: { "content-type": "application/problem+json" },
      body: { code: "not_found", detail: "There is no route GET /v2/pools." },
    });
  });

  it("is told which methods its path takes, in the answer and in Allow", () => {
    expect(answerTo("DELETE", "/v1/config")).toMatchObject({
      status: 405,
      headers: { "content-type": "application/problem+json", allow: "GET, HEAD, PUT" },
      body: {
        code: "method_not_allowed",
        detail: "/v1/config takes GET, HEAD, PUT.",
        allow: ["GET", "HEAD", "PUT"],
      },
    });
    expect(answerTo("PATCH", "/v1/spaces/blue/handles/a/b")).toMatchObject({
      status: 405,
      headers: { allow: "DELETE, GET, HEAD" },
      body: { detail: "/v1/spaces/blue/handles/a/b takes DELETE, GET, HEAD." },
    });
  });
});
