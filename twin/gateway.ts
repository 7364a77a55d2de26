import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { decodedSegments } from "../src/local/event.ts";
import { close, KEPT_OPEN, lastWords, listen, receiveBody } from "../src/local/http-server.ts";
import { type AccessVariables, accessLine } from "./access-log.ts";
import { answerOf, type GatewayAnswer, ownAnswer } from "./answer.ts";
import { Authorizers } from "./authorizers.ts";
import type { Caller } from "./callers.ts";
import type { Deployment } from "./deployment.ts";
import { gatewayEvent } from "./gateway-event.ts";
import type { Lambda } from "./lambda.ts";
import type { Logs } from "./logs.ts";
import { apiMayInvoke } from "./permissions.ts";
import { RestGateway } from "./rest-gateway.ts";
import { pathOf, routeFor } from "./routing.ts";
import { Throttles } from "./throttle.ts";

export interface GatewayProps {
  readonly deployment: Deployment;
  readonly lambda: Lambda;
  readonly callers: readonly Caller[];
  readonly logs: Logs;
  readonly port: number;
  /** The VPC endpoint through which all requests to a private REST API come: the first of the API, unless named. */
  readonly vpcEndpointId?: string;
  /** The clock of the throttles in milliseconds, by default that of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

export interface Gateway {
  readonly port: number;
  /** Stops listening, and finishes the requests in progress within a time limit. */
  stop(): Promise<void>;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const QUOTAS = { headerBytesMax: 10_240, integrationMsMax: 30_000 } as const;
const BODY_LIMITS = { bytesMax: 10_485_760, discardedBytesMax: 41_943_040 };
const REQUEST_ID_BYTES = 11;

/** Starts the API of the templates: an HTTP API, or a private REST API as its callers reach it through a VPC endpoint. */
export async function startGateway(props: GatewayProps): Promise<Gateway> {
  const throttles = new Throttles(props.elapsedMs);
  const authorizers = new Authorizers(props);
  const { rest, accessLog } = props.deployment.api;
  const restGateway = rest && new RestGateway(props, rest, throttles);
  let isStopping = false;
  const server = createServer(
    { ...KEPT_OPEN, maxHeaderSize: QUOTAS.headerBytesMax },
    (request, response) => {
      const requestId = `${randomBytes(REQUEST_ID_BYTES).toString("base64url")}=`;
      const arrivedMs = performance.now();
      const { remoteAddress } = request.socket;
      const known: AccessVariables = { requestId, "identity.sourceIp": remoteAddress };
      const answered =
        restGateway?.answer(request, requestId, known) ??
        answer(props, { throttles, authorizers }, request, requestId, known);
      void answered
        .catch((error) => {
          // A client that disconnects in the middle of its request must not affect others.
          if (!request.readableAborted) console.error(error);
          return ownAnswer(500);
        })
        .then((answered) => {
          known.status = answered.status;
          known.responseLatency = Math.round(performance.now() - arrivedMs);
          if (accessLog) props.logs.write(accessLog.logGroup, accessLine(accessLog, known));
          write(response, answered, requestId, isStopping);
        });
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(answerUnheard(error.code));
    else socket.destroy();
  });
  return {
    port: await listen(server, props.port),
    stop() {
      isStopping = true;
      return close(server);
    },
  };
}

/** The state of the API between requests. */
interface Stage {
  readonly throttles: Throttles;
  readonly authorizers: Authorizers;
}

async function answer(
  { deployment, lambda }: GatewayProps,
  { throttles, authorizers }: Stage,
  request: IncomingMessage,
  requestId: string,
  known: AccessVariables,
): Promise<GatewayAnswer> {
  const body = await receiveBody(request, BODY_LIMITS);
  if (!body) return ownAnswer(413);
  const { method = "", url = "" } = request;
  const [rawPath = "", ...rest] = url.split("?");
  const segments = decodedSegments(rawPath);
  if (!segments) return ownAnswer(400);
  const route = routeFor(deployment.api.routes, method, segments);
  if (!route) return ownAnswer(404);
  known.routeKey = route.key;
  const { api } = deployment;
  if (!throttles.take(route.key, api.throttles.get(route.key) ?? api)) return ownAnswer(429);
  const path = segments.join("/");
  const verdict = await authorizers.verdictOn(route, { request, method, path, body });
  if ("rejected" in verdict) return ownAnswer(verdict.rejected);
  const { iam, jwt, lambda: said } = verdict.authorizer ?? {};
  known["identity.userArn"] = iam?.userArn;
  known["authorizer.claims.sub"] = jwt?.claims.sub;
  known["authorizer.principal"] = said?.principal;
  const [routeMethod] = route.key.split(" ");
  const source = `${deployment.api.stage}/${routeMethod}${pathOf(route.key)}`;
  if (!apiMayInvoke(deployment, route.functionArn, source)) return ownAnswer(500);
  const event = gatewayEvent(request, deployment, {
    requestId,
    route,
    segments,
    rawQueryString: rest.join("?"),
    body,
    authorizer: verdict.authorizer,
  });
  const late = new AbortController();
  return Promise.race([
    lambda.invoke(route.functionArn, JSON.stringify(event)).then(answerOf),
    sleep(QUOTAS.integrationMsMax, ownAnswer(503), { signal: late.signal }),
  ]).finally(() => late.abort());
}

function write(
  response: ServerResponse,
  { status, headers, body }: GatewayAnswer,
  id: string,
  isLast: boolean,
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    ...(headers as Record<string, string | string[]>),
    "content-length": body.length,
    "apigw-requestid": id,
    // Otherwise the client would hold the connection open for a next request, and the server could not stop.
    ...(isLast && { connection: "close" }),
  });
  response.end(body);
}

function answerUnheard(code: string | undefined): string {
  const { status, headers, body } = ownAnswer(
    code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400,
  );
  return lastWords(status, headers, body.toString());
}
