import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { problem } from "./answers.ts";
import { ROUTES, type Route } from "./api.ts";
import {
  address,
  cidr,
  etags,
  handleName,
  idempotencyKey,
  jobId,
  namespaceName,
  nodeName,
  resourceName,
  spaceName,
} from "./field.ts";
import type { Answer } from "./http.ts";
import { PROBLEMS, type ProblemCode } from "./problem.ts";
import { actsInSpace, inNamedSpace, SPACE_DEFAULT, withoutSpace } from "./space-path.ts";

/** What the parts of a path are called means the same in every route. */
const PATH_PARTS: Readonly<Record<string, v.GenericSchema>> = {
  ip: address,
  handle: handleName,
  cidr,
  name: resourceName,
  node: nodeName,
  namespace: namespaceName,
  id: jobId,
  space: spaceName,
};

const HEADERS = { "If-Match": etags, "If-None-Match": etags, "Idempotency-Key": idempotencyKey };

/** What any request may meet, and what any that has a body. */
const ANYWHERE: readonly ProblemCode[] = [
  "unreadable",
  "throttled",
  "internal_error",
  "contended",
  "unavailable",
];
const WITH_PARAMETERS: readonly ProblemCode[] = ["invalid_request", "headers_too_large"];
const WITH_BODY: readonly ProblemCode[] = ["payload_too_large", "unsupported_media_type"];

/** What such a route may answer with a problem for. */
export const problemsOf = ({ query, body, refusals }: Route): readonly ProblemCode[] => [
  ...(query ? WITH_PARAMETERS : []),
  ...(body ? WITH_BODY : []),
  ...refusals,
  ...ANYWHERE,
];

type Regex = v.RegexAction<string, undefined>;

/** Classes of Unicode as ranges: only some languages know the classes by name. */
const RANGES = {
  Cc: "\\u0000-\\u001f\\u007f-\\u009f",
  Cs: "\\ud800-\\udfff",
  Zl: "\\u2028",
  Zp: "\\u2029",
};

const portable = (pattern: string): string =>
  pattern
    .replace(/\\P\{(Cc|Cs)\}/g, (_, name: "Cc" | "Cs") => `[^${RANGES[name]}]`)
    .replace(/\\p\{(Cc|Cs|Zl|Zp)\}/g, (_, name: keyof typeof RANGES) => RANGES[name]);

const CONVERSION: ConversionConfig = {
  target: "draft-2020-12",
  typeMode: "input",
  // Rules over several fields, and what only the domain can read: JSON Schema has no words for them.
  ignoreActions: ["check", "raw_check"],
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === "custom" ? jsonSchema : undefined,
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === "regex"
      ? { ...jsonSchema, pattern: portable((valibotAction as Regex).requirement.source) }
      : undefined,
};

/** The OpenAPI 3.1 document of the API, from the very schemas that requests are read with. */
export function openApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    const path = route.path.replace("+}", "}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Plat",
      version: "1",
      summary: "An IP address manager",
      description:
        "Deployed, every request is signed with SigV4, and API Gateway refuses what is not before Plat sees it. The server on a laptop asks for no authentication.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ sigv4: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        sigv4: {
          type: "apiKey",
          name: "Authorization",
          in: "header",
          "x-amazon-apigateway-authtype": "awsSigv4",
        },
      },
      schemas: { Problem: schemaOf(problem) },
    },
  };
}

export const openApiAnswer = (document: object): Answer => ({ status: 200, body: document });

function operation(route: Route) {
  const { id, summary, body, answers } = route;
  return {
    operationId: id,
    summary,
    ...describedBySpace(route),
    parameters: [...inPath(route), ...inQuery(route), ...inHeaders(route)],
    ...(body && { requestBody: { required: true, content: contentOf(route, body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => [status, answer(route, status, schema)]),
      ),
      ...refused(problemsOf(route)),
    },
  };
}

/** In which space a route acts, and how to act in another. */
function describedBySpace({ method, path }: Route) {
  if (!actsInSpace(path)) return {};
  const named = inNamedSpace(withoutSpace(path));
  return {
    description:
      path === named
        ? "Acts in the space that the path names."
        : `Acts in the space \`${SPACE_DEFAULT}\`; \`${method} ${named.replace("+}", "}")}\` acts in any.`,
  };
}

const inPath = ({ path }: Route) =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: schemaOf(PATH_PARTS[name] as v.GenericSchema),
  }));

function inQuery({ query }: Route) {
  if (!query) return [];
  const entries = Object.entries({ ...query } as Record<string, v.GenericSchema>);
  return entries.map(([name, schema]) => ({
    name,
    in: "query",
    schema: inText(schemaOf(schema)),
  }));
}

const inHeaders = ({ headers = [] }: Route) =>
  headers.map((name) => ({ name, in: "header", schema: schemaOf(HEADERS[name]) }));

function contentOf({ yaml }: Route, forms: readonly v.GenericSchema[]) {
  const schemas = forms.map(schemaOf);
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return {
    "application/json": { schema },
    ...(yaml && { "application/yaml": { schema } }),
  };
}

function answer({ summary }: Route, status: string, schema: v.GenericSchema | undefined) {
  if (status === "304") return { description: "It is as If-None-Match names it" };
  const description = status === "202" ? "Begun: the job says how it goes on" : summary;
  return {
    description,
    content: { "application/json": { schema: schema ? schemaOf(schema) : { type: "object" } } },
  };
}

/** One response for each status, which names the codes that it may have. */
function refused(codes: readonly ProblemCode[]) {
  const statuses = new Set(codes.map((code) => PROBLEMS[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      problemResponse(codes.filter((code) => PROBLEMS[code].status === status)),
    ]),
  );
}

const problemResponse = (codes: readonly ProblemCode[]) => ({
  description: codes.map((code) => PROBLEMS[code].title).join("; "),
  content: {
    "application/problem+json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Problem" },
          { properties: { code: { enum: codes } } },
        ],
      },
    },
  },
});

function schemaOf(schema: v.GenericSchema) {
  const { $schema: _, ...json } = toJsonSchema(schema, CONVERSION);
  return json;
}

/** A default that stands in a query as text, as the value that it stands for. */
function inText({ default: usual, ...schema }: ReturnType<typeof schemaOf>) {
  if (usual === undefined) return schema;
  return { ...schema, default: schema.type === "string" ? usual : JSON.parse(String(usual)) };
}
