import type { IncomingMessage } from "node:http";
import { parametersOf } from "../src/local/event.ts";
import type { DeployedRoute, Deployment } from "./deployment.ts";
import type { RestAuthorized } from "./rest-authorizer.ts";
import { pathOf } from "./routing.ts";

/** A request to a REST API with its route and its complete body. */
export interface RestArrived extends RestAuthorized {
  readonly requestId: string;
  readonly route: DeployedRoute;
  /** The path below the stage, as it was sent. */
  readonly path: string;
  /** The path with the stage. */
  readonly whole: string;
  readonly rawQueryString: string;
  readonly body: Buffer;
  readonly vpcEndpointId: string;
  readonly apiKeyId: string | undefined;
}

/**
 * Makes the event for a function, in payload format 1.0. Every body is binary, because the API says so of all media types
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html).
 */
export function restEvent(request: IncomingMessage, deployment: Deployment, arrived: RestArrived) {
  const { requestId, route, path, whole, rawQueryString, body, identity, context } = arrived;
  const { account, api } = deployment;
  const { method: httpMethod = "", rawHeaders, socket, httpVersion } = request;
  const headers = grouped(
    rawHeaders.flatMap((name, i): [string, string][] =>
      i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ""]] : [],
    ),
  );
  const query = grouped([...new URLSearchParams(rawQueryString)]);
  const parameters = parametersOf(pathOf(route.key), path.split("/"));
  return {
    resource: pathOf(route.key),
    path,
    httpMethod,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: rawQueryString === "" ? null : lastOf(query),
    multiValueQueryStringParameters: rawQueryString === "" ? null : query,
    pathParameters: Object.keys(parameters).length > 0 ? parameters : null,
    stageVariables: null,
    body: body.length > 0 ? body.toString("base64") : null,
    isBase64Encoded: body.length > 0,
    requestContext: {
      accountId: account,
      apiId: api.id,
      ...(context && { authorizer: context }),
      domainName: api.domainName,
      domainPrefix: api.id,
      httpMethod,
      identity: {
        accessKey: identity?.accessKey ?? null,
        accountId: identity?.accountId ?? null,
        apiKeyId: arrived.apiKeyId ?? null,
        caller: identity?.callerId ?? null,
        sourceIp: socket.remoteAddress,
        user: identity?.userId ?? null,
        userAgent: request.headers["user-agent"] ?? null,
        userArn: identity?.userArn ?? null,
        vpceId: arrived.vpcEndpointId,
      },
      path: whole,
      protocol: `HTTP/${httpVersion}`,
      requestId,
      requestTime: new Date().toUTCString(),
      requestTimeEpoch: Date.now(),
      resourcePath: pathOf(route.key),
      stage: api.stage,
    },
  };
}

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) all.set(name, [...(all.get(name) ?? []), value]);
  return Object.fromEntries(all);
}

const lastOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(values).map(([name, some]) => [name, some.at(-1)]));
