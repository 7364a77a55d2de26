import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../src/local/http-server.ts";
import type { DeployedTable, Role } from "./deployment.ts";
import { whyDenied } from "./table-access.ts";

export interface TableProxyProps {
  readonly table: DeployedTable;
  /** Roles and session names by access key; the session of a function has the function's name. */
  readonly holders: ReadonlyMap<string, { readonly role: Role; readonly session: string }>;
  /** The embedded DynamoDB. */
  readonly endpoint: string;
}

export interface TableProxy {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const TARGET = /^DynamoDB_20120810\.(\w+)$/;

/** Starts a proxy to the embedded DynamoDB that enforces the policies of the caller. */
export async function startTableProxy(props: TableProxyProps): Promise<TableProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    serve(props, agent, request, response).catch((error) => {
      // The caller sees a DynamoDB that does not answer.
      response.destroy(error);
    });
  });
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  { table, holders, endpoint }: TableProxyProps,
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  const [, accessKeyId = ""] =
    /Credential=([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
  const [, operation = ""] = TARGET.exec(String(request.headers["x-amz-target"])) ?? [];
  const holder = holders.get(accessKeyId);
  if (!holder)
    return refuse(
      response,
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );
  const call = JSON.parse(body.toString("utf8"));
  const denied = whyDenied(holder.role, holder.session, table, operation, call);
  if (denied !== undefined) return refuse(response, "AccessDeniedException", denied);
  await forward(endpoint, agent, request, body, response);
}

function forward(
  endpoint: string,
  agent: Agent,
  { method, url = "/", headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = send(new URL(url, endpoint), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response).on("finish", resolve).on("error", reject);
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Rejects a call in the format of DynamoDB
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html).
 */
function refuse(response: ServerResponse, code: string, message: string): void {
  const body = JSON.stringify({
    __type: `com.amazon.coral.service#${code}`,
    message,
    Message: message,
  });
  response.writeHead(400, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
