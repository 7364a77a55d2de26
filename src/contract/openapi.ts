import type * as v from "valibot";
import {
  actsInEverySpace,
  actsInSpace,
  inNamedSpace,
  SPACE_DEFAULT,
  TAGS,
  withoutSpace,
} from "../api/route.ts";
import {
  address,
  cidr,
  etags,
  handleInPath,
  idempotencyKey,
  jobId,
  kindName,
  namespaceName,
  nodeName,
  resourceName,
  spaceName,
} from "../api/schema/field.ts";
import { eventType } from "../nouns/event/contract/answer.ts";
import { componentHeaders, ndjsonContent, responsesOf } from "./responses.ts";
import { methodsOf, ROUTES, type Route } from "./routes.ts";
import { bodySchemaOf, componentSchemas, type JsonSchema, schemaOf } from "./schemas.ts";
import { HEADER_WORDS, PARAMETER_WORDS } from "./words.ts";

/** Schemas of path parameters by name; a name means the same in every route. */
const PATH_PARTS: Readonly<Record<string, v.GenericSchema>> = {
  ip: address,
  handle: handleInPath,
  cidr,
  name: resourceName,
  node: nodeName,
  namespace: namespaceName,
  kind: kindName,
  id: jobId,
  space: spaceName,
  type: eventType,
};

const HEADERS = { "If-Match": etags, "If-None-Match": etags, "Idempotency-Key": idempotencyKey };

/** Returns the OpenAPI 3.1 document of the API, made from the same schemas that parse the requests. */
export function openApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    const path = route.path.replace("+}", "}");
    const operations = methodsOf(route).map((method) => [
      method.toLowerCase(),
      operation(route, method),
    ]);
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Plat",
      version: "1",
      summary: "An IP address manager",
      description:
        "Assigns IPv4 and IPv6 addresses from pools to hosts, and releases them. Behind API Gateway every request is signed with SigV4. A local server requires a bearer token, or accepts requests from its own machine only. Every answer has the id of its request in `x-request-id`.",
      contact: { name: "The operators of this deployment" },
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: "/", description: "Where this document was read." }],
    security: [{ sigv4: [] }, { token: [] }, {}],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        sigv4: {
          type: "apiKey",
          name: "Authorization",
          in: "header",
          description: "AWS Signature Version 4, for the service `execute-api`.",
          "x-amazon-apigateway-authtype": "awsSigv4",
        },
        token: {
          type: "http",
          scheme: "bearer",
          description: "The token of a local server, if it has one.",
        },
      },
      headers: componentHeaders(),
      schemas: componentSchemas(),
    },
  };
}

function operation(route: Route, method: string) {
  const { id, tag, summary, body } = route;
  const isHead = method === "HEAD";
  return {
    operationId: isHead ? `${id}Headers` : id,
    tags: [tag],
    summary: isHead ? `Headers only: ${uncapitalised(summary)}` : summary,
    description: describedBySpace(route),
    parameters: [...inPath(route), ...inQuery(route), ...inHeaders(route)],
    ...(body && { requestBody: { required: true, content: contentOf(route, body) } }),
    responses: responsesOf(route, method),
  };
}

const uncapitalised = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** Describes the space in which a route acts, and how to act in another. */
function describedBySpace({ method, path }: Route): string {
  if (actsInEverySpace(path)) return "Requires its role in every space.";
  if (!actsInSpace(path)) return "Acts in no space.";
  const named = inNamedSpace(withoutSpace(path));
  return path === named
    ? "Acts in the space that the path names."
    : `Acts in the space \`${SPACE_DEFAULT}\`; \`${method} ${named.replace("+}", "}")}\` acts in any.`;
}

const inPath = ({ path }: Route) =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = ""]) => ({
    ...parameter(name, "path", schemaOf(PATH_PARTS[name] as v.GenericSchema)),
    required: true,
  }));

const inQuery = ({ id, query = {} }: Route) =>
  Object.entries(query as Readonly<Record<string, v.GenericSchema>>).map(([name, schema]) => {
    const own = PARAMETER_WORDS[wordsKey(id, name)];
    const { description = own, ...described } = parameter(name, "query", inText(schemaOf(schema)));
    // Each entry of an object is a parameter of its own, and has the name of its key.
    const entries = described.schema.type === "object" ? { style: "form", explode: true } : {};
    const required = schema.type !== "optional" && { required: true };
    return { ...described, ...required, description: own ?? description, ...entries };
  });

/** Returns a parameter, with the description of its schema if that has one. */
const parameter = (
  name: string,
  place: "path" | "query",
  { description, ...schema }: JsonSchema,
) => ({
  name,
  in: place,
  description: PARAMETER_WORDS[name] ?? description,
  schema,
});

/** Returns the name of the words that a route alone has for a part of its request, in any space. */
const wordsKey = (id: string, name: string) => `${id.replace(/InSpace$/, "")}.${name}`;

const inHeaders = ({ id, headers = [] }: Route) =>
  headers.map((name) => ({
    name,
    in: "header",
    description: HEADER_WORDS[wordsKey(id, name)] ?? HEADER_WORDS[name],
    schema: schemaOf(HEADERS[name]),
  }));

function contentOf({ yaml, ndjson }: Route, forms: readonly v.GenericSchema[]) {
  const schema = bodySchemaOf(forms);
  return {
    "application/json": { schema },
    ...(yaml && { "application/yaml": { schema } }),
    ...(ndjson && ndjsonContent("A request of `requests` a line.")),
  };
}

/** Parses a default that a query has as text into its value. */
function inText({ default: usual, ...schema }: JsonSchema): JsonSchema {
  if (usual === undefined) return schema;
  return { ...schema, default: schema.type === "string" ? usual : JSON.parse(String(usual)) };
}
