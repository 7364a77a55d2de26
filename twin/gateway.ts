import { randomBytes } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { decodedSegments } from "../src/local/event.ts";
import { answerOf, type GatewayAnswer, ownAnswer } from "./answer.ts";
import type { Caller } from "./callers.ts";
import type { DeployedRoute, Deployment } from "./deployment.ts";
import { gatewayEvent } from "./gateway-event.ts";
import { decide } from "./iam.ts";
import type { Lambda } from "./lambda.ts";
import { listen } from "./listen.ts";
import { pathOf, routeFor } from "./routing.ts";
import { signerOf } from "./signature.ts";
import { Throttle } from "./throttle.ts";

export interface GatewayProps {
  readonly deployment: Deployment;
  readonly lambda: Lambda;
  readonly callers: readonly Caller[];
  readonly port: number;
}

export interface Gateway {
  readonly port: number;
  /** Stops listening, and finishes what is under way within a time. */
  stop(): Promise<void>;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const QUOTAS = {
  bodyBytesMax: 10_485_760,
  headerBytesMax: 10_240,
  integrationMsMax: 30_000,
} as const;
/** What arrives above the limit is read and thrown away, so that its sender gets to read the answer; but not for ever. */
const DISCARDED_BYTES_MAX = 4 * QUOTAS.bodyBytesMax;
const REQUEST_ID_BYTES = 11;
const STOP_MS_MAX = 10_000;

/** The HTTP API of the templates. */
export async function startGateway(props: GatewayProps): Promise<Gateway> {
  const throttles = new Map<string, Throttle>();
  const server = createServer({ maxHeaderSize: QUOTAS.headerBytesMax }, (request, response) => {
    const requestId = `${randomBytes(REQUEST_ID_BYTES).toString("base64url")}=`;
    answer(props, throttles, request, requestId).then(
      (answered) => write(response, answered, requestId),
      (error) => {
        // A client that goes away in the middle of its request is no concern of anybody else's.
        if (!request.readableAborted) console.error(error);
        write(response, ownAnswer(500), requestId);
      },
    );
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(lastWords(error.code));
    else socket.destroy();
  });
  return { port: await listen(server, props.port), stop: () => stop(server) };
}

async function answer(
  { deployment, lambda, callers }: GatewayProps,
  throttles: Map<string, Throttle>,
  request: IncomingMessage,
  requestId: string,
): Promise<GatewayAnswer> {
  const body = await readBody(request);
  if (!body) return ownAnswer(413);
  const { method = "", url = "" } = request;
  const [rawPath = "", ...rest] = url.split("?");
  const segments = decodedSegments(rawPath);
  if (!segments) return ownAnswer(400);
  const route = routeFor(deployment.api.routes, method, segments);
  if (!route) return ownAnswer(404);
  if (!throttleOf(throttles, deployment, route).take(performance.now())) return ownAnswer(429);
  const caller = await signerOf(request, body, deployment.region, callers);
  if (route.isIamAuthorized && !mayCall(deployment, caller, method, segments.join("/")))
    return ownAnswer(403);
  if (!isPermitted(deployment, route)) return ownAnswer(500);
  const event = gatewayEvent(request, deployment, {
    requestId,
    route,
    segments,
    rawQueryString: rest.join("?"),
    body,
    caller,
  });
  const late = new AbortController();
  return Promise.race([
    lambda.invoke(route.functionArn, JSON.stringify(event)).then(answerOf),
    sleep(QUOTAS.integrationMsMax, ownAnswer(503), { signal: late.signal }),
  ]).finally(() => late.abort());
}

function throttleOf(
  throttles: Map<string, Throttle>,
  { api }: Deployment,
  { key }: DeployedRoute,
): Throttle {
  const throttle = throttles.get(key) ?? new Throttle(api, performance.now());
  throttles.set(key, throttle);
  return throttle;
}

function mayCall(
  { account, region, api }: Deployment,
  caller: Caller | undefined,
  method: string,
  path: string,
): boolean {
  const resource = `arn:aws:execute-api:${region}:${account}:${api.id}/${api.stage}/${method}${path}`;
  return (
    caller !== undefined &&
    decide(caller.statements, { action: "execute-api:Invoke", resource }) === "allowed"
  );
}

/** Has the function let this API in? */
function isPermitted(deployment: Deployment, { key, functionArn }: DeployedRoute): boolean {
  const { account, region, api, permissions } = deployment;
  const [method] = key.split(" ");
  const source = `arn:aws:execute-api:${region}:${account}:${api.id}/${api.stage}/${method}${pathOf(key)}`;
  return permissions.some(
    (permission) =>
      permission.principal === "apigateway.amazonaws.com" &&
      permission.functionArn === functionArn &&
      decide([{ Effect: "Allow", Action: "*", Resource: permission.sourceArn }], {
        action: "lambda:InvokeFunction",
        resource: source,
      }) === "allowed",
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= QUOTAS.bodyBytesMax) chunks.push(chunk);
    else if (bytes > DISCARDED_BYTES_MAX) request.socket.destroy();
  }
  return bytes <= QUOTAS.bodyBytesMax ? Buffer.concat(chunks) : undefined;
}

function write(response: ServerResponse, { status, headers, body }: GatewayAnswer, id: string) {
  if (response.destroyed) return;
  response.writeHead(status, {
    ...(headers as Record<string, string | string[]>),
    "content-length": body.length,
    "apigw-requestid": id,
  });
  response.end(body);
}

/** The answer to what is no request, as bytes: Node has no response for it. */
function lastWords(code: string | undefined): string {
  const { status, body } = ownAnswer(
    code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), STOP_MS_MAX);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
