import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Event, LambdaCaller } from "./event.ts";

/**
 * A request as a REST API of API Gateway passes it (payload format 1.0). Path and path parameters are percent-encoded,
 * and query parameters are decoded
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html).
 */
export type RestEvent = Pick<
  APIGatewayProxyEvent,
  | "httpMethod"
  | "resource"
  | "path"
  | "multiValueHeaders"
  | "multiValueQueryStringParameters"
  | "pathParameters"
  | "body"
  | "isBase64Encoded"
> & {
  readonly requestContext: Pick<
    APIGatewayProxyEvent["requestContext"],
    | "accountId"
    | "apiId"
    | "domainName"
    | "domainPrefix"
    | "httpMethod"
    | "path"
    | "protocol"
    | "requestId"
    | "requestTime"
    | "requestTimeEpoch"
    | "stage"
  > & {
    readonly authorizer?: Partial<LambdaCaller> | null;
    readonly identity: Pick<
      APIGatewayProxyEvent["requestContext"]["identity"],
      "sourceIp" | "userAgent" | "userArn"
    >;
  };
};

/**
 * Returns the event that an HTTP API would make of the same request. A key that the function does not serve becomes
 * `$default`, and repeated headers and parameters are joined.
 *
 * @param isServed true for the key of a route that the function serves
 * @returns nothing if the path is not valid percent-encoding
 */
export function eventOfRest(
  rest: RestEvent,
  isServed: (routeKey: string) => boolean,
): Event | undefined {
  const { httpMethod, resource, requestContext, body } = rest;
  const path = decoded(rest.path);
  const pathParameters = Object.entries(rest.pathParameters ?? {}).map(
    ([name, value = ""]) => [name, decoded(value)] as const,
  );
  if (path === undefined || pathParameters.some(([, value]) => value === undefined))
    return undefined;
  const key = `${httpMethod} ${resource}`;
  const routeKey = isServed(key) ? key : "$default";
  const query = joined(rest.multiValueQueryStringParameters, (name) => name);
  const authorizer = authorizerOf(requestContext);
  const { accountId, apiId, domainName = "", domainPrefix = "", identity } = requestContext;
  return {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString: queryStringOf(rest.multiValueQueryStringParameters),
    headers: joined(rest.multiValueHeaders, (name) => name.toLowerCase()),
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    pathParameters: Object.fromEntries(pathParameters),
    ...(body !== null && { body }),
    isBase64Encoded: rest.isBase64Encoded,
    requestContext: {
      accountId,
      apiId,
      ...(authorizer && { authorizer }),
      domainName,
      domainPrefix,
      http: {
        method: httpMethod,
        path,
        protocol: requestContext.protocol,
        sourceIp: identity.sourceIp,
        userAgent: identity.userAgent ?? "",
      },
      requestId: requestContext.requestId,
      routeKey,
      stage: requestContext.stage,
      time: requestContext.requestTime ?? "",
      timeEpoch: requestContext.requestTimeEpoch,
    },
  };
}

/**
 * Returns the part of a request's path before the path of its route: `/live` of a stage, or nothing behind a domain
 * name of its own.
 */
export function prefixOf({ path, requestContext }: Pick<RestEvent, "path" | "requestContext">) {
  const { path: whole } = requestContext;
  return whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : "";
}

function authorizerOf({ authorizer, identity }: RestEvent["requestContext"]) {
  const { principal, roles = "", tenant } = authorizer ?? {};
  if (principal !== undefined)
    return { lambda: { principal, roles, ...(tenant !== undefined && { tenant }) } };
  return identity.userArn === null ? undefined : { iam: { userArn: identity.userArn } };
}

/** Joins the values of each name with commas, as an HTTP API does. */
function joined(
  values: Readonly<Record<string, readonly string[] | undefined>> | null,
  nameOf: (name: string) => string,
): Record<string, string> {
  const all = new Map<string, string[]>();
  for (const [name, some = []] of Object.entries(values ?? {}))
    all.set(nameOf(name), [...(all.get(nameOf(name)) ?? []), ...some]);
  return Object.fromEntries([...all].map(([name, some]) => [name, some.join(",")]));
}

/** Returns the query with a repeated parameter repeated, as an HTTP API does. */
function queryStringOf(values: RestEvent["multiValueQueryStringParameters"]): string {
  const pairs = Object.entries(values ?? {}).flatMap(([name, some = []]) =>
    some.map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
