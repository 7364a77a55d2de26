import { expect, it } from "vitest";
import { ROUTES } from "../../src/edge/api.ts";
import { PROBLEMS } from "../../src/edge/problem.ts";
import { eventOf } from "../edge/event.ts";
import { call } from "./plat.ts";

const { handler } = await import("../../functions/openapi.ts");

const { body: document } = await call("GET", "/openapi.json");

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: object;
}

it("the document has every route and no other", () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = ROUTES.map(({ method, path }) => `${method} ${path.replace("+}", "}")}`);
  expect(operations.sort()).toEqual(routes.sort());
});

it("each route has a name of its own, and says what each part of its path may be", () => {
  expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length);
  for (const { method, path } of ROUTES) {
    const { parameters } = document.paths[path.replace("+}", "}")][method.toLowerCase()];
    const inPath = parameters.filter((parameter: Parameter) => parameter.in === "path");
    expect(inPath.map(({ name }: Parameter) => `{${name}}`)).toEqual(
      path.replace("+}", "}").match(/\{\w+\}/g) ?? [],
    );
    for (const { schema } of inPath) expect(schema).toMatchObject({ type: "string" });
  }
});

it("a body is described by the schema that it is read with, defaults and all", () => {
  const { schema } = document.paths["/v1/assign"].post.requestBody.content["application/json"];
  expect(schema).toMatchObject({
    type: "object",
    additionalProperties: false,
    required: ["host"],
    properties: {
      ipv4: { type: "integer", minimum: 0, maximum: 4096, default: 0 },
      attributes: { type: "object", maxProperties: 50, additionalProperties: { type: "string" } },
      pools: { type: "array", maxItems: 256 },
    },
  });
});

it("a pool may be put as JSON and as YAML, in its own form and in Calico's", () => {
  const { content } = document.paths["/v1/pools/{name}"].put.requestBody;
  expect(Object.keys(content)).toEqual(["application/json", "application/yaml"]);
  const [own, manifest] = content["application/yaml"].schema.anyOf;
  expect(own.required).toEqual(["cidr"]);
  expect(manifest.properties.kind).toEqual({ const: "IPPool" });
});

it("patterns are written in what every language knows", () => {
  expect(JSON.stringify(document)).not.toMatch(/\\p\{/i);
  const { schema } = document.paths["/v1/handles/{handle}"].get.parameters[0];
  const handle = new RegExp(schema.pattern, "u");
  expect(["a/b", "ü 😀"].every((text) => handle.test(text))).toBe(true);
  expect(["", "a\n", "\ud800", "\u2028", "a?", "a%", "a#"].some((text) => handle.test(text))).toBe(
    false,
  );
});

it("the parameters of a query are described as what they stand for", () => {
  const { parameters } = document.paths["/v1/blocks"].get;
  const limit = parameters.find(({ name }: Parameter) => name === "limit");
  expect(limit.schema).toEqual({ type: "integer", minimum: 1, maximum: 1000, default: 100 });
  expect(parameters.map(({ name }: Parameter) => name)).not.toContain("space");
});

it("a route that acts in a space is there twice: in the default one, and in the one that its path names", () => {
  const [plain, named] = ["/v1/assign", "/v1/spaces/{space}/assign"].map(
    (path) => document.paths[path].post,
  );
  expect([plain.operationId, named.operationId]).toEqual(["assign", "assignInSpace"]);
  expect(named.parameters[0]).toMatchObject({
    name: "space",
    in: "path",
    required: true,
    schema: { type: "string", maxLength: 63 },
  });
  expect(named.requestBody).toEqual(plain.requestBody);
  expect(plain.description).toContain("`POST /v1/spaces/{space}/assign`");
  expect(named.summary).not.toBe(plain.summary);
  for (const path of ["/healthz", "/readyz", "/openapi.json"])
    expect(document.paths).not.toHaveProperty([`/v1/spaces/{space}${path}`]);
});

it("each route names the problems that it may answer with, under their status", () => {
  const { responses } = document.paths["/v1/assign"].post;
  const [, { properties }] = responses[409].content["application/problem+json"].schema.allOf;
  expect(properties.code.enum).toContain("pool_exhausted");
  for (const code of properties.code.enum)
    expect(PROBLEMS[code as keyof typeof PROBLEMS].status).toBe(409);
});

it.each([
  ["GET", "/", 404, "not_found", undefined],
  ["OPTIONS", "/v1/nothing", 404, "not_found", undefined],
  ["POST", "/v1/handles/a/b", 405, "method_not_allowed", "DELETE, GET, HEAD"],
  ["PATCH", "/v1/assign", 405, "method_not_allowed", "POST"],
])(
  "what no route takes is a problem, not API Gateway's own words: %s %s is %i",
  async (method, path, status, code, allow) => {
    const { statusCode, headers, body = "" } = await handler(eventOf(method, path));
    expect(statusCode).toBe(status);
    expect(headers?.["content-type"]).toBe("application/problem+json");
    expect(headers?.allow).toBe(allow);
    expect(JSON.parse(body)).toMatchObject({ code, requestId: "request-1" });
  },
);
