import * as v from "valibot";
import { expect, it } from "vitest";
import { handler } from "../../functions/openapi.ts";
import { type FieldProblem, orProblem, PROBLEMS, Problem } from "../../src/api/schema/problem.ts";
import { checked } from "../../src/api/schema/schema.ts";
import { methodsOf, ROUTES } from "../../src/contract/routes.ts";
import { schemaOf } from "../../src/contract/schemas.ts";
import { FIELD_WORDS } from "../../src/contract/words.ts";
import { eventOf } from "../api/event.ts";
import { call } from "./plat.ts";

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
  const routes = ROUTES.flatMap((route) =>
    methodsOf(route).map((method) => `${method} ${route.path.replace("+}", "}")}`),
  );
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

it("a body is described by the schema that it is read with, and its defaults by words", () => {
  const { schema } = document.paths["/v1/assign"].post.requestBody.content["application/json"];
  expect(schema).toEqual({ $ref: "#/components/schemas/AssignRequest" });
  expect(document.components.schemas.AssignRequest).toMatchObject({
    type: "object",
    additionalProperties: false,
    required: ["host"],
    properties: {
      ipv4: {
        ...{ type: "integer", minimum: 0, maximum: 4096 },
        description: expect.stringMatching(/ Default: `0`\.$/),
      },
      attributes: { type: "object", maxProperties: 50, additionalProperties: { type: "string" } },
      pools: { type: "array", maxItems: 256 },
    },
  });
});

it("each schema of the document is one that a request, an answer or another schema uses", () => {
  const used = new Set(partsOf(document).map(({ $ref }) => $ref));
  const names = Object.keys(document.components.schemas);
  expect(names.filter((name) => !used.has(`#/components/schemas/${name}`))).toEqual([]);
});

it("the document has nothing of which generators make clients that do not compile", () => {
  const { schemas } = document.components;
  expect(fieldsOf(schemas).filter(([, field]) => "default" in field)).toEqual([]);
  expect(
    partsOf(document).filter(({ anyOf = [] }) => anyOf.some(({ type }) => type === "null")),
  ).toEqual([]);
  expect(Object.keys(schemas)).not.toContain("Configuration");
});

it("a pool may be put as JSON and as YAML, in its own form, in Calico's and in Spiderpool's", () => {
  const { content } = document.paths["/v1/pools/{name}"].put.requestBody;
  expect(Object.keys(content)).toEqual(["application/json", "application/yaml"]);
  expect(content["application/yaml"].schema).toEqual({
    $ref: "#/components/schemas/PoolRequestForms",
  });
  expect(document.components.schemas.PoolRequestForms.anyOf).toEqual([
    { $ref: "#/components/schemas/PoolRequest" },
    { $ref: "#/components/schemas/PoolManifest" },
    { $ref: "#/components/schemas/SpiderIpPoolManifest" },
    { $ref: "#/components/schemas/SpiderSubnetManifest" },
  ]);
  const { PoolRequest: own, PoolManifest: manifest } = document.components.schemas;
  expect(own.required).toEqual(["cidr"]);
  expect(manifest.properties.kind).toMatchObject({ const: "IPPool" });
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
  const { description, "x-problem-codes": codes } = responses[409];
  expect(codes).toContain("pool_exhausted");
  expect(description).toContain("`pool_exhausted`: No address is available.");
  for (const code of codes) expect(PROBLEMS[code as keyof typeof PROBLEMS].status).toBe(409);
});

const operationsOf = (): Operation[] =>
  Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap((methods) =>
    Object.values(methods),
  );

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly description?: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: object; readonly headers: object }>
  >;
}

/** Returns every field of a schema that has no description. */
function silentIn(schema: unknown, where: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  const silent = Object.entries(properties)
    .filter(([, { description }]) => !description)
    .map(([name]) => `${where}.${name}`);
  const within = Object.entries(schema).flatMap(([key, value]) =>
    silentIn(value, `${where}.${key}`),
  );
  return [...silent, ...within];
}

it("every field, every parameter and every operation is described", () => {
  const { schemas } = document.components;
  expect(Object.entries(schemas).flatMap(([name, schema]) => silentIn(schema, name))).toEqual([]);
  const parameters = operationsOf().flatMap(({ operationId, parameters }) =>
    parameters.filter(({ description }) => !description).map(() => operationId),
  );
  expect(parameters).toEqual([]);
});

it("each `complete` says of what: no two of answers that mean other things have the same words", () => {
  const { schemas } = document.components;
  const complete = (name: string) => schemas[name].properties.complete.description;
  const OWN = [
    "HostReleased",
    "AddressesReleased",
    "NodesCompleted",
    "RangeClaimed",
    "AffinitiesReleased",
    "PoolUtilization",
    "SpaceUtilization",
    "OrphanPage",
    "ReservationWarning",
    "Application",
    "ApplicationRequest",
    "PrefixesReleased",
    "BatchAnswer",
  ];
  const words = OWN.map(complete);
  expect(new Set(words).size).toBe(OWN.length);
  expect(complete("HandleReleased")).toBe(complete("HostReleased"));
  expect(complete("ApplicationWritten")).toBe(complete("Application"));
  const having = Object.keys(schemas).filter((name) => schemas[name].properties?.complete);
  expect(having.sort()).toEqual([...OWN, "HandleReleased", "ApplicationWritten"].sort());
});

it("words that are kept for a field of a schema find it", () => {
  const { schemas } = document.components;
  for (const name of Object.keys(FIELD_WORDS).filter((name) => name.includes("."))) {
    const [within = "", field = ""] = name.split(".");
    const of = within in schemas ? [schemas[within]] : fieldsNamed(within, schemas);
    const has = of.some((schema) => fieldsOf(schema).some(([one]) => one === field));
    expect({ name, has }).toEqual({ name, has: true });
  }
});

it("fields of one name have the same words only if they have values of one kind", () => {
  const kinds = new Map<string, Map<string, string>>();
  for (const [component, schema] of Object.entries<Schema>(document.components.schemas))
    for (const [place, field] of placedIn(schema, component)) {
      const words = `${place.slice(place.lastIndexOf(".") + 1)}: ${field.description}`;
      const seen = kinds.get(words) ?? new Map();
      kinds.set(words, seen);
      for (const kind of kindsOf(field)) if (!seen.has(kind)) seen.set(kind, place);
    }
  const mixed = [...kinds].filter(([, { size }]) => size > 1);
  expect(mixed.map(([words, places]) => ({ words, places: Object.fromEntries(places) }))).toEqual(
    [],
  );
});

it("a pattern that takes no empty text has its least length beside it, for programs that read no pattern", () => {
  const patterns = partsOf(document).filter(({ pattern }) => typeof pattern === "string");
  expect(patterns.length).toBeGreaterThan(100);
  const without = patterns.filter(
    ({ pattern = "", minLength = 0 }) => minLength === 0 && !new RegExp(pattern, "u").test(""),
  );
  expect(without).toEqual([]);
});

it("a parameter of a query is required exactly where the server rejects a request without it", () => {
  for (const { id, method, path, query = {} } of ROUTES) {
    const { parameters } = document.paths[path.replace("+}", "}")][method.toLowerCase()];
    const said = parameters
      .filter((one: Parameter & { required?: boolean }) => one.in === "query" && one.required)
      .map(({ name }: Parameter) => name);
    const demanded = Object.entries(query)
      .filter(([, schema]) => !v.safeParse(schema as v.GenericSchema, undefined).success)
      .map(([name]) => name);
    expect({ id, said }).toEqual({ id, said: demanded });
  }
});

it("a field of a body is required exactly where the server tells that it is missing, at each depth", () => {
  for (const { id, body = [] } of ROUTES)
    for (const form of body) {
      const told = missingIn(form, resolved(schemaOf(form) as Schema));
      expect({ id, ...told }).toEqual({ id, ...told, by: told.said });
    }
});

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolved(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""]);

/** Returns the required fields of a body: those of its document, and those that the server misses. */
function missingIn(form: v.GenericSchema, schema: Schema) {
  const places = [[], ...objectsIn(schema)];
  const said = places.flatMap((place) =>
    (schemaAt(schema, place).required ?? []).map((name) => [...place, name].join(".")),
  );
  const by = places.flatMap((place) => {
    const sent = place.reduceRight((value, name) => ({ [name]: value }), {});
    const read = orProblem(() => checked(form, sent));
    const fields = read instanceof Problem ? (read.members.fields as readonly FieldProblem[]) : [];
    const missing = fields.filter(({ problem }) => problem === "is required");
    return missing.map(({ field }) => field).filter((field) => isIn(place, field));
  });
  return { said: said.toSorted(), by: by.toSorted() };
}

const isIn = (place: readonly string[], field: string): boolean =>
  field.split(".").slice(0, -1).join(".") === place.join(".");

const schemaAt = (schema: Schema, place: readonly string[]): Schema =>
  place.reduce((within, name) => resolved(within.properties?.[name] ?? {}), schema);

/** Returns the places of the objects in a body that have fields of their own. */
const objectsIn = (schema: Schema, at: readonly string[] = []): readonly (readonly string[])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = resolved(field);
    return inner.properties ? [[...at, name], ...objectsIn(inner, [...at, name])] : [];
  });

interface Schema {
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly pattern?: string;
  readonly minLength?: number;
}

/** Returns everything in a document that may be a schema. */
const partsOf = (value: unknown): readonly Schema[] =>
  typeof value === "object" && value !== null
    ? [value, ...Object.values(value).flatMap(partsOf)]
    : [];

/** Returns the fields of a schema, also those that it has in one of its forms or for each of its entries. */
function fieldsOf(schema: unknown): readonly (readonly [name: string, field: Schema])[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, ...others } = schema as Schema;
  return [...Object.entries(properties ?? {}), ...Object.values(others).flatMap(fieldsOf)];
}

const fieldsNamed = (name: string, schema: unknown): readonly Schema[] =>
  fieldsOf(schema).flatMap(([one, field]) => [
    ...(one === name ? [field] : []),
    ...fieldsNamed(name, field),
  ]);

/** Returns every field in a schema by its place. */
const placedIn = (
  schema: Schema,
  at: string,
): readonly (readonly [place: string, field: Schema])[] =>
  fieldsOf(schema).flatMap(([name, field]) => [
    [`${at}.${name}`, field] as const,
    ...placedIn(field, `${at}.${name}`),
  ]);

/** Returns what values of a field are: numbers, lists, or other ones. A count beyond 2^53 is a text. */
function kindsOf({ $ref, type, anyOf }: Schema): readonly string[] {
  if ($ref !== undefined) return kindsOf(document.components.schemas[$ref.split("/").at(-1) ?? ""]);
  if (!anyOf) return [type ?? []].flat().filter((one) => one !== "null");
  const kinds = new Set(anyOf.flatMap(kindsOf));
  return kinds.has("integer") ? ["integer"] : kinds.has("object") ? ["object"] : [...kinds];
}

/** The operations that answer with a document of another kind. */
const DOCUMENTS: ReadonlySet<string> = new Set(["describe", "listSchemas", "readSchema"]);

it("a batch may be sent and answered in lines, which are a text to the document", () => {
  const { requestBody, responses } = document.paths["/v1/batch"].post;
  const lines = { "application/x-ndjson": { schema: { type: "string" } } };
  expect(requestBody.content).toMatchObject(lines);
  expect(responses[200].content).toMatchObject(lines);
});

it("bodies are component schemas, by reference", () => {
  for (const { operationId, responses } of operationsOf()) {
    const schemas = Object.values(responses).flatMap(({ content = {} }) =>
      Object.entries(content)
        .filter(([type]) => type !== "application/x-ndjson")
        .map(([, { schema }]: [string, { schema: object }]) => schema),
    );
    const inline = schemas.filter((schema) => !("$ref" in schema));
    expect({ operationId, inline }).toEqual({
      operationId,
      inline: DOCUMENTS.has(operationId) ? [{ type: "object" }] : [],
    });
  }
});

it("API Gateway's own rejections stand beside Plat's, each in its own body", () => {
  const { responses } = document.paths["/v1/assign"].post;
  expect(responses).not.toHaveProperty("504");
  for (const status of [401, 403, 413, 429, 431, 500, 503]) {
    const { content, headers } = responses[status];
    expect(content["application/json"].schema.$ref).toMatch(/GatewayProblem$/);
    expect(content["application/problem+json"].schema.$ref).toMatch(/Problem$/);
    expect(headers).toHaveProperty("apigw-requestid");
  }
});

it("answers have their headers: the request's id everywhere, an ETag and a Location where there is one", () => {
  for (const { operationId, responses } of operationsOf())
    for (const [status, { headers }] of Object.entries(responses))
      expect({ operationId, status, headers }).toMatchObject({
        headers: { "x-request-id": { $ref: "#/components/headers/x-request-id" } },
      });
  const { put } = document.paths["/v1/pools/{name}"];
  expect(Object.keys(put.responses[201].headers)).toEqual(["x-request-id", "etag", "location"]);
  expect(Object.keys(put.responses[200].headers)).toEqual(["x-request-id", "etag"]);
  const { post } = document.paths["/v1/pools/{name}/drain"];
  expect(Object.keys(post.responses[202].headers)).toContain("location");
});

it("a HEAD is described as its GET, without content", () => {
  const { get, head } = document.paths["/v1/pools/{name}"];
  expect(head.parameters).toEqual(get.parameters);
  expect(Object.keys(head.responses)).toEqual(Object.keys(get.responses));
  for (const response of Object.values(head.responses))
    expect(response).not.toHaveProperty("content");
});

it("the Idempotency-Key says what it is scoped by, for how long, and what follows", () => {
  const { parameters } = document.paths["/v1/assign"].post;
  const key = parameters.find(({ name }: Parameter) => name === "Idempotency-Key");
  for (const words of [
    "while all of them are assigned",
    "for 24 hours after the last release, it gets `already_released`",
    "the space and the handle",
    "gets other addresses",
  ])
    expect(key.description).toContain(words);
});

it.each([
  ["/v1/prefixes", "post", "Idempotency-Key", /^(?!.*makes a handle).*gets the same prefix/],
  ["/v1/spaces/{space}/prefixes", "post", "Idempotency-Key", /gets the same prefix/],
  ["/v1/prefixes", "get", "cidr", /exactly this network/],
  ["/v1/nodes/{node}/pod-cidrs", "delete", "cidr", /exactly this network/],
  ["/v1/addresses", "get", "pool", /^Only this pool, by name\./],
  ["/v1/blocks", "get", "pool", /^Only this pool, by name\./],
  ["/v1/affinities", "get", "pool", /^Only this pool, by name\./],
  ["/v1/utilization", "get", "pool", /name or its CIDR/],
])("%s %s describes its own %s", (path, method, part, words) => {
  const { parameters } = document.paths[path][method];
  const found = parameters.find(({ name }: Parameter) => name === part);
  expect(found.description).toMatch(words);
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
