import type { Event } from "../../src/api/http/event.ts";
import { methodsOf, ROUTES } from "../../src/contract/routes.ts";

export interface Request {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A parameter with several values is repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** The ARN of the caller that signed the request, if the API authenticates callers. */
  readonly caller?: string;
}

/** Returns the event that API Gateway makes of a request. A body without a content type is JSON; bytes become Base64. */
export function eventOf(method: string, path: string, request: Request = {}): Event {
  const { body, headers = {}, query, caller } = request;
  const segments = path.split("/");
  const route = ROUTES.find(
    (route) => methodsOf(route).some((known) => known === method) && fits(route.path, segments),
  );
  const routeKey = route ? `${method} ${route.path}` : "$default";
  const parameters = (route?.path.split("/") ?? [])
    .map(
      (part, i) => [part, part.endsWith("+}") ? segments.slice(i) : [segments[i] ?? ""]] as const,
    )
    .filter(([part]) => part.startsWith("{"))
    .map(([part, values]) => [part.replaceAll(/[{}+]/g, ""), decodeURIComponent(values.join("/"))]);
  return {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString: new URLSearchParams(pairsOf(query)).toString(),
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(query && {
      queryStringParameters: Object.fromEntries(
        Object.entries(query).map(([name, values]) => [name, [values].flat().join(",")]),
      ),
    }),
    pathParameters: Object.fromEntries(parameters),
    isBase64Encoded: body instanceof Uint8Array,
    ...(body !== undefined && { body: bodyText(body) }),
    requestContext: {
      accountId: "test",
      apiId: "test",
      ...(caller !== undefined && { authorizer: { iam: { userArn: caller } } }),
      domainName: "test",
      domainPrefix: "test",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "test" },
      requestId: "request-1",
      routeKey,
      stage: "$default",
      time: "",
      timeEpoch: 0,
    },
  };
}

const pairsOf = (query: Request["query"] = {}): [string, string][] =>
  Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );

function bodyText(body: unknown): string {
  if (body instanceof Uint8Array) return Buffer.from(body).toString("base64");
  return typeof body === "string" ? body : JSON.stringify(body);
}

function fits(path: string, segments: readonly string[]): boolean {
  const parts = path.split("/");
  return (
    (parts.length === segments.length || (path.endsWith("+}") && parts.length < segments.length)) &&
    parts.every((part, i) => part.startsWith("{") || part === segments[i])
  );
}
