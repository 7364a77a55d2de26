import type * as v from "valibot";
import { PROBLEMS, type ProblemCode } from "../api/schema/problem.ts";
import { problem } from "./answers.ts";
import type { Route } from "./routes.ts";
import { gatewayProblem, schemaOf } from "./schemas.ts";
import { RESPONSE_HEADER_WORDS } from "./words.ts";

/** Codes that any request can return, and codes of requests with a body. */
const ANYWHERE: readonly ProblemCode[] = [
  "forbidden",
  "unreadable",
  "throttled",
  "internal_error",
  "contended",
  "unavailable",
  "table_frozen",
];
/** Codes that a local server, without API Gateway, can return before routing. */
const AT_THE_DOOR: readonly ProblemCode[] = [
  "unauthenticated",
  "foreign_host",
  "foreign_origin",
  "request_timeout",
  "headers_too_large",
];
const WITH_PARAMETERS: readonly ProblemCode[] = ["invalid_request"];
const WITH_BODY: readonly ProblemCode[] = ["payload_too_large", "unsupported_media_type"];

/** Returns the problem codes that a route can return. */
export const problemsOf = ({ query, body, rejections }: Route): readonly ProblemCode[] => [
  ...(query ? WITH_PARAMETERS : []),
  ...(body ? WITH_BODY : []),
  ...rejections,
  ...ANYWHERE,
  ...AT_THE_DOOR,
];

/**
 * API Gateway's own answers, `{"message": …}`, and their reasons
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html). With IAM a request without a right
 * signature is 403, never 401; with JSON Web Tokens a request without a valid token is 401.
 */
const BY_GATEWAY: Readonly<Record<number, string>> = {
  401: "The request has no valid token",
  403: "The request is not signed, its signature is wrong, or IAM does not allow the call",
  413: "The body is larger than API Gateway accepts",
  429: "More requests a second than the stage accepts",
  431: "The headers are larger than API Gateway accepts",
  500: "The function failed",
  503: "The function did not answer",
};

type Header = keyof typeof RESPONSE_HEADER_WORDS;

const headersNamed = (...names: readonly Header[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Returns the headers of answers as components. */
export const componentHeaders = () =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADER_WORDS).map(([name, description]) => [
      name,
      { description, schema: { type: name === "retry-after" ? "integer" : "string" } },
    ]),
  );

/** Returns every response of a route by its status. One to a HEAD has no content. */
export function responsesOf(route: Route, method: string) {
  const codes = problemsOf(route);
  const statuses = new Set([
    ...Object.keys(route.answers).map(Number),
    ...codes.map((code) => PROBLEMS[code].status),
    ...Object.keys(BY_GATEWAY).map(Number),
  ]);
  if (!route.body) statuses.delete(PROBLEMS.payload_too_large.status);
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const isAnswer = Object.hasOwn(route.answers, status);
      const of = codes.filter((code) => PROBLEMS[code].status === status);
      const response = isAnswer ? answered(route, status) : rejected(status, of);
      const { content: _, ...head } = response;
      return [status, method === "HEAD" ? head : response];
    }),
  );
}

function answered(route: Route, status: number): Response {
  const schema = route.answers[status];
  const { headers = [], summary } = route;
  const hasEtag = headers.includes("If-None-Match");
  const hasLocation = status === 201 || status === 202;
  const names: Header[] = [
    "x-request-id",
    ...(hasEtag ? (["etag"] as const) : []),
    ...(hasLocation ? (["location"] as const) : []),
  ];
  if (status === 304)
    return {
      description: "The resource still has an ETag that If-None-Match names.",
      headers: headersNamed(...names),
    };
  return {
    description: `${status === 202 ? "The work has started; the job has its progress" : summary}.`,
    headers: headersNamed(...names),
    content: {
      ...json(schema),
      ...(route.ndjson && ndjsonContent("A result of `results` a line.")),
    },
  };
}

/** Returns the content of NDJSON, which OpenAPI 3.1 can describe as a text only. */
export const ndjsonContent = (description: string) => ({
  "application/x-ndjson": { schema: { type: "string", description } },
});

interface Response {
  readonly description: string;
  readonly headers: object;
  readonly content?: object;
  /** The codes that a problem under this status may have in answer to this request. */
  readonly "x-problem-codes"?: readonly ProblemCode[];
}

const json = (schema: v.GenericSchema | undefined) => ({
  "application/json": { schema: schema ? schemaOf(schema) : { type: "object" } },
});

/** Returns the response of a status with the codes of Plat, the message of API Gateway, or both. */
function rejected(status: number, codes: readonly ProblemCode[]): Response {
  const byGateway = BY_GATEWAY[status];
  const isTold = codes.some((code) => PROBLEMS[code].retryAfterSeconds !== undefined);
  const told = codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`);
  return {
    description: [...told, ...(byGateway ? [`By API Gateway: ${byGateway}.`] : [])].join(" "),
    headers: headersNamed(
      ...(codes.length > 0 ? (["x-request-id"] as const) : []),
      ...(isTold ? (["retry-after"] as const) : []),
      ...(byGateway ? (["apigw-requestid"] as const) : []),
    ),
    content: {
      ...(codes.length > 0 && { "application/problem+json": { schema: schemaOf(problem) } }),
      ...(byGateway && { "application/json": { schema: schemaOf(gatewayProblem) } }),
    },
    ...(codes.length > 0 && { "x-problem-codes": codes }),
  };
}
